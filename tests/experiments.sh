#!/bin/sh
# Runs every experiment of models/scenarios on its machine and draws what it shows: tests/experiments.sh [FOLDER [NAME...]].
# SUFFIX=png draws another kind of file. `make experiments` does so into plots/experiments of the build. Each takes
# seconds; their names stand behind `chosen`.
here=$(cd "$(dirname "$0")" && pwd)
: "${srcdir:=$(cd "$here/.." && pwd)}" "${BUILD:=$srcdir/build}"
folder=${1:-$BUILD/plots/experiments}
[ $# -gt 0 ] && shift
wanted=" $* "
mkdir -p "$folder" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
PAGELAB_PLOTS=$srcdir/plots
export PAGELAB_PLOTS
failed=0

chosen() { # experiment
    [ "$wanted" = "  " ] || case $wanted in *" $1 "*) ;; *) return 1 ;; esac
    echo "$1" >&2
}
run() { # name of the result, scenario, machine, further options
    name=$1 scenario=$2 machine=$3
    shift 3
    "$BUILD/pagelab" replay "$srcdir/models/scenarios/$scenario.json" --machine "$machine" "$@" --quiet \
        --json "$work/$name.json" || failed=1
}
draw() { # picture, figure, heading, results
    picture=$folder/$1.${SUFFIX:-svg} figure=$2 heading=$3
    shift 3
    "$BUILD/pagelab" plot "$@" --figure "$figure" --title "$heading" --quiet --output "$picture" || failed=1
}
win10=win10-1607-i7-4770k

if chosen cppeater; then # page lists, store and who computes, as in the document's recordings
    run cppeater cppeater $win10 --interval 200ms --views
    draw cppeater-memory time-line "CppEater: 2 GB touched, trimmed, compressed, touched again" "$work/cppeater.json"
    draw cppeater-processors activity "CppEater: one thread compresses for 6.3 s" "$work/cppeater.json"
fi
if chosen paging-sets-in; then # the first touch of a block, before and after
    run paging paging-sets-in $win10 --interval 200ms
    draw paging-sets-in phases "First touch of 1.3 GB blocks on 16 GB, until compression sets the pace" "$work/paging.json"
    # A quarter of the machine and of the blocks: with a hard disk each 16 pages are an event for 4 million pages.
    small="--set memory.total=4GiB --set memory.kernel=384MiB --param block=325MiB --set store.enabled=false"
    # shellcheck disable=SC2086
    run paging-hdd paging-sets-in $win10 $small
    # shellcheck disable=SC2086
    run paging-ssd paging-sets-in $win10 $small --set disk.kind=ssd
    draw paging-sets-in-hdd phases "The same without a store, on a hard disk (a quarter of all sizes)" "$work/paging-hdd.json"
    draw paging-sets-in-ssd phases "The same without a store, on an SSD (a quarter of all sizes)" "$work/paging-ssd.json"
fi
if chosen file-cache; then # the file cache with 15 % of memory left, and with nothing
    quarter="--set memory.total=4GiB --set memory.kernel=384MiB --param files=512MiB --set disk.kind=ssd"
    # shellcheck disable=SC2086
    run cache file-cache $win10 $quarter --param taken=3GiB
    # shellcheck disable=SC2086
    run cache-full file-cache $win10 $quarter --param taken=3584MiB
    draw file-cache phases "512 MB of files read again, 16 % of 4 GB left for them" "$work/cache.json"
    draw file-cache-squeezed phases "The same with a quarter of that left" "$work/cache-full.json"
    run overcommit overcommit $win10 --views
    draw overcommit memory "19 GB committed on 16 GB" "$work/overcommit.json"
fi
if chosen dedup; then # eight processes of 1 GB, one seed and eight
    run one-seed dedup $win10 --interval 1s --set store.sample=64
    run own-seeds dedup $win10 --interval 1s --set store.sample=64 --param own_seeds=1
    draw dedup store-line "Eight processes of 1 GB, trimmed: the store" --name "one seed" --name "a seed for each" \
        "$work/one-seed.json" "$work/own-seeds.json"
fi
if chosen storm; then # forced trims on a server of which 5/8 are in use
    run storm storm $win10 --set memory.total=8GiB --interval 100ms
    draw storm phases "80 of 128 GB in use (here 1/16): quiet, and trimmed" "$work/storm.json"
    draw storm-memory time-line "80 of 128 GB in use (here 1/16): quiet, and trimmed" "$work/storm.json"
fi
if chosen demand-paging; then # Process Explorer's columns at five points
    run demand demand-paging winxp-nyaruru --views
    draw demand-paging processes "256 MB committed, half written, written, minimised (Windows XP)" "$work/demand.json"
fi
if chosen faults; then # resident, soft, hard
    run soft soft-faults winxp-nyaruru
    run hard hard-faults winxp-nyaruru
    draw soft-faults phases "65,536 pages: resident and by soft faults (Windows XP)" "$work/soft.json"
    draw hard-faults phases "65,536 pages: resident and by hard faults (Windows XP)" "$work/hard.json"
    draw fault-latency fault-latency "How long faults take (Windows XP, hard disk)" "$work/hard.json"
fi
if chosen black-holes; then # what tools see
    run holes black-holes $win10 --views-at "looked at"
    draw black-holes tools "2 GB each: private, a file, a section, large pages" "$work/holes.json"
fi
if chosen provisioning; then # 4 KB on demand, 2 MB, registered, prefaulted
    run provisioning provisioning $win10
    draw provisioning phases "1 GB provisioned four ways" "$work/provisioning.json"
fi
if chosen purges; then # a game beside a full standby list
    run purge-none standby-purges $win10 --param cleaner=0 --interval 10s
    run purge-timed standby-purges $win10 --param every=300s --param standby_above=0B --param free_below=16GiB --interval 10s
    run purge-adaptive standby-purges $win10 --interval 10s
    run purge-sets standby-purges $win10 --param command=empty-working-sets --param every=30s --param standby_above=0B \
        --param free_below=16GiB --interval 10s
    for way in none timed adaptive sets; do
        draw purges-$way time-line "A game beside full standby memory: cleaner $way" "$work/purge-$way.json"
        draw purges-$way-time phases "A game beside full standby memory: cleaner $way" "$work/purge-$way.json"
    done
fi
if chosen minimise; then # 512 MB minimised and restored
    run spare minimise $win10
    run tight minimise $win10 --param other=14600MiB --set store.enabled=false --set disk.kind=ssd
    run prefetch minimise $win10 --param other=14600MiB --set store.enabled=false --set disk.kind=ssd --param prefetch=1
    draw minimise phases "Minimised and restored with memory to spare" "$work/spare.json"
    draw minimise-tight phases "The same when others took the memory (no store, SSD)" "$work/tight.json"
    draw minimise-prefetch phases "The same with a prefetch of what it had" "$work/prefetch.json"
fi
if chosen large-pages; then # a database server with three quarters of memory in large pages
    part="--set memory.total=6GiB --set memory.kernel=512MiB --param server=4608MiB --param process=192MiB"
    # shellcheck disable=SC2086
    run large large-page-owner $win10 --views $part
    # shellcheck disable=SC2086
    run small large-page-owner $win10 --views $part --param kind=commit
    draw large-page-owner memory "4.5 of 6 GB in large pages, and five processes" "$work/large.json"
    draw large-page-owner-time phases "4.5 of 6 GB in large pages, and five processes" "$work/large.json"
    draw small-page-owner-time phases "The same with 4.5 GB in ordinary pages" "$work/small.json"
fi
if chosen zeroing; then # 39 threads and one lock; fewer threads, longer batches, other locks
    run zeroing zeroing-stress win10-server-96 --param rounds=20000 --param rest=8s --interval 100ms
    draw zeroing-processors activity "39 threads zero what two programs free" "$work/zeroing.json"
    "$BUILD/pagelab" sweep "$srcdir/models/studies/zeroing.json" -o "$work/zeroing.sqlite" --quiet >"$work/sweep" &&
        "$BUILD/pagelab" sweep export "$work/zeroing.sqlite" --csv "$work/zeroing.csv" --quiet || failed=1
    draw zeroing-threads zeroing "Processor time for zeroing a GiB" "$work/zeroing.csv"
fi
if chosen office; then # 8 MB of 1996, with and without a compressed cache of 1 MB, beside a cache of files
    run office office-1996 pc-1996
    run office-plain office-1996 pc-1996 --set store.enabled=false
    run office-files office-1996 pc-1996 --param disk_cache=512KiB
    draw office-1996 phases "Two programs on 8 MB, 1 MB of it a compressed cache (1996)" "$work/office.json"
    draw office-1996-plain phases "The same without the compressed cache" "$work/office-plain.json"
    draw office-1996-files phases "The same with it, beside 512 KB of file cache that do not shrink" "$work/office-files.json"
fi
if chosen predicted; then # every published number beside the prediction
    "$BUILD/pagelab" validate --all "$srcdir/models/measurements" --quiet --json "$work/predicted.json" || failed=1
    draw predicted predicted "Published numbers and predictions" "$work/predicted.json"
fi
exit $failed
