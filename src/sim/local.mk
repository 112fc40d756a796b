# src/sim: its files, for the one Makefile.
libpagelab_a_SOURCES += \
	src/sim/sim.h src/sim/engine.h \
	src/sim/event_queue.c src/sim/event_queue.h \
	src/sim/machine.c src/sim/machine.h src/sim/machine_scope.c src/sim/machine_table.c src/sim/machine_table.h \
	src/sim/simulation.c src/sim/simulation.h src/sim/sim_result.h src/sim/sim_figure_list.h \
	src/sim/stream.c src/sim/stream.h src/sim/timeline.c src/sim/timeline.h \
	src/sim/sim_actor.c src/sim/sim_control.c src/sim/sim_fault.c src/sim/sim_evict.c src/sim/sim_store.c \
	src/sim/sim_disk.c src/sim/sim_content_file.c src/sim/sim_combine.c src/sim/sim_writer.c src/sim/sim_store_write.c src/sim/sim_periodic.c \
	src/sim/sim_cpu.c src/sim/sim_sum.c src/sim/sim_timer.c src/sim/sim_check.c \
	src/sim/sim_view.c src/sim/sim_zero.c
