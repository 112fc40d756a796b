# Every kind of figure from what a command wrote, as a picture and as text; several results only where that makes sense.
gnuplot --version >/dev/null 2>&1 || { echo "no gnuplot here"; exit 77; }
pagelab replay "$srcdir/traces/phases.trace" --machine "$srcdir/models/win10-1607-i7-4770k.json" --set memory.total=8MiB \
    --set memory.kernel=0 --interval 100us --views -q --json replay.json
pagelab model "$srcdir/models/winstone96.csv" --m 8MB --sweep r=1.2:4:0.4 --sweep d=0:1.2MB:0.1MB -q --json sweep.json
pagelab trace map "$srcdir/traces/phases.trace" -q --json map.json
for figure in time-line phases fault-latency memory tools processes activity store-line; do
    pagelab plot replay.json --figure $figure -q -o $figure.svg && pagelab plot replay.json --figure $figure -q -o $figure.txt
done
pagelab plot sweep.json --figure heat-map -q -o heat-map.svg && pagelab plot sweep.json --figure heat-map -q -o heat-map.txt
pagelab plot map.json -q -o page-map.svg && pagelab plot map.json -q -o page-map.png
ls *.svg *.txt *.png
grep -c . phases.txt && grep least heat-map.txt
pagelab plot replay.json replay.json -o two.svg 2>&1
pagelab plot replay.json replay.json --figure store-line -q -o two-lines.svg && ls two-lines.svg
