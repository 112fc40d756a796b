# src/capture/windows: pagecap.exe and its agent, built by their own makefile with the cross compiler; it finds out itself
# what is out of date.
EXTRA_DIST += src/capture/windows
if HAVE_MINGW
all-local: pagecap.exe
windows-program:
	@$(MAKE) --no-print-directory -f $(top_srcdir)/src/capture/windows/pagecap.mk SRC=$(top_srcdir) OUT=windows BIN=. \
		CC='$(MINGW_CC)' AR='$(MINGW_AR)' EXTRA='$(MINGW_EXTRA)' VERSION='$(PACKAGE_VERSION)' QUIET=$(AM_V_at)
pagecap.exe: windows-program
pagecap-agent.dll: windows-program
clean-local:
	rm -rf windows pagecap.exe pagecap-agent.dll
endif
