# SPDX-License-Identifier: BSD-2-Clause
# armpmu: `make` builds, `make check` tests, `make demo` shows.  The variables below may be set on the command line.

CC       ?= cc
AR       ?= ar
CFLAGS   ?= -O2 -g
LDFLAGS  ?=
PREFIX   ?= /usr/local
B        ?= build

ifneq ($(words [$(B)]),1)
$(error B="$(B)": make takes no name with blanks for the build folder; choose another one)
endif
# A word of a command of the shell, whatever is in it.
q         = '$(subst ','\'',$(1))'

WARN     := -Wall -Wextra -Wpedantic -Wconversion -Werror
# No file that is built names the folder that it was built in.
APMU_CFLAGS := -std=c11 $(WARN) -Iinclude -MMD -MP $(call q,-ffile-prefix-map=$(CURDIR)=.)

# The tool and the plugin read other people's files: checks of the compiler's and the C library's (not with sanitizers,
# which have their own, nor without optimization), and no table of functions that can be written.  The model and the
# driver have nothing of the C library and must be fast.
optimized = $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS))))
hardened  = $(if $(findstring -fsanitize,$(CFLAGS)),,-fstack-protector-strong \
            $(if $(optimized),$(if $(findstring _FORTIFY_SOURCE,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)))
RELRO    := -Wl,-z,relro -Wl,-z,now

MODEL    := $(wildcard model/*.c)
NAMES    := $(wildcard names/*.c)
DRIVER   := $(wildcard driver/*.c driver/backend/*.c)
# The back end that needs an operating system: Linux's perf_event.
HOSTED   := $(if $(filter linux%,$(shell $(CC) -dumpmachine 2>/dev/null | sed 's/.*-\(linux\)/\1/')),$(wildcard driver/perf/*.c))
EVENTS   := $(wildcard events/*.c)
EXPLAIN  := $(wildcard explain/*.c)
SOURCE   := $(wildcard source/*.c)
ENGINE   := $(wildcard engine/*.c)
TRACE    := $(wildcard trace/*.c)

# `make V=1` shows the commands.
ifeq ($(V),1)
Q    :=
say   = @:
else
Q    := @
say   = @echo "  $(1)"
endif

obj       = $(patsubst %.c,$(B)/obj/%.o,$(1))

.PHONY: all clean deps
all: $(B)/libarmpmu.a

$(B)/libarmpmu.a: $(call obj,$(MODEL) $(NAMES) $(DRIVER) $(HOSTED) $(EVENTS) $(EXPLAIN))
	@rm -f $@
	$(call say,AR    $@)
	$(Q)$(AR) rcs $@ $^

$(B)/obj/cli/% $(B)/obj/engine/% $(B)/obj/trace/% $(B)/pic/engine/%: HARDEN = $(hardened)

$(B)/obj/%.o: %.c Makefile | $(B)/.has-compiler
	@mkdir -p $(@D)
	$(call say,CC    $<)
	$(Q)$(CC) $(APMU_CFLAGS) $(HARDEN) $(CFLAGS) -c $< -o $@

# What is missing is said before a compiler complains of it: headers of libraries are tried.  `make deps` installs.
$(patsubst %,$(B)/.has-%,compiler libraries zlib): $(B)/.has-%: tools/has.sh
	@mkdir -p $(@D)
	@CC=$(call q,$(CC)) CFLAGS=$(call q,$(CFLAGS)) sh tools/has.sh $*
	@touch $@

$(call obj,$(wildcard cli/*.c cli/state/*.c test/state/*.c test/fuzz/*.c)): | $(B)/.has-libraries
$(call obj,$(wildcard test/replay/*.c)): | $(B)/.has-zlib

# ---------------------------------------------------------------------------------------------------------------------
# The shared library: exports what include/armpmu/*.h declare.  Before 1.0 a minor version may break; then the SONAME is
# another one.

version   = $(shell sed -n 's/^\#define APMU_VERSION_$(1) \([0-9]*\)$$/\1/p' include/armpmu/version.h)
MAJOR    := $(call version,MAJOR)
MINOR    := $(call version,MINOR)
VERSION  := $(MAJOR).$(MINOR).$(call version,PATCH)
SOVERSION := $(if $(filter 0,$(MAJOR)),$(MAJOR).$(MINOR),$(MAJOR))
SONAME   := libarmpmu.so.$(SOVERSION)
LIBRARY  := $(B)/libarmpmu.so.$(VERSION)

$(B)/so/%.o: %.c Makefile | $(B)/.has-compiler
	@mkdir -p $(@D)
	$(call say,CC    $<)
	$(Q)$(CC) $(APMU_CFLAGS) -fPIC -fno-semantic-interposition $(CFLAGS) -c $< -o $@

$(B)/libarmpmu.map: tools/symbols.sh Makefile $(wildcard include/armpmu/*.h)
	@mkdir -p $(@D)
	$(call say,GEN   $@)
	$(Q)CC="$(CC)" sh tools/symbols.sh ARMPMU_$(SOVERSION) > $@

$(LIBRARY): $(patsubst %.c,$(B)/so/%.o,$(MODEL) $(NAMES) $(DRIVER) $(HOSTED) $(EVENTS) $(EXPLAIN)) $(B)/libarmpmu.map
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$(B)/libarmpmu.map -Wl,-z,defs \
	    -Wl,-Bsymbolic-functions $(RELRO) $(LDFLAGS) $(filter %.o,$^) -o $@

all: $(LIBRARY)

# For those who rather copy four files into their project: `make amalgamation`.
.PHONY: amalgamation
amalgamation:
	$(call say,GEN   $(B)/amalgamation)
	$(Q)CC="$(CC)" python3 tools/amalgamate.py $(B)/amalgamation

# ---------------------------------------------------------------------------------------------------------------------
# Engine qemu-user: a plugin for qemu-aarch64 with the model inside, and the shim that runs in the emulated program.

CROSS    ?= aarch64-linux-gnu-
CROSS_CC := $(shell command -v $(CROSS)gcc 2>/dev/null)

pic       = $(patsubst %.c,$(B)/pic/%.o,$(1))

$(B)/pic/%.o: %.c Makefile | $(B)/.has-compiler
	@mkdir -p $(@D)
	$(call say,CC    $<)
	$(Q)$(CC) $(APMU_CFLAGS) -fPIC -fvisibility=hidden $(HARDEN) $(CFLAGS) -c $< -o $@

$(B)/libarmpmu-qemu-user.so: $(call pic,$(wildcard engine/qemu-user/*.c) engine/program.c engine/protocol.c $(SOURCE) $(MODEL) $(NAMES))
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) -shared $(RELRO) $(LDFLAGS) $^ -o $@ -lpthread

all: $(B)/libarmpmu-qemu-user.so

ifneq ($(CROSS_CC),)
$(B)/libarmpmu-el0.so: engine/shim/el0.c engine/protocol.h
	@mkdir -p $(@D)
	$(call say,CROSS $<)
	$(Q)$(CROSS_CC) -std=c11 $(WARN) -O2 -ffreestanding -fno-stack-protector -fPIC -nostdlib -shared -Wl,-z,now $< -o $@
else
$(B)/libarmpmu-el0.so:
	@echo "make: no $(CROSS)gcc, so no libarmpmu-el0.so: programs cannot reach the PMU (apt-get install gcc-aarch64-linux-gnu)"
endif
.PHONY: $(if $(CROSS_CC),,$(B)/libarmpmu-el0.so)
all: $(B)/libarmpmu-el0.so

ENGINE_TESTS := $(B)/test/run_engine $(B)/test/words $(B)/test/words32 $(B)/test/count_plugin.so \
                $(if $(CROSS_CC),$(patsubst test/engine/asm/%.S,$(B)/test/asm/%,$(wildcard test/engine/asm/*.S)) \
                $(foreach program,$(notdir $(basename $(wildcard test/engine/c/*.c))),$(B)/test/c/$(program) $(B)/test/c/$(program)-static))

$(B)/test/%.so: test/engine/%.c
	@mkdir -p $(@D)
	$(call say,CC    $<)
	$(Q)$(CC) $(APMU_CFLAGS) -fPIC -shared $(CFLAGS) $< -o $@ -lpthread

$(B)/test/asm/%: test/engine/asm/%.S
	@mkdir -p $(@D)
	$(call say,CROSS $<)
	$(Q)$(CROSS_CC) -nostdlib -static $< -o $@

$(B)/test/c/%: test/engine/c/%.c
	@mkdir -p $(@D)
	$(call say,CROSS $<)
	$(Q)$(CROSS_CC) -O1 -Wall -Wextra $< -o $@ -lpthread

$(B)/test/c/%-static: test/engine/c/%.c
	@mkdir -p $(@D)
	$(call say,CROSS $<)
	$(Q)$(CROSS_CC) -static -O1 -Wall -Wextra $< -o $@ -lpthread

BENCH := $(B)/test/block_plugin.so $(B)/test/insn_plugin.so $(B)/test/bench/model $(if $(CROSS_CC),$(B)/test/bench/kernel)

$(B)/test/%.so: test/bench/%.c
	@mkdir -p $(@D)
	$(CC) $(APMU_CFLAGS) -fPIC -shared $(CFLAGS) $< -o $@

$(B)/test/bench/kernel: test/bench/kernel.c
	@mkdir -p $(@D)
	$(CROSS_CC) -O2 -static $< -o $@

$(B)/test/bench/model: $(call obj,test/bench/model.c) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# What it costs: time beside the plain emulator and beside other plugins, calls of the model beside an indirect call,
# instructions of a region on Linux, native and by the kernel, beside other libraries, and bytes of code and tables on each
# target.
.PHONY: bench run-bench
bench:
	@B=$(B) sh tools/deps.sh bench
	@$(MAKE) --no-print-directory emulator
	@$(MAKE) --no-print-directory run-bench

run-bench: all $(BENCH)
	@B=$(B) sh test/bench/bench.sh
	@echo; B=$(B) sh test/bench/model.sh
	@echo; B=$(B) sh test/bench/region.sh || test $$? -eq 77
	@echo; B=$(B) sh test/bench/qemu.sh || test $$? -eq 77
	@echo; sh tools/freestanding.sh

$(B)/test/words: $(call obj,test/engine/words.c $(SOURCE)) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(B)/test/words32: $(call obj,test/engine/words32.c $(SOURCE)) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(B)/test/run_engine: $(call obj,test/engine/run_engine.c $(ENGINE) $(SOURCE)) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# ---------------------------------------------------------------------------------------------------------------------
# The emulators that are built from QEMU's source.  `make qemu-user`: the user emulators that `armpmu stat` takes where the
# distribution's have no plugins.  `make qemu`: these, and $(B)/qemu/armpmu-qemu-system-aarch64, with the model in place of
# QEMU's own PMU; ten minutes the first time, seconds after a change.  `make check-qemu` runs test/qemu/ on it.  Source,
# objects and results are in the user's cache folder, which `make clean` leaves as it is and `make clean-cache` removes.

.PHONY: qemu-user emulator qemu check-qemu run-qemu clean-cache
qemu-user:
	@sh tools/deps.sh qemu-user
	@B=$(B) sh engine/qemu-user/build.sh

# What the tests and the demonstration emulate with.
emulator:
	@B=$(B) sh engine/qemu-user/build.sh --if-needed

qemu:
	@sh tools/deps.sh qemu
	@B=$(B) sh engine/qemu-system/build.sh

check-qemu:
	@sh tools/deps.sh check-qemu
	@B=$(B) sh engine/qemu-system/build.sh; case $$? in \
	0) $(MAKE) --no-print-directory run-qemu ;; \
	77) echo "skip qemu: there is no emulator to test"; [ -z "$$TOTALS" ] || echo "0 0 1" >>"$$TOTALS" ;; \
	*) exit 1 ;; esac

clean-cache:
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/armpmu"

# ---------------------------------------------------------------------------------------------------------------------
# The tool.  Its man page and its completion are printed by itself, from its own tables.

CLI      := $(wildcard cli/*.c cli/state/*.c)

$(B)/armpmu: $(call obj,$(CLI) $(ENGINE) $(SOURCE) $(TRACE)) $(B)/libarmpmu.a
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) $(RELRO) $(LDFLAGS) $^ -ljansson -lexpat -o $@

$(B)/armpmu.1: $(B)/armpmu
	$(call say,GEN   $@)
	$(Q)$(B)/armpmu --man > $@

$(B)/armpmu.bash: $(B)/armpmu
	$(call say,GEN   $@)
	$(Q)$(B)/armpmu --completion > $@

all: $(B)/armpmu $(B)/armpmu.1 $(B)/armpmu.bash

# ---------------------------------------------------------------------------------------------------------------------
# make install [PREFIX=/usr/local] [DESTDIR=]

HEADERS  := $(wildcard include/armpmu/*.h)
TABLES   := $(wildcard tables/*.def)
SHARED   := $(B)/libarmpmu-qemu-user.so $(B)/libarmpmu-el0.so
to        = $(call q,$(DESTDIR)$(PREFIX))
PACKAGE  := $(patsubst package/%.in,$(B)/package/%,$(wildcard package/*.in))

$(B)/package/%: package/%.in include/armpmu/version.h Makefile
	@mkdir -p $(@D)
	$(call say,GEN   $@)
	$(Q)sed -e 's/@VERSION@/$(VERSION)/; s/@SOVERSION@/$(SOVERSION)/; s/@SOVERSION_PATTERN@/$(subst .,\\\\.,$(SOVERSION))/' \
	    $< > $@

.PHONY: install uninstall
install: all $(PACKAGE)
	install -d $(to)/bin $(to)/lib/armpmu $(to)/lib/pkgconfig $(to)/lib/cmake/armpmu $(to)/include/armpmu/tables $(to)/share/man/man1 \
	    $(to)/share/bash-completion/completions
	install -m 755 $(B)/armpmu $(to)/bin/
	install -m 644 $(wildcard $(SHARED)) $(to)/lib/armpmu/
	install -m 644 $(B)/libarmpmu.a $(to)/lib/
	install -m 755 $(LIBRARY) $(to)/lib/
	ln -sf libarmpmu.so.$(VERSION) $(to)/lib/$(SONAME)
	ln -sf $(SONAME) $(to)/lib/libarmpmu.so
	install -m 644 $(filter %.pc,$(PACKAGE)) $(to)/lib/pkgconfig/
	install -m 644 $(filter %.cmake,$(PACKAGE)) $(to)/lib/cmake/armpmu/
	install -m 644 $(HEADERS) $(to)/include/armpmu/
	install -m 644 $(TABLES) $(to)/include/armpmu/tables/
	for name in qemu-system-aarch64 qemu-aarch64 qemu-arm; do if [ -x $(B)/qemu/armpmu-$$name ]; then \
	    install -D -m 755 $(B)/qemu/armpmu-$$name $(to)/libexec/armpmu/armpmu-$$name; fi; done
	install -m 644 $(B)/armpmu.1 $(to)/share/man/man1/
	install -m 644 $(B)/armpmu.bash $(to)/share/bash-completion/completions/armpmu

uninstall:
	rm -rf $(to)/bin/armpmu $(to)/lib/armpmu $(to)/lib/libarmpmu.a $(to)/lib/libarmpmu.so $(to)/lib/$(SONAME) \
	    $(to)/lib/libarmpmu.so.$(VERSION) $(to)/lib/pkgconfig/armpmu.pc $(to)/lib/cmake/armpmu $(to)/include/armpmu \
	    $(to)/share/man/man1/armpmu.1 $(to)/share/bash-completion/completions/armpmu $(to)/libexec/armpmu

# ---------------------------------------------------------------------------------------------------------------------
# Tests.  A program of one file in test/{unit,table,prop,driver,state,fuzz}/ prints "ok NAME" and "not ok NAME: ..." lines.

TEST_PROGRAMS := $(patsubst %.c,$(B)/%,$(wildcard test/unit/*.c test/table/*.c test/prop/*.c test/driver/*.c test/state/*.c test/fuzz/*.c))

TEST_LIB := $(wildcard test/lib/*.c)

# The states of the tool (cli/state) are tested without its verbs, and read JSON and XML: jansson (libjansson-dev), expat (libexpat1-dev).
STATE    := $(call obj,$(wildcard cli/state/*.c) cli/complain.c $(TRACE))
$(filter $(B)/test/state/% $(B)/test/fuzz/%,$(TEST_PROGRAMS)): $(STATE)
$(filter $(B)/test/state/% $(B)/test/fuzz/%,$(TEST_PROGRAMS)): LIBS := -ljansson -lexpat

$(TEST_PROGRAMS): $(B)/test/%: $(B)/obj/test/%.o $(call obj,$(TEST_LIB)) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(filter-out %.a,$^) $(filter %.a,$^) $(LIBS) -o $@

$(B)/test/conform: $(call obj,$(wildcard test/conform/*.c)) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# A simulated chip for OpenOCD, on JTAG: the PMU that it finds is the model.
$(B)/test/dap: $(call obj,$(wildcard test/openocd/*.c)) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

# Reads traces as they are and gzip'ed: zlib (zlib1g-dev).
$(B)/test/replay: $(call obj,$(wildcard test/replay/*.c) $(TRACE)) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lz -o $@

# Bare metal: the driver built for each target, and images for qemu-system out of test/target/ and examples/.  As on the
# targets themselves: no C library, no red zone of the host's, no floating point.

ARM      ?= arm-linux-gnueabi-
ARM_CC   := $(shell command -v $(ARM)gcc 2>/dev/null)

BARE_CORE   := $(filter-out driver/backend/model.c,$(DRIVER)) $(EVENTS) names/regs.c
BARE_CFLAGS := -std=c11 $(WARN) -Iinclude -MMD -MP $(call q,-ffile-prefix-map=$(CURDIR)=.) -O2 -g -ffreestanding -fno-stack-protector \
               -fno-pic -fno-pie -fno-tree-loop-distribute-patterns -DRT_SLED=2000
BARE_LINK   := -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,max-page-size=4096 -Wl,-T

bare_a64    := $(CROSS)gcc -mgeneral-regs-only -mstrict-align
bare_armv7  := $(ARM)gcc -march=armv7-a -marm -mfloat-abi=soft -mno-unaligned-access
bare_armv8  := $(ARM)gcc -march=armv8-a -marm -mfloat-abi=soft -mno-unaligned-access

# $(1) the target
define BARE
$(B)/target/$(1)/%.o: %.c Makefile
	@mkdir -p $$(@D)
	$$(call say,CC    $$< ($(1)))
	$$(Q)$$(bare_$(1)) $$(BARE_CFLAGS) -c $$< -o $$@

$(B)/target/$(1)/%.o: %.S Makefile
	@mkdir -p $$(@D)
	$$(call say,AS    $$< ($(1)))
	$$(Q)$$(bare_$(1)) $$(BARE_CFLAGS) -c $$< -o $$@

$(B)/target/$(1)/driver.a: $(patsubst %.c,$(B)/target/$(1)/%.o,$(BARE_CORE))
	@rm -f $$@
	$$(call say,AR    $$@)
	$$(Q)$$(AR) rcs $$@ $$^
endef
$(foreach target,a64 armv7 armv8,$(eval $(call BARE,$(target))))

# $(1) the target, $(2) the image, $(3) the linker script, $(4) the sources
define BARE_IMAGE
$(B)/target/$(1)/$(2).elf: $(patsubst %,$(B)/target/$(1)/%.o,$(basename $(4))) $(B)/target/$(1)/driver.a $(3)
	$$(call say,LINK  $$@)
	$$(Q)$$(bare_$(1)) $$(BARE_LINK) $(3) $$(filter %.o %.a,$$^) -lgcc -o $$@
endef
$(foreach test,count filter overflow cost,$(eval $(call BARE_IMAGE,a64,$(test),test/target/target.ld,\
    test/target/a64.S test/target/vectors64.c test/target/rt.c test/target/$(test).c)))
$(foreach target,armv7 armv8,$(eval $(call BARE_IMAGE,$(target),aarch32,test/target/target.ld,\
    test/target/a32.S test/target/vectors32.c test/target/rt.c test/target/aarch32.c)))
$(foreach example,baremetal_el1 el0,$(eval $(call BARE_IMAGE,a64,$(example),examples/baremetal_el1/link.ld,\
    examples/baremetal_el1/boot.S examples/baremetal_el1/board.c examples/$(example)/main.c)))

BARE_IMAGES := $(if $(CROSS_CC),$(patsubst %,$(B)/target/a64/%.elf,count filter overflow cost baremetal_el1 el0)) \
               $(if $(ARM_CC),$(B)/target/armv7/aarch32.elf $(B)/target/armv8/aarch32.elf)

.PHONY: baremetal
baremetal: $(BARE_IMAGES)

# Images of test/qemu/: each executes single instructions at every level, from EL3 (levels.h).
LEVELS   := test/qemu/start.S test/qemu/levels.c test/target/rt.c
$(eval $(call BARE_IMAGE,a64,qemu-except,test/target/target.ld,\
    test/qemu/except_code.S test/qemu/except.c test/target/rt.c))
$(eval $(call BARE_IMAGE,a64,qemu-policy,test/target/target.ld,\
    test/target/a64.S test/target/vectors64.c test/target/rt.c test/qemu/policy.c names/config.c names/required.c))
$(foreach test,forty identity reset,$(eval $(call BARE_IMAGE,a64,qemu-$(test),test/target/target.ld,\
    test/target/a64.S test/target/vectors64.c test/target/rt.c test/qemu/$(test).c)))
$(foreach test,migrate smp,$(eval $(call BARE_IMAGE,a64,qemu-$(test),test/target/target.ld,\
    $(LEVELS) test/qemu/turns.S test/qemu/$(test).c)))
$(foreach test,conform random,$(eval $(call BARE_IMAGE,a64,qemu-$(test),test/target/target.ld,$(LEVELS) test/qemu/$(test).c)))
$(eval $(call BARE_IMAGE,armv7,qemu-conform,test/target/target.ld,\
    test/qemu/start32.S test/qemu/levels32.c test/target/rt.c test/qemu/conform.c))
QEMU_IMAGES := $(patsubst %,$(B)/target/a64/qemu-%.elf,conform random except migrate reset smp policy forty identity) \
               $(if $(ARM_CC),$(B)/target/arm11/qemu-arm11.elf $(B)/target/arm11/qemu-arm11-counts.elf \
               $(B)/target/armv7/qemu-conform.elf)

# ARM11: with the interrupt controller of versatilepb, and for boards without it.
$(B)/target/arm11/qemu-arm11.elf: ARM11_BOARD := -DVIC=0x10140000u -DLINE=3
$(B)/target/arm11/qemu-%.elf: test/qemu/arm11_start.S test/qemu/arm11.c test/qemu/arm11.ld Makefile
	@mkdir -p $(@D)
	$(call say,CROSS $@)
	$(Q)$(ARM)gcc -mcpu=arm1176jz-s -marm -mfloat-abi=soft $(filter-out -MMD -MP,$(BARE_CFLAGS)) $(ARM11_BOARD) \
	    -Wl,--no-warn-rwx-segments $(BARE_LINK) \
	    test/qemu/arm11.ld $(filter %.S %.c,$^) -lgcc -o $@

$(B)/test/expect: $(call obj,test/qemu/expect.c test/qemu/settings.c test/qemu/external.c) $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

run-qemu: all $(ENGINE_TESTS) $(BARE_IMAGES) $(QEMU_IMAGES) $(B)/test/expect $(B)/test/replay
	@B=$(B) CC="$(CC)" sh test/run.sh $(or $(TESTS),test/qemu/)

# The demonstration and the tests as a new user of a Debian suite has them, in a fresh chroot: SUITE=trixie, sid, bookworm.
.PHONY: check-debian
check-debian:
	@[ -n "$(SUITE)" ] || { echo "usage: make check-debian SUITE=trixie"; exit 2; }
	@sh tools/deps.sh check-debian
	@B=$(B) sh tools/check-debian.sh "$(SUITE)"

.PHONY: demo
demo:
	@B=$(B) sh tools/deps.sh demo
	@$(MAKE) --no-print-directory emulator
	@$(MAKE) --no-print-directory all
	@B=$(B) sh tools/demo.sh

.PHONY: check check-programs check-clang check-sanitized run-tests run-programs ci

# `make check` installs what is missing (tools/deps.sh) and runs every test; TESTS="words" chooses some by name.
check:
	@B=$(B) sh tools/deps.sh check
	@$(MAKE) --no-print-directory emulator
	@$(MAKE) --no-print-directory run-tests

run-tests: all $(ENGINE_TESTS) $(BARE_IMAGES) $(TEST_PROGRAMS) $(B)/test/conform $(B)/test/replay $(B)/test/dap
	@B=$(B) CC="$(CC)" sh test/run.sh $(TESTS)

# The tests that need nothing but this compiler: for a second compiler, and with sanitizers.
run-programs: $(TEST_PROGRAMS) $(B)/test/conform $(B)/test/replay
	@B=$(B) CC="$(CC)" sh test/run.sh table/ unit/ prop/ driver/ state/ fuzz/ conform/ replay/

check-clang:
	@$(MAKE) --no-print-directory run-programs CC=clang B=$(B)/clang

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
check-sanitized:
	@ARMPMU_ROUNDS=1/10 $(MAKE) --no-print-directory run-programs B=$(B)/sanitized CFLAGS="-O1 -g $(SANITIZE)" \
		LDFLAGS="$(SANITIZE)"

# The same properties (test/lib/choices.h) for longer: random, ROUNDS times as many as in `make check`, from SEED on;
# and driven by libFuzzer, TIME seconds for each file of them, and for each parser (test/fuzz).
.PHONY: soak fuzz
ROUNDS   ?= 20
SEED     ?= 1
TIME     ?= 10

soak: $(patsubst %.c,$(B)/%,$(wildcard test/prop/*.c))
	@ARMPMU_ROUNDS=$(ROUNDS) ARMPMU_SEED=$(SEED) B=$(B) sh test/run.sh prop/

FUZZ := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all

fuzz:
	@$(MAKE) --no-print-directory fuzzers CC=clang B=$(B)/fuzz CFLAGS="-O1 -g $(FUZZ) -DARMPMU_FUZZ"
	@B=$(B)/fuzz TIME=$(TIME) sh tools/fuzz.sh

.PHONY: fuzzers
FUZZERS := $(patsubst test/prop/%.c,$(B)/fuzz-%,$(wildcard test/prop/*.c))
PARSERS := $(patsubst test/fuzz/%.c,$(B)/fuzz-parser-%,$(wildcard test/fuzz/*.c))
fuzzers: $(FUZZERS) $(PARSERS)

$(PARSERS): $(B)/fuzz-parser-%: $(B)/obj/test/fuzz/%.o $(STATE) $(B)/libarmpmu.a
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) -fsanitize=fuzzer,address,undefined $^ -ljansson -lexpat -o $@

$(FUZZERS): $(B)/fuzz-%: $(B)/obj/test/prop/%.o $(call obj,$(TEST_LIB)) $(B)/libarmpmu.a
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) -fsanitize=fuzzer,address,undefined $^ -o $@

# The properties that CBMC proves (test/proof/proofs.txt), PROOFS="names" of them; `make check` does the quick ones.
.PHONY: proof
proof:
	@B=$(B) sh tools/proof.sh test/proof/proofs.txt $(PROOFS)

# Tests the tests: changes the model in one place at a time (tools/mutate.py).  FILES="why.c count.c" are some of it.
.PHONY: mutate mutation-programs
mutate:
	@$(MAKE) --no-print-directory mutation-programs B=$(B)/mutation CFLAGS="-O2 -fPIC -DAPMU_HIDDEN="
	@python3 tools/mutate.py --dir $(B)/mutation --cc $(CC) $(MUTATE) $(FILES)

mutation-programs: $(TEST_PROGRAMS) $(B)/test/conform $(B)/test/replay

# What CI runs.  The last line sums up.
# The emulator is built while tests run that do not look at the clock.
ci:
	@rm -f $(B)/totals; mkdir -p $(B)
	@TOTALS=$$(cd $(B) && pwd)/totals; export TOTALS; status=0; \
	echo "== make check"; $(MAKE) --no-print-directory check || status=1; \
	sh tools/deps.sh check-qemu || status=1; \
	B=$(B) JOBS=2 sh engine/qemu-system/build.sh >$(B)/qemu.log 2>&1 & \
	for target in check-clang check-sanitized; do \
		echo "== make $$target"; $(MAKE) --no-print-directory $$target || status=1; \
	done; \
	wait; cat $(B)/qemu.log; \
	echo "== make check-qemu"; $(MAKE) --no-print-directory check-qemu || status=1; \
	echo "== make check-debian SUITE=trixie, of which the demonstration"; \
	if sh tools/deps.sh check-debian; then \
		B=$(B) CACHE=1 sh tools/check-debian.sh trixie demo || [ $$? -eq 77 ] || status=1; \
	else \
		echo "skip check-debian: debootstrap is not here"; \
	fi; \
	awk -v bad=$$status '{ p += $$1; f += $$2; s += $$3 } \
		END { if (bad && !f) f = 1; printf "%d passed, %d failed%s\n", p, f, s ? ", " s " skipped" : "" }' $(B)/totals; \
	exit $$status

# Installs what `make` needs.
deps:
	@sh tools/deps.sh build

clean:
	rm -rf $(B)

-include $(shell find $(B)/obj $(B)/pic $(B)/so $(B)/target -name "*.d" 2>/dev/null)
