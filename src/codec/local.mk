# src/codec: its files, for the one Makefile.
