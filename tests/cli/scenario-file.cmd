# Pages filled from a file: real sizes, same-filled pages and equal pages, its content over and over; as `compress` finds it.
export PAGELAB_MODELS=$srcdir/models
mkdir folder other
{
    awk 'BEGIN { for (i = 0; i < 9000; i++) printf "%d %d\n", i, i * 7919 % 100003 }'
    head -c 40000 /dev/zero
    awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%d,", i * i % 9973 }'
} >folder/content
bytes=$(wc -c <folder/content) pages=$((($(wc -c <folder/content) + 4095) / 4096))
cat >folder/filled.json <<'END'
{ "format": "pagelab-scenario", "version": 1, "title": "filled", "parameters": { "size": "8p", "fill": "file:content" },
  "processes": [ { "name": "p", "steps": [
    { "allocate": "m", "size": "$size" },
    { "phase": "fill" },
    { "touch": "m", "mode": "write", "accesses": "all", "fill": "$fill" },
    { "trim": "self" },
    { "phase": "end" } ] } ] }
END
measured() { # file, size in pages, fill or "", values: judged without tolerance
    fill=${3:+, \"fill\": \"$3\"}
    cat >"$1" <<END
{ "format": "pagelab-measurement", "version": 1, "name": "filled", "source": "measured", "page_bytes": 4096,
  "scenario": { "name": "$PWD/folder/filled.json", "parameters": { "size": "$2p"$fill } },
  "phases": [ { "name": "fill", "values": { $4 } } ] }
END
}
value() { printf '"%s": { "unit": "%s", "samples": [%s], "class": "predicted", "tolerance": 0 }' "$1" "$2" "$3"; }
pagelab compress folder/content --codecs lz4 --stores zram --no-timing -q --json answer.json >/dev/null
row=$(tr -d ' \n' <answer.json | sed 's/.*"stores":{.*"rows":\[\[\([^]]*\)\].*/\1/')
same=$(echo "$row" | cut -d, -f5) bytes=$(echo "$row" | cut -d, -f8)
[ "$same" = 9 ] && echo "nine pages of zeros"
measured once.json $pages "" "$(value store_same_pages count "$same"), $(value store_bytes bytes "$bytes")"
measured twice.json $((2 * pages)) "" "$(value store_same_pages count $((2 * same))), $(value store_bytes bytes $((2 * bytes)))"
pagelab validate --machine zram-direct --measured once.json --measured twice.json -q --csv - 2>&1 | grep -E ',store_' | cut -d, -f3,9 |
    sort | uniq -c | sed 's/^ *//'
echo "-- equal pages once"
for size in $pages $((3 * pages)); do
    pagelab replay folder/filled.json --machine zram-direct --set store.dedup=hash128 --param size=${size}p -q --json run.json >/dev/null 2>why || cat why
    grep -o '"store_unique_pages": *[0-9]*' run.json
done
echo "-- converted, and seen from elsewhere"
pagelab trace convert folder/filled.json --param size=${pages}p -q -o filled.trace
for trace in filled.trace "folder/filled.json --param size=${pages}p"; do
    pagelab replay $trace --machine zram-direct -q --csv - | grep -v '^#' | cksum
done | uniq | wc -l
(cd other && pagelab replay ../folder/filled.json --machine zram-direct -q --csv - | grep -c ^fill)
(cd folder && pagelab replay filled.json --param fill=file:../folder/content --machine zram-direct -q --csv - | grep -c ^fill)
echo "-- what is wrong"
pagelab replay folder/filled.json --param fill=file:content --machine zram-direct 2>&1
: >folder/empty
sed 's/file:content/file:empty/' folder/filled.json >folder/bad.json; pagelab curve folder/bad.json 2>&1
mv folder/content folder/gone; pagelab replay filled.trace --machine zram-direct -q 2>&1
true
