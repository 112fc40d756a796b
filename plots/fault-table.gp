# fault-table.gp: reads and writes of the page file by memory size, one or several tables in one picture.
#
#   gnuplot -e "input='t.csv'; output='t.svg'" plots/fault-table.gp
#
# input: a fault table as `pagelab curve --csv` writes it (commas or tabs; a header line with at least memory_mb and the
# columns drawn). Several tables stand in one file behind each other with two blank lines between, each with its header;
# then series=2 and name1='…', name2='…' for the legend. Optional: columns='reads writes' (which to draw),
# and what common.gp understands.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
load here . 'common.gp'
if (!exists("columns")) columns = 'reads writes'

# --- ranges ----------------------------------------------------------------------
most_x = 0
most_y = 0
least_x = 1e300
least_y = 1e300
rows = 0
do for [s = 1:series] {
    stats input index s - 1 using "memory_mb" nooutput
    if (STATS_max > most_x) { most_x = STATS_max }
    if (counted(0) > rows) { rows = counted(0) }
    stats input index s - 1 using (positive(column("memory_mb"))) nooutput
    if (counted(0) > 0 && STATS_min < least_x) { least_x = STATS_min }
    do for [c = 1:words(columns)] {
        stats input index s - 1 using (column(word(columns, c))) nooutput
        if (counted(0) > 0 && STATS_max > most_y) { most_y = STATS_max }
        stats input index s - 1 using (positive(column(word(columns, c)))) nooutput
        if (counted(0) > 0 && STATS_min < least_y) { least_y = STATS_min }
    }
}
unit_x = most_x >= 8192 ? 1024.0 : most_x < 0.5 ? 1 / 1024.0 : 1.0
scale = scale_of(most_y)

# --- axes ------------------------------------------------------------------------
set xlabel 'memory (' . (unit_x > 1 ? 'GB' : unit_x < 1 ? 'KB' : 'MB') . ')' . (log_x ? ', log scale' : '')
set ylabel (words(columns) > 1 ? 'pages read and written' : columns eq 'reads' ? 'pages read' : 'pages written') \
    . (log_y ? ', log scale' : scale_name(scale))
set format x '%g'
set format y '%g'
set autoscale xfix
set yrange [0:(most_y > 0 ? 1.05 * most_y / scale : 1)]
if (log_x) {
    from = least_x / unit_x
    to = most_x / unit_x
    set logscale x
    set xrange [from:to]
    set xtics ()
    do for [e = decade(from):decade(to)] {
        do for [m in marks(from, to)] { set xtics add (sprintf('%g', m * 10.0**e) m * 10.0**e) }
    }
}
if (log_y) {
    from = 0.8 * least_y
    to = 1.3 * most_y
    set logscale y
    set yrange [from:to]
    set ytics ()
    do for [e = decade(from):decade(to)] {
        do for [m in marks(from, to)] { set ytics add (si(m * 10.0**e) m * 10.0**e) }
    }
}
if (exists("pages_per_mb") && !text_only) {
    per_unit = pages_per_mb * unit_x
    set x2tics out scale 0.6 textcolor rgb faint font small
    set format x2 '%g'
    set label 3 'pages' at graph 0,1 offset -3.6,1.0 right font small textcolor rgb faint
    if (log_x) {
        from = least_x * pages_per_mb
        to = most_x * pages_per_mb
        set logscale x2
        set x2range [from:to]
        set x2tics ()
        do for [e = decade(from):decade(to)] {
            do for [m in marks(from, to)] { set x2tics add (si(m * 10.0**e) m * 10.0**e) }
        }
    } else {
        set link x2 via x * per_unit inverse x / per_unit
    }
}

# --- the curves --------------------------------------------------------------------
# One table: reads solid, writes dashed, each its colour. Several: a colour each, dashed for writes.
words_for(c) = word(columns, c) eq 'reads' ? 'reads (faults that read the page file)' : \
               word(columns, c) eq 'writes' ? 'writes (changed pages written to it)' : word(columns, c)
legend(s, c) = series > 1 ? name(s) . ', ' . word(columns, c) : words_for(c)
paint(s, c) = colour[series > 1 ? (s - 1) % 7 + 1 : c]
dashes(c) = word(columns, c) eq 'reads' ? 1 : 2
how = rows > 40 ? 'lines' : 'linespoints pt 7 ps 0.6'
if (log_y) { set key bottom left Left reverse } else { set key top right }
plot for [s = 1:series] for [c = 1:words(columns)] input index s - 1 \
    using (on_x(column("memory_mb") / unit_x)):(on_y(column(word(columns, c)) / scale)) \
    with @how lt (s - 1) * 2 + c lc rgb paint(s, c) dt dashes(c) lw 2 title legend(s, c)
unset output
