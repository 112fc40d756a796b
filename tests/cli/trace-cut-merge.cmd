# What is cut apart and put together again is the same; processes stay apart; what makes no sense is refused.
pagelab trace gen zipf loop --count 100k --pages 2k --pages 300 --processes 2 -o t.plt -q
pagelab trace cut t.plt --to 60k -o a.plt -q
pagelab trace cut t.plt --from 60k -o b.plt -q
for part in t a b; do
    pagelab trace convert $part.plt -o - --to csv | grep '^[0-9]' >$part.lines
done
cat a.lines b.lines | cmp - t.lines && echo "together they are the whole"
pagelab trace cut t.plt --process 2 -o two.plt
pagelab trace gen uniform --count 30k --pages 50 -o u.plt -q
pagelab trace merge t.plt u.plt -o m.plt
pagelab trace cut m.plt --process 4294967296 -o - | pagelab trace convert - -o - --to numbers >back
pagelab trace convert u.plt -o - --to numbers | cmp - back && echo "u came back"
pagelab trace check m.plt -q && echo "m is whole"
printf 'time_us,pid,address,size,rw\n1,5,0x1000,4,R\n20,5,0x3000,4,W\n' | pagelab trace convert - --format csv -o x.plt -q
printf 'time_us,pid,address,size,rw\n2,5,0x7000,4,W\n3,6,0x3000,4,R\n' | pagelab trace convert - --format csv -o y.plt -q
pagelab trace merge x.plt y.plt -o - | pagelab trace convert - -o - --to csv
pagelab trace cut x.plt --from 10us -o - | pagelab trace convert - -o - --to csv
pagelab trace merge t.plt x.plt --order time -o w.plt; echo "status $?"
pagelab trace merge t.plt -o w.plt; echo "status $?"
pagelab trace cut t.plt --from 1ms -o w.plt; echo "status $?"
pagelab trace cut t.plt --from 2M -o w.plt; echo "status $?"
pagelab trace cut t.plt --from 5 --to 5 -o w.plt; echo "status $?"
pagelab trace cut t.plt --from soon -o w.plt; echo "status $?"
ls w.plt 2>/dev/null || echo "nothing was left behind"
