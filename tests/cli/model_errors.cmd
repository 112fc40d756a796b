# What makes no sense is refused with the reason, and exit status 2.
W=$srcdir/models/winstone96.csv
try() { pagelab model "$@" 2>&1 | sed "s|$srcdir/||"; }
try "$W" --d 9MB
try "$W" --r 0.8
try "$W" --cd -2ms
try "$W" --ch 10
try "$W" --m 0
try "$W" --frac -1
try "$W" --interpolation exact
try "$W" --sweep x=1,2
try "$W" --sweep d=0:2
try "$W" --sweep r=1,2 --sweep r=3,4
try "$W" --sweep r=1,2 --r 2
try "$W" --sweep r=0.5,0.9
try "$W" --compare 1996 --r 2
try "$W" "$W"
printf 'memory_mb,reads\n8,100\n' >one.csv
try one.csv --m 8MB
printf 'memory_mb,reads\n6,200\n8,100\n' >two.csv
try two.csv
try two.csv --m 7MB --frac 1
try two.csv --m 7MB --interpolation cspline
printf 'memory_mb,reads\n6,200\n8,-1\n' >negative.csv
try negative.csv --m 7MB
printf 'memory_mb,reads\n6,nan\n8,1\n' >nan.csv
try nan.csv --m 7MB
pagelab model "$W" --d 9MB 2>/dev/null
