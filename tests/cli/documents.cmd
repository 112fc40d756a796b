# Every command's JSON is JSON, its CSV has as many fields in each line, and both hold the same main table, whatever the
# locale; nothing but the document is on standard output.
command -v jq >/dev/null 2>&1 || { echo "no jq here"; exit 77; }
LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8
export LC_ALL LC_NUMERIC
W=$srcdir/models/winstone96.csv
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%x %s\n", i * 7919 % 400000, i % 3 ? "R" : "W" }' >t.memsim
name=$(printf 'a "quoted, name"\\ \033[31m')
cp t.memsim "$name"
look() {
    echo "$*" | sed "s|$srcdir/||g" | tr -d '\033'
    pagelab "$@" --quiet --json out.json --csv out.csv || { echo "    status $?"; return; }
    pagelab "$@" --quiet --json - | jq -e . >/dev/null || echo "    no JSON alone"
    jq -r '[.kind, (.results | length > 0), ([.. | numbers] | length > 0), ([.. | strings | select(. == "nan" or . == "inf")] | length)]
        | @tsv' out.json
    grep -v '^#' out.csv | awk -F, 'NR == 1 { n = NF } NF != n && !/"/ { print "    line", NR, "has", NF, "fields of", n; exit }'
    rows=$(grep -v '^#' out.csv | tail -n +2 | wc -l)
    jq --argjson rows "$rows" '[.tables[]?.rows | length] | length == 0 or .[0] == $rows' out.json
}
look curve t.memsim
look curve "$name" -f memsim
look curve t.memsim --policy clock --sizes 10%,50%
look trace info t.memsim
look trace info "$name" -f memsim
look trace check t.memsim
look trace convert t.memsim -o t.trace
look trace cut t.trace --to 10 -o cut.trace
look trace merge t.trace t.trace -o two.trace
look trace gen loop --pages 10 -n 100 -o gen.trace
look compress t.memsim --codecs xpress,wkdm --no-timing
look model "$W"
look model "$W" --d 1MB --sensitivity --compare-interpolations
look model "$W" --m 8MB --compare 1996
look model "$W" --sweep r=1:3:1 --sweep d=0:2MB:1MB
