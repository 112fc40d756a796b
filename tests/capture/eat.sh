#!/bin/sh
# pagecap eat on Linux: the measurement it writes, and the zram device it makes and takes away again. What needs root is
# skipped without. Prints TAP.
: "${BUILD:=build}"
PATH=$BUILD:$PATH
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
number=0
ok() { # status, name
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; sed 's/^/#   /' said 2>/dev/null; fi
}
skip() { number=$((number + 1)); echo "ok $number - $1 # skip $2"; }
# Devices are told from others' by an odd size.
mib=237
there() { grep -l "^$((mib * 1048576))$" /sys/block/zram*/disksize 2>/dev/null | grep -q .; }
swapping() { awk -v kib=$((mib * 1024 - 4)) '$3 == kib { found = 1 } END { exit !found }' /proc/swaps; }
median() { # phase, value: of the file m.json
    tr -d '\n' <m.json | sed "s/.*\"name\": \"$1\", *\"values\": {//; s/\"name\":.*//; s/.*\"$2\": {[^}]*\"samples\": \[\([^]]*\)\].*/\1/" |
        tr ', ' '\n\n' | grep . | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

pagecap eat --size 4MiB --trim none -n 3 --verify -o m.json >said 2>&1
ok $? "without trimming it runs anywhere, and pages hold what was written"
grep -q '"format": "pagelab-measurement"' m.json && grep -q '"scenario": {' m.json && grep -q '"memory_bytes": [0-9]' m.json
ok $? "the measurement says what ran, and where"
[ "$(tr -d '\n' <m.json | grep -o '"time": {"unit": "ms", "samples": \[[0-9.e-]*, [0-9.e-]*, [0-9.e-]*\]' | wc -l)" = 5 ]
ok $? "five phases with three samples each"
[ "$(median "first page touch" kernel_minor_faults)" = 1024 ] && [ "$(median "second page touch" kernel_minor_faults)" -le 2 ]
ok $? "a first touch is a fault a page, a second one none"
for fill in zeros rand text hash mixed "file:$BUILD/pagecap"; do
    pagecap eat --size 1MiB --trim none -n 1 --warm-up 0 --order random --threads 2 --fill "$fill" --verify >said 2>&1
    ok $? "filled with ${fill%%:*}, by two threads in random order"
done
pagecap eat --size 2MiB --trim none -n 2 --processes 3 --own-seeds --fill rand --verify -o m.json >said 2>&1 &&
    [ "$(median "first page touch" kernel_minor_faults)" = 1536 ]
ok $? "three processes in step"
if [ "$(tail -n +2 /proc/swaps | wc -l)" = 0 ]; then
    pagecap eat --size 4MiB >said 2>&1
    { [ $? = 3 ] && grep -q "no (or not enough) swap" said; } || [ "$(tail -n +2 /proc/swaps | wc -l)" != 0 ]
    ok $? "without swap it says so instead of measuring nothing"
else
    skip "without swap it says so" "this machine has swap"
fi
pagecap eat --fill nonsense >said 2>&1
[ $? = 2 ]
ok $? "a fill that is not there"

# --- a trace's touches ---------------------------------------------------------------------------------------------------
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%x %s\n", i * 7919 % 500 * 4096, i % 3 ? "R" : "W" }' >touches
pagecap touch touches -n 2 -o m.json >said 2>&1 && [ "$(median run page_faults)" = 500 ] && grep -q '"trace": "/' m.json
ok $? "a trace is touched: one fault a page"
{ cat touches; echo '12 X'; } | pagecap touch - >said 2>&1
[ $? = 2 ] && grep -q 'standard input:3001: no .hexaddress R' said
ok $? "a line that is no touch is told with its number"
: >empty && pagecap touch empty >said 2>&1
[ $? = 2 ] && grep -q 'empty: touches nothing' said
ok $? "a trace without touches"
if [ "$(id -u)" = 0 ] && pagecap touch touches --limit 8MiB -n 1 >said 2>&1; then
    pagecap touch touches --limit 8MiB -n 1000000 >said 2>&1 &
    sleep 0.5
    kill $!
    wait $!
    [ $? = 3 ] && ! find /sys/fs/cgroup -maxdepth 5 -name "pagecap-$!" 2>/dev/null | grep -q .
    ok $? "after SIGTERM the group is gone"
else
    skip "a memory group of its own" "it takes root and memory cgroups"
fi

# --- a zram device of its own --------------------------------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && [ -e /sys/class/zram-control/hot_add ] && pagecap eat --size 1MiB -n 1 --zram 16MiB,lz4 >said 2>&1; then
    pagecap eat --size 8MiB -n 3 --zram ${mib}MiB,lz4 --verify -o m.json >said 2>&1 && ! there
    ok $? "pages come back from zram as they were, and the device is gone"
    [ "$(median "after empty" kernel_major_faults)" = 2048 ] && [ "$(median "trim and wait" store_pages)" -ge 2048 ]
    ok $? "each page was stored, and is a major fault"
    [ "$(median "trim and wait" store_huge_pages)" -ge 2040 ]
    ok $? "pages of consecutive ints are kept raw"
    pagecap eat --size 8MiB -n 1 --fill zeros --zram 64MiB,lz4 -o m.json >said 2>&1 &&
        [ "$(median "trim and wait" store_bytes)" -le 100 ]
    ok $? "zero pages take no memory"
    for signal in TERM KILL; do
        pagecap eat --size 64MiB -n 50 --zram ${mib}MiB,lz4 >said 2>&1 &
        i=0
        while ! swapping && [ $i -lt 50 ]; do sleep 0.1; i=$((i + 1)); done
        sleep 0.3
        swapping && there && seen=yes || seen=no
        kill -$signal $!
        wait $! 2>/dev/null
        i=0
        while there && [ $i -lt 50 ]; do sleep 0.1; i=$((i + 1)); done
        [ $seen = yes ] && ! there && ! swapping
        ok $? "after SIG$signal the device is gone"
    done
    pagecap eat --size 1MiB --zram ${mib}MiB,nonsense >said 2>&1
    [ $? = 2 ] && grep -q "no codec" said && ! there
    ok $? "a codec that the kernel has not"
else
    skip "a zram device of its own" "it takes root and a kernel with zram"
fi
echo "1..$number"
