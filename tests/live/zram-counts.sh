#!/bin/sh
# The quick part of zram-predict.sh: faults and sizes of the store, not times.
#
# It runs beside other tests on a busy machine, where the kernel now and then leaves a few slots of pages that came back
# (it gives up on a page that somebody holds just then). What misses is therefore measured anew, twice at most: chance
# does not strike three times, a wrong prediction does.
here=$(cd "$(dirname "$0")" && pwd)
for attempt in 1 2 3; do
    out=$(sh "$here/zram-predict.sh" counts)
    status=$?
    case $out in
    *"not ok"*) [ $attempt = 3 ] || echo "$out" | sed -n 's/^# /# measured anew after: /p' ;;
    *) break ;;
    esac
done
echo "$out"
exit $status
