# Sweeps as users run them: killed and gone on with, in parts, over MPI, as a Slurm array.
TESTS += tests/sweep/sweep-resume.sh tests/sweep/sweep-parts.sh tests/sweep/sweep-search.sh tests/sweep/sweep-slurm.sh
EXTRA_DIST += tests/sweep/sweep-resume.sh tests/sweep/sweep-parts.sh tests/sweep/sweep-search.sh tests/sweep/sweep-slurm.sh tests/sweep/common.sh
