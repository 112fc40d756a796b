# src/capture: `pagecap`. The common half and this system's half; the Windows program's files are listed in
# src/capture/windows/local.mk.
PAGECAP_COMMON = \
	src/capture/capture.h \
	src/capture/backend.c src/capture/backend.h \
	src/capture/cap_backends.c src/capture/cap_capture.c src/capture/cap_common.c src/capture/cap_content.c \
	src/capture/cap_eat.c src/capture/cap_etl.c src/capture/cap_purge.c src/capture/cap_touch.c src/capture/cap_views.c src/capture/cap_zero.c \
	src/capture/contents.c src/capture/contents.h \
	src/capture/lz4_size.c src/capture/lz4_size.h \
	src/capture/measurement.c src/capture/measurement.h \
	src/capture/os.h \
	src/capture/page_tally.c src/capture/page_tally.h \
	src/capture/pagecap.c src/capture/pagecap.h \
	src/capture/recorder.c src/capture/recorder.h \
	src/capture/team.c src/capture/team.h \
	src/capture/touch_list.c src/capture/touch_list.h \
	src/capture/workload.c src/capture/workload.h

if HOST_LINUX
bin_PROGRAMS += pagecap
endif
pagecap_SOURCES = $(PAGECAP_COMMON) \
	src/capture/linux/agent/agent_ring.h \
	src/capture/linux/agent_drive.c src/capture/linux/agent_drive.h \
	src/capture/linux/backend_exact.c src/capture/linux/backend_faults.c src/capture/linux/backend_interval.c \
	src/capture/linux/backend_snapshot.c \
	src/capture/linux/backends.c src/capture/linux/backends.h \
	src/capture/linux/os_facts.c src/capture/linux/os_memory.c src/capture/linux/os_pages.c \
	src/capture/linux/os_process.c src/capture/linux/os_views.c \
	src/capture/linux/own_group.c src/capture/linux/own_zram.c src/capture/linux/own_zram.h \
	src/capture/linux/proc_maps.h \
	src/capture/linux/target.c src/capture/linux/target.h
pagecap_LDADD = $(PL_LIBS)
pagecap_CPPFLAGS = $(AM_CPPFLAGS) -DPL_PKGLIBDIR='"$(pkglibdir)"'

# What `pagecap run --backend exact` puts into programs. Neither sanitizers nor stack protectors: it runs in signal handlers
# of programs that know nothing of them.
agent_parts = src/capture/linux/agent/agent.c src/capture/linux/agent/agent_call.c \
	src/capture/linux/agent/agent_region.c src/capture/linux/agent/agent_raw.S
agent_interface = src/capture/linux/agent/agent.h src/capture/linux/agent/agent_ring.h
EXTRA_DIST += src/capture/README.md $(agent_parts) $(agent_interface)
if BUILD_AGENT
agentdir = $(pkglibdir)
agent_DATA = libpagecap-agent.so
endif
libpagecap-agent.so: $(agent_parts) $(agent_interface)
	$(AM_V_CCLD)$(CC) -std=gnu11 -O2 -g -Wall -Wextra -fPIC -shared -pthread -fvisibility=hidden -fno-stack-protector \
		-Wno-unused-parameter -Wl,-z,now $(AM_CPPFLAGS) -I. -o $@ \
		$(srcdir)/src/capture/linux/agent/agent.c $(srcdir)/src/capture/linux/agent/agent_call.c \
		$(srcdir)/src/capture/linux/agent/agent_region.c $(srcdir)/src/capture/linux/agent/agent_raw.S
CLEANFILES += libpagecap-agent.so
