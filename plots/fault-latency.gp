# fault-latency.gp: how long faults took: the tail of each kind.
#
# input: for each kind a block with the header line "one_in us": one fault in so many takes longer than so many
# microseconds. series: how many blocks; name1 ...: their kinds. See common.gp for the rest.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
load here . 'common.gp'
set logscale xy
set xrange [1.7:1200]
set xtics ('median' 2, '1 in 10' 10, '1 in 100' 100, '1 in 1,000' 1000)
set xlabel 'share of the faults that take longer'
set ylabel 'latency'
time_of(e) = e < 0 ? sprintf('%g ns', 10**(e + 3)) : e < 3 ? sprintf('%g us', 10**e) : e < 6 ? sprintf('%g ms', 10**(e - 3)) : sprintf('%g s', 10**(e - 6))
set ytics ()
do for [e = -3:9] { set ytics add (time_of(e) 10.0**e) }
set key top left Left reverse
plot for [s = 1:series] input index s - 1 using "one_in":(positive(column("us"))) \
    with linespoints lt s lc rgb colour[(s - 1) % 7 + 1] dt s pt s + 4 lw 2 title name(s)
unset output
