#!/bin/sh
# pagecap.exe under wine: a victim whose accesses are known is captured by every back end that works there, and the trace
# equals what the victim says it did; what wine only pretends ends in one line and status 3. Prints TAP.
#
# The rule for threads: each thread's accesses stand in its own order; all of them are there; between threads any order.
here=$(cd "$(dirname "$0")" && pwd)
: "${srcdir:=$(cd "$here/../.." && pwd)}" "${BUILD:=$srcdir/build}" "${PAGELAB:=$BUILD/pagelab}"
[ -e "$BUILD/pagecap.exe" ] || { echo "1..0 # SKIP no mingw-w64 compiler was there: no pagecap.exe"; exit 0; }
command -v wine >/dev/null 2>&1 || { echo "1..0 # SKIP wine is not installed"; exit 0; }
WINEPREFIX=$BUILD/wine-prefix WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" LC_ALL=C
unset DISPLAY
export WINEPREFIX WINEDEBUG WINEDLLOVERRIDES LC_ALL
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"; wineserver -k >/dev/null 2>&1' EXIT
cd "$work" || exit 99
ln -s "$BUILD/pagecap.exe" "$BUILD/pagecap-agent.dll" "$BUILD/tests/support/windows_victim.exe" . || exit 99
timeout 120 wine windows_victim.exe count 1 >/dev/null 2>&1 ||
    { echo "1..0 # SKIP wine does not run a 64-bit program here"; exit 0; }

number=0
ok() { # STATUS NAME
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

pagecap() { timeout 300 wine pagecap.exe "$@"; }

# capture BACKEND SCRIPT...: x.trace, and the victim's own account in want (thread kind page) and base.
capture() {
    backend=$1
    shift
    rm -f x.trace got want victim.out
    pagecap run -q --backend "$backend" --interval 100ms -o x.trace -- windows_victim.exe "$@" >victim.out 2>pagecap.err ||
        { sed 's/^/# /' pagecap.err; return 1; }
    tr -d '\r' <victim.out | awk 'NF == 3' >want
    base=$(tr -d '\r' <victim.out | awk '/^base/ { print $2 }')
    "$PAGELAB" trace check -q x.trace && "$PAGELAB" trace convert -q x.trace -o x.csv &&
        awk -F, -v base="$base" '/^[0-9]/ { print $3, $5, $4 - base }' x.csv >got
    [ -s want ] && [ -s got ]
}

same() { cmp got want || { diff got want | head -n 10 | sed 's/^/# /'; return 1; }; }
by_thread() { sort -s -n -k1,1 got >got.sorted && sort -s -n -k1,1 want >want.sorted && mv got.sorted got && mv want.sorted want; }
pages() { awk -v kind="$2" 'kind == "" || $2 == kind { print $3 }' "$1" | sort -nu; }
header_says() { "$PAGELAB" trace info --json - -q x.trace | grep -q "\"records\": \"$1\""; }

for backend in exact debug; do
    capture $backend script && same
    ok $? "$backend: strides, page-crossing, movs, rep movs, locked: every access, its kind and order"
    header_says accesses
    ok $? "$backend: the header says accesses"
    capture $backend threads && by_thread && same
    ok $? "$backend: four threads on their own and shared pages: all of each thread, in its order"
    capture $backend file buffer.bin && same
    ok $? "$backend: buffers that the kernel fills and empties"
done

capture exact threads && [ "$(awk '{ print $1 }' got | uniq | wc -l)" -gt 20 ]
ok $? "exact: the threads take turns in the trace"
"$PAGELAB" curve -q --csv - x.trace | grep -q '^1,\|^.*,1,'
ok $? "pagelab curve reads it"
"$PAGELAB" replay -q --machine "$srcdir/models/zram-lz4.json" --json replay.json x.trace && [ -s replay.json ]
ok $? "pagelab replay reads it"

# Without order and kinds: the sets of pages, and of written pages.
capture interval script && pages got "" >a && pages want "" >b && cmp a b
ok $? "interval: the set of touched pages"
header_says 'sets by interval'
ok $? "interval: the header says interval"
capture writes script && pages got W >a && pages want W >b && cmp a b && ! grep -q ' R ' got
ok $? "writes: the set of written pages"
header_says writes
ok $? "writes: the header says writes"

# phases: three sets of pages, 400 ms apart: intervals of 100 ms keep them apart, in order.
in_phases() { awk '{ phase = $3 % 3; if (phase < last) exit 1; last = phase; seen[phase]++ }
    END { exit !(seen[0] == 30 && seen[1] == 30 && seen[2] == 30) }' got; }
for backend in interval writes snapshot; do
    capture $backend phases && in_phases
    ok $? "$backend: pages appear in the interval in which they are touched"
done

# attach: a victim that runs already, for a second; it goes on unharmed.
attach() {
    rm -f x.trace loop.out stop
    wine windows_victim.exe loop >loop.out 2>/dev/null &
    victim=$!
    for tick in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        grep -qs '^base' loop.out && break
        sleep 0.5
    done
    pagecap attach -q --backend "$1" --interval 100ms --time 1s -o x.trace "$(tr -d '\r' <loop.out | awk '/^pid/ { print $2 }')" \
        2>pagecap.err || sed 's/^/# /' pagecap.err
    sleep 0.3 # a while without us
    : >stop
    wait $victim || return 1
    base=$(tr -d '\r' <loop.out | awk '/^base/ { print $2 }')
    "$PAGELAB" trace convert -q x.trace -o x.csv && awk -F, -v base="$base" '/^[0-9]/ { print $3, $5, $4 - base }' x.csv >got
}
in_turn() { awk 'NR > 1 && $3 != (last + 1) % 64 { exit 1 } { last = $3 } END { exit NR < 100 }' got; }
all_64() { [ "$(awk '{ print $3 }' got | sort -nu | awk '{ s += $1 } END { print NR, s }')" = "64 2016" ]; }
for backend in exact debug; do
    attach $backend && in_turn
    ok $? "attach, $backend: no access is missing in between, and the victim goes on"
done
for backend in interval snapshot; do
    attach $backend && all_64
    ok $? "attach, $backend: all pages, and the victim goes on"
done

# What wine pretends: one line, status 3, no trace.
for backend in etw faults; do
    rm -f x.trace
    pagecap run -q --backend $backend -o x.trace -- windows_victim.exe script >out 2>err
    status=$?
    [ $status = 3 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] && [ ! -e x.trace ]
    ok $? "$backend: status 3, one line, no trace"
done
for command in lists "purge standby" "purge workingsets" "eat --trim empty --size 4MiB"; do
    pagecap $command >out 2>err
    status=$?
    [ $status = 3 ] && [ "$(wc -l <err)" = 1 ]
    ok $? "$command: status 3, one line"
done
pagecap run -q -o x.trace -- no-such-program.exe >out 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && [ ! -e x.trace ]
ok $? "a program that is not there: status 2, one line, no trace"

# Limits, and what is left of a target that is killed.
pagecap run -q -o x.trace --touches 100 -- windows_victim.exe script >out 2>err &&
    [ "$("$PAGELAB" trace convert -q x.trace --to csv -o - | grep -c '^[0-9]')" -ge 100 ] && "$PAGELAB" trace check -q x.trace
ok $? "--touches ends the capture, the trace is valid"

# The tool is killed: what it wrote is readable to its last block, and the program goes on.
killed() {
    rm -f x.trace loop.out stop
    wine pagecap.exe run -q -o x.trace -- windows_victim.exe loop >loop.out 2>/dev/null &
    tool=$!
    for tick in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -s x.trace ] && [ "$(wc -c <x.trace)" -gt 2000 ] && break
        sleep 0.5
    done
    kill -9 $tool
    wait $tool 2>/dev/null
    sleep 1
    pid=$(tr -d '\r' <loop.out | awk '/^pid/ { print $2 }')
    pagecap view -q "$pid" 2>/dev/null || return 1 # it is still there
    : >stop
    "$PAGELAB" trace convert -q --skip-damaged x.trace -o x.csv 2>/dev/null
    base=$(tr -d '\r' <loop.out | awk '/^base/ { print $2 }')
    awk -F, -v base="$base" '/^[0-9]/ { print $3, $5, $4 - base }' x.csv >got
    in_turn
}
killed
ok $? "the tool is killed: the trace holds up to its last block, the program goes on"

if [ -x "$BUILD/tests/support/etl_sample" ]; then
    "$BUILD/tests/support/etl_sample" >t.etl && pagecap etl -q -o x.trace t.etl >out 2>err &&
        "$PAGELAB" trace convert -q t.etl --to csv -o - | grep '^[0-9]' >a &&
        "$PAGELAB" trace convert -q x.trace --to csv -o - | grep '^[0-9]' >b && [ -s a ] && cmp a b
    ok $? "etl: the same faults, times, threads and kinds as pagelab reads"
fi

pagecap eat --size 8MiB --trim none --sleep 0 --repetitions 2 --processes 2 --threads 2 --verify -q -o m.json >out 2>err && jq -e '.format == "pagelab-measurement"' m.json >/dev/null
ok $? "eat measures, two processes of two threads each"
pagecap backends --csv backends.csv -q && grep -q '^exact,yes' backends.csv && grep -q '^etw,no' backends.csv
ok $? "backends says what works"
if [ -n "$PAGELAB_CASES" ] && [ -e "$PAGELAB_CASES/etl/lxcore_kernel.etl" ]; then
    cp "$PAGELAB_CASES/etl/lxcore_kernel.etl" k.etl && pagecap etl --json k.json -q k.etl && [ -s k.json ]
    ok $? "etl reads an event trace of Windows"
fi
echo "1..$number"
