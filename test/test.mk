# SPDX-License-Identifier: BSD-2-Clause
# The tests' part of the Makefile: the programs, images and plugins that tests run, and the targets that run them.

ARM      ?= arm-linux-gnueabi-
ARM_CC   := $(shell command -v $(ARM)gcc 2>/dev/null)

# ---------------------------------------------------------------------------------------------------------------------
# Test programs for this machine.  Each is one file and prints "ok NAME" and "not ok NAME: ..." lines.

MODEL_TESTS := $(wildcard test/model/unit/*.c test/model/table/*.c test/model/prop/*.c)
STATE_TESTS := $(wildcard test/cli/state/*.c)
FUZZ_TESTS := $(wildcard test/fuzz/*.c)
DOCTOR_TESTS := $(wildcard test/cli/doctor/*.c)
# build_recording.c is no test: it makes the recordings of tests.
RECORDER := test/cli/profile/build_recording.c
PROFILE_TESTS := $(filter-out $(RECORDER),$(wildcard test/cli/profile/*.c))
# The tests of the core model compare it with a plain one and with the witness, whose files are no tests.
PLAIN_CORE := $(wildcard test/core/plain*.c)
WITNESS    := $(wildcard test/core/witness/*.c)
CORE_TESTS := $(filter-out $(PLAIN_CORE),$(wildcard test/core/*.c))
TEST_PROGRAMS := $(patsubst %.c,$(B)/%,$(MODEL_TESTS) $(wildcard test/explain/*.c test/driver/*.c test/bind/*.c) \
                 $(STATE_TESTS) $(DOCTOR_TESTS) $(PROFILE_TESTS) $(FUZZ_TESTS) $(CORE_TESTS))
TEST_LIB := $(wildcard test/lib/*.c)
TRACE    := $(wildcard cli/trace/*.c)

# The readers of dumps (cli/state) are tested without the verbs.  They need jansson and expat for JSON and XML.
STATE    := $(call obj,$(wildcard cli/state/*.c) cli/complain.c $(TRACE))
$(patsubst %.c,$(B)/%,$(STATE_TESTS)): $(STATE)
$(patsubst %.c,$(B)/%,$(STATE_TESTS)): LIBS := $(TOOL_LIBS)
$(call obj,$(STATE_TESTS)): | $(B)/.has-libraries

# The verdicts of armpmu why and doctor name causes, whose rows need other verbs: their tests, and others, are linked
# with all of the tool.
WHOLE_TESTS := $(DOCTOR_TESTS) $(PROFILE_TESTS) $(FUZZ_TESTS)
TOOL     := $(filter-out $(B)/obj/cli/main.o,$(call obj,$(CLI) $(IMAGES) $(TB) $(HOST) $(CLASSIFY)) $(MESSAGES))
$(patsubst %.c,$(B)/%,$(WHOLE_TESTS)): $(TOOL)
$(patsubst %.c,$(B)/%,$(WHOLE_TESTS)): LIBS := $(TOOL_LIBS)
$(call obj,$(WHOLE_TESTS)): | $(B)/.has-libraries

$(patsubst %.c,$(B)/%,$(wildcard test/bind/*.c)): $(call obj,$(TB))
$(B)/test/bind/image: $(call obj,$(IMAGES))

$(B)/test/driver/sequence: $(B)/obj/examples/sequence/sequence.o

$(patsubst %.c,$(B)/%,$(CORE_TESTS)): $(call obj,$(PLAIN_CORE))
$(B)/test/core/agree: $(call obj,$(WITNESS))

# Tests of single files call functions that the installed archive keeps to itself.
$(B)/obj/whole.a: $(call obj,$(LIB))
	@rm -f $@
	$(call say,AR    $@)
	$(Q)$(AR) rcs $@ $^

$(TEST_PROGRAMS): $(B)/test/%: $(B)/obj/test/%.o $(call obj,$(TEST_LIB)) $(B)/obj/whole.a
	$(link)

$(B)/test/conform: $(call obj,$(wildcard test/model/conform/*.c)) $(B)/obj/whole.a
	$(link)

# Reads traces, plain and compressed by gzip.
$(B)/test/replay: $(call obj,$(wildcard test/model/replay/*.c) $(TRACE)) $(B)/libarmpmu.a
	$(link)
$(B)/test/replay: LIBS := -lz
$(call obj,$(wildcard test/model/replay/*.c)): | $(B)/.has-libraries

# Gives traces of valgrind's lackey to the core model.
$(B)/test/lackey: $(call obj,test/core/native/lackey.c) $(B)/libarmpmu.a
	$(link)

# Makes recordings out of lines.
$(B)/test/build_recording: $(call obj,$(RECORDER) $(wildcard cli/profile/recording*.c)) $(B)/libarmpmu.a
	$(link)
$(B)/test/build_recording: LIBS := -lz

# Replays traces of the core model's calls on it and on the witness.
$(B)/test/retrace: $(call obj,test/core/native/retrace.c) $(call obj,$(WITNESS)) $(B)/libarmpmu.a
	$(link)

# Prints the tables of doc/core-accuracy.md.
$(B)/test/accuracy: $(call obj,test/core/native/accuracy.c) $(B)/libarmpmu.a
	$(link)

# Simulates a chip on JTAG for OpenOCD, with the model as its PMU.
$(B)/test/dap: $(call obj,$(wildcard test/hardware/openocd/*.c)) $(B)/libarmpmu.a
	$(link)

# Computes by the model what an image must print on the emulator of qemu/system.
$(B)/test/expect: $(call obj,$(addprefix test/qemu/system/,expect.c settings.c external.c)) $(B)/libarmpmu.a
	$(link)

# ---------------------------------------------------------------------------------------------------------------------
# Programs for qemu-user, plugins to compare ours with, and programs that call the classifier.

$(B)/test/words $(B)/test/words32: $(B)/test/%: $(B)/obj/test/qemu/user/%.o $(call obj,$(CLASSIFY)) $(B)/libarmpmu.a
	$(link)

$(B)/test/run_program: $(call obj,test/qemu/user/run_program.c $(HOST) $(CLASSIFY)) $(B)/libarmpmu.a
	$(link)

# Computes what test_record_core.sh compares recordings with.
$(B)/test/simulate: $(call obj,test/qemu/user/simulate.c $(PLAIN_CORE)) $(B)/libarmpmu.a
	$(link)

# Prints a recording.
$(B)/test/dump_recording: $(call obj,test/qemu/user/dump_recording.c $(wildcard cli/profile/recording*.c)) \
                          $(B)/libarmpmu.a
	$(link)
$(B)/test/dump_recording: LIBS := -lz

define compile_plugin
@mkdir -p $(@D)
$(call say,CC    $<)
$(Q)$(CC) $(APMU_CFLAGS) -fPIC -shared $(CFLAGS) $< -o $@ -lpthread
endef

BENCH_PLUGINS := $(B)/test/block_plugin.so $(B)/test/insn_plugin.so
$(addprefix $(B)/test/,count_plugin.so inline_plugin.so calls_plugin.so trace_plugin.so): $(B)/test/%.so: \
    test/qemu/user/%.c
	$(compile_plugin)
$(BENCH_PLUGINS): $(B)/test/%.so: test/bench/%.c
	$(compile_plugin)

# $(1) the flags of the cross compiler before the source, $(2) those after it
define cross
@mkdir -p $(@D)
$(call say,CROSS $<)
$(Q)$(CROSS_CC) $(1) $< -o $@ $(2)
endef

$(B)/test/asm/%: test/qemu/user/asm/%.S
	$(call cross,-nostdlib -static)

$(B)/test/c/%: test/qemu/user/c/%.c
	$(call cross,-O1 -Wall -Wextra,-lpthread)

$(B)/test/c/%-static: test/qemu/user/c/%.c
	$(call cross,-static -O1 -Wall -Wextra,-lpthread)

CROSS32 ?= arm-linux-gnueabihf-
$(B)/test/graph/%: test/qemu/user/graph/%.c
	$(call cross,-static -O2 -Wall -Wextra,-lpthread)

$(B)/test/graph/%-dynamic: test/qemu/user/graph/%.c
	$(call cross,-O2 -Wall -Wextra,-lpthread)

$(B)/test/graph/%: test/qemu/user/graph/%.cc
	@mkdir -p $(@D)
	$(call say,CROSS $<)
	$(Q)$(CROSS)g++ -static -O2 -Wall -Wextra $< -o $@

$(B)/test/graph/%-t32: test/qemu/user/graph/%.c
	@mkdir -p $(@D)
	$(call say,CROSS $<)
	$(Q)$(CROSS32)gcc -static -O2 -Wall -Wextra $< -o $@ -lpthread

$(B)/test/graph/%-a32: test/qemu/user/graph/%.c
	@mkdir -p $(@D)
	$(call say,CROSS $<)
	$(Q)$(CROSS32)gcc -marm -static -O2 -Wall -Wextra $< -o $@ -lpthread

$(B)/test/bench/kernel: test/bench/kernel.c
	$(call cross,-O2 -static)

$(B)/test/bench/kernel-a32 $(B)/test/bench/kernel-t32: test/bench/kernel.c
	@mkdir -p $(@D)
	$(call say,CROSS $<)
	$(Q)$(CROSS32)gcc $(if $(filter %-a32,$@),-marm,-mthumb) -static -O2 -Wall -Wextra $< -o $@

USER_ASM := $(patsubst test/qemu/user/asm/%.S,$(B)/test/asm/%,$(wildcard test/qemu/user/asm/*.S))
USER_C   := $(patsubst test/qemu/user/c/%.c,$(B)/test/c/%,$(wildcard test/qemu/user/c/*.c))
USER_GRAPHS := $(addprefix $(B)/test/graph/,calls calls-dynamic jumps coroutines threads \
               $(if $(shell command -v $(CROSS)g++ 2>/dev/null),throws) \
               $(if $(shell command -v $(CROSS32)gcc 2>/dev/null),calls-a32 calls-t32 jumps-t32 threads-t32))
USER_TESTS := $(addprefix $(B)/test/,run_program dump_recording simulate words words32 count_plugin.so \
              inline_plugin.so calls_plugin.so trace_plugin.so) \
              $(if $(CROSS_CC),$(USER_ASM) $(USER_C) $(addsuffix -static,$(USER_C)) $(USER_GRAPHS))

# ---------------------------------------------------------------------------------------------------------------------
# Bare metal: the driver built for each target, and images for qemu-system out of test/hardware/bare/ and examples/.  As
# on the targets themselves, there is no C library, no red zone and no floating point.

BARE_CORE   := $(filter-out lib/driver/backend/model.c,$(DRIVER)) $(EVENTS) \
               $(addprefix lib/names/,regs.c keys.c features.c)
BARE_CFLAGS := -std=c11 $(WARN) -Iinclude -MMD -MP $(call q,-ffile-prefix-map=$(CURDIR)=.) -O2 -g -ffreestanding \
               -fno-stack-protector -fno-pic -fno-pie -fno-tree-loop-distribute-patterns -DRT_SLED=2000
BARE_LINK   := -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,max-page-size=4096 -Wl,-T

bare_a64    := $(CROSS)gcc -mgeneral-regs-only -mstrict-align
bare_armv7  := $(ARM)gcc -march=armv7-a -marm -mfloat-abi=soft -mno-unaligned-access
bare_armv8  := $(ARM)gcc -march=armv8-a -marm -mfloat-abi=soft -mno-unaligned-access

# Gives the rules of the objects and of driver.a for a target.
# $(1) the target
define BARE
$(B)/target/$(1)/%.o: %.c Makefile test/test.mk
	@mkdir -p $$(@D)
	$$(call say,CC    $$< ($(1)))
	$$(Q)$$(bare_$(1)) $$(BARE_CFLAGS) -c $$< -o $$@

$(B)/target/$(1)/%.o: %.S Makefile test/test.mk
	@mkdir -p $$(@D)
	$$(call say,AS    $$< ($(1)))
	$$(Q)$$(bare_$(1)) $$(BARE_CFLAGS) -c $$< -o $$@

$(B)/target/$(1)/driver.a: $(patsubst %.c,$(B)/target/$(1)/%.o,$(BARE_CORE))
	@rm -f $$@
	$$(call say,AR    $$@)
	$$(Q)$$(AR) rcs $$@ $$^
endef
$(foreach target,a64 armv7 armv8,$(eval $(call BARE,$(target))))

# Gives the rule of an image.
# $(1) the target, $(2) the image's name, $(3) the linker script, $(4) the sources, besides driver.a
define BARE_IMAGE
$(B)/target/$(1)/$(2).elf: $(patsubst %,$(B)/target/$(1)/%.o,$(basename $(4))) $(B)/target/$(1)/driver.a $(3)
	$$(call say,LINK  $$@)
	$$(Q)$$(bare_$(1)) $$(BARE_LINK) $(3) $$(filter %.o %.a,$$^) -lgcc -o $$@
endef
HW       := test/hardware/bare
HW_LD    := $(HW)/target.ld
HW_A64   := $(HW)/a64.S $(HW)/vectors64.c $(HW)/rt.c
HW_A32   := $(HW)/a32.S $(HW)/vectors32.c $(HW)/rt.c
BOARD    := $(addprefix examples/baremetal_el1/,boot.S board.c)
$(foreach test,count filter overflow cost,$(eval $(call BARE_IMAGE,a64,$(test),$(HW_LD),$(HW_A64) $(HW)/$(test).c)))
$(foreach target,armv7 armv8,$(eval $(call BARE_IMAGE,$(target),aarch32,$(HW_LD),$(HW_A32) $(HW)/aarch32.c)))
$(foreach example,baremetal_el1 el0,\
    $(eval $(call BARE_IMAGE,a64,$(example),examples/baremetal_el1/link.ld,$(BOARD) examples/$(example)/main.c)))
$(eval $(call BARE_IMAGE,a64,sequence,examples/baremetal_el1/link.ld,$(BOARD) \
    $(addprefix examples/sequence/,sequence.c main.c)))
$(eval $(call BARE_IMAGE,a64,el3,examples/baremetal_el1/link.ld,$(addprefix examples/,el3/boot.S el3/main.c \
    baremetal_el1/board.c)))

BARE_IMAGES := $(if $(CROSS_CC),$(patsubst %,$(B)/target/a64/%.elf,count filter overflow cost baremetal_el1 el0 el3 \
                   sequence)) \
               $(if $(ARM_CC),$(B)/target/armv7/aarch32.elf $(B)/target/armv8/aarch32.elf)

.PHONY: baremetal
baremetal: $(BARE_IMAGES)

# Images for qemu/system: each executes single instructions at every level, from EL3 (levels.h).
SYS      := test/qemu/system
LEVELS   := $(SYS)/start.S $(SYS)/levels.c $(HW)/rt.c
LEVELS32 := $(SYS)/start32.S $(SYS)/levels32.c $(HW)/rt.c
POLICY   := $(SYS)/policy.c lib/model/legal.c lib/model/required.c
$(eval $(call BARE_IMAGE,a64,qemu-except,$(HW_LD),$(SYS)/except_code.S $(SYS)/except.c $(HW)/rt.c))
$(eval $(call BARE_IMAGE,a64,qemu-policy,$(HW_LD),$(HW_A64) $(POLICY)))
$(foreach test,forty identity reset,$(eval $(call BARE_IMAGE,a64,qemu-$(test),$(HW_LD),$(HW_A64) $(SYS)/$(test).c)))
$(foreach test,migrate smp,\
    $(eval $(call BARE_IMAGE,a64,qemu-$(test),$(HW_LD),$(LEVELS) $(SYS)/turns.S $(SYS)/$(test).c)))
$(foreach test,conform random,$(eval $(call BARE_IMAGE,a64,qemu-$(test),$(HW_LD),$(LEVELS) $(SYS)/$(test).c)))
$(eval $(call BARE_IMAGE,armv7,qemu-conform,$(HW_LD),$(LEVELS32) $(SYS)/conform.c))

# ARM11: qemu-arm11 uses the interrupt controller of versatilepb; qemu-arm11-counts runs on boards without it.
$(B)/target/arm11/qemu-arm11.elf: ARM11_BOARD := -DVIC=0x10140000u -DLINE=3
$(B)/target/arm11/qemu-%.elf: $(SYS)/arm11_start.S $(SYS)/arm11.c $(SYS)/arm11.ld Makefile test/test.mk
	@mkdir -p $(@D)
	$(call say,CROSS $@)
	$(Q)$(ARM)gcc -mcpu=arm1176jz-s -marm -mfloat-abi=soft $(filter-out -MMD -MP,$(BARE_CFLAGS)) $(ARM11_BOARD) \
	    -Wl,--no-warn-rwx-segments $(BARE_LINK) $(SYS)/arm11.ld $(filter %.S %.c,$^) -lgcc -o $@

QEMU_A64    := conform random except migrate reset smp policy forty identity
QEMU_IMAGES := $(patsubst %,$(B)/target/a64/qemu-%.elf,$(QEMU_A64)) \
               $(if $(ARM_CC),$(patsubst %,$(B)/target/%.elf,arm11/qemu-arm11 arm11/qemu-arm11-counts \
                   armv7/qemu-conform))

# ---------------------------------------------------------------------------------------------------------------------
# The targets that run tests.

.PHONY: check check-clang check-sanitized check-qemu check-debian check-ci run-tests run-programs run-qemu ci demo \
        built-tests built-programs

# Builds on each CPU, unless the command line says on how many.  Tests are run by another make, without its job server.
BUILD = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))

# `make check` installs what is missing (tools/deps.sh) and runs every test; TESTS="words" chooses some by name.
check:
	@B=$(B) sh tools/deps.sh check
	@$(MAKE) --no-print-directory emulator
	@$(BUILD) built-tests
	@$(MAKE) --no-print-directory run-tests

built-tests: all bind python $(if $(shell command -v bindgen),rust) $(USER_TESTS) $(BARE_IMAGES) $(TEST_PROGRAMS) \
             $(B)/test/build_recording $(B)/test/conform $(B)/test/replay $(B)/test/dap $(B)/test/lackey \
             $(B)/test/retrace $(B)/test/accuracy $(B)/register-models

run-tests: built-tests
	@B=$(B) CC="$(CC)" sh test/run.sh $(TESTS)

# Runs the tests that need nothing but a compiler: for a second compiler, and with sanitizers.
built-programs: $(TEST_PROGRAMS) $(B)/test/conform $(B)/test/replay $(B)/test/lackey $(B)/test/retrace \
                $(B)/test/accuracy $(B)/test/words $(B)/test/words32

run-programs: built-programs
	@B=$(B) CC="$(CC)" sh test/run.sh test/model/unit/ test/model/table/ test/model/prop/ conform/ replay/ \
	    test/explain/ test/driver/ test/core/ test/bind/tb test/bind/image test/cli/state/ test/cli/doctor/ \
	    test/cli/profile/recording test/cli/profile/segments test/cli/profile/intervals test/fuzz/

# Runs the tests for the build of a package: they need neither the network nor root, install nothing and read no part of
# the machine's state.
.PHONY: test
test: all run-programs
	@B=$(B) CC="$(CC)" sh test/run.sh test/build/test_hardened.sh \
	    $(addprefix test/cli/why/test_,causes patch sentences time verdict why)

check-clang:
	@$(BUILD) built-programs CC=clang B=$(B)/clang
	@$(MAKE) --no-print-directory run-programs CC=clang B=$(B)/clang

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
SANITIZED = B=$(B)/sanitized CFLAGS="-O1 -g $(SANITIZE)" LDFLAGS="$(SANITIZE)"
check-sanitized:
	@$(BUILD) built-programs $(SANITIZED)
	@ARMPMU_ROUNDS=1/10 $(MAKE) --no-print-directory run-programs $(SANITIZED)

# Runs the tests of test/qemu/system/, and those of dumpers, on the emulator that `make qemu` builds.
check-qemu:
	@sh tools/deps.sh check-qemu
	@B=$(B) sh qemu/system/build.sh; case $$? in \
	0) $(MAKE) --no-print-directory run-qemu ;; \
	77) echo "skip qemu: there is no emulator to test"; [ -z "$$TOTALS" ] || echo "0 0 1" >>"$$TOTALS" ;; \
	*) exit 1 ;; esac

run-qemu: all $(USER_TESTS) $(BARE_IMAGES) $(QEMU_IMAGES) $(B)/test/expect $(B)/test/replay $(B)/test/dap
	@B=$(B) CC="$(CC)" sh test/run.sh $(or $(TESTS),test/qemu/system/ test/cli/dumper/)

# Runs the demonstration and the tests as a new user of a Debian suite would, in a fresh chroot: SUITE=trixie, sid,
# bookworm.  TARGETS="check-ci" runs others there.
check-debian:
	@[ -n "$(SUITE)" ] || { echo "usage: make check-debian SUITE=trixie"; exit 2; }
	@sh tools/deps.sh check-debian
	@B=$(B) sh tools/check-debian.sh "$(SUITE)" $(TARGETS)

# Runs the recipes of ci/ from the installation of packages on: for a fresh chroot, by the target above.
check-ci:
	@sh test/ci/recipe.sh

demo:
	@B=$(B) sh tools/deps.sh demo
	@$(MAKE) --no-print-directory emulator
	@$(MAKE) --no-print-directory all
	@B=$(B) sh tools/demo.sh

# Measures the time of `armpmu stat` and of other plugins against the plain emulator, calls of the model against an
# indirect call, the instructions of a region on Linux against other libraries, and bytes of code and tables on each
# target.
.PHONY: bench run-bench
BENCH := $(BENCH_PLUGINS) $(B)/test/run_program $(B)/test/bench/model $(B)/test/bench/core \
         $(if $(CROSS_CC),$(B)/test/bench/kernel) \
         $(if $(shell command -v $(CROSS32)gcc 2>/dev/null),$(B)/test/bench/kernel-a32 $(B)/test/bench/kernel-t32)

$(B)/test/bench/model $(B)/test/bench/core: $(B)/test/bench/%: $(B)/obj/test/bench/%.o $(B)/libarmpmu.a
	$(link)

bench:
	@B=$(B) sh tools/deps.sh bench
	@$(MAKE) --no-print-directory emulator
	@$(MAKE) --no-print-directory run-bench

run-bench: all $(BENCH)
	@B=$(B) sh test/bench/bench.sh
	@echo; B=$(B) sh test/bench/model.sh
	@echo; $(B)/test/bench/core
	@echo; B=$(B) sh test/bench/outcomes.sh || test $$? -eq 77
	@echo; B=$(B) sh test/bench/core.sh || test $$? -eq 77
	@echo; B=$(B) sh test/bench/region.sh || test $$? -eq 77
	@echo; B=$(B) CC="$(CC)" sh test/bench/export.sh || test $$? -eq 77
	@echo; B=$(B) sh test/bench/qemu.sh || test $$? -eq 77
	@echo; B=$(B) sh test/bench/boot.sh || test $$? -eq 77
	@echo; sh tools/freestanding.sh

# `make soak` runs the properties (test/lib/choices.h) with ROUNDS times as many random rounds as `make check`, from
# SEED on.  `make fuzz` gives each file of them, and each parser (test/fuzz), to libFuzzer for TIME seconds.
.PHONY: soak fuzz fuzzers
ROUNDS   ?= 20
SEED     ?= 1
TIME     ?= 10
PROPS    := $(wildcard test/model/prop/*.c test/explain/*.c)

soak: $(patsubst %.c,$(B)/%,$(PROPS))
	@ARMPMU_ROUNDS=$(ROUNDS) ARMPMU_SEED=$(SEED) B=$(B) sh test/run.sh prop/ test/explain/

FUZZ := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all

fuzz:
	@$(MAKE) --no-print-directory fuzzers CC=clang B=$(B)/fuzz CFLAGS="-O1 -g $(FUZZ) -DARMPMU_FUZZ"
	@B=$(B)/fuzz TIME=$(TIME) sh tools/fuzz.sh

FUZZERS := $(patsubst %.c,$(B)/fuzz-%,$(notdir $(PROPS)))
PARSERS := $(patsubst test/fuzz/%.c,$(B)/fuzz-parser-%,$(wildcard test/fuzz/*.c))
fuzzers: $(FUZZERS) $(PARSERS)
$(FUZZERS) $(PARSERS): LINKING := -fsanitize=fuzzer,address,undefined

$(PARSERS): $(B)/fuzz-parser-%: $(B)/obj/test/fuzz/%.o $(TOOL) $(B)/obj/whole.a
	$(link)
$(PARSERS): LIBS := $(TOOL_LIBS)

# Gives the rule of a property's fuzzer.
# $(1) the property's source
define FUZZER
$(B)/fuzz-$(notdir $(basename $(1))): $(call obj,$(1) $(TEST_LIB)) $(B)/obj/whole.a
	$$(link)
endef
$(foreach prop,$(PROPS),$(eval $(call FUZZER,$(prop))))

# Proves with CBMC the properties of test/model/proof/proofs.txt, or those in PROOFS="names"; `make check` proves the
# fast ones.
.PHONY: proof
proof:
	@B=$(B) sh tools/proof.sh test/model/proof/proofs.txt $(PROOFS)

# Tests the tests: changes the model in one place at a time (tools/mutate.py).  FILES="why.c count.c" limits it to some
# files of lib/model/.
.PHONY: mutate mutation-programs
mutate:
	@$(MAKE) --no-print-directory mutation-programs B=$(B)/mutation CFLAGS="-O2 -fPIC -DAPMU_HIDDEN="
	@python3 tools/mutate.py --dir $(B)/mutation --cc $(CC) $(MUTATE) $(FILES)

mutation-programs: $(TEST_PROGRAMS) $(B)/test/conform $(B)/test/replay

# Runs all that CI runs; the last line is the sum.  The emulator is built and tested in the background, while tests run
# that measure no time.
ci:
	@rm -f $(B)/totals; mkdir -p $(B)
	@TOTALS=$$(cd $(B) && pwd)/totals; export TOTALS; status=0; \
	sh tools/deps.sh viewers || echo "skip viewers: not all tools that open formats are here"; \
	sh tools/deps.sh simulators || echo "skip simulators: not all simulators of RTL are here"; \
	sh tools/deps.sh documents || echo "skip documents: not all tools that check the interface are here"; \
	sh tools/deps.sh rust || echo "skip rust: bindgen or cargo is not here"; \
	echo "== make check"; $(MAKE) --no-print-directory check || status=1; \
	echo "== make abi"; B=$(B) CC="$(CC)" sh tools/abi.sh $(LIBRARY) || [ $$? -eq 77 ] || status=1; \
	sh tools/deps.sh check-qemu || status=1; \
	$(MAKE) --no-print-directory check-qemu >$(B)/qemu.log 2>&1 & qemu=$$!; \
	for target in check-clang check-sanitized; do \
		echo "== make $$target"; $(MAKE) --no-print-directory $$target || status=1; \
	done; \
	echo "== make check-qemu"; wait $$qemu || status=1; cat $(B)/qemu.log; \
	echo "== make check-debian SUITE=trixie, of which the demonstration"; \
	if sh tools/deps.sh check-debian; then \
		B=$(B) CACHE=1 sh tools/check-debian.sh trixie demo || [ $$? -eq 77 ] || status=1; \
	else \
		echo "skip check-debian: debootstrap is not here"; \
	fi; \
	awk -v bad=$$status '{ p += $$1; f += $$2; s += $$3 } \
		END { if (bad && !f) f = 1; printf "%d passed, %d failed%s\n", p, f, s ? ", " s " skipped" : "" }' $(B)/totals; \
	exit $$status
