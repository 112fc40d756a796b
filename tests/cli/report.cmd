# A page stands whole in its file; what is no result is refused and leaves nothing behind; texts are escaped.
pagelab model "$srcdir/models/winstone96.csv" -q --json m.json
pagelab report m.json -q -o page.html && grep -c '<h1>Least overhead 130.7 s at d = 0.794 MB: a cache does not pay</h1>' page.html
grep -o 'https\{0,1\}://[a-z.]*' page.html | grep -v -e 'www.chartjs.org' -e 'w3.org' | sort -u
test "$(wc -c <page.html)" -lt 1000000 && echo "less than 1 MB"
pagelab report --library none m.json -q -o - 2>/dev/null | tail -n 1
printf '{"pagelab":"0","kind":"x","title":"<b>&","tables":{},"notes":["</script>"]}' >evil.json
pagelab report evil.json -q --library none -o - 2>/dev/null | grep -e '<h1>' -e '<li>' -e 'u003c/script'
for bad in '{}' '{"tables":{"a":{"columns":[{"name":"x"}],"rows":[[1,2]]}}}' '{"tables"' ''; do
    printf '%s' "$bad" >bad.json
    pagelab report bad.json -o bad.html 2>&1; echo "exit $?"
done
pagelab report 2>&1; pagelab report m.json --library /nowhere -o bad.html 2>&1; pagelab report nowhere.json 2>&1; ls
