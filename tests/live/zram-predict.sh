#!/bin/sh
# The whole way on this machine: `pagecap eat` measures on a zram device of its own, `pagelab calibrate` fits a machine to
# four of the measurements (128 MiB each; the index of each int, and zeros) and to the codec's speed here, `pagelab validate`
# predicts the others, which differ in fill and in size. Prints TAP.
#
#   sh tests/live/zram-predict.sh           everything, judged: times within 25 %, their median within 10 % (make live)
#   sh tests/live/zram-predict.sh counts    small and quick: faults and sizes of the store alone (make check)
#
# Needs root and zram; skipped elsewhere. Measure on an idle machine: what others do on the processors beside it is measured
# too. KEEP=FOLDER keeps the measurements and the machine; MEASURED=FOLDER judges those of an earlier run again.
here=$(cd "$(dirname "$0")" && pwd)
: "${srcdir:=$(cd "$here/../.." && pwd)}" "${BUILD:=$srcdir/build}"
goal=${1:-all}
PAGELAB_MODELS=$srcdir/models
export PAGELAB_MODELS
if [ -z "${MEASURED:-}" ]; then
    [ "$(id -u)" = 0 ] && [ -r /sys/class/zram-control/hot_add ] || { echo "1..0 # SKIP needs root and zram's hot_add"; exit 0; }
fi
[ -x "$BUILD/pagecap" ] || { echo "1..0 # SKIP no pagecap here"; exit 0; }
work=${KEEP:-$(mktemp -d)} || exit 99
mkdir -p "$work"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
if [ "$goal" = all ]; then size=128MiB other=256MiB larger=512MiB repeat=${REPEAT:-9}; else size=16MiB other=24MiB larger=32MiB repeat=2; fi
# Ahead of what else wants a processor, where that may be asked for.
ahead=
if [ "$goal" = all ] && chrt -f 10 true 2>/dev/null; then ahead="chrt -f 10"; fi

number=0
result() { # status, name
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
# Workloads take turns, round after round, so that what else the machine does meanwhile falls on all of them alike.
eat() { # name, options
    name=$1
    shift
    $ahead "$BUILD/pagecap" eat -n "$each" "$@" --zram 2GiB,lz4 --name "$name" -o "$work/$name.$round.json" \
        >"$work/$name.txt" 2>&1 || { status=$?; sed 's/^/# /' "$work/$name.txt"; return $status; }
}
fitted_round() {
    eat index-fitted --fill index -s $size && eat zeros-fitted --fill zeros -s $size &&
        eat random-fitted --fill index --order random -s $size && eat two-fitted --fill index --processes 2 -s $size
}
other_round() {
    eat index-$larger --fill index -s $larger
    eat rand-$other --fill rand --seed 7 -s $other
    eat hash-$larger --fill hash -s $larger
    eat mixed-$other --fill mixed -s $other
    eat text-$larger --fill text --seed 5 -s $larger
    eat file-$larger --fill "file:$work/content" -s $larger
    eat random-order --fill rand --seed 3 --order random -s $other
    eat two-processes --fill hash --processes 2 -s $other
}
# The samples of all rounds in one measurement.
gather() { # name
    if [ "$rounds" = 1 ]; then
        mv "$work/$1.1.json" "$work/$1.json"
    else
        jq -s '. as $all | .[0] | .phases |= [range(length) as $i | .[$i] |
            .values |= with_entries(.key as $k | .value.samples = [$all[].phases[$i].values[$k].samples[]?])]' \
            "$work/$1".*.json >"$work/$1.json" && rm -f "$work/$1".*.json
    fi
}

# A program's bytes, kept as they were measured.
[ -n "${MEASURED:-}" ] || cp "$BUILD/pagelab" "$work/content"
first="index-fitted zeros-fitted random-fitted two-fitted"
others="index-$larger rand-$other hash-$larger mixed-$other text-$larger file-$larger random-order two-processes"
# The first that takes so much memory on a virtual machine waits for the host to find it: that is nobody's cost here.
each=2 round=0
[ "$goal" != all ] || [ -n "${MEASURED:-}" ] || eat warm-up --fill hash -s $larger
rounds=1 each=$repeat
if [ "$goal" = all ] && command -v jq >/dev/null; then rounds=$repeat each=1; fi
round=1 status=0
while [ -z "${MEASURED:-}" ] && [ $round -le "$rounds" ] && [ $status = 0 ]; do
    fitted_round
    status=$?
    if [ $status = 3 ]; then echo "1..0 # SKIP $(tail -n 1 "$work/index-fitted.txt")"; exit 0; fi
    other_round
    round=$((round + 1))
done
for name in $first $others; do
    if [ -z "${MEASURED:-}" ]; then
        [ ! -r "$work/$name.1.json" ] || gather "$name"
    else
        [ "$MEASURED/$name.json" -ef "$work/$name.json" ] || cp "$MEASURED/$name.json" "$work/"
    fi
done
result $status "workloads are measured"
measured=
for name in $first; do measured="$measured --measured $work/$name.json"; done
# shellcheck disable=SC2086
$ahead "$BUILD/pagelab" calibrate zram-direct $measured --codec-timing -o "$work/here.json" --json "$work/calibrated.json" \
    >"$work/calibrated.txt"
result $? "a machine is fitted to four of them"

judged=
for name in $others; do
    [ -r "$work/$name.json" ] && judged="$judged --measured $work/$name.json"
done
# Two repetitions on a busy machine are no times to fit to: faults and sizes need no fitted machine.
machine=$work/here.json loose=
[ "$goal" = all ] || machine=zram-direct loose="--time-tolerance 1e9"
# shellcheck disable=SC2086
"$BUILD/pagelab" validate --machine "$machine" $judged $loose --json "$work/validated.json" \
    --csv "$work/validated.csv" >"$work/validated.txt" 2>"$work/why"
status=$?
sed 's/^/# /' "$work/why"
grep -E 'MISSES' "$work/validated.txt" | sed 's/^/# /'
grep -E 'median error|worst of' "$work/validated.txt" | sed 's/^/# /'
result $status "what is predicted holds"
if [ "$goal" = all ]; then
    awk -F'[:,]' '/"median_time_error_percent"/ { exit !($2 + 0 <= 10) }' "$work/validated.json"
    result $? "the median error of times is at most 10 %"
fi
# A machine that was fitted to a measurement does not predict it.
"$BUILD/pagelab" validate --machine "$work/here.json" --measured "$work/index-fitted.json" 2>&1 | grep -q 'Nothing here is a prediction'
result $? "what it was fitted to is no prediction"
echo "1..$number"
