# SPDX-License-Identifier: BSD-2-Clause
# armpmu: `make` builds, `make check` tests, `make demo` shows.  The command line may set the variables below.  Targets
# and programs of the tests are in test/test.mk.

CC       ?= cc
AR       ?= ar
CPPFLAGS ?=
CFLAGS   ?= -O2 -g
LDFLAGS  ?=
WERROR   ?= -Werror
PREFIX   ?= /usr/local
BINDIR   ?= $(PREFIX)/bin
# Everything for one architecture: libraries, pkg-config, CMake, and the plugin of the tool.  /usr/lib/TRIPLET, lib64.
LIBDIR   ?= $(PREFIX)/lib
LIBEXECDIR ?= $(PREFIX)/libexec
INCLUDEDIR ?= $(PREFIX)/include
DATADIR  ?= $(PREFIX)/share
MANDIR   ?= $(DATADIR)/man
ZSHDIR   ?= $(DATADIR)/zsh/site-functions
UNITDIR  ?= $(PREFIX)/lib/systemd/system
B        ?= build
# Runs the tool that was built, e.g. qemu-aarch64 when it was built for another machine.
RUN_TOOL ?=

ifneq ($(words [$(B)]),1)
$(error B="$(B)": make takes no name with blanks for the build folder; choose another one)
endif
# Quotes $(1), whatever it holds, as one word of a shell command.
q         = '$(subst ','\'',$(1))'

WARN     := -Wall -Wextra -Wpedantic -Wconversion $(WERROR)
# No built file contains the name of the folder in which it was built.
APMU_CFLAGS := -std=c11 $(WARN) -Iinclude -MMD -MP $(call q,-ffile-prefix-map=$(CURDIR)=.)

# The tool and the plugin read other people's files.  So the compiler and the C library check their stack and buffers,
# and no table of functions can be written.  There are no such checks with sanitizers, which have their own, and no
# _FORTIFY_SOURCE without optimization.  The model and the driver use nothing of the C library and must be fast.
optimized = $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS))))
fortified = $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS))
hardened  = $(if $(findstring -fsanitize,$(CFLAGS)),,-fstack-protector-strong \
            $(if $(optimized),$(if $(fortified),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)))
RELRO    := -Wl,-z,relro -Wl,-z,now

MODEL    := $(wildcard lib/model/*.c)
NAMES    := $(wildcard lib/names/*.c)
DRIVER   := $(wildcard lib/driver/*.c lib/driver/backend/*.c)
# The back end that needs an operating system: Linux's perf_event.
HOSTED   := $(if $(findstring linux,$(shell $(CC) -dumpmachine 2>/dev/null)),$(wildcard lib/driver/perf/*.c))
EVENTS   := $(wildcard lib/events/*.c)
METRICS  := $(wildcard lib/metrics/*.c)
EXPLAIN  := $(wildcard lib/explain/*.c)
# What languages other than C and C++ need.
FOREIGN  := $(wildcard lib/foreign/*.c)
# The core model, and the reader of its files.
CHIP     := $(wildcard lib/core/*.c)
CORE     := $(CHIP) $(wildcard lib/core/file/*.c)
LIB      := $(MODEL) $(NAMES) $(DRIVER) $(HOSTED) $(EVENTS) $(METRICS) $(EXPLAIN) $(CORE) $(FOREIGN)
# The classifier of instructions; what tells the core model what an emulator executes; then the parts that run Arm
# programs under QEMU: the code that the tool and the plugin share, with it the tool's side, and with it the plugin.
CLASSIFY := $(wildcard qemu/classify/*.c)
STREAM   := $(wildcard qemu/core/*.c)
PROTOCOL := $(wildcard qemu/user/*.c)
HOST     := $(PROTOCOL) $(wildcard qemu/user/host/*.c)
PLUGIN   := $(PROTOCOL) $(wildcard qemu/user/plugin/*.c)
# Debian's libmicrohttpd.a needs libraries that have no archive, so a static tool serves nothing over HTTP.
SERVER   := cli/export/serve.c cli/export/serve_none.c
CLI      := $(filter-out $(if $(findstring -static,$(LDFLAGS)),$(firstword $(SERVER)),$(lastword $(SERVER))), \
            $(wildcard cli/*.c cli/*/*.c cli/*/*/*.c))
# What the tool is linked with, and what these need in a static program, as far as it is there.
TOOL_LIBS := -ljansson -lexpat -ldw -lelf -liberty -lprotobuf-c -lz
ifneq ($(findstring -static,$(LDFLAGS)),)
TOOL_LIBS += $(foreach name,lzma bz2 zstd,$(shell echo 'int main(void){return 0;}' | \
             $(CC) -x c - -l$(name) $(LDFLAGS) -o /dev/null 2>/dev/null && echo -l$(name))) -lpthread
else
TOOL_LIBS += -lmicrohttpd
endif

# `make V=1` shows the commands.
ifeq ($(V),1)
Q    :=
say   = @:
else
Q    := @
say   = @echo "  $(1)"
endif

# The reference model of test benches, which simulators load as one shared library (doc/verification.md).
TB       := $(wildcard bind/tb/*.c)
# What makes conformance images.  target*.c is the program in them: its text is a part of the tool.
IMAGES   := $(filter-out bind/image/target%,$(wildcard bind/image/*.c))

# Turn sources into their object files: for programs and the archive, for the shared library, for the plugin.
obj       = $(patsubst %.c,$(B)/obj/%.o,$(1))
so        = $(patsubst %.c,$(B)/so/%.o,$(1))
pic       = $(patsubst %.c,$(B)/pic/%.o,$(1))

# The recipe that links a program from its prerequisites, archives last, and LIBS.
define link
@mkdir -p $(@D)
$(call say,LINK  $@)
$(Q)$(CC) $(CFLAGS) $(LINKING) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -o $@
endef

.PHONY: all clean deps
all: $(B)/libarmpmu.a

# The archive's global symbols are what include/armpmu/*.h declare.  Each function has a section of its own, so that
# -Wl,--gc-sections leaves those that are called.
unlto     = $(if $(findstring -flto,$(CFLAGS)),-flto -flinker-output=nolto-rel)
tool_of   = $(shell $(CC) -print-prog-name=$(1) 2>/dev/null)
$(call obj,$(LIB)): SECTIONS := -ffunction-sections -fdata-sections

$(B)/libarmpmu.a: $(call obj,$(LIB)) $(B)/libarmpmu.map tools/archive.sh
	$(call say,AR    $@)
	$(Q)CC=$(call q,$(CC)) CFLAGS=$(call q,$(filter -m% --target=%,$(CFLAGS)) $(unlto)) AR=$(call q,$(AR)) \
	    NM=$(call q,$(call tool_of,nm)) OBJCOPY=$(call q,$(call tool_of,objcopy)) \
	    sh tools/archive.sh $@ $(B)/libarmpmu.map $(filter %.o,$^)

$(B)/obj/cli/% $(B)/obj/qemu/% $(B)/pic/qemu/%: HARDEN = $(hardened)

# The tool finds its plugin and its emulators by paths from its own folder, and pkg-config and CMake find the headers by
# paths from LIBDIR, so that what is installed can be moved.  .places changes only when these paths do.
relative  = $(shell realpath -m -s --relative-to=$(call q,$(2)) $(call q,$(1)))
LIB_PLACE := $(call relative,$(LIBDIR)/armpmu,$(BINDIR))
LIBEXEC_PLACE := $(call relative,$(LIBEXECDIR)/armpmu,$(BINDIR))
PREFIX_PLACE := $(call relative,$(PREFIX),$(LIBDIR))
INCLUDE_PLACE := $(call relative,$(INCLUDEDIR),$(LIBDIR))
PLACED   := cli/run.c cli/profile/page.c qemu/user/host/find.c
$(call obj,$(PLACED)): PLACES := $(call q,-DAPMU_LIB_PLACE="$(LIB_PLACE)") \
    $(call q,-DAPMU_LIBEXEC_PLACE="$(LIBEXEC_PLACE)")
$(call obj,$(PLACED)): $(B)/.places

.PHONY: places
$(B)/.places: places
	@mkdir -p $(@D)
	@printf '%s\n' $(call q,$(LIB_PLACE)) $(call q,$(LIBEXEC_PLACE)) $(call q,$(PREFIX_PLACE)) \
	    $(call q,$(INCLUDE_PLACE)) >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(B)/obj/%.o: %.c Makefile | $(B)/.has-compiler
	@mkdir -p $(@D)
	$(call say,CC    $<)
	$(Q)$(CC) $(APMU_CFLAGS) $(PLACES) $(SECTIONS) $(HARDEN) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

# Tries the headers of libraries and names what is missing before a compiler complains.  `make deps` installs it.
$(patsubst %,$(B)/.has-%,compiler libraries): $(B)/.has-%: tools/has.sh
	@mkdir -p $(@D)
	@CC=$(call q,$(CC)) CFLAGS=$(call q,$(CPPFLAGS) $(CFLAGS)) LDFLAGS=$(call q,$(LDFLAGS)) sh tools/has.sh $*
	@touch $@

$(call obj,$(CLI)): | $(B)/.has-libraries

# protoc-c makes C out of the messages of protobuf that the tool writes.
PROTO    := $(wildcard cli/*/*.proto)
MESSAGES := $(patsubst %.proto,$(B)/obj/gen/%.pb-c.o,$(PROTO))

$(B)/gen/%.pb-c.c $(B)/gen/%.pb-c.h: %.proto | $(B)/.has-libraries
	@mkdir -p $(B)/gen
	$(call say,GEN   $(B)/gen/$*.pb-c.c)
	$(Q)protoc-c --c_out=$(B)/gen $<

$(MESSAGES): $(B)/obj/%.o: $(B)/%.c
	@mkdir -p $(@D)
	$(call say,CC    $<)
	$(Q)$(CC) $(APMU_CFLAGS) -Wno-error -I$(B)/gen $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(B)/obj/cli/profile/%.o $(B)/obj/cli/timeline/%.o: APMU_CFLAGS += -I$(B)/gen
$(call obj,$(wildcard cli/profile/*.c cli/timeline/*.c)): | $(patsubst %.proto,$(B)/gen/%.pb-c.h,$(PROTO))

# ---------------------------------------------------------------------------------------------------------------------
# The shared library exports what include/armpmu/*.h declare.  Before 1.0 a minor version may break the interface, so
# the SONAME contains the minor version.

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
	$(Q)$(CC) $(APMU_CFLAGS) -fno-semantic-interposition $(CPPFLAGS) $(CFLAGS) -fPIC -c $< -o $@

$(B)/libarmpmu.map: tools/symbols.sh Makefile $(wildcard include/armpmu/*.h)
	@mkdir -p $(@D)
	$(call say,GEN   $@)
	$(Q)CC="$(CC)" sh tools/symbols.sh ARMPMU_$(SOVERSION) > $@

$(LIBRARY): $(call so,$(LIB)) $(B)/libarmpmu.map
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=$(B)/libarmpmu.map -Wl,-z,defs \
	    -Wl,-Bsymbolic-functions $(RELRO) $(LDFLAGS) $(filter %.o,$^) -o $@

all: $(LIBRARY)

# `make amalgamation` makes two pairs of files to copy into a project: the model, and the driver.
.PHONY: amalgamation
amalgamation:
	$(call say,GEN   $(B)/amalgamation)
	$(Q)CC="$(CC)" python3 tools/amalgamate.py $(B)/amalgamation

# ---------------------------------------------------------------------------------------------------------------------
# `make bind` builds what test benches load: libarmpmu-tb.so for SystemVerilog and SystemC, armpmu.vpi for Icarus.

$(B)/libarmpmu-tb.so: $(call so,$(TB) $(LIB)) bind/tb/tb.map
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-soname,$(@F) -Wl,--version-script=bind/tb/tb.map -Wl,-z,defs $(RELRO) $(LDFLAGS) \
	    $(filter %.o,$^) -o $@

# The folder of vpi_user.h.
VPI      ?= /usr/include/iverilog

$(B)/armpmu.vpi: $(call so,bind/vpi/vpi.c $(TB) $(LIB)) bind/vpi/vpi.map
	$(call say,LINK  $@)
	$(Q)$(CC) $(CFLAGS) -shared -Wl,--version-script=bind/vpi/vpi.map $(RELRO) $(LDFLAGS) $(filter %.o,$^) -o $@
$(call so,bind/vpi/vpi.c): APMU_CFLAGS += $(call q,-I$(VPI))

# `make models` prints the registers of a configuration's external view as IP-XACT, SystemRDL and a UVM register model.
CONFIG   ?= features=PMUv3p9,PMUv3_EXT64,AA64EL0,AA64EL1,AA64EL2,AA64EL3 counters=6
MODEL_PRINTER := $(wildcard bind/models/*.c)

$(B)/register-models: $(call obj,$(MODEL_PRINTER) $(TB)) $(B)/libarmpmu.a
	$(link)

.PHONY: models
models: $(B)/register-models
	@mkdir -p $(B)/models
	$(call say,GEN   $(B)/models)
	$(Q)$(RUN_TOOL) $(B)/register-models ipxact $(call q,$(CONFIG)) > $(B)/models/pmu.xml
	$(Q)$(RUN_TOOL) $(B)/register-models rdl $(call q,$(CONFIG)) > $(B)/models/pmu.rdl
	$(Q)$(RUN_TOOL) $(B)/register-models ral $(call q,$(CONFIG)) > $(B)/models/apmu_ral_pkg.sv

# What a test bench compiles.
BINDINGS := bind/tb/tb.h $(wildcard bind/sv/* bind/systemc/*) bind/vpi/apmu_pkg.sv

.PHONY: bind
bind: $(B)/libarmpmu-tb.so $(if $(wildcard $(VPI)/vpi_user.h),$(B)/armpmu.vpi)

# `make python` makes a Python package in $(B)/python, with the libraries that it calls: for PYTHONPATH, pip install and
# pip wheel.
PYTHON   := $(wildcard bind/python/armpmu/*)
PYTHONS  := $(PYTHON:bind/python/%=$(B)/python/%)

$(PYTHONS): $(B)/python/%: bind/python/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(B)/python/armpmu/_declarations.py: tools/python_declarations.py bind/tb/tb.h $(wildcard include/armpmu/*.h)
	@mkdir -p $(@D)
	$(call say,GEN   $@)
	$(Q)CC="$(CC)" python3 $< > $@

$(B)/python/armpmu/%: $(B)/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(B)/python/pyproject.toml: bind/python/pyproject.toml.in include/armpmu/version.h
	@mkdir -p $(@D)
	$(Q)sed 's/@VERSION@/$(VERSION)/' $< > $@

.PHONY: python
python: $(PYTHONS) $(B)/python/armpmu/_declarations.py $(B)/python/pyproject.toml \
    $(B)/python/armpmu/$(notdir $(LIBRARY)) $(B)/python/armpmu/libarmpmu-tb.so

# `make rust` makes two crates in $(B)/rust, with the archives that they link: armpmu, and armpmu-sys below it, whose
# declarations bindgen makes from the headers.  bindgen leaves out functions that are static, as those of headers are in
# C; the archive exports them, so they are declared without APMU_INLINE.
RUST     := $(wildcard bind/rust/*.rs bind/rust/sys/*.rs)
RUSTS    := $(RUST:bind/rust/%=$(B)/rust/%)
CRATES   := $(B)/rust/Cargo.toml $(B)/rust/sys/Cargo.toml

$(RUSTS): $(B)/rust/%: bind/rust/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(CRATES): $(B)/%: bind/%.in include/armpmu/version.h
	@mkdir -p $(@D)
	$(Q)sed 's/@VERSION@/$(VERSION)/' $< > $@

$(B)/rust/sys/bindings.rs: bind/rust/sys/bindings.h bind/tb/tb.h $(wildcard include/armpmu/*.h)
	@mkdir -p $(@D)
	@command -v bindgen >/dev/null || { echo "$@ needs bindgen: sh tools/deps.sh rust" >&2; exit 1; }
	$(call say,GEN   $@)
	$(Q)bindgen $< --allowlist-function 'apmu_.*' --allowlist-type 'apmu_.*' --allowlist-var 'APMU_.*' \
	    --no-prepend-enum-name --size_t-is-usize -o $@ -- -Iinclude -DAPMU_INLINE=

$(B)/rust/sys/libarmpmu.a: $(B)/libarmpmu.a
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(B)/rust/sys/libarmpmu-tb.a: $(call so,$(TB))
	@mkdir -p $(@D)
	$(call say,AR    $@)
	$(Q)rm -f $@ && $(AR) rcD $@ $^

.PHONY: rust
rust: $(RUSTS) $(CRATES) $(B)/rust/sys/bindings.rs $(B)/rust/sys/libarmpmu.a $(B)/rust/sys/libarmpmu-tb.a

# ---------------------------------------------------------------------------------------------------------------------
# For qemu-user: the plugin, which contains the model, and the shim that runs in the emulated program.

CROSS    ?= aarch64-linux-gnu-
CROSS_CC := $(shell command -v $(CROSS)gcc 2>/dev/null)

$(B)/pic/%.o: %.c Makefile | $(B)/.has-compiler
	@mkdir -p $(@D)
	$(call say,CC    $<)
	$(Q)$(CC) $(APMU_CFLAGS) -fvisibility=hidden $(HARDEN) $(CPPFLAGS) $(CFLAGS) -fPIC -c $< -o $@

$(B)/libarmpmu-qemu-user.so: $(call pic,$(PLUGIN) $(STREAM) $(CLASSIFY) $(CHIP) $(MODEL) $(NAMES))
	$(link)
$(B)/libarmpmu-qemu-user.so: LINKING := -shared $(RELRO)
$(B)/libarmpmu-qemu-user.so: LIBS := -lpthread

all: $(B)/libarmpmu-qemu-user.so

ifneq ($(CROSS_CC),)
$(B)/libarmpmu-el0.so: qemu/user/shim/el0.c qemu/user/call.h
	@mkdir -p $(@D)
	$(call say,CROSS $<)
	$(Q)$(CROSS_CC) -std=c11 $(WARN) -O2 -ffreestanding -fno-stack-protector -fPIC -nostdlib -shared -Wl,-z,now $< -o $@
else
$(B)/libarmpmu-el0.so:
	@echo "make: no $(CROSS)gcc, so no libarmpmu-el0.so: programs cannot reach the PMU" \
	    "(apt-get install gcc-aarch64-linux-gnu)"
endif
.PHONY: $(if $(CROSS_CC),,$(B)/libarmpmu-el0.so)
all: $(B)/libarmpmu-el0.so

# ---------------------------------------------------------------------------------------------------------------------
# The emulators that are built from QEMU's source.  `make qemu-user` builds the user emulators that `armpmu stat` takes
# where the distribution's have no plugins.  `make qemu` builds these and $(B)/qemu/armpmu-qemu-system-aarch64, with the
# model in place of QEMU's own PMU: ten minutes the first time, seconds after a change.  `make check-qemu` runs
# test/qemu/system/ on it.  Source, objects and results are in the user's cache folder, which `make clean` keeps and
# `make clean-cache` removes.

.PHONY: qemu-user emulator qemu page clean-cache
qemu-user:
	@sh tools/deps.sh qemu-user
	@B=$(B) sh qemu/user/emulator/build.sh

# Builds the user emulators for the tests and the demonstration, unless the distribution's have plugins.
emulator:
	@B=$(B) sh qemu/user/emulator/build.sh --if-needed

qemu:
	@sh tools/deps.sh qemu
	@B=$(B) sh qemu/system/build.sh

# Builds the page of --html of armpmu report, armpmu run and armpmu coverage.
page:
	@B=$(B) sh tools/page.sh

clean-cache:
	rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/armpmu"

# ---------------------------------------------------------------------------------------------------------------------
# The program of conformance images, as the bytes of arrays.  An image is one file, so nothing is included.

IMAGE_TEXTS := $(patsubst %,$(B)/gen/%.inc,$(wildcard bind/image/target*))

$(IMAGE_TEXTS): $(B)/gen/%.inc: %
	@mkdir -p $(@D)
	$(call say,GEN   $@)
	$(Q)sed '/^#include "target.h"/d' $< | od -An -v -tx1 | sed 's/ \(..\)/0x\1,/g' > $@

$(B)/obj/bind/image/print.o: APMU_CFLAGS += -I$(B)/gen
$(B)/obj/bind/image/print.o: $(IMAGE_TEXTS)
$(B)/obj/bind/image/% $(B)/obj/bind/tb/%: HARDEN = $(hardened)

# ---------------------------------------------------------------------------------------------------------------------
# The tool prints its man pages itself, from its own tables.

$(B)/armpmu: $(call obj,$(CLI) $(IMAGES) $(TB) $(HOST) $(CLASSIFY)) $(MESSAGES) $(B)/libarmpmu.a
	$(link)
$(B)/armpmu: LINKING := $(RELRO)
$(B)/armpmu: LIBS := $(TOOL_LIBS)

# The verbs: the functions of cli.h that run one.
VERBS    := $(sort $(shell sed -n 's/^int cli_\([a-z]*\)(const struct cli_args \*args);$$/\1/p' cli/cli.h))
PAGES    := $(B)/armpmu.1 $(VERBS:%=$(B)/armpmu-%.1)

$(PAGES): $(B)/armpmu
	$(call say,GEN   $@)
	$(Q)$(RUN_TOOL) $(B)/armpmu --man $(patsubst armpmu-%,%,$(filter armpmu-%,$(basename $(notdir $@)))) > $@

all: $(B)/armpmu $(PAGES)

# ---------------------------------------------------------------------------------------------------------------------
# make install [PREFIX=/usr/local] [LIBDIR=...] [DESTDIR=]

HEADERS  := $(wildcard include/armpmu/*.h)
# The tables that public headers include.
TABLES   := $(sort $(shell sed -n 's,.*<armpmu/\(tables/[a-z0-9_]*\.def\)>.*,\1,p' $(HEADERS)))
SHARED   := $(B)/libarmpmu-qemu-user.so $(B)/libarmpmu-el0.so
PACKAGE  := $(patsubst package/%.in,$(B)/package/%,$(wildcard package/*.in))

# Turn a folder or a file into the place where it is installed, as one word of a shell command.
to        = $(call q,$(DESTDIR)$(1))
bin       = $(call to,$(BINDIR)$(1))
lib       = $(call to,$(LIBDIR)$(1))
libexec   = $(call to,$(LIBEXECDIR)$(1))
include   = $(call to,$(INCLUDEDIR)$(1))
data      = $(call to,$(DATADIR)$(1))
man       = $(call to,$(MANDIR)$(1))
zsh       = $(call to,$(ZSHDIR)$(1))
unit      = $(call to,$(UNITDIR)$(1))

# In these files paths are relative to the file.
$(B)/package/%: package/%.in include/armpmu/version.h Makefile $(B)/.places
	@mkdir -p $(@D)
	$(call say,GEN   $@)
	$(Q)sed -e 's/@VERSION@/$(VERSION)/; s/@SOVERSION@/$(SOVERSION)/' \
	    -e 's/@SOVERSION_PATTERN@/$(subst .,\\\\.,$(SOVERSION))/' \
	    -e $(call q,s|@PREFIX@|$(PREFIX_PLACE)|; s|@INCLUDE@|$(INCLUDE_PLACE)|) \
	    $< > $@

.PHONY: install uninstall
install: all $(PACKAGE)
	install -d $(call bin) $(call lib,/armpmu) $(call lib,/pkgconfig) $(call lib,/cmake/armpmu) \
	    $(call include,/armpmu/tables) $(call man,/man1) $(call data,/bash-completion/completions) $(call zsh) \
	    $(call data,/fish/vendor_completions.d) $(call data,/armpmu/prometheus) $(call unit)
	install -m 755 $(B)/armpmu $(call bin)
	install -m 644 $(wildcard $(SHARED)) $(call lib,/armpmu)
	install -m 644 $(B)/libarmpmu.a $(LIBRARY) $(call lib)
	ln -sf libarmpmu.so.$(VERSION) $(call lib,/$(SONAME))
	ln -sf $(SONAME) $(call lib,/libarmpmu.so)
	install -m 644 $(filter %.pc,$(PACKAGE)) $(call lib,/pkgconfig)
	install -m 644 $(filter %.cmake,$(PACKAGE)) $(call lib,/cmake/armpmu)
	install -m 644 $(HEADERS) $(call include,/armpmu)
	install -m 644 $(TABLES) $(call include,/armpmu/tables)
	for name in qemu-system-aarch64 qemu-aarch64 qemu-arm; do if [ -x $(B)/qemu/armpmu-$$name ]; then \
	    install -D -m 755 $(B)/qemu/armpmu-$$name $(call libexec,/armpmu)/armpmu-$$name; fi; done
	if [ -f $(B)/libarmpmu-tb.so ]; then for file in $(BINDINGS); do \
	    install -D -m 644 $$file $(call data,/armpmu)/$$file; done; fi
	for file in $(wildcard $(B)/libarmpmu-tb.so $(B)/armpmu.vpi); do install -m 644 $$file $(call lib,/armpmu); done
	if [ -d $(B)/models ]; then install -m 755 $(B)/register-models $(call lib,/armpmu) && \
	    install -d $(call data,/armpmu/bind/models) && \
	    install -m 644 $(B)/models/* $(call data,/armpmu/bind/models); fi
	if [ -d $(B)/man3 ]; then install -d $(call man,/man3) && install -m 644 $(B)/man3/*.3 $(call man,/man3); fi
	if [ -f $(B)/page.html ]; then install -m 644 $(B)/page.html $(call lib,/armpmu); fi
	install -m 644 $(PAGES) $(call man,/man1)
	install -m 644 package/completion/armpmu.bash $(call data,/bash-completion/completions/armpmu)
	install -m 644 package/completion/_armpmu $(call zsh)
	install -m 644 package/completion/armpmu.fish $(call data,/fish/vendor_completions.d)
	install -m 644 package/prometheus/rules.yml package/prometheus/dashboard.json $(call data,/armpmu/prometheus)
	sed $(call q,s|^ExecStart=/usr/local/bin/|ExecStart=$(BINDIR)/|) package/prometheus/armpmu-export.service \
	    > $(call unit,/armpmu-export.service)
	chmod 644 $(call unit,/armpmu-export.service)

uninstall:
	rm -rf $(call bin,/armpmu) $(call lib,/armpmu) $(call lib,/libarmpmu.a) $(call lib,/libarmpmu.so) \
	    $(call lib,/$(SONAME)) $(call lib,/libarmpmu.so.$(VERSION)) $(call lib,/pkgconfig/armpmu.pc) \
	    $(call lib,/cmake/armpmu) $(call include,/armpmu) $(call libexec,/armpmu) $(call data,/armpmu) \
	    $(foreach page,$(notdir $(PAGES)),$(call man,/man1/$(page))) $(call zsh,/_armpmu) \
	    $(call data,/bash-completion/completions/armpmu) $(call data,/fish/vendor_completions.d/armpmu.fish) \
	    $(foreach header,$(notdir $(HEADERS:.h=)),$(call man,/man3/armpmu_$(header).3)) \
	    $(call unit,/armpmu-export.service)

# Installs what `make` needs.
deps:
	@sh tools/deps.sh build

clean:
	rm -rf $(B)

include package/package.mk
include test/test.mk

-include $(shell find $(B)/obj $(B)/pic $(B)/so $(B)/target -name "*.d" 2>/dev/null)
