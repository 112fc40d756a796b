# Tests by kind; each part of the tree lists its own.
TESTS += tests/layers.sh tests/predictions.sh tests/sensitivity.sh tests/install.sh
EXTRA_DIST += tests/layers.sh tests/predictions.sh tests/sensitivity.sh tests/install.sh tests/support/embed.c

# Every experiment, run and drawn: minutes. `make experiments`, into plots/experiments of the build.
EXTRA_DIST += tests/experiments.sh plots/experiments
.PHONY: experiments
experiments: pagelab
	srcdir="$(srcdir)" BUILD=. sh "$(srcdir)/tests/experiments.sh"

include tests/unit/base.mk
include tests/unit/codec.mk
include tests/unit/store.mk
include tests/unit/trace.mk
include tests/unit/capture.mk
include tests/unit/device.mk
include tests/unit/native.mk
include tests/unit/etl.mk
include tests/unit/curve.mk
include tests/unit/curve_more.mk
include tests/unit/mm.mk
include tests/unit/fit.mk
include tests/unit/model.mk
include tests/unit/parameter.mk
include tests/unit/sim.mk
include tests/unit/sim_switches.mk
include tests/unit/sim_costs.mk
include tests/unit/codec_speed.mk
include tests/unit/sim_zero.mk
include tests/unit/report.mk
include tests/unit/sweep.mk
include tests/sweep/local.mk
include tests/cli/local.mk
include tests/capture/windows.mk
include tests/capture/linux.mk
include tests/page/local.mk
include tests/live/local.mk
include tests/fuzz/local.mk
include tests/bench/local.mk
