#!/bin/sh
# However a sweep is cut up (threads, shards, MPI ranks) its export is the same, byte for byte. Prints TAP.
. "${srcdir:-$(dirname "$0")/../..}/tests/sweep/common.sh"
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # MPI keeps what it allocated
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM ASAN_OPTIONS

make_study 5k || { echo "Bail out! no study"; exit 99; }
pagelab trace convert t.trace -q --to memsim -o t.memsim # decoded once, then shared
sed 's/t.trace/t.memsim/' study.json >text.json
echo "1..17"

for threads in 1 2 4; do
    pagelab sweep study.json -o "t$threads.sqlite" -q --threads $threads
    export_csv "t$threads.sqlite" "t$threads.csv"
done
check "one thread has all points" "$([ "$(grep -vc '^#' t1.csv)" = $((points + 1)) ]; echo $?)"
holds "two threads" cmp t1.csv t2.csv
holds "four threads" cmp t1.csv t4.csv

for part in 1 2 3; do
    pagelab sweep study.json -o "part-$part.sqlite" -q --shard $part/3
done
holds "three shards are merged" pagelab sweep merge part-1.sqlite part-2.sqlite part-3.sqlite -o merged.sqlite
export_csv merged.sqlite merged.csv
holds "and are the whole" cmp t1.csv merged.csv
holds "merging again changes nothing" pagelab sweep merge part-2.sqlite -o merged.sqlite -q
export_csv merged.sqlite again.csv
holds "really" cmp t1.csv again.csv
says "a shard's file is of that shard" 2 "is shard 1/3" pagelab sweep study.json -o part-1.sqlite --shard 2/3
says "no such shard" 2 "I from 1 to N" pagelab sweep study.json -o part-4.sqlite --shard 4/3
pagelab sweep text.json -o text.sqlite -q
says "another study is not merged" 2 "another study" pagelab sweep merge text.sqlite -o merged.sqlite
export_csv merged.sqlite again.csv
holds "and leaves the outcome as it was" cmp t1.csv again.csv

if ! pagelab --version | grep -q 'MPI.*: sweeps' || ! command -v mpirun >/dev/null; then
    for what in "runs" "same" "decoded once" "one dies" "its database" "goes on"; do skip "three ranks: $what" "no MPI here"; done
else
    holds "three ranks" mpirun --oversubscribe -n 3 pagelab sweep study.json -o mpi.sqlite -q
    export_csv mpi.sqlite mpi.csv
    holds "give the same bytes" cmp t1.csv mpi.csv
    mpirun --oversubscribe -n 3 pagelab sweep text.json -o mpi-text.sqlite -q >said 2>&1
    export_csv text.sqlite text.csv
    export_csv mpi-text.sqlite mpi-text.csv
    holds "and share a decoded trace" cmp text.csv mpi-text.csv

    # A rank dies: Open MPI ends the others, the database stays valid, and the study goes on without MPI.
    pagelab trace gen zipf --pages 2k -n 200k --seed 6 -q -o long.trace
    sed 's/t.trace/long.trace/' study.json >long.json
    mpirun --oversubscribe -n 3 pagelab sweep long.json -o dead.sqlite -q >said 2>&1 &
    launcher=$!
    rank=
    while kill -0 $launcher 2>/dev/null && [ -z "$rank" ]; do
        sleep 0.3
        [ -s dead.sqlite ] && rank=$(pgrep -P $launcher | tail -n 1)
    done
    [ -z "$rank" ] || kill -9 "$rank"
    wait $launcher
    status=$?
    check "a rank that dies is told, by status $status" "$([ -n "$rank" ] && [ $status != 0 ]; echo $?)"
    export_csv dead.sqlite dead.csv
    check "the database holds what was done" "$([ "$(grep -vc '^#' dead.csv)" -le $points ]; echo $?)"
    pagelab sweep long.json -o dead.sqlite -q
    pagelab sweep long.json -o whole.sqlite -q
    export_csv dead.sqlite dead.csv
    export_csv whole.sqlite whole.csv
    holds "and goes on to the same bytes" cmp dead.csv whole.csv
fi
