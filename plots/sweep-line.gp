# sweep-line.gp: one swept parameter and what came of it.
#
# input: for each line a block with the header "x y allowed name": allowed 0 is outside the data or the constraints, name the
# value where it is a word. series: how many lines; name1 ...: what they are. x_name, value_name: words for the axes; words=1:
# the axis has words; best_x, best: the best point. See common.gp for the rest.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
load here . 'common.gp'
set xlabel x_name . (log_x ? ', log scale' : '') noenhanced
set ylabel value_name . (log_y ? ', log scale' : '') noenhanced
set format x '%g'
set format y '%g'
if (log_x) { set logscale x }
if (log_y) { set logscale y }
words = int(words)
least = NaN; most = NaN; least_x = NaN; most_x = NaN; allowed_all = 1; places = 0
smaller(a, b) = a == a && a <= b ? a : b
larger(a, b) = a == a && a >= b ? a : b
do for [s = 1:series] {
    stats input index s - 1 using "y" nooutput
    least = smaller(least, STATS_min); most = larger(most, STATS_max)
    stats input index s - 1 using "x" nooutput
    least_x = smaller(least_x, STATS_min); most_x = larger(most_x, STATS_max); places = larger(STATS_records, places)
    stats input index s - 1 using "allowed" nooutput
    allowed_all = STATS_min < allowed_all ? STATS_min : allowed_all
}
# An axis from 0 shows nothing where all points lie close together far above it.
if (!log_y && least >= 0 && least < 0.6 * most) { set yrange [0:*] }
few = places <= 12 && !text_only
if (words || few) { set xtics () noenhanced }
if (words) { set xrange [0.5:most_x + 0.5] } else {
    if (log_x) { set xrange [least_x / 1.1:most_x * 1.1] } else {
        if (most_x > least_x) { margin = (most_x - least_x) * 0.04; set xrange [least_x - margin:most_x + margin] }
    }
}
set key top right
if (exists("best")) { set label 10 '' at best_x,best front point pt 6 ps 2 lw 2 lc rgb ink }
not_allowed(y, allowed) = allowed == 0 ? y : NaN
of(s) = series > 1 ? name(s) : ''
shown(s) = words ? stringcolumn("name") : sprintf('%.4g', column("x"))
if (allowed_all < 1) { set key noautotitle }
if (words) {
    plot for [s = 1:series] input index s - 1 using "x":"y":xtic(shown(s)) \
        with points lc rgb colour[(s - 1) % 7 + 1] pt (s == 1 ? 7 : s + 4) ps 1.3 title of(s), \
        for [s = 1:(allowed_all < 1 ? series : 0)] input index s - 1 using "x":(not_allowed(column("y"), column("allowed"))) \
        with points lc rgb colour[2] pt 2 ps 1.6 lw 2 title (s == 1 ? 'outside the data or the constraints' : '')
} else { if (few) {
    plot for [s = 1:series] input index s - 1 using "x":"y":xtic(shown(s)) \
        with linespoints lc rgb colour[(s - 1) % 7 + 1] dt s pt (s == 1 ? 7 : s + 4) ps 0.9 lw 2 title of(s), \
        for [s = 1:(allowed_all < 1 ? series : 0)] input index s - 1 using "x":(not_allowed(column("y"), column("allowed"))) \
        with points lc rgb colour[2] pt 2 ps 1.6 lw 2 title (s == 1 ? 'outside the data or the constraints' : '')
} else {
    plot for [s = 1:series] input index s - 1 using "x":"y" \
        with linespoints lc rgb colour[(s - 1) % 7 + 1] dt s pt (s == 1 ? 7 : s + 4) ps 0.6 lw 2 title of(s), \
        for [s = 1:(allowed_all < 1 ? series : 0)] input index s - 1 using "x":(not_allowed(column("y"), column("allowed"))) \
        with points lc rgb colour[2] pt 2 ps 1.2 lw 2 title (s == 1 ? 'outside the data or the constraints' : '')
} }
unset output
