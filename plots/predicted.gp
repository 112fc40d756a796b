# predicted.gp: predicted against measured. On the line the two are equal; the band is 25 % to both sides.
#
# input: two blocks with the header line "measured predicted low high": predictions, and numbers that were used for the fit
# (low and high: the middle half of the samples). predictions, others: how many there are. unit_words: for the axes.

here = ''
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }
load here . 'common.gp'
predictions = int(predictions)
others = int(others)
least = 1e300
most = -1e300
do for [b = 0:1] {
    if (b == 0 ? predictions : others) {
        stats input index b using "measured" nooutput
        if (STATS_min < least) { least = STATS_min }
        if (STATS_max > most) { most = STATS_max }
        stats input index b using "predicted" nooutput
        if (STATS_min < least) { least = STATS_min }
        if (STATS_max > most) { most = STATS_max }
    }
}
from = 10**floor(log10(least) - 1e-9)
to = 10**ceil(log10(most) + 1e-9)
set logscale xy
set xrange [from:to]
set yrange [from:to]
set format x '%g'
set format y '%g'
set xlabel 'measured (' . unit_words . ')'
set ylabel 'predicted (' . unit_words . ')'
set key top left Left reverse
set samples 200
set style fill solid 1 noborder
if (text_only) {
    plot x with lines title 'equal', input index 0 using "measured":"predicted" with points title 'predicted'
} else {
    plot '+' using 1:($1 / 1.25):($1 * 1.25) with filledcurves lc rgb shade title 'within 25 %', \
        x with lines lc rgb faint lw 1.2 title 'equal', \
        for [b = 0:(others ? 1 : 0)] input index b using "measured":"predicted":"low":"high" \
            with xerrorbars pt (b ? 6 : 7) ps 0.9 lc rgb colour[b + 1] title (b ? 'used for the fit' : 'predicted')
}
unset output
