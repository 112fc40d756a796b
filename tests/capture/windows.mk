# pagecap.exe under wine.
TESTS += tests/capture/windows.sh
EXTRA_DIST += tests/capture/windows.sh tests/support/windows_victim.c
if HAVE_MINGW
check_DATA = tests/support/windows_victim.exe
tests/support/windows_victim.exe: tests/support/windows_victim.c
	@mkdir -p tests/support
	$(AM_V_CC)$(MINGW_CC) -O2 -Wall -Wextra $(MINGW_EXTRA) -static $(top_srcdir)/tests/support/windows_victim.c -o $@
CLEANFILES += tests/support/windows_victim.exe
endif
