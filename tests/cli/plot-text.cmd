# A fault table and a model's result on the terminal, from files and through a pipe.
gnuplot --version >/dev/null 2>&1 || { echo "no gnuplot here"; exit 77; }
pagelab plot "$srcdir/models/winstone96.csv" --size 70x18
pagelab model "$srcdir/models/winstone96.csv" --m 8MB --r 1.6 --cd 2ms --ch 10ms --json - | pagelab plot - --size 70x20
