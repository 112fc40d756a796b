# The example of models/scenarios/README.md runs; a converted scenario replays to the same numbers; what is wrong has a place.
sed -n '/^```json/,/^```/p' "$srcdir/models/scenarios/README.md" | grep -v '```' >example.json
pagelab trace info example.json --param size=1MiB | grep -E 'accesses  |pages  |writes  '
pagelab trace convert example.json --param size=1MiB -q -o example.trace && pagelab trace check example.trace -q && echo whole
for trace in example.trace 'example.json --param size=1MiB'; do
    pagelab replay $trace --machine "$srcdir/models/win10-1607-i7-4770k.json" -q --csv - | grep -v '^#' | cksum
done
pagelab replay "$srcdir/models/scenarios/cppeater.json" --param size=20MiB --machine "$srcdir/models/win10-1607-i7-4770k.json" -q --csv - |
    grep -v '^#' | cut -d, -f1,2,5,7,9
sed 's/"order": "random"/"order": "rnadom"/' example.json >bad.json; pagelab curve bad.json 2>&1
(cd "$srcdir" && pagelab curve traces/example.trace --param size=1 2>&1)
