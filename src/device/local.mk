# src/device: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/device/device.h src/device/device_parts.h src/device/device.c \
	src/device/hdd.c src/device/ssd.c src/device/constant.c src/device/ram_device.c \
	src/device/slot_heap.h src/device/slot_heap.c \
	src/device/histogram.h src/device/histogram.c \
	src/device/free_map.h src/device/free_map.c src/device/page_file.h src/device/page_file.c \
	src/device/cpu.h src/device/cpu.c src/device/lock.h src/device/lock.c
