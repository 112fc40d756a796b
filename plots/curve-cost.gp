# curve-cost.gp: what a touch costs the one-pass curve, by the number of pages: `make curve-cost`.
#
# input: pages, touches, ns, ns_two_threads. See common.gp for the rest.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
load here . 'common.gp'
set logscale x
set format x '10^{%L}'
set yrange [0:*]
set xlabel 'pages'
set ylabel 'ns a touch'
set key top left Left reverse
plot input using "pages":"ns" with linespoints lc rgb colour[1] dt 1 pt 5 lw 2 title 'one thread', \
     input using "pages":"ns_two_threads" with linespoints lc rgb colour[2] dt 2 pt 6 lw 2 title 'two threads'
unset output
