#!/bin/sh
# A memory cgroup with a limit: the touches of a trace are done again in it (`pagecap touch`), what does not fit goes to zram,
# and `pagelab` predicts faults and store from the trace, the limit and the content. Prints TAP. Root and zram.
#
# Judged is what follows from how it works, whatever the kernel's lists do: every page has one first touch; what does not fit
# into the limit is stored, but for the 32 pages that reclaim frees at a time, the 64 that each processor charges in advance,
# and page tables; nobody faults less often than one who knows the future; pages become as small as the codec makes them. How
# near a clock comes to the kernel's two lists is judged within 25 %, as times are.
here=$(cd "$(dirname "$0")" && pwd)
: "${srcdir:=$(cd "$here/../.." && pwd)}" "${BUILD:=$srcdir/build}"
PAGELAB_MODELS=$srcdir/models
export PAGELAB_MODELS
[ "$(id -u)" = 0 ] && [ -r /sys/class/zram-control/hot_add ] || { echo "1..0 # SKIP needs root and zram's hot_add"; exit 0; }
[ -x "$BUILD/pagecap" ] || { echo "1..0 # SKIP no pagecap here"; exit 0; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
number=0
result() { # status, name
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
holds() { # name, awk condition
    awk "BEGIN { exit !($2) }"
    result $? "$name: $1"
}
row() { # quantity: measured and predicted
    awk -F, -v quantity="$1" '$3 == quantity { print $5, $7; exit }' "$work/rows"
}
faults() { # policy, pages: faults of the store in a replay
    "$BUILD/pagelab" replay "$work/$trace.txt" --machine zram-group --set "memory.resident=$2p" --set "working_set.policy=$1" \
        --set store.content=text -q --csv - | sed -n 's/^# faults_store: //p'
}

# Linux kills small groups now and then although swap is empty (its counts of pages lag behind): that is no prediction's
# fault, so that what was killed is tried again, twice at most, and then left out.
touch_in_group() {
    for attempt in 1 2 3; do
        "$BUILD/pagecap" touch "$work/$trace.txt" --limit "${limit}p" --zram 128MiB,lz4 -n 3 --name "$trace" \
            -o "$work/touched.json" >"$work/said" 2>&1
        status=$?
        [ $status = 137 ] || return $status
        echo "# $name: killed by the kernel, attempt $attempt"
    done
    return $status
}

judge() { # trace, limit in pages
    trace=$1 limit=$2 name="$1 in $2 pages"
    touch_in_group || {
        sed 's/^/# /' "$work/said"
        [ $status = 3 ] && [ $number = 0 ] && skip
        if [ $status = 137 ]; then result 0 "$name # SKIP the kernel kills this group"; else result 1 "$name"; fi
        return
    }
    pages=$(sed -n 's/^ *distinct pages *\([0-9,]*\).*/\1/p' "$work/said" | tr -d ,)
    tables=$(((pages + 511) / 512))
    "$BUILD/pagelab" validate --machine zram-group --set "memory.resident=$((limit - tables - 16))p" --set store.content=text \
        --measured "$work/touched.json" --csv "$work/rows" -q >/dev/null 2>&1
    # shellcheck disable=SC2046
    set -- $(row page_faults) $(row major_faults) $(row store_pages) $(row store_bytes)
    [ $# = 8 ] || { result 1 "$name: measured and predicted"; return; }
    least=$(faults opt "$limit")
    echo "# $name: major faults $3 (a clock: $4; the least: $least), stored $5 ($6), bytes $7 ($8)"
    away=$((pages - limit))
    holds "one first touch a page" "$1 - $3 >= $pages && $1 - $3 <= $pages + 16"
    holds "what does not fit is stored" "$5 >= $away && $5 <= $away + $tables + 32 + 64 * $(nproc)"
    holds "compressed bytes of a page within 3 %" "($7 / $5) / ($8 / $6) > 0.97 && ($7 / $5) / ($8 / $6) < 1.03"
    holds "no fewer faults than the least" "$3 >= $least"
    [ "$3" -lt 1000 ] || holds "a clock's faults within 25 %" "$4 > 0.75 * $3 && $4 < 1.25 * $3"
}
skip() { echo "1..0 # SKIP $(tail -n 1 "$work/said")"; exit 0; }

"$BUILD/pagelab" trace convert "$srcdir/traces/exponential.trace" --to memsim -q -o "$work/exponential.txt"
judge exponential 1024
judge exponential 512
if [ -n "${PAGELAB_CASES:-}" ] && gzip -cd "$PAGELAB_CASES/memsim/gcc.trace.gz" >"$work/gcc.txt" 2>/dev/null; then
    judge gcc 1024
    judge gcc 512
else
    echo "# a real program's trace (gcc) is not tried: \$PAGELAB_CASES is not set"
fi
echo "1..$number"
