#!/bin/sh
# A sweep that is killed goes on with nothing lost and nothing done twice: the export is, byte for byte, that of a sweep
# that was left alone. A study that changed is refused; a point that fails stops nothing. Prints TAP.
. "${srcdir:-$(dirname "$0")/../..}/tests/sweep/common.sh"
kills=${PAGELAB_KILLS:-20}

make_study 10k || { echo "Bail out! no study"; exit 99; }
echo "1..16"

began=$(date +%s%N)
holds "a sweep runs" pagelab sweep study.json -o whole.sqlite -q --threads 1
window=$(awk -v a="$began" -v b="$(date +%s%N)" 'BEGIN { s = (b - a) / 1e9; print s < 2 ? s : 2 }') # moments lie in it
export_csv whole.sqlite whole.csv
check "it has all points" "$([ "$(grep -vc '^#' whole.csv)" = $((points + 1)) ]; echo $?)"

# --- killed at random moments
seed=$(date +%s)
echo "# moments by seed $seed"
moments=$(awk -v n="$kills" -v seed="$seed" -v w="$window" 'BEGIN { srand(seed); for (i = 0; i < 3 * n; i++) printf "%.3f\n", 0.02 + w * rand() }')
killed=0 partly=0 broken=0
for moment in $moments; do
    [ $killed -lt "$kills" ] || break # some come too late to kill
    pagelab sweep study.json -o killed.sqlite -q --threads 2 2>said &
    process=$!
    sleep "$moment"
    kill -9 $process 2>/dev/null && killed=$((killed + 1))
    wait $process 2>/dev/null
    [ -s killed.sqlite ] || continue
    # Valid after every kill; a kill before the first transaction leaves a file with nothing in it.
    if export_csv killed.sqlite part.csv 2>said; then
        rows=$(grep -vc '^#' part.csv)
        [ "$rows" -gt 1 ] && [ "$rows" -le $points ] && partly=$((partly + 1))
        [ "$rows" -gt $points ] && rm -f killed.sqlite # it was quicker: from the beginning again
    elif ! grep -q 'not the database' said; then
        broken=$((broken + 1))
        sed 's/^/#   /' said
    fi
done
echo "# killed $killed times, found part of the points $partly times"
check "some kills left part of the points" "$([ $partly -gt 0 ]; echo $?)"
check "the database was valid after every kill" "$([ $broken = 0 ]; echo $?)"
holds "the same command goes on" pagelab sweep study.json -o killed.sqlite -q
export_csv killed.sqlite killed.csv
holds "and gives the same bytes" cmp whole.csv killed.csv

# --- stopped by Ctrl-C
pagelab sweep study.json -o stopped.sqlite -q --threads 1 2>said &
process=$!
sleep 0.1
kill -TERM $process
wait $process
status=$?
check "a signal ends it with status 3, or it was done" "$([ $status = 3 ] && grep -q 'the same command goes on' said || [ $status = 0 ]; echo $?)"
holds "and it goes on" pagelab sweep study.json -o stopped.sqlite -q
export_csv stopped.sqlite stopped.csv
holds "with the same bytes" cmp whole.csv stopped.csv

# --- what has changed
cp whole.sqlite copy.sqlite
sed 's/"1ms"/"2ms"/' study.json >changed.json
says "a changed study is refused" 2 "parameter cost.decompress: 0.0001 0.001' is now" pagelab sweep changed.json -o copy.sqlite
sed 's/"title": "resume"/"title": "other words"/; s/0.5 \*/0.25 */' study.json >words.json
holds "another title or objective is the same study" pagelab sweep words.json -o copy.sqlite -q
echo x >no.sqlite
says "another file is no database" 2 "no.sqlite" pagelab sweep study.json -o no.sqlite
pagelab trace gen zipf --pages 2k -n 20k --seed 6 -q -o t.trace
says "another trace is refused" 2 "trace t.trace" pagelab sweep study.json -o copy.sqlite

# --- points that fail
sed 's/"100us", "1ms"/"1us"/; s/"from": "100p"/"from": "0"/' study.json >failing.json
holds "failing points stop nothing" pagelab sweep failing.json -o failing.sqlite -q
export_csv failing.sqlite failing.csv
check "they have their error" "$([ "$(grep -c 'is not in the range' failing.csv)" = 6 ]; echo $?)"
check "the others have results" "$([ "$(grep -vc -e '^#' -e 'is not in the range' failing.csv)" = 43 ]; echo $?)"
