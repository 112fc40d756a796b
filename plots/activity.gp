# activity.gp: who is busy over time, and below it the faults by kind: soft, out of the store, from the disk.
#
# input: tab separated, a header line with time_s, cpus (processors busy; of them compressing and zeroing), disk (share of
# the time), and faults a second: zero, soft, store, hard. See common.gp for the rest.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
if (!exists("terminal") || terminal ne 'dumb') { if (!exists("height")) { height = 620 } }
load here . 'common.gp'
stats input using "time_s" nooutput
last = STATS_max
unit_t = last >= 600 ? 60.0 : last < 1 ? 0.001 : 1.0
t(v) = v / unit_t
set xlabel 'time (' . (unit_t > 1 ? 'min' : unit_t < 1 ? 'ms' : 's') . ')' offset 0,0.3
set format x '%g'
set autoscale xfix
set key outside bottom center horizontal reverse Left
if (text_only) {
    set logscale y
    plot input using (t(column("time_s"))):(positive(column("zero"))) with points title 'demand-zero', \
        '' using (t(column("time_s"))):(positive(column("soft"))) with points title 'soft', \
        '' using (t(column("time_s"))):(positive(column("store"))) with points title 'store', \
        '' using (t(column("time_s"))):(positive(column("hard"))) with points title 'hard'
} else {
    set multiplot
    set size 1,0.45
    set origin 0,0.55
    set ylabel 'busy (processors, disk)'
    set yrange [0:*]
    plot input using (t(column("time_s"))):(column("cpus") - column("compressing") - column("zeroing")) with steps \
        lc rgb colour[1] lw 2 title 'programs', \
        '' using (t(column("time_s"))):"compressing" with steps lc rgb colour[3] lw 2 title 'compressing', \
        '' using (t(column("time_s"))):"zeroing" with steps lc rgb '#999999' lw 1.5 title 'zeroing', \
        '' using (t(column("time_s"))):"disk" with steps lc rgb colour[2] dt 4 lw 2 title 'disk'
    unset label 1
    unset label 2
    set tmargin 1
    set size 1,0.55
    set origin 0,0
    set ylabel 'faults a second'
    set logscale y
    set yrange [0.5:*]
    set ytics ()
    do for [e = 0:9] { set ytics add (si(10.0**e) 10.0**e) }
    plot input using (t(column("time_s"))):(positive(column("zero"))) with points pt 4 ps 0.6 lc rgb '#999999' title 'demand-zero', \
        '' using (t(column("time_s"))):(positive(column("soft"))) with points pt 6 ps 0.6 lc rgb colour[6] title 'soft', \
        '' using (t(column("time_s"))):(positive(column("store"))) with points pt 8 ps 0.7 lc rgb colour[3] title 'store', \
        '' using (t(column("time_s"))):(positive(column("hard"))) with points pt 7 ps 0.6 lc rgb colour[2] title 'hard'
    unset multiplot
}
unset output
