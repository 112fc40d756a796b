#!/bin/sh
# Searches find what a full sweep finds, keep what they tried, and go on with it; points that share a curve pass are what
# replays of their own give. Prints TAP.
. "${srcdir:-$(dirname "$0")/../..}/tests/sweep/common.sh"
echo "1..10"

# The best cache of 1996 at r = 1.6 and a fast codec, by a search over d and by the model's own optimum.
cat >one.json <<STUDY
{ "format": "pagelab-study", "base": { "model": "$srcdir/models/winstone96.csv" },
  "parameters": { "d": { "from": "0.01MB", "to": "2MB" }, "cd": "100us" },
  "outputs": ["total_s"], "objective": { "minimise": "total_s" } }
STUDY
sed 's/{ "from": "0.01MB", "to": "2MB" }, "cd": "100us"/["1MB"], "cd": "100us"/; s/"total_s"\]/"best_total_s"]/' one.json >own.json
value() { # database, result
    pagelab sweep export "$1" --json - | jq -r ".results.$2"
}
holds "golden section runs" pagelab sweep one.json -o one.sqlite -q --optimize
pagelab sweep own.json -o own.sqlite -q
if command -v jq >/dev/null; then
    found=$(value one.sqlite at_best_total_s) best=$(value own.sqlite at_best_best_total_s)
    echo "# found $found, the model's own optimum is $best"
    check "and finds the model's optimum" "$(awk -v a="$found" -v b="$best" 'BEGIN { exit !(a - b < 1e-3 * -b && b - a < 1e-3 * -b) }'; echo $?)"
else
    skip "and finds the model's optimum" "no jq here"
fi

# Half of it, then the rest: the same points.
pagelab sweep one.json -o half.sqlite -q --optimize --evaluations 12
holds "a search that was cut short goes on" pagelab sweep one.json -o half.sqlite -q --optimize
export_csv one.sqlite one.csv
export_csv half.sqlite half.csv
holds "with the points that it would have tried" cmp one.csv half.csv
says "a full sweep is another study" 2 "is now" pagelab sweep one.json -o half.sqlite --optimize --search nelder-mead

holds "Nelder-Mead runs" pagelab sweep "$srcdir/models/studies/winstone.json" -o simplex.sqlite -q --optimize
export_csv simplex.sqlite simplex.csv
check "and finds the corner of the grid" "$(awk -F': ' '/at_best_total_s/ { exit !($2 < -590) }' simplex.csv; echo $?)"

make_study 20k
holds "halving runs" pagelab sweep study.json -o halving.sqlite -q --optimize --search halving --threads 2
export_csv halving.sqlite halving.csv
check "the last round saw the whole trace" "$([ "$(grep -v '^#' halving.csv | grep -c ',1,\(true\|false\),$')" = 6 ]; echo $?)"

sed "s|../../traces|$srcdir/traces|" "$srcdir/models/studies/curve.json" >curve.json
says "shared points equal replays of their own" 0 "Checked: 20 points" pagelab sweep curve.json -o curve.sqlite --check-shared 20
