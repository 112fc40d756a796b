# Against devices of this machine. `make check` runs the quick part where it can; `make live` judges times too.
EXTRA_DIST += tests/live/zram-store.sh tests/live/zram-predict.sh tests/live/zram-counts.sh \
	tests/live/zram-group.sh
TESTS += tests/live/zram-counts.sh tests/live/zram-group.sh
.PHONY: live
live: pagelab$(EXEEXT) pagecap$(EXEEXT)
	srcdir='$(abs_top_srcdir)' BUILD='$(abs_top_builddir)' $(SHELL) $(top_srcdir)/tests/live/zram-store.sh
	srcdir='$(abs_top_srcdir)' BUILD='$(abs_top_builddir)' $(SHELL) $(top_srcdir)/tests/live/zram-predict.sh
	srcdir='$(abs_top_srcdir)' BUILD='$(abs_top_builddir)' $(SHELL) $(top_srcdir)/tests/live/zram-group.sh
