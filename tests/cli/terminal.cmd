# What people see: names cannot command the terminal, words do not make tables wider than it, help says things once.
escape=$(printf '\033')
name="a${escape}[31mb"
awk 'BEGIN { for (i = 0; i < 300; i++) print i % 37 }' >"$name"
echo '-- control characters in names'
for command in 'curve --csv -' 'curve' 'trace info --csv -' 'trace info' 'curve --sizes 4p,8p'; do
    pagelab $command "$name" | grep -c "$escape"
done
pagelab curve --csv - "$name" | sed -n '/^# trace:/p'
echo '-- columns'
widest() { awk '{ if (length > most) most = length } END { print (most <= 120 ? "fits" : most) }'; }
cd "$srcdir" || exit 99
pagelab advise traces/example.trace -m zram-lz4 --memory 100p | widest
pagelab fit models/winstone96.csv | widest
echo '-- help'
for command in fit model curve replay sweep advise plot report compress calibrate validate; do
    pagelab $command --help | tr '\n' ' ' | tr -s ' ' | grep -c 'May be repeated. May be repeated'
done
echo '-- what was judged'
cat >"$OLDPWD/m.json" <<'JSON'
{ "format": "pagelab-measurement", "version": 1, "name": "counted", "about": "a count alone", "source": "measured",
  "reference": "nobody", "page_bytes": 4096, "scenario": { "name": "cppeater", "parameters": { "size": "8MiB" } },
  "phases": [ { "name": "first page touch",
                "values": { "faults.demand_zero": { "unit": "count", "samples": [2048], "class": "predicted" } } } ] }
JSON
pagelab validate -m win10-1607-i7-4770k --measured "$OLDPWD/m.json" | head -n 2
