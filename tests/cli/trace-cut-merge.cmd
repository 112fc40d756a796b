# What is cut apart and put together again is the same; processes stay apart; what makes no sense is refused.
pagelab trace gen zipf loop --count 100k --pages 2k --pages 300 --processes 2 -o t.trace -q
pagelab trace cut t.trace --to 60k -o a.trace -q
pagelab trace cut t.trace --from 60k -o b.trace -q
for part in t a b; do
    pagelab trace convert $part.trace -o - --to csv | grep '^[0-9]' >$part.lines
done
cat a.lines b.lines | cmp - t.lines && echo "together they are the whole"
pagelab trace cut t.trace --process 2 -o two.trace
pagelab trace gen uniform --count 30k --pages 50 -o u.trace -q
pagelab trace merge t.trace u.trace -o m.trace
pagelab trace cut m.trace --process 4294967296 -o - | pagelab trace convert - -o - --to numbers >back
pagelab trace convert u.trace -o - --to numbers | cmp - back && echo "u came back"
pagelab trace check m.trace -q && echo "m is whole"
printf 'time_us,pid,address,size,rw\n1,5,0x1000,4,R\n20,5,0x3000,4,W\n' | pagelab trace convert - --format csv -o x.trace -q
printf 'time_us,pid,address,size,rw\n2,5,0x7000,4,W\n3,6,0x3000,4,R\n' | pagelab trace convert - --format csv -o y.trace -q
pagelab trace merge x.trace y.trace -o - | pagelab trace convert - -o - --to csv
pagelab trace cut x.trace --from 10us -o - | pagelab trace convert - -o - --to csv
pagelab trace merge t.trace x.trace --order time -o w.trace; echo "status $?"
pagelab trace merge t.trace -o w.trace; echo "status $?"
pagelab trace cut t.trace --from 1ms -o w.trace; echo "status $?"
pagelab trace cut t.trace --from 2M -o w.trace; echo "status $?"
pagelab trace cut t.trace --from 5 --to 5 -o w.trace; echo "status $?"
pagelab trace cut t.trace --from soon -o w.trace; echo "status $?"
ls w.trace 2>/dev/null || echo "nothing was left behind"
