# src/cmd: its files, for the one Makefile.
pagelab_SOURCES += src/cmd/main.c src/cmd/commands.c src/cmd/common.c src/cmd/progress_line.c src/cmd/cmd.h
pagelab_SOURCES += src/cmd/cmd_plot.c
pagelab_SOURCES += src/cmd/cmd_model.c src/cmd/cmd_model_document.c src/cmd/cmd_model.h
