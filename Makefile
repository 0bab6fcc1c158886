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
SOURCE   := $(wildcard source/*.c)

obj       = $(patsubst %.c,$(B)/obj/%.o,$(1))

.PHONY: all clean
all: $(B)/libarmpmu.a

$(B)/libarmpmu.a: $(call obj,$(MODEL) $(DRIVER))
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(APMU_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

clean:
	rm -rf $(B)

-include $(shell find $(B) -name '*.d' 2>/dev/null)
