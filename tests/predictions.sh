#!/bin/sh
# The closed list of predicted numbers (models/measurements/PREDICTIONS.md) is what `pagelab validate --all` judges, no more
# and no less, and at most three of them miss; scenario files name no costs, machine files no workload; the table in README.md
# is what `validate --all` prints (PL_RECORD=1 writes it anew). Prints TAP.
here=$(cd "$(dirname "$0")" && pwd)
: "${srcdir:=$(cd "$here/.." && pwd)}" "${BUILD:=$srcdir/build}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
say() { # status, number, what
    if [ "$1" -eq 0 ]; then echo "ok $2 - $3"; else echo "not ok $2 - $3"; fi
}

echo 1..5
"$BUILD/pagelab" validate --all "$srcdir/models/measurements" --quiet --json "$work/all.json" --csv "$work/all.csv" \
    >"$work/out" 2>"$work/err"
status=$? # 0: nothing misses that is not known to
# Columns by the names in the header. Fields hold no commas.
by_name='NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }'
grep -v '^#' "$work/all.csv" |
    awk -F, "$by_name"' $at["class"] == "predicted" { print $at["measurement"] "|" $at["phase"] "|" $at["quantity"] }' |
    sort >"$work/judged"
awk -F ' *[|] *' '/^\| [a-z]+-/ { print $2 "|" $3 "|" $4 }' "$srcdir/models/measurements/PREDICTIONS.md" | sort >"$work/listed"
test -s "$work/judged" && diff "$work/listed" "$work/judged" | sed 's/^/# /'
cmp -s "$work/listed" "$work/judged" && test -s "$work/judged"
say $? 1 "the list of predictions is closed"
test "$status" -eq 0 && test "$(grep -c ',misses (known),' "$work/all.csv")" -le 3
say $? 2 "at most three of them miss, each with its reason"
! grep -l '"cost"\|"cost\.\|"machine"\|"store"\|"disk"' "$srcdir"/models/scenarios/*.json | sed 's/^/# /' | grep .
say $? 3 "scenarios hold no costs"
! grep -l '"processes"\|"steps"\|"touch"' "$srcdir"/models/*.json | sed 's/^/# /' | grep .
say $? 4 "machines hold no workload"

# The table of the README, between its two marks.
table() {
    echo "| measurement | phase | quantity | published | here | error | class | |"
    echo "|---|---|---|---|---|---|---|---|"
    grep -v '^#' "$work/all.csv" | awk -F, "$by_name"' {
        off = $at["error_percent"]
        error = off == "" ? "" : sprintf("%.1f %%", off > -0.05 && off < 0 ? 0 : off)
        unit = $at["unit"] == "count" ? "" : " " $at["unit"]
        printf "| %s | %s | %s | %.10g%s | %.6g%s | %s | %s | %s |\n", $at["measurement"], $at["phase"], $at["quantity"],
            $at["measured"], unit, $at["predicted"], unit, error, $at["class"], $at["verdict"] }'
}
begin='<!-- pagelab validate --all -->' end='<!-- end -->'
table >"$work/table"
if [ -n "${PL_RECORD:-}" ]; then
    awk -v begin="$begin" -v end="$end" -v table="$work/table" '$0 == begin { print; print ""; while ((getline line <table) > 0)
        print line; print ""; skip = 1 } $0 == end { skip = 0 } !skip' "$srcdir/README.md" >"$work/readme" &&
        cp "$work/readme" "$srcdir/README.md"
fi
sed -n "/^$begin\$/,/^$end\$/p" "$srcdir/README.md" | grep '^|' >"$work/shown"
diff "$work/shown" "$work/table" | sed 's/^/# /'
cmp -s "$work/shown" "$work/table" && test -s "$work/shown"
say $? 5 "the table in README.md is what validate --all prints"
