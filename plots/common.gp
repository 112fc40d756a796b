# common.gp: what every figure shares: where the picture goes, fonts, colours, headings, numbers on axes.
#
# Loaded by the figures beside it. Understands, all optional:
#   output='f.svg'      where the picture goes; its suffix picks the terminal (svg, png, pdf, txt); none: a window
#   terminal='svg'      svg, pngcairo, png, pdfcairo or dumb, instead of the suffix
#   width=800 height=500    pixels (pdf: 96 to the inch; dumb: characters)
#   heading='…' subheading='…'    over the picture; taken as they are, no markup
#   log='xy'            logarithmic axes: x, y, xy or none
#   pages_per_mb=256    a second axis in pages, for figures over memory
#
# Colours are Okabe and Ito's eight, told apart with any colour vision; lines differ in dashes too, so that
# a grey print can be read.

set encoding utf8
set datafile separator "\t,"
set datafile commentschars '#'
set datafile columnheaders

if (!exists("heading")) heading = ''
if (!exists("subheading")) subheading = ''
if (!exists("log")) log = 'none'
log_x = strstrt(log, 'x') > 0
log_y = strstrt(log, 'y') > 0

# --- where it goes --------------------------------------------------------------
ends(s, suffix) = strlen(s) >= strlen(suffix) && s[strlen(s) - strlen(suffix) + 1:] eq suffix
if (!exists("terminal")) {
    terminal = ''
    if (exists("output")) {
        terminal = ends(output, '.svg') ? 'svg' : ends(output, '.png') ? 'pngcairo' : \
                   ends(output, '.pdf') ? 'pdfcairo' : 'dumb'
    }
}
text_only = terminal eq 'dumb'
if (!exists("width")) width = text_only ? 79 : 800
if (!exists("height")) height = text_only ? 24 : 500
font = 'DejaVu Sans,Helvetica,Arial,sans-serif'
if (terminal eq 'svg') {
    set terminal svg size width,height dynamic font font . ',12' background 'white'
}
if (terminal eq 'pngcairo') {
    set terminal pngcairo size width,height font 'Sans,10' background 'white'
}
if (terminal eq 'png') {
    set terminal png size width,height background 'white'
}
if (terminal eq 'pdfcairo') {
    set terminal pdfcairo size width/96.0,height/96.0 font 'Sans,9' fontscale 0.8 background 'white'
}
if (text_only) {
    set terminal dumb width,height mono
}
if (exists("output")) {
    set output output
}
small = terminal eq 'svg' ? font . ',11' : terminal eq 'pdfcairo' ? 'Sans,8' : 'Sans,9'
large = terminal eq 'svg' ? font . ':Bold,15' : terminal eq 'pdfcairo' ? 'Sans:Bold,11' : 'Sans:Bold,12'

# --- colours --------------------------------------------------------------------
array colour[7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
ink = '#333333'
faint = '#777777'
shade = '#ECECEC'

# --- the frame --------------------------------------------------------------------
set border 3 lc rgb faint
set tics nomirror out scale 0.6 textcolor rgb ink
set xlabel textcolor rgb ink
set ylabel textcolor rgb ink
if (!text_only) {
    set grid xtics ytics lc rgb '#E2E2E2' lt 1 lw 0.6, lc rgb '#F0F0F0' lt 1 lw 0.4
    set grid back
    set lmargin 11
    set rmargin 4
    lift = exists("pages_per_mb") ? 2.2 : 0.9
    set label 1 heading at graph 0,1 offset 0,lift + (subheading eq '' ? 0.2 : 1.3) left font large textcolor rgb ink noenhanced
    set label 2 subheading at graph 0,1 offset 0,lift left font small textcolor rgb faint noenhanced
    set tmargin lift + (subheading eq '' ? 2 : 3.3)
} else {
    set title heading noenhanced
}
set key noenhanced textcolor rgb ink samplen 3 spacing 1.25 width 1

# --- numbers on axes ----------------------------------------------------------------
# A linear axis is divided by thousands, millions or billions, which its label then names, so that ticks stay short
# ("250", not "250000000"). A logarithmic one has ticks at powers of ten with SI letters ("10 k", "1 M").
scale_of(most) = log_y ? 1.0 : most >= 2e9 ? 1e9 : most >= 2e6 ? 1e6 : most >= 1e4 ? 1e3 : 1.0
scale_name(scale) = scale == 1e9 ? ' (billions)' : scale == 1e6 ? ' (millions)' : scale == 1e3 ? ' (thousands)' : ''
# Ticks of a logarithmic axis from `least` to `most`: every power of ten over three decades and more, else also 2 and 5
# times it, and within one decade more.
marks(least, most) = most / least >= 1000 ? '1' : most / least >= 10 ? '1 2 5' : '1 1.2 1.5 2 2.5 3 4 5 6 7 8 9'
si(v) = v >= 1e9 ? sprintf('%g G', v / 1e9) : v >= 1e6 ? sprintf('%g M', v / 1e6) : \
        v >= 1e3 ? sprintf('%g k', v / 1e3) : sprintf('%g', v)
decade(v) = floor(log10(v) + 1e-9)
positive(v) = v > 0 ? v : NaN
on_x(v) = log_x ? positive(v) : v
on_y(v) = log_y ? positive(v) : v
# Rows that the last `stats` counted: it takes its variables away when there were none.
counted(unused) = exists("STATS_records") ? STATS_records : 0
# Names of series: name1='…', name2='…' as far as `series` goes.
if (!exists("series")) series = 1
name(i) = exists(sprintf("name%d", i)) ? value(sprintf("name%d", i)) : ''
