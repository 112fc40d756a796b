# src/curve: its files, for the one Makefile.
