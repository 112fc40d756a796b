# Files by their names, quietly and not; JSON and CSV give the same picture.
gnuplot --version >/dev/null 2>&1 || { echo "no gnuplot here"; exit 77; }
pagelab plot "$srcdir/models/winstone96.csv" -o w.svg
pagelab plot "$srcdir/models/winstone96.csv" --log xy --title 'Both axes' -o w.txt --quiet && ls
pagelab model "$srcdir/models/winstone96.csv" --m 8MB --r 2 --cd 2ms --ch 10ms -q --json m.json --csv m.csv --plot m.svg
pagelab plot m.json -o j.svg -q && cmp m.svg j.svg && pagelab plot m.csv -o c.svg -q && cmp j.svg c.svg && echo same
# By hand, as the heads of the scripts say.
gnuplot -d -e "input='m.csv'; output='hand.svg'" "$srcdir/plots/model-curve.gp" 2>/dev/null && grep -o 'best at d = [^<]*' hand.svg | head -n 1
gnuplot -d -e "input='$srcdir/models/winstone96.csv'; output='hand.png'" "$srcdir/plots/fault-table.gp" 2>/dev/null && test -s hand.png && echo png
