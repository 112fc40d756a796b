# Pictures of sweeps over more than two parameters: each place is the best over the others, and the picture says so.
command -v gnuplot >/dev/null || { echo "no gnuplot here"; exit 77; }
exec 2>&1
pagelab sweep "$srcdir/models/studies/winstone.json" -q -o w.sqlite
pagelab sweep export w.sqlite -q --json w.json
words() { # of the picture, and how many places it has
    pagelab plot w.json -q -o w.svg "$@" || { echo "status $?"; return; }
    sed -n 's/^.*<text>\([^<]*t: -\{0,1\}[0-9][^<]*\)<.*/    \1/p' w.svg
}
for line in '' '--axes r,cd' '--at cd=0.004' '--at cd_s=0.004 --at r=3' '--at d=2' '--axes cd,d_mb --at r=1.2' '--axes d,total' \
    '--axes d' '--at d=3' '--at nothing=3' '--at d' '--figure model-curve'; do
    echo "plot $line"
    words $line
done
echo '-- the greatest, where that was asked'
sed 's/"objective": "minimise total_s"/"objective": "maximise total_s"/' w.json >most.json
mv most.json w.json
words
echo '-- a random design has a value for every point'
awk 'BEGIN { print "m_mb,r,total_s"
    for (i = s = 1; i <= 3000; i++) { s = s * 16807 % 2147483647; t = t * 48271 % 2147483647 + 1
        printf "%.6f,%.6f,%.6f\n", 4 + s / 268435456, 1 + t / 1073741824, s / 268435456 } }' >random.csv
pagelab plot random.csv -q --figure heat-map -o w.svg && sed -n 's/^.*<text>\(least: [^<]*\)<.*/    \1/p' w.svg
echo '-- the database itself, in pictures and pages'
pagelab plot w.sqlite -q -o direct.svg && sed -n 's/^.*<text>\(least: [^<]*\)<.*/    \1/p' direct.svg
pagelab report w.sqlite -q -o w.html
grep -c '<figure><img' w.html
grep -o '<p class="answer">[^<]*' w.html
grep -o 'The best point for each [a-z]*' w.html | sort -u
echo '-- what is no result'
printf 'SQLite format 3\0and nothing behind it' >no.sqlite
printf 'a,b\n' >no-rows.csv
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }' >deep-array.json
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "{\"a\":" }' >deep.json
for file in no.sqlite no-rows.csv deep-array.json deep.json; do
    pagelab plot $file; echo "status $?"
    pagelab report $file; echo "status $?"
done
ls report.html 2>/dev/null || true
