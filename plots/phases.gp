# phases.gp: a stacked bar for each phase of a replay: where its threads' time went.
#
# input: tab separated, a header line with phase and a column NAME_s for each word NAME of `components`, seconds.
# phases: how many rows; most_s: the longest bar. See common.gp for the rest.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
load here . 'common.gp'
unit_t = most_s >= 600 ? 60.0 : most_s < 1 ? 0.001 : 1.0
set xlabel 'time of all threads (' . (unit_t > 1 ? 'min' : unit_t < 1 ? 'ms' : 's') . ')'
set format x '%g'
set xrange [0:*]
set yrange [phases - 0.4:-0.6]
set ylabel ''
if (!text_only) { set lmargin 24 }
set key outside bottom center horizontal reverse Left
n = words(components)
c(i) = column(word(components, i) . '_s') / unit_t
from(i) = i == 1 ? 0 : from(i - 1) + c(i - 1)
# A component has its colour in every picture.
kinds = 'run fault zero compress decompress wait_store wait_page wait_disk wait_memory wait_cpu'
paints = '#0072B2 #E69F00 #BBBBBB #5B3A8C #009E73 #CC79A7 #F0E442 #D55E00 #000000 #8C6D00'
place_of(w) = sum [k = 1:words(kinds)] (word(kinds, k) eq w ? k : 0)
paint(i) = place_of(word(components, i)) > 0 ? word(paints, int(place_of(word(components, i)))) : '#DDDDDD'
label_of(w) = w eq 'wait_disk' ? 'wait for disk' : w eq 'wait_store' ? 'wait for store' : \
    w eq 'wait_page' ? 'wait for a page' : w eq 'wait_memory' ? 'wait for memory' : w eq 'wait_cpu' ? 'wait for a processor' : w
set style fill solid 0.9 noborder
if (text_only) {
    set ytics
    plot for [i = 1:n] input using (from(i) + c(i)):0:ytic(1) with points title label_of(word(components, i))
} else {
    plot for [i = 1:n] input using (from(i)):0:(from(i)):(from(i) + c(i)):($0 - 0.32):($0 + 0.32):ytic(1) \
        with boxxyerror lc rgb paint(i) title label_of(word(components, i))
}
unset output
