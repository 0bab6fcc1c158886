# SPDX-License-Identifier: BSD-2-Clause
# armpmu: `make` builds, `make check` tests, `make demo` shows.  The variables below may be set on the command line.

CC       ?= cc
AR       ?= ar
CFLAGS   ?= -O2 -g
LDFLAGS  ?=
PREFIX   ?= /usr/local
B        ?= build

WARN     := -Wall -Wextra -Wpedantic -Wconversion -Werror
APMU_CFLAGS := -std=c11 $(WARN) -Iinclude -MMD -MP

MODEL    := $(wildcard model/*.c)
DRIVER   := $(wildcard driver/*.c driver/backend/*.c)
EVENTS   := $(wildcard events/*.c)
SOURCE   := $(wildcard source/*.c)

obj       = $(patsubst %.c,$(B)/obj/%.o,$(1))

.PHONY: all check clean
all: $(B)/libarmpmu.a

$(B)/libarmpmu.a: $(call obj,$(MODEL) $(DRIVER) $(EVENTS))
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(APMU_CFLAGS) $(CFLAGS) -c $< -o $@

# ---------------------------------------------------------------------------------------------------------------------
# Tests.  A program of one file in test/{unit,table,prop,driver}/ prints "ok NAME" and "not ok NAME: ..." lines.

TEST_PROGRAMS := $(patsubst %.c,$(B)/%,$(wildcard test/unit/*.c test/table/*.c test/prop/*.c test/driver/*.c))

TEST_LIB := $(wildcard test/lib/*.c)

$(TEST_PROGRAMS): $(B)/test/%: $(B)/obj/test/%.o $(call obj,$(TEST_LIB)) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(B)/test/conform: $(call obj,$(wildcard test/conform/*.c)) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# Reads traces as they are and gzip'ed: zlib (zlib1g-dev).
$(B)/test/replay: $(call obj,$(wildcard test/replay/*.c)) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -lz -o $@

check: all $(TEST_PROGRAMS) $(B)/test/conform $(B)/test/replay
	@B=$(B) CC="$(CC)" sh test/run.sh

clean:
	rm -rf $(B)

-include $(shell find $(B) -name '*.d' 2>/dev/null)
