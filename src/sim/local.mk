# src/sim: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/sim/sim.h \
	src/sim/event_queue.c src/sim/event_queue.h
