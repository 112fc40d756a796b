# time-line.gp: what the frames of a machine are used for over time, and below it the store and the page file.
#
# input: tab separated, a header line with time_s, then MB: active, transition, modified, standby, free (stacked),
# stored, store, page_file (lines). most_mb: the largest of them, for the unit. See common.gp for the rest.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
if (!exists("terminal") || terminal ne 'dumb') { if (!exists("height")) { height = 620 } }
load here . 'common.gp'
if (!exists("most_mb")) { most_mb = 1024 }
unit = most_mb >= 4096 ? 1024.0 : most_mb < 4 ? 1 / 1024.0 : 1.0
unit_name = unit > 1 ? 'GB' : unit < 1 ? 'KB' : 'MB'
stats input using "time_s" nooutput
last = STATS_max
unit_t = last >= 600 ? 60.0 : last < 1 ? 0.001 : 1.0
set xlabel 'time (' . (unit_t > 1 ? 'min' : unit_t < 1 ? 'ms' : 's') . ')' offset 0,0.3
t(v) = v / unit_t
mb(n) = column(n) / unit
set ylabel 'memory (' . unit_name . ')'
set format x '%g'
set format y '%g'
set autoscale xfix
set yrange [0:*]
set key outside bottom center horizontal reverse Left

if (text_only) {
    plot input using (t(column("time_s"))):(mb("active")) with lines title 'active', \
        '' using (t(column("time_s"))):(mb("standby")) with lines title 'standby', \
        '' using (t(column("time_s"))):(mb("store")) with lines title 'store', \
        '' using (t(column("time_s"))):(mb("page_file")) with lines title 'page file'
} else {
    set multiplot
    set size 1,0.55
    set origin 0,0.45
    set style fill solid 0.85 noborder
    a(x) = mb("active")
    b(x) = a(0) + mb("transition")
    c(x) = b(0) + mb("modified")
    d(x) = c(0) + mb("standby")
    e(x) = d(0) + mb("free")
    plot input using (t(column("time_s"))):(0):(a(0)) with filledcurves lc rgb colour[1] title 'active', \
        '' using (t(column("time_s"))):(a(0)):(b(0)) with filledcurves lc rgb colour[7] title 'transition', \
        '' using (t(column("time_s"))):(b(0)):(c(0)) with filledcurves lc rgb colour[2] title 'modified', \
        '' using (t(column("time_s"))):(c(0)):(d(0)) with filledcurves lc rgb colour[6] title 'standby', \
        '' using (t(column("time_s"))):(d(0)):(e(0)) with filledcurves lc rgb shade title 'free and zero'
    unset label 1
    unset label 2
    set tmargin 1
    set size 1,0.45
    set origin 0,0
    plot input using (t(column("time_s"))):(mb("stored")) with lines lc rgb colour[3] dt 2 lw 2 title 'stored, as pages', \
        '' using (t(column("time_s"))):(mb("store")) with lines lc rgb colour[3] lw 2.5 title 'store, compressed', \
        '' using (t(column("time_s"))):(mb("page_file")) with lines lc rgb colour[2] dt 4 lw 2 title 'page file'
    unset multiplot
}
unset output
