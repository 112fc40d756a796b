# src/report: its files, for the one Makefile.
