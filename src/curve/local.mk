# src/curve: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/curve/curve.c src/curve/curve.h src/curve/curve_private.h \
	src/curve/curve_parallel.c \
	src/curve/sample.c src/curve/sample.h \
	src/curve/sample_counts.c src/curve/sample_private.h \
	src/curve/sample_map.c src/curve/sample_map.h \
	src/curve/sample_windows.c src/curve/sample_estimate.c \
	src/curve/simulate.c src/curve/simulate.h src/curve/simulate_ops.h \
	src/curve/simulate_clock.c \
	src/curve/simulate_fifo.c \
	src/curve/simulate_lru.c \
	src/curve/simulate_opt.c src/curve/simulate_2q.c src/curve/simulate_clockpro.c src/curve/simulate_ring.h \
	src/curve/sizes.c src/curve/sizes.h \
	src/curve/stack.h src/curve/stack_kernel.h src/curve/stack_parts.h \
	src/curve/stack_avx2.c \
	src/curve/stack_portable.c \
	src/curve/stack_slots.c

# Other questions than the LRU curve.
libpagelab_a_SOURCES += src/curve/opt_curve.c src/curve/opt_curve.h
libpagelab_a_SOURCES += src/curve/curve_snapshot.c src/curve/snapshot.h
libpagelab_a_SOURCES += src/curve/intervals.c src/curve/intervals.h
libpagelab_a_SOURCES += src/curve/byte_curve.c src/curve/byte_curve.h
libpagelab_a_SOURCES += src/curve/mini.c src/curve/mini.h
