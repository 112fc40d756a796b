# src/capture/windows/pagecap.mk: builds pagecap.exe and pagecap-agent.dll with a mingw-w64 compiler, for GNU make.
#
# The ordinary build calls it when it finds the cross compiler. On Windows itself, in an MSYS2 shell (UCRT64 or MINGW64;
# pacman -S make mingw-w64-ucrt-x86_64-gcc), from the top of the source tree:
#
#     make -f src/capture/windows/pagecap.mk
#
# No library but those of Windows is needed. Objects lie in OUT, the two products in BIN.
SRC ?= .
OUT ?= build-windows
BIN ?= $(OUT)
ifeq ($(origin CC),default)
CC = gcc
endif
VERSION ?= $(shell sed -n 's/^AC_INIT(\[pagelab\], \[\(.*\)\])/\1/p' $(SRC)/configure.ac)
WARN ?= -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla
# GetProcAddress hands out one type of function for all.
FLAGS = -std=gnu11 -O2 -g -D__USE_MINGW_ANSI_STDIO=1 -D_WIN32_WINNT=0x0601 -ffp-contract=off -fno-math-errno $(WARN) \
	-Wno-unused-parameter -Wno-missing-field-initializers -Wno-cast-function-type $(EXTRA) -I$(SRC)/src -I$(OUT)

# What reads JSON needs cJSON, and what reads traces of others needs more; the rest is taken as it is needed.
CORE := $(filter-out %/json_read.c %/json_scan.c %/parameter%.c,$(wildcard $(SRC)/src/base/*.c)) \
	$(addprefix $(SRC)/src/codec/,page_content.c page_hash.c xpress_decode.c xpress_encode.c) \
	$(addprefix $(SRC)/src/trace/,builder.c densify.c) \
	$(filter-out %/native_read_header.c,$(wildcard $(SRC)/src/trace/native/native_*.c)) \
	$(filter-out %/etl_source.c,$(wildcard $(SRC)/src/trace/etl/etl_*.c))
TOOL := $(wildcard $(SRC)/src/capture/*.c) $(filter-out %/agent_main.c %/agent_threads.c %/agent_regions.c %/agent_hooks.c \
	%/agent_exact.c %/agent_sample.c,$(wildcard $(SRC)/src/capture/windows/*.c))
AGENT := $(addprefix $(SRC)/src/capture/windows/,agent_main.c agent_threads.c agent_regions.c agent_hooks.c agent_exact.c \
	agent_sample.c)

objects = $(patsubst $(SRC)/src/%.c,$(OUT)/%.o,$(1))

all: $(BIN)/pagecap.exe $(BIN)/pagecap-agent.dll
.PHONY: all clean

$(OUT)/config.h: $(SRC)/configure.ac
	@mkdir -p $(OUT)
	@printf '#define PACKAGE_STRING "pagelab %s"\n#define PACKAGE_VERSION "%s"\n' '$(VERSION)' '$(VERSION)' >$@

$(OUT)/%.o: $(SRC)/src/%.c $(OUT)/config.h
	@mkdir -p $(@D)
	$(QUIET)$(CC) $(FLAGS) -MMD -MP -c $< -o $@

$(OUT)/core.a: $(call objects,$(CORE))
	@rm -f $@
	$(QUIET)$(AR) cr $@ $^

$(BIN)/pagecap.exe: $(call objects,$(TOOL)) $(OUT)/core.a
	$(QUIET)$(CC) -static -o $@ $^

$(BIN)/pagecap-agent.dll: $(call objects,$(AGENT))
	$(QUIET)$(CC) -shared -static -o $@ $^

clean:
	rm -rf $(OUT) $(BIN)/pagecap.exe $(BIN)/pagecap-agent.dll

-include $(patsubst %.o,%.d,$(call objects,$(CORE) $(TOOL) $(AGENT)))
