# zeroing.gp: processor time for zeroing a GiB by the number of zeroing threads.
#
# input: for each way of taking pages a block with the header line "threads s_per_gib". series: how many blocks;
# name1 ...: the ways. See common.gp for the rest.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
if (!exists("log")) log = 'xy'
load here . 'common.gp'
if (log_x) { set logscale x }
if (log_y) { set logscale y }
set xlabel 'zeroing threads' . (log_x ? ', log scale' : '')
set ylabel 'processor time for a GiB (s)' . (log_y ? ', log scale' : '')
set xtics (1, 2, 4, 8, 16, 32, 64, 128)
set format y '%g'
set key top left Left reverse
plot for [s = 1:series] input index s - 1 using (on_x(column("threads"))):(on_y(column("s_per_gib"))) \
    with linespoints lt s lc rgb colour[(s - 1) % 7 + 1] dt s pt s + 4 lw 2 title name(s)
unset output
