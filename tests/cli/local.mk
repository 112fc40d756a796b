# Golden command lines: run-cases.sh says how they work.
TESTS += tests/cli/run-cases.sh tests/cli/examples.sh
EXTRA_DIST += tests/cli/run-cases.sh tests/cli/examples.sh
