# src/model: its files, for the one Makefile.
