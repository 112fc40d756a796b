# Where output cannot go: status 3, one line, and nothing left behind; what stood there before stands there still.
[ -c /dev/full ] || { echo "no /dev/full here"; exit 77; }
exec 2>&1
W=$srcdir/models/winstone96.csv
awk 'BEGIN { for (i = 0; i < 100000; i++) print i * 7919 % 100003 }' >t
say() { echo "    status $?"; }
echo '-- full'
for line in '--help' '--version' 'help trace gen' 'trace --help' 'curve --help' 'curve t' 'trace info t' 'trace check t' \
    'trace convert t -o - --to hex' 'trace gen loop -o -' "model $W" "plot $W" 'compress t'; do
    echo "${line%%"$srcdir"*}"
    pagelab $line >/dev/full || say
done
for line in 'trace convert t -o' 'trace convert t --plain -o' 'trace gen zipf -o' 'trace cut t --to 50k -o' \
    'trace merge t t -o' 'curve t -q --csv' 'curve t -q --json' "model $W -q --csv"; do
    echo "${line%%"$srcdir"*}"
    pagelab $line /dev/full || say
done
echo '-- closed'
for line in '--version' 'curve t' 'trace convert t -o -' "model $W"; do
    pagelab $line >&- || say
done
pagelab trace info - <&- || say
# Files must not take the numbers of closed streams, or messages would end up in them.
pagelab trace convert t -q -o whole && pagelab trace convert t -o same >&- 2>&- <&- || say
cmp whole same
rm -f whole same
echo '-- too long for the limit on file sizes, as a disk that fills half-way'
echo old >kept
( ulimit -f 8; pagelab trace convert t --to csv -o big; say; pagelab curve t --all-sizes -q --csv kept; say )
cat kept
echo '-- places that are none'
for place in nowhere/t . t/t ''; do
    pagelab trace convert t -o "$place" || say
done
echo '-- outputs that fall over each other, or over the input'
for line in 'curve t --csv x --json x' 'curve t --csv t' 'curve t --csv - --json -' 'trace convert t -o - --json -' \
    'trace convert t -o x --json x' 'trace info t --csv t'; do
    pagelab $line || say
done
pagelab curve t -q --csv /dev/null --json /dev/null && pagelab trace convert t -o t --to hex -q && head -n 2 t
echo '-- long names'
n=$(printf '%250s' '' | tr ' ' n)
pagelab trace convert t -q -o "$n" && pagelab trace convert "$n" -q -o "$n" && pagelab trace check -q "$n" && rm "$n" && echo 250
n=$n$n
pagelab trace convert t -q -o "$n" 2>&1 | sed "s/nnn*/n.../"
echo '-- asked to end'
for signal in TERM HUP; do
    sh -c "trap - $signal; exec pagelab trace gen zipf -n 4000M -q -o endless" & pid=$!
    tries=0
    until ls endless* >/dev/null 2>&1 || [ $tries = 100 ]; do sleep 0.1; tries=$((tries + 1)); done
    kill -$signal $pid
    wait $pid || say
done
ls
