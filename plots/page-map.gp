# page-map.gp: which pages were touched when: colour is how often, on a logarithmic scale.
#
# input: a header line "touch page touches", a cell each: its first touch and page, and how many touches fell into it.
# touch_step, page_step: the size of a cell. See common.gp for the rest.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
load here . 'common.gp'
stats input using "touch" nooutput
ux = scale_of(STATS_max)
stats input using "page" nooutput
uy = scale_of(STATS_max)
set xlabel 'touches since the start' . scale_name(ux)
set ylabel 'page, in the order of first use' . scale_name(uy)
set cblabel 'touches' offset 1.5,0 textcolor rgb ink
set format x '%g'
set format y '%g'
set format cb '%.0s%c'
set autoscale xfix
set yrange [0:*]
unset grid
set palette defined (0 '#C6DBEF', 0.4 '#4292C6', 0.75 '#08519C', 1 '#08203A')
if (text_only) {
    plot input using (column("touch") / ux):(column("page") / uy) with dots notitle
} else {
    set logscale cb
    set rmargin 13
    set style fill solid 1 noborder
    x(add) = (column("touch") + add * touch_step) / ux
    y(add) = (column("page") + add * page_step) / uy
    plot input using (x(0.5)):(y(0.5)):(x(0)):(x(1)):(y(0)):(y(1)):(positive(column("touches"))) \
        with boxxyerror lc palette notitle
}
unset output
