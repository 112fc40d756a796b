# store-line.gp: the memory of the compressed store over time, a line for each run.
#
# input: for each run a block with the header line "time_s store" (MB). series: how many; name1 ...: what they are;
# most_mb: the largest, for the unit. See common.gp for the rest.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
load here . 'common.gp'
unit = most_mb >= 4096 ? 1024.0 : most_mb < 4 ? 1 / 1024.0 : 1.0
set ylabel 'store (' . (unit > 1 ? 'GB' : unit < 1 ? 'KB' : 'MB') . ')'
set xlabel 'time (s)'
set format x '%g'
set format y '%g'
set yrange [0:*]
set key top left Left reverse
plot for [s = 1:series] input index s - 1 using "time_s":(column("store") / unit) with lines \
    lc rgb colour[(s - 1) % 7 + 1] dt s lw 2.5 title name(s)
unset output
