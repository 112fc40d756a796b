# fit.gp: a fitted fault table. Above: the rows, the chosen form, the band in which its curve lies. Below: by how much each row
# was missed by a fit that had not seen it.
#
# input: two blocks for each series: "memory_mb given left_out_percent", and "memory_mb fitted low high". series: how many
# (reads, writes); name1, name2: the forms; short1, short2: 'reads', 'writes'; band: the band's confidence in per cent.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
load here . 'common.gp'
if (!exists("band")) band = 95
short(i) = exists(sprintf("short%d", i)) ? value(sprintf("short%d", i)) : ''
least_x = 1e300
most_x = -1e300
most_y = 0
worst = 0
do for [s = 1:series] {
    stats input index 2 * s - 2 using "memory_mb":"given" nooutput
    if (STATS_min_x < least_x) { least_x = STATS_min_x }
    if (STATS_max_x > most_x) { most_x = STATS_max_x }
    if (STATS_max_y > most_y) { most_y = STATS_max_y }
    stats input index 2 * s - 2 using (abs(column("left_out_percent"))) nooutput
    if (counted(0) > 0 && STATS_max > worst) { worst = STATS_max }
}
unit_y = scale_of(most_y)
if (log_x) { set logscale x }
if (log_y) { set logscale y }
set xrange [least_x:most_x]
if (!log_y) { set yrange [0:] }
set ylabel 'disk accesses' . scale_name(unit_y)
set format x '%g'
set format y (log_y ? '%g' : '%g')
set style fill transparent solid 0.18 noborder
set key top right
if (text_only) {
    set xlabel 'memory (MB)'
    plot for [s = 1:series] input index 2 * s - 2 using (on_x(column("memory_mb"))):(on_y(column("given") / unit_y)) \
            with points title short(s), \
        for [s = 1:series] input index 2 * s - 1 using (on_x(column("memory_mb"))):(on_y(column("fitted") / unit_y)) \
            with lines title name(s)
} else {
    set multiplot
    set lmargin at screen 0.12
    set rmargin at screen 0.96
    set tmargin at screen 0.86
    set bmargin at screen 0.38
    plot for [s = 1:series] input index 2 * s - 1 \
            using (on_x(column("memory_mb"))):(on_y(column("low") / unit_y)):(on_y(column("high") / unit_y)) \
            with filledcurves fc rgb colour[s] title (s == series ? sprintf('%g %% band of the curve', band) : ''), \
        for [s = 1:series] input index 2 * s - 1 using (on_x(column("memory_mb"))):(on_y(column("fitted") / unit_y)) \
            with lines lw 2 dt s lc rgb colour[s] title name(s), \
        for [s = 1:series] input index 2 * s - 2 using (on_x(column("memory_mb"))):(on_y(column("given") / unit_y)) \
            with points pt (s == 1 ? 7 : 5) ps 0.8 lc rgb colour[s] title short(s) . ', as measured'
    unset label 1
    unset label 2
    unset logscale y
    set tmargin at screen 0.30
    set bmargin at screen 0.11
    set yrange [-1.15 * (worst > 0 ? worst : 1):1.15 * (worst > 0 ? worst : 1)]
    set xlabel 'memory (MB)'
    set ylabel "off when left\nout (%)"
    set ytics autofreq
    set key off
    plot 0 with lines lc rgb ink notitle, \
        for [s = 1:series] input index 2 * s - 2 using (on_x(column("memory_mb"))):"left_out_percent" \
            with impulses lw 2 lc rgb colour[s] notitle, \
        for [s = 1:series] input index 2 * s - 2 using (on_x(column("memory_mb"))):"left_out_percent" \
            with points pt (s == 1 ? 7 : 5) ps 0.8 lc rgb colour[s] notitle
    unset multiplot
}
unset output
