# src/trace: its files, for the one Makefile.
