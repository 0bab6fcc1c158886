# SPDX-License-Identifier: BSD-2-Clause
# armpmu: `make` builds, `make check` tests, `make demo` shows.  The variables below may be set on the command line.

CC       ?= cc
AR       ?= ar
CFLAGS   ?= -O2 -g
PREFIX   ?= /usr/local
B        ?= build

WARN     := -Wall -Wextra -Wpedantic -Wconversion -Werror
APMU_CFLAGS := -std=c11 $(WARN) -Iinclude

MODEL    := $(wildcard model/*.c)
DRIVER   := $(wildcard driver/*.c driver/backend/*.c)
EVENTS   := $(wildcard events/*.c)
SOURCE   := $(wildcard source/*.c)

obj       = $(patsubst %.c,$(B)/obj/%.o,$(1))

.PHONY: all clean
all: $(B)/libarmpmu.a

$(B)/libarmpmu.a: $(call obj,$(MODEL) $(DRIVER) $(EVENTS))
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(APMU_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# --- tests of the events and the driver: programs that print "ok NAME" or "not ok NAME" --------------------------
EVENTS_TESTS := $(patsubst test/%.c,$(B)/test/%,$(wildcard test/events/*.c))
all: $(EVENTS_TESTS)
$(EVENTS_TESTS): $(B)/test/%: $(B)/obj/test/%.o $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $^ -o $@

clean:
	rm -rf $(B)

-include $(shell find $(B) -name '*.d' 2>/dev/null)
