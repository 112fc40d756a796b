# What cannot be fitted is refused with the reason.
W=$srcdir/models/winstone96.csv
try() { pagelab fit "$@" 2>&1 | sed "s|$srcdir/||"; }
try "$W" --form exponental
try "$W" --confidence 95
try "$W" "$W"
printf 'memory_mb,reads\n6,200\n8,100\n' >two.csv
try two.csv
printf 'memory_mb,reads\n6,200\n8,200\n9,200\n' >flat.csv
try flat.csv
printf 'memory_mb,reads\n6,100\n8,200\n9,300\n' >rising.csv
try rising.csv -q
printf 'memory_mb,reads\n6,100\n8,x\n9,300\n' >word.csv
try word.csv
printf 'memory_mb,reads\n0,1000\n1,500\n2,200\n3,100\n' >zero.csv
try zero.csv --form power
try zero.csv --form spline
printf 'memory_mb,reads,writes\n1,500,0\n2,200,0\n3,100,0\n4,40,0\n' >clean.csv
try clean.csv --form power -q --json - | grep -A1 notes
for rows in '6,nan\n8,2' '6,-5\n8,2' '6,5\n6,7' '1e300,5\n2e300,4' '6,1e300\n8,2'; do
    printf "memory_mb,reads\n$rows\n9,1\n" >broken.csv
    try broken.csv
done
printf 'memory_mb,raeds\n6,200\n8,100\n9,90\n' >column.csv
try column.csv
pagelab fit flat.csv 2>/dev/null
