# src/mm: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/mm/mm.h src/mm/hot.h \
	src/mm/frames.h src/mm/frames.c \
	src/mm/replacement.h src/mm/replacement_list.h src/mm/replacement.c \
	src/mm/page_queue.h src/mm/page_queue.c \
	src/mm/places.h src/mm/places.c \
	src/mm/lru_order.h src/mm/lru_order.c \
	src/mm/lru.c src/mm/aging.c src/mm/fifo.c src/mm/clock.c src/mm/random_order.c src/mm/twoq.c src/mm/opt.c \
	src/mm/memory.h src/mm/memory_private.h src/mm/memory.c \
	src/mm/mapping.c src/mm/page_tables.c src/mm/working_set.c \
	src/mm/fault.c src/mm/evict.c src/mm/write_out.c src/mm/trim.c \
	src/mm/release.c src/mm/combine.c src/mm/check.c \
	src/mm/usage.h src/mm/usage.c
