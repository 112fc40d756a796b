# Golden command lines: run-cases.sh says how they work.
TESTS += tests/cli/run-cases.sh
EXTRA_DIST += tests/cli/run-cases.sh
