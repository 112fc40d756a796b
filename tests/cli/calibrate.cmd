# A machine that is fitted to times simulated with known costs finds those costs again, from wrong ones; what the times cannot
# tell is named; what it was fitted to is no prediction any more, another workload is.
command -v jq >/dev/null || { echo "no jq here"; exit 77; }
PAGELAB_MODELS=$srcdir/models
export PAGELAB_MODELS
costs="--set cost.write=20ns --set cost.access=900ps --set cost.demand_zero_fault=1500ns --set cost.compress_raw=6us --set cost.compress=9us --set cost.decompress=3us"
skeleton() { # name, fill, size: a measurement with times of 1 s
    jq -n --arg name "$1" --arg fill "$2" --arg size "$3" '{format: "pagelab-measurement", version: 1, name: $name, source: "measured",
        page_bytes: 4096, scenario: {name: "cppeater", parameters: {fill: $fill, size: $size, pause: "0s", wait: "0s"}},
        phases: [("first page touch", "second page touch", "all bytes touch", "trim and wait", "after empty") |
            {name: ., values: {time: {unit: "s", samples: [1]}}}]}'
}
simulate() { # the skeleton's times become those of the known machine
    pagelab validate --machine zram-direct $costs --measured skeleton.json -q --json - 2>/dev/null |
        jq --slurpfile m skeleton.json '[.tables.values.rows[] | .[6]] as $t | $m[0] |
            .phases |= [range(length) as $i | .[$i] | .values.time.samples = [$t[$i]]]'
}
skeleton known-index index 4MiB >skeleton.json && simulate >index.json
skeleton known-text text 4MiB >skeleton.json && simulate >text.json
skeleton other rand 6MiB >skeleton.json && simulate >rand.json
pagelab calibrate zram-direct --measured index.json --measured text.json --date 2026-01-01 --least 1us -o fitted.json --csv - |
    grep -v '^#' | grep -E 'parameter|fitted|entangled' | awk -F, '{ print $1 "," $2 "," ($4 == "value" ? $4 : sprintf("%.4g", $4)) "," $8 }'
jq -r '.cost.compress.source, .cost.compress.note' fitted.json | sed 's/([0-9a-f]*)/(HASH)/g; s/%: [^;]*;/%: ...;/'
pagelab validate --machine fitted.json --measured rand.json --least 0 --time-tolerance 0.001 | head -n 1
pagelab validate --machine fitted.json --measured index.json | grep -E 'Nothing|no predictions'
# One kind of phase: nothing can be told apart.
jq '.phases |= map(select(.name == "trim and wait"))' index.json >trim.json
pagelab calibrate zram-direct --measured trim.json --csv - | grep -v '^#' | grep -E 'fitted|entangled' | cut -d, -f1,2,8
# A cost that would have to be less than nothing ends at its bound, and is called so.
jq '(.phases[] | select(.name == "trim and wait") | .values.time.samples) |= [.[0] / 100]' index.json >less.json
pagelab calibrate zram-direct --measured less.json --parameters cost.evict --least 1us --csv - | grep -v '^#' | cut -d, -f1-6
# What no measurement showed, from the codec here (times differ from machine to machine, which costs are set does not).
pagelab calibrate zram-direct --measured index.json --codec-timing -o timed.json --csv - | grep -E 'measured' | cut -d, -f1,2
jq -r '.cost.compress_sequence.source' timed.json
# What is wrong.
pagelab calibrate zram-direct 2>&1; pagelab calibrate nowhere --measured index.json 2>&1
pagelab calibrate zram-direct --measured index.json --parameters cost.compres 2>&1
pagelab calibrate zram-direct --measured index.json --parameters disk.hdd.speed 2>&1
jq '.phases[0].values.tiem = .phases[0].values.time' index.json >bad.json; pagelab validate --machine zram-direct --measured bad.json -q; echo $?
jq '.phases[0].values.time.unit = "sec"' index.json >bad.json; pagelab validate --machine zram-direct --measured bad.json 2>&1; echo $?
jq '.phases[0].name = "frist page touch"' index.json >bad.json; pagelab validate --machine zram-direct --measured bad.json 2>&1; echo $?
echo '{"format": "pagelab-measurement"' >bad.json; pagelab validate --machine zram-direct --measured bad.json 2>&1; echo $?
# Threads: while the store still compresses when pages are touched again, their number shows and is found; after a long wait
# one thread has done what three would have, and the number is kept and named.
for wait in 900us 1s; do
    skeleton threads index 4MiB | jq --arg wait $wait '.scenario.parameters.wait = $wait | .phases |= map(select(.name != "trim and wait"))' >skeleton.json
    pagelab validate --machine win10-1607-i7-4770k --set store.workers=3 --measured skeleton.json -q --json - 2>/dev/null |
        jq --slurpfile m skeleton.json '[.tables.values.rows[] | .[6]] as $t | $m[0] |
            .phases |= [range(length) as $i | .[$i] | .values.time.samples = [$t[$i]]]' >threads.json
    pagelab calibrate win10-1607-i7-4770k --measured threads.json --parameters store.workers,cost.write --least 1us --csv - |
        grep -v '^#' | grep workers | cut -d, -f1-4
done
