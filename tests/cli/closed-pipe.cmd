# A reader that goes away is no error of ours: nothing is said, and files that were asked for are still written.
pagelab model "$srcdir/models/winstone96.csv" --sweep d=0:2MB:1p --sweep r=1.2:3:0.01 --csv - | head -n 1
pagelab model "$srcdir/models/winstone96.csv" --json m.json | :
test -s m.json && echo "m.json is there"
