# src/curve: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/curve/curve.c src/curve/curve.h \
	src/curve/policy.c src/curve/policy.h src/curve/policy_ops.h \
	src/curve/policy_clock.c \
	src/curve/policy_fifo.c \
	src/curve/policy_lru.c \
	src/curve/policy_opt.c \
	src/curve/sizes.c src/curve/sizes.h \
	src/curve/stack.h src/curve/stack_kernel.h \
	src/curve/stack_avx2.c \
	src/curve/stack_portable.c \
	src/curve/stack_slots.c
