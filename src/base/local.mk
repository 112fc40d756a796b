# src/base: its files, for the one Makefile.
