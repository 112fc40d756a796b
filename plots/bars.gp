# bars.gp: bars for each row, stacked or side by side: memory at the end of phases, and what tools see of processes.
#
# input: tab separated, a header line with label and part1, part2, ... in MB. rows, parts: how many; name1 ...: what the
# parts are; stacked: 1 or 0; most_mb: the longest bar, for the unit. See common.gp for the rest.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
if ((!exists("terminal") || terminal ne 'dumb') && !exists("height")) {
    height = 200 + (stacked ? 42 : 24 + 17 * parts) * rows
    if (height < 300) { height = 300 }
}
load here . 'common.gp'
unit = most_mb >= 4096 ? 1024.0 : most_mb < 4 ? 1 / 1024.0 : 1.0
set xlabel 'memory (' . (unit > 1 ? 'GB' : unit < 1 ? 'KB' : 'MB') . ')'
set format x '%g'
set xrange [0:*]
set yrange [rows - 0.4:-0.6]
set ylabel ''
if (!text_only) { set lmargin 24 }
set key outside bottom center horizontal reverse Left
c(i) = column(sprintf('part%d', i)) / unit
from(i) = i == 1 || !stacked ? 0 : from(i - 1) + c(i - 1)
paint(i) = stacked ? word("#0072B2 #009E73 #D55E00 #56B4E9 #DDDDDD #999999", i) : colour[i]
low(i) = stacked ? -0.32 : -0.36 + 0.72 * (i - 1) / parts
high(i) = stacked ? 0.32 : -0.36 + 0.72 * (i - 0.12) / parts
set style fill solid 0.9 noborder
if (text_only) {
    plot for [i = 1:parts] input using (from(i) + c(i)):0:ytic(1) with points title name(i)
} else {
    plot for [i = 1:parts] input using (from(i)):0:(from(i)):(from(i) + c(i)):($0 + low(i)):($0 + high(i)):ytic(1) \
        with boxxyerror lc rgb paint(i) title name(i)
}
unset output
