# src/report: its files, for the one Makefile; and the scripts that draw.
libpagelab_a_SOURCES += \
	src/report/figure.c src/report/figure.h \
	src/report/figure_activity.c \
	src/report/figure_bars.c \
	src/report/figure_fault_latency.c \
	src/report/figure_fault_table.c \
	src/report/figure_fit.c \
	src/report/figure_heat_map.c \
	src/report/figure_model_curve.c \
	src/report/figure_page_map.c \
	src/report/figure_phases.c \
	src/report/figure_predicted.c \
	src/report/figure_sweep_line.c src/report/swept.c src/report/swept.h \
	src/report/figure_time_line.c src/report/figure_zeroing.c \
	src/report/gnuplot.c src/report/gnuplot.h \
	src/report/page.c src/report/page.h src/report/page_private.h \
	src/report/page_data.c \
	src/report/page_markup.c \
	src/report/page_result.c \
	src/report/plot.c src/report/plot.h \
	src/report/report.h \
	src/report/result.c src/report/result.h src/report/result_private.h \
	src/report/result_csv.c \
	src/report/result_json.c

plotsdir = $(pkgdatadir)/plots
dist_plots_DATA = plots/activity.gp plots/bars.gp plots/common.gp plots/curve-cost.gp plots/fault-latency.gp plots/fault-table.gp plots/fit.gp \
	plots/heat-map.gp plots/model-curve.gp plots/page-map.gp plots/phases.gp plots/predicted.gp plots/store-line.gp plots/sweep-line.gp \
	plots/time-line.gp plots/zeroing.gp

# What becomes part of every page of `pagelab report`.
pagedir = $(pkgdatadir)/page
dist_page_DATA = \
	src/report/page/charts.js \
	src/report/page/cost.js \
	src/report/page/page.css \
	src/report/page/page.js \
	src/report/page/panel.js
