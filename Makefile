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
ENGINE   := $(wildcard engine/*.c)

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
# Engine qemu-user: a plugin for qemu-aarch64 with the model inside, and the shim that runs in the emulated program.

CROSS    ?= aarch64-linux-gnu-
CROSS_CC := $(shell command -v $(CROSS)gcc 2>/dev/null)

pic       = $(patsubst %.c,$(B)/pic/%.o,$(1))

$(B)/pic/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(APMU_CFLAGS) -fPIC -fvisibility=hidden $(CFLAGS) -c $< -o $@

$(B)/libarmpmu-qemu-user.so: $(call pic,$(wildcard engine/qemu-user/*.c) engine/program.c engine/protocol.c $(SOURCE) $(MODEL))
	$(CC) $(CFLAGS) -shared $(LDFLAGS) $^ -o $@ -lpthread

all: $(B)/libarmpmu-qemu-user.so

ifneq ($(CROSS_CC),)
$(B)/libarmpmu-el0.so: engine/shim/el0.c engine/protocol.h
	@mkdir -p $(@D)
	$(CROSS_CC) -std=c11 $(WARN) -O2 -ffreestanding -fno-stack-protector -fPIC -nostdlib -shared -Wl,-z,now $< -o $@
else
$(B)/libarmpmu-el0.so:
	@echo "make: no $(CROSS)gcc, so no libarmpmu-el0.so: programs cannot reach the PMU (apt-get install gcc-aarch64-linux-gnu)"
endif
.PHONY: $(if $(CROSS_CC),,$(B)/libarmpmu-el0.so)
all: $(B)/libarmpmu-el0.so

ENGINE_TESTS := $(B)/test/run_engine $(B)/test/words $(B)/test/count_plugin.so \
                $(if $(CROSS_CC),$(patsubst test/engine/asm/%.S,$(B)/test/asm/%,$(wildcard test/engine/asm/*.S)) \
                $(patsubst test/engine/c/%.c,$(B)/test/c/% $(B)/test/c/%-static,$(wildcard test/engine/c/*.c)))

$(B)/test/%.so: test/engine/%.c
	@mkdir -p $(@D)
	$(CC) $(APMU_CFLAGS) -fPIC -shared $(CFLAGS) $< -o $@ -lpthread

$(B)/test/asm/%: test/engine/asm/%.S
	@mkdir -p $(@D)
	$(CROSS_CC) -nostdlib -static $< -o $@

$(B)/test/c/%: test/engine/c/%.c
	@mkdir -p $(@D)
	$(CROSS_CC) -O1 -Wall -Wextra $< -o $@ -lpthread

$(B)/test/c/%-static: test/engine/c/%.c
	@mkdir -p $(@D)
	$(CROSS_CC) -static -O1 -Wall -Wextra $< -o $@ -lpthread

BENCH := $(B)/test/run_engine $(B)/test/block_plugin.so $(B)/test/insn_plugin.so $(if $(CROSS_CC),$(B)/test/bench/kernel)

$(B)/test/%.so: test/bench/%.c
	@mkdir -p $(@D)
	$(CC) $(APMU_CFLAGS) -fPIC -shared $(CFLAGS) $< -o $@

$(B)/test/bench/kernel: test/bench/kernel.c
	@mkdir -p $(@D)
	$(CROSS_CC) -O2 -static $< -o $@

.PHONY: bench-engine
bench-engine: all $(BENCH)
	@B=$(B) sh test/bench/bench.sh

$(B)/test/words: $(call obj,test/engine/words.c $(SOURCE)) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(B)/test/run_engine: $(call obj,test/engine/run_engine.c $(ENGINE) $(SOURCE)) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

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

check: all $(ENGINE_TESTS) $(TEST_PROGRAMS) $(B)/test/conform
	@B=$(B) CC="$(CC)" sh test/run.sh

clean:
	rm -rf $(B)

-include $(shell find $(B)/obj $(B)/pic -name "*.d" 2>/dev/null)
