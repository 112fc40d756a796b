# model-curve.gp: what a compressed cache costs or gains by its size (or by any one parameter of the 1996 model).
#
#   gnuplot -e "input='m.csv'; output='m.svg'" plots/model-curve.gp
#
# input: a curve as `pagelab model --csv` writes it (commas or tabs; a header line with the swept parameter, total_s,
# and the sub-curves drawn; an `extrapolated` column marks rows outside the measured table with 1 or true). Several
# curves as in fault-table.gp; of those the totals alone are drawn. Optional: over='d_mb' (the swept column),
# x_label='…', x_name='d', x_unit='MB', parts='read_s write_s', marked=0 (there is no `extrapolated` column),
# best_x1=0.8; best_y1=130.7 (the optimum, where it lies between rows; otherwise the least row), best1=0 (there is
# none), band=1 (behind the curves there is a block "x low_s high_s": where the total lies), and what common.gp understands.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
load here . 'common.gp'
if (!exists("over")) over = 'd_mb'
if (!exists("x_label")) x_label = over eq 'd_mb' ? 'memory given to the compressed cache, d (MB)' : over
if (!exists("x_name")) x_name = over eq 'd_mb' ? 'd' : over
if (!exists("x_unit")) x_unit = over eq 'd_mb' ? 'MB' : ''
if (!exists("parts")) parts = 'read_s write_s'
if (series > 1) parts = ''
if (!exists("marked")) marked = 1
if (!exists("band")) band = 0
# 1 for a row outside the measured table, whatever word the file has for it.
said(word) = word eq 'true' || word eq 'yes' || word eq '1'
outside(unused) = marked ? said(stringcolumn("extrapolated")) : 0

# --- ranges -----------------------------------------------------------------------
# What counts is inside the table; of what lies outside, a third as much is shown again, and it may leave the picture
# upwards.
least_y = 1e300
most_y = -1e300
least_x = 1e300
most_x = -1e300
inside_from = 1e300
inside_to = -1e300
shaded = 0
array best_at[series]
array best_is[series]
array best_known[series]
do for [s = 1:series] {
    stats input index s - 1 using (column(over)) nooutput
    if (STATS_min < least_x) { least_x = STATS_min }
    if (STATS_max > most_x) { most_x = STATS_max }
    all = counted(0)
    stats input index s - 1 using (column(over)):(outside(0) ? NaN : column("total_s")) nooutput
    shaded = shaded + all - counted(0)
    best_known[s] = counted(0) > 0
    if (counted(0) > 0 && STATS_min_x < inside_from) { inside_from = STATS_min_x }
    if (counted(0) > 0 && STATS_max_x > inside_to) { inside_to = STATS_max_x }
    if (counted(0) > 0) {
        best_at[s] = STATS_pos_min_y
        best_is[s] = STATS_min_y
    }
    if (exists(sprintf("best%d", s))) { best_known[s] = best_known[s] && value(sprintf("best%d", s)) != 0 }
    if (exists(sprintf("best_x%d", s))) {
        best_at[s] = value(sprintf("best_x%d", s))
        best_is[s] = value(sprintf("best_y%d", s))
    }
    do for [c = 1:words(parts) + 1] {
        part = c > words(parts) ? 'total_s' : word(parts, c)
        stats input index s - 1 using (outside(0) ? NaN : column(part)) nooutput
        if (counted(0) == 0) { stats input index s - 1 using (column(part)) nooutput }
        if (counted(0) > 0 && STATS_min < least_y) { least_y = STATS_min }
        if (counted(0) > 0 && STATS_max > most_y) { most_y = STATS_max }
    }
}
goes_to = most_x
comes_from = least_x
if (inside_to > inside_from && !log_x) {
    margin = 0.35 * (inside_to - inside_from)
    if (most_x > inside_to + margin) { most_x = inside_to + margin }
    if (least_x < inside_from - margin) { least_x = inside_from - margin }
}
if (least_y > 0 && !log_y) { least_y = 0 }
if (most_y < 0) { most_y = 0 }
span = most_y > least_y ? most_y - least_y : 1
bottom = log_y ? least_y / 1.5 : least_y < 0 ? least_y - 0.12 * span : 0
top = log_y ? most_y * 1.5 : most_y + (shaded ? 0.25 : 0.12) * span
big = most_y > -least_y ? most_y : -least_y
unit_y = log_y ? 1 : big >= 2e4 ? 1000.0 : big < 2 ? 0.001 : 1
unit_name = unit_y > 1 ? 'thousand s' : unit_y < 1 ? 'ms' : 's'

# --- axes -------------------------------------------------------------------------
if (log_x) { set logscale x }
if (log_y) { set logscale y }
set yrange [bottom / unit_y:top / unit_y]
set xrange [(log_x ? '*' : least_x):most_x]
set xlabel x_label . (log_x ? ', log scale' : '')
set ylabel (text_only ? 'time lost (' : 'time lost (+) or gained (-) (') . unit_name . ')' noenhanced
set format x '%g'
set format y '%g'
if (!log_y) {
    if (text_only) {
        set xzeroaxis
    } else {
        set arrow 1 from graph 0,first 0 to graph 1,first 0 nohead front lw 1.2 lc rgb ink
    }
    if (!text_only) {
        set label 4 'no cache' at graph 1,first 0 left offset 0.8,0 font small textcolor rgb faint front
        set rmargin 10
    }
}

# --- the optimum ------------------------------------------------------------------
short(v) = sprintf('%.4g', v)
in_time(v) = v < 0.001 ? short(v * 1e6) . ' us' : v < 1 ? short(v * 1000) . ' ms' : short(v) . ' s'
best_time(s) = in_time(abs(best_is[s])) . (best_is[s] > 0 ? ' lost' : ' gained')
best_place(s) = gprintf('%.3g', best_at[s]) . (x_unit eq '' ? '' : ' ' . x_unit)
best_words(s) = 'best at ' . x_name . ' = ' . best_place(s) . ': ' . best_time(s)
set style textbox opaque fillcolor rgb 'white' noborder margins 0.6,0.4
do for [s = 1:series] {
    if (best_known[s] && !text_only) {
        set label 10 + s '' at best_at[s],best_is[s] / unit_y front point pt 7 ps 1.2 lc rgb ink
        if (series == 1) {
            # The words stand high over the valley, where no curve is, with a line down to it.
            set arrow 2 from best_at[s],best_is[s] / unit_y to best_at[s],graph 0.9 nohead back dt 3 lw 1 lc rgb faint
            far = (best_at[s] - least_x) / (most_x - least_x + 1e-300)
            if (far < 0.2) { set label 9 left }
            if (far > 0.8) { set label 9 right }
            if (far >= 0.2 && far <= 0.8) { set label 9 center }
            set label 9 best_words(s) at best_at[s],graph 0.94 front boxed font small textcolor rgb ink noenhanced
        }
    }
}

# --- the curves --------------------------------------------------------------------
# Total solid and black, its parts dashed; several curves: a colour each, the optimum told in the legend.
words_for(part) = part eq 'read_s' ? 'by reads' : part eq 'write_s' ? 'by writes' : \
                  part eq 'frac_s' ? 'by additional writes (frac)' : part
total_words(s) = series == 1 ? 'total' . (text_only && best_known[s] ? ', ' . best_words(s) : '') : \
    name(s) . (best_known[s] ? ': ' . best_time(s) . ' at ' . best_place(s) : '')
dashes(s) = series > 1 ? s : 1
set key outside bottom center horizontal reverse Left width -6
set style fill solid 1 noborder
shade_words = 'outside the table: extrapolated' . (goes_to > most_x ? sprintf(' (on to %g)', goes_to) : '') \
    . (comes_from < least_x ? sprintf(' (from %g)', comes_from) : '')
shades = shaded && !text_only ? series : 0
crosses = shaded && text_only ? series : 0
band_first = int(band) && !text_only ? 'input index series using (on_x(column("x"))):(on_y(column("low_s") / unit_y)):' . \
    '(on_y(column("high_s") / unit_y)) with filledcurves fc rgb "#C9D9E8" title "band of the total", ' : ''
plot @band_first for [s = 1:shades] input index s - 1 \
        using (on_x(column(over))):(outside(0) ? bottom / unit_y : NaN):(top / unit_y) \
        with filledcurves fc rgb shade notitle, \
    for [s = 1:series] input index s - 1 using (on_x(column(over))):(on_y(column("total_s") / unit_y)) \
        with lines lt s lc rgb (series > 1 ? colour[(s - 1) % 7 + 1] : ink) lw 2.5 dt dashes(s) title total_words(s), \
    for [c = 1:words(parts)] input index 0 using (on_x(column(over))):(on_y(column(word(parts, c)) / unit_y)) \
        with lines lt 2 + c lc rgb colour[c] dt c + 1 lw 2 title words_for(word(parts, c)), \
    for [s = 1:crosses] input index s - 1 \
        using (on_x(column(over))):(outside(0) ? (bottom + 0.08 * span) / unit_y : NaN) \
        with points pt 2 title (s == 1 ? shade_words : ''), \
    for [s = 1:(shades > 0)] keyentry with boxes fc rgb shade title shade_words
unset output
