#!/bin/sh
# Every example that a help page or the README shows is run as it stands there, in a folder that has the files they
# speak of. An example must end with status 0. Prints TAP.
here=$(cd "$(dirname "$0")" && pwd)
: "${srcdir:=$(cd "$here/../.." && pwd)}" "${BUILD:=$srcdir/build}"
PATH=$BUILD:$PATH
LC_ALL=C
PAGELAB_PLOTS=$srcdir/plots
export PATH LC_ALL PAGELAB_PLOTS
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

have() { command -v "$1" >/dev/null 2>&1; }

make_files() { # what the examples speak of
    ln -s "$srcdir/models" models && ln -s "$srcdir/traces" traces && ln -s "$srcdir/README.md" README.md &&
        mkdir build && ln -s "$BUILD/pagelab" build/pagelab &&
        pagelab trace convert traces/example.trace -q -o t.trace &&
        cp t.trace a.trace && cp t.trace b.trace &&
        "$BUILD/tests/support/etl_sample" >t.etl &&
        pagelab trace cut t.trace --to 20k -q -o small.trace &&
        pagelab trace convert small.trace -q --to memsim -o - | gzip >t.gz &&
        awk 'BEGIN { for (i = 0; i < 5000; i++) printf " %s %x,4\n", i % 3 ? "L" : "S", (i * 7919) % 400000 }' >t.lackey &&
        pagelab trace gen zipf --pages 20k --count 500k -q --to hex -o - | gzip >huge.gz &&
        head -c 100000 "$BUILD/pagelab" >core.1234 &&
        "$BUILD/tests/support/etl_sample" >t.etl &&
        pagelab trace gen uniform --pages 20k -n 50k -q --to hex -o - | gzip >huge.gz &&
        awk 'BEGIN { print "time,pid,op,address,size"
            for (i = 0; i < 4000; i++) printf "%d,%d,%s,%d,4\n", i * 1000, 4711 + i % 2, i % 3 ? "R" : "W", i * 5000 }' |
        pagelab trace convert - --format csv -q -o times.trace &&
        pagelab sweep models/studies/curve.json -q -o part-1.sqlite --shard 1/2 &&
        pagelab sweep models/studies/curve.json -q -o part-2.sqlite --shard 2/2
    # one block request of vscsi version 1, a hundred times
    i=0
    while [ $i -lt 100 ]; do
        printf '\001\000\000\000\000\020\000\000\001\000\000\000\052\000\000\001\000\000\000\000\000\000\000\000\001\000\000\000\000\000\000\000'
        i=$((i + 1))
    done >disk.vscsi
}

examples() { # one a line
    for command in model curve validate calibrate plot report compress replay "trace info" "trace check" "trace convert" "trace gen" "trace cut" \
        "trace merge" "trace events" "trace map" sweep "sweep export" "sweep show" "sweep best" "sweep merge" advise; do
        # shellcheck disable=SC2086
        pagelab $command --help 2>/dev/null | sed -n '/^Examples:/,$s/^    //p'
    done
    # README: shell blocks, continued lines joined
    awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on' README.md |
        awk '/\|$/ { printf "%s ", $0; next } { print }' | grep -v '^\./bootstrap'
}

make_files || { echo "Bail out! the files for the examples could not be made"; exit 99; }
examples >list
total=$(wc -l <list)
echo "1..$total"
number=0
while IFS= read -r example <&3; do
    number=$((number + 1))
    # TAP takes what follows a '#' for a directive.
    name=$(printf '%s' "$example" | tr '#' ' ')
    case $example in
    *valgrind*) have valgrind || { echo "ok $number - $name # skip no valgrind here"; continue; } ;;
    *tests/live/*) echo "ok $number - $name # skip it takes minutes and needs zram: make live"; continue ;;
    esac
    if timeout 120 sh -c "$example" >out 2>err </dev/null; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        head -n 5 err | sed 's/^/#   /'
    fi
done 3<list
