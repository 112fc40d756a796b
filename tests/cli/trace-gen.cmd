# The same seed gives the same bytes, also through a pipe; the sample beside it is what its README says.
pagelab trace gen zipf --count 200k --pages 5k --seed 3 -o a.trace -q
pagelab trace gen zipf --count 200k --pages 5k --seed 3 --pack -o - | cmp - a.trace && echo "same bytes"
pagelab trace gen zipf --count 200k --pages 5k --seed 4 -o b.trace -q
cmp -s b.trace a.trace || echo "another seed, other bytes"
pagelab trace gen sequential loop uniform --phases --pages 2MiB --pages 1MiB --pages 4MiB --count 20k --seed 1996 -o p.trace -q
pagelab trace convert p.trace -o p.memsim -q
pagelab trace convert "$srcdir/traces/phases.trace" -o - --to memsim | cmp - p.memsim && echo "the sample"
pagelab trace gen loop --pages 3 --writes 0 --count 7 -o - --to numbers | tr '\n' ' '
echo
pagelab trace gen loop --processes 2 --turn 2 --pages 2 --count 8 -o - | pagelab trace info - --json - |
    jq -c '[.results.accesses, .results.pages, .results.processes]'
pagelab trace gen exponential --pages 64 --mean 8 --count 1000 -o e.trace
for wrong in "zipff" "zipf --pages 0" "loop --pages 4XB" "zipf --alpha x" "zipf --weight 1 --weight 2" "zipf --count 0" "" \
    "zipf --page-size 3000B" "uniform --pages 5G"; do
    pagelab trace gen $wrong -o w.trace
    echo "status $?"
done
pagelab trace gen zipf; echo "status $?"
pagelab trace gen zipf -o /dev/full; echo "status $?"
ls w.trace 2>/dev/null || echo "nothing was left behind"
