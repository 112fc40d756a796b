# heat-map.gp: two swept parameters and what came of them.
#
# input: block 0 with the columns x y x_low x_high y_low y_high value: a cell each; block 1, when whole_grid=1, the
# same values on a grid (blank lines between columns), for contours. x_name, y_name, value_name: words for the axes;
# x_short, y_short: their names without units; best_x, best_y, best, best_word: the "least" (or "greatest"). others: what the places are the best over. log: axes with even factors. x_marks, y_marks: where the axes
# are marked, in blanks; empty: anywhere. See common.gp for the rest.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
if (exists("best")) { subheading = sprintf('%s: %.5g at %s %.4g, %s %.4g', best_word, best, x_short, best_x, y_short, best_y) }
if (exists("others")) { subheading = (exists("subheading") ? subheading . '; ' : '') . others }
load here . 'common.gp'
whole_grid = exists("whole_grid") ? int(whole_grid) : 0
# Contours come out of `set table` in blanks and without headers, so that all of it is read so.
set datafile separator whitespace
set datafile nocolumnheaders
set xlabel x_name . (log_x ? ', log scale' : '') noenhanced
set ylabel y_name . (log_y ? ', log scale' : '') noenhanced
set cblabel value_name offset 2 noenhanced textcolor rgb ink
set format x '%g'
set format y '%g'
set format cb '%g'
if (log_x) { set logscale x }
if (log_y) { set logscale y }
if (exists("x_marks") && strlen(x_marks)) { set xtics (); do for [w in x_marks] { set xtics add (w w + 0) } }
if (exists("y_marks") && strlen(y_marks)) { set ytics (); do for [w in y_marks] { set ytics add (w w + 0) } }
stats input index 0 using 7 nooutput
least = STATS_min
most = STATS_max
# Viridis: even steps of lightness, readable with any colour vision and in grey.
set palette defined (0 '#440154', 0.25 '#3B528B', 0.5 '#21918C', 0.75 '#5EC962', 1 '#FDE725')
set autoscale xfix
set autoscale yfix
unset grid
if (!text_only) { set rmargin 16 }
if (exists("best") && text_only) { set title heading . ' (' . subheading . ')' noenhanced }
if (whole_grid && !text_only) {
    set table $levels
    set contour base
    unset surface
    set cntrparam levels auto 8
    splot input index 1 using 1:2:3 with lines
    unset table
    unset contour
    set surface
}
if (text_only) {
    # A digit for each place: 0 the least, 9 the most.
    digit(v) = sprintf('%d', most > least ? int(9.99 * (v - least) / (most - least)) : 0)
    plot input index 0 using 1:2:(digit($7)) with labels notitle
} else {
    set style fill solid 1 noborder
    if (exists("best")) { set label 10 '' at best_x,best_y front point pt 6 ps 1.8 lw 2.5 lc rgb 'white' }
    if (whole_grid) {
        plot input index 0 using 1:2:3:4:5:6:7 with boxxyerror lc palette notitle, \
            $levels using 1:2 with lines lc rgb '#FFFFFF' lw 1.4 notitle
    } else {
        plot input index 0 using 1:2:3:4:5:6:7 with boxxyerror lc palette notitle
    }
}
unset output
