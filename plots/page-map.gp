# page-map.gp: which pages were touched when: colour is how often, on a logarithmic scale.
#
# input: a header line "touch page touches", a cell each: its first touch and page, and how many touches fell into it.
# touch_step, page_step: the size of a cell. See common.gp for the rest.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
load here . 'common.gp'
set xlabel 'touches since the start'
set ylabel 'page, in the order of first use'
set cblabel 'touches' textcolor rgb ink
set format x '%.0s%c'
set format y '%.0s%c'
set format cb '%.0s%c'
set autoscale xfix
set yrange [0:*]
unset grid
set palette defined (0 '#C6DBEF', 0.4 '#4292C6', 0.75 '#08519C', 1 '#08203A')
if (text_only) {
    plot input using "touch":"page" with dots notitle
} else {
    set logscale cb
    set rmargin 13
    set style fill solid 1 noborder
    plot input using (column("touch") + touch_step / 2):(column("page") + page_step / 2):"touch":(column("touch") + touch_step):"page":(column("page") + page_step):(positive(column("touches"))) \
        with boxxyerror lc palette notitle
}
unset output
