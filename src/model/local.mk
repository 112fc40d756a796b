# src/model: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/model/axis.c src/model/axis.h \
	src/model/cost1996.c src/model/cost1996.h \
	src/model/fault_curves.c src/model/fault_curves.h \
	src/model/fault_table.c src/model/fault_table.h \
	src/model/table_header.c src/model/table_header.h \
	src/model/fit.c src/model/fit.h \
	src/model/fit_band.c src/model/fit_band.h \
	src/model/fit_choice.c src/model/fit_choice.h \
	src/model/fit_exponentials.c \
	src/model/fit_form.c src/model/fit_form.h \
	src/model/fit_held_out.c \
	src/model/fit_powers.c \
	src/model/fit_runs.c src/model/fit_runs.h \
	src/model/fit_solve.c \
	src/model/fit_spline.c \
	src/model/held_out.c src/model/held_out.h \
	src/model/interpolate.c src/model/interpolate.h \
	src/model/model.h \
	src/model/optimum.c src/model/optimum.h \
	src/model/sensitivity.c \
	src/model/slopes.c src/model/slopes.h
