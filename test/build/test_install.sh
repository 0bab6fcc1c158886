#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `make install` with LIBDIR below lib, and with folders outside of PREFIX: the tool finds its plugin, pkg-config and
# CMake find the library, what test benches need is there, each file is in one package of debian/, the modes are those
# of files that nothing executes, and uninstall leaves nothing.  The user's CPPFLAGS reach every compilation.
set -u
. test/lib/tap.sh
unset MAKEFLAGS MFLAGS # of a parallel make check
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# A build of its own, because LIBDIR is built into the tool.  Only what contains it is built again.
mkdir "$dir/build"
(cd "$B" && tar -c --format=posix --exclude=obj/test obj gen so pic libarmpmu* armpmu armpmu*.1 register-models .has-* \
    .places) |
    tar -x -C "$dir/build"
make -s CC="$CC" B="$dir/build" bind models man3 >"$dir/log" 2>&1
expect $? "the bindings, register models and man pages of section 3" "$(tail -n 2 "$dir/log" | tr '\n' ' ')"
installed() { (cd "$dir/$1" && find . ! -type d | sed 's/^\.//' | LC_ALL=C sort); } # FOLDER

# Prints the installed files that are not in one of the packages of debian/, or in more than one.
misplaced() { # FOLDER
    lists=$(cat debian/*.install)
    set -f
    installed "$1" | while read -r file; do
        packages=0
        for pattern in $lists; do
            # shellcheck disable=SC2254 # patterns
            case ${file#/} in $pattern | $pattern/*) packages=$((packages + 1)) ;; esac
        done
        [ $packages -eq 1 ] || echo "$file: $packages"
    done
    set +f
}

# The tool asks an emulator for plugins; this one prints what it is asked to load.
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"%s/asked"\nexit 1\n' "$dir" >"$dir/emulator"
chmod +x "$dir/emulator"

# Checks what test benches need, for check().
check_bindings() {
    missing=
    for file in tb/tb.h sv/apmu_pkg.sv sv/apmu_bench.sv vpi/apmu_pkg.sv systemc/apmu_tlm.h models/pmu.xml \
        models/pmu.rdl models/apmu_ral_pkg.sv; do
        [ -s "$dir/$to$data/armpmu/bind/$file" ] || missing="$missing $file"
    done
    [ -z "$missing" ]
    expect $? "$name: what test benches compile" "missing:$missing"
    "$dir/$to$lib/armpmu/register-models" rdl "features=PMUv3p4,PMUv3_EXT32,AA64EL0,AA64EL1" 2>&1 |
        grep -q '} PMCR @ 0xE04;'
    expect $? "$name: register models of another configuration" "register-models prints no PMCR"
}

check() { # NAME FOLDER LIBDIR INCLUDEDIR ARGUMENT...
    name=$1 to=$2 lib=$3 include=$4
    shift 4
    make -s CC="$CC" B="$dir/build" DESTDIR="$dir/$to" "$@" install >"$dir/log" 2>&1
    expect $? "$name: install" "$(tail -n 2 "$dir/log" | tr '\n' ' ')"
    wrong=$(installed "$to" | grep -v -e "^$lib/" -e "^$include/armpmu/" -e '/bin/armpmu$' -e '/share/' -e '/libexec/' \
        -e '/lib/systemd/system/' |
        tr '\n' ' ')
    [ -z "$wrong" ]
    expect $? "$name: libraries are in $lib" "$wrong"
    if [ "$name" = multiarch ]; then
        wrong=$(misplaced "$to" | tr '\n' ' ')
        [ -z "$wrong" ]
        expect $? "$name: each file is in one Debian package" "$wrong"
    fi
    check_bindings
    wrong=$(find "$dir/$to" -type f ! -perm 644 ! -path '*/bin/armpmu' ! -path '*/libexec/*' \
        ! -path '*/armpmu/register-models' | tr '\n' ' ')
    [ -z "$wrong" ] && [ -x "$dir/$to$bin/armpmu" ]
    expect $? "$name: modes" "not 644: ${wrong:-but the tool is not executable}"
    if [ -f "$B/libarmpmu-el0.so" ]; then
        rm -f "$dir/asked"
        cp "$B/libarmpmu-el0.so" "$dir/program" # an ELF file for AArch64
        chmod +x "$dir/program"
        ARMPMU_QEMU="$dir/emulator" "$dir/$to$bin/armpmu" stat --sysroot / "$dir/program" >"$dir/log" 2>&1
        grep -q "$to$lib/armpmu/libarmpmu-qemu-user.so" "$dir/asked" 2>/dev/null
        expect $? "$name: the tool finds its plugin" "$(tail -n 1 "$dir/log")"
    else
        skip "$name: plugin" "no program for AArch64"
    fi
    printf '#include <armpmu/events.h>\nint main(void) { return apmu_event_parse("INST_RETIRED") != 8; }\n' \
        >"$dir/use.c"
    if command -v pkg-config >/dev/null; then
        # shellcheck disable=SC2046 # words
        PKG_CONFIG_PATH="$dir/$to$lib/pkgconfig" pkg-config --cflags --libs armpmu >"$dir/flags" 2>"$dir/log" &&
            $CC -std=c11 "$dir/use.c" $(cat "$dir/flags") -Wl,-rpath,"$dir/$to$lib" -o "$dir/use" 2>"$dir/log" &&
            "$dir/use"
        expect $? "$name: pkg-config" "$(cat "$dir/flags" "$dir/log" | tr '\n' ' ')"
    fi
    if command -v cmake >/dev/null; then
        rm -rf "$dir/cmake"
        mkdir "$dir/cmake"
        printf '%s\n' 'cmake_minimum_required(VERSION 3.16)' 'project(use C)' 'add_executable(use ../use.c)' \
            'find_package(armpmu REQUIRED)' 'target_link_libraries(use armpmu::armpmu)' >"$dir/cmake/CMakeLists.txt"
        cmake -S "$dir/cmake" -B "$dir/cmake/b" -Darmpmu_DIR="$dir/$to$lib/cmake/armpmu" >"$dir/log" 2>&1 &&
            cmake --build "$dir/cmake/b" >"$dir/log" 2>&1 && "$dir/cmake/b/use"
        expect $? "$name: CMake" "$(tail -n 3 "$dir/log" | tr '\n' ' ')"
    fi
    make -s CC="$CC" B="$dir/build" DESTDIR="$dir/$to" "$@" uninstall >"$dir/log" 2>&1
    left=$(installed "$to" | tr '\n' ' ')
    [ -z "$left" ]
    expect $? "$name: uninstall leaves nothing" "$left"
}
bin=/usr/bin data=/usr/share
check "multiarch" one /usr/lib/any-linux-gnu /usr/include PREFIX=/usr LIBDIR=/usr/lib/any-linux-gnu
bin=/opt/tools/bin data=/opt/tools/share
check "apart" two /lib64 /headers PREFIX=/opt/tools LIBDIR=/lib64 INCLUDEDIR=/headers

# Every command that compiles for this machine has the flags.
make -n V=1 B="$dir/new" CC="$CC" CPPFLAGS=-DUSERS_CPPFLAGS LDFLAGS=-Wl,--users-ldflags all >"$dir/log" 2>&1
grep -E " -c [^ ]+\.c -o " "$dir/log" >"$dir/compilations"
wrong=$(grep -v -e -DUSERS_CPPFLAGS "$dir/compilations" | head -n 1)
[ -z "$wrong" ] && [ "$(wc -l <"$dir/compilations")" -gt 100 ]
expect $? "CPPFLAGS in $(wc -l <"$dir/compilations") compilations" "${wrong:-there are too few}"
grep -E -e "-o $dir/new/(armpmu|libarmpmu.*\.so[.0-9]*)\$" "$dir/log" | grep -v -e aarch64-linux-gnu-gcc >"$dir/links"
wrong=$(grep -v -e -Wl,--users-ldflags "$dir/links" | head -n 1)
[ -z "$wrong" ] && [ "$(wc -l <"$dir/links")" -eq 3 ]
expect $? "LDFLAGS in all links" "${wrong:-$(wc -l <"$dir/links") links}"
summary
