#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs link armpmu: by the commands of doc/library.md, pkg-config, CMake, statically, from C++17, and from the
# amalgamation on four targets.  The examples run, the installed headers stand alone, the symbol map is what they
# declare, and uninstall leaves nothing.
set -u
. test/lib/tap.sh
unset MAKEFLAGS MFLAGS # of a parallel make check
top=$PWD
case $B in /*) ;; *) B=$top/$B ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
have() { command -v "$1" >/dev/null 2>&1 || { skip link "no $1"; return 1; }; }

# Prints the output that the first comment of an example promises.
promised() { sed -n '/ prints:$/,/^ \*\//s/^ \*     //p' "$top/examples/$1.c"; }
prints() { # NAME PROGRAM EXAMPLE
    out=$("$2" 2>&1)
    [ "$out" = "$(promised "$3")" ] && [ -n "$out" ]
    expect $? "$1" "prints \"$out\""
}

# Runs doc/library.md command by command.  Its checkout is in ~/src/armpmu.
mkdir -p "$dir/user" "$dir/src" && ln -s "$top" "$dir/src/armpmu" && cp examples/*.c "$dir/user/" || exit 2
section=$(awk '/^## / { inside = $0 == "## Install and link" } inside' doc/library.md)
printf '%s\n' "$section" | sed -n 's/^    //p' >"$dir/commands"
(
    HOME=$dir
    export HOME
    cd "$dir/user" || exit 2
    make() { command make -s -C "$top" B="$B" CC="$CC" "$@" >/dev/null; }
    cc() { command $CC "$@"; }
    n=0
    while IFS= read -r command; do
        n=$((n + 1))
        case $command in
        *build/amalgamation*) command=$(printf '%s' "$command" | sed "s,\$HOME/src/armpmu/build,$B,") ;;
        esac
        eval "$command" >"$dir/out" 2>&1 ||
            echo "not ok doc/library.md, command $n: $command: $(tail -n 1 "$dir/out")"
        case $command in ./region) cp "$dir/out" "$dir/region.out" ;; esac
    done <"$dir/commands"
    [ "$n" -ge 6 ] || echo "not ok doc/library.md, commands: only $n"
) >"$dir/library.log"
cat "$dir/library.log"
[ ! -s "$dir/library.log" ] && [ "$(cat "$dir/region.out")" = "$(promised region)" ]
expect $? "link: the commands of doc/library.md" "see above, or region prints something else"

prefix=$dir/armpmu
PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
export PKG_CONFIG_PATH LD_LIBRARY_PATH

if have pkg-config; then
    make -s -C "$dir/user" -f "$top/examples/Makefile" CC="$CC" \
        CFLAGS="-O1 -Wall -Wextra -Wpedantic -Wconversion -Werror"
    for example in $(sed -n 's/^PROGRAMS := //p' examples/Makefile); do
        prints "example $example" "$dir/user/$example" "$example"
    done
    version=$(pkg-config --modversion armpmu)
    [ "$(sed -n 's/^#define APMU_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/armpmu/version.h | paste -sd.)" = "$version" ]
    expect $? "link: pkg-config has the version" "$version"
fi

# shellcheck disable=SC2086
$CC -std=c11 -I"$prefix/include" examples/region.c "$prefix/lib/libarmpmu.a" -o "$dir/static" &&
    [ -z "$(ldd "$dir/static" | grep armpmu)" ]
expect $? "link: statically" "does not link, or needs libarmpmu.so"
prints "link: static program" "$dir/static" region

if have cmake; then
    printf '%s\n' "$section" | awk '/^```cmake$/ { on = 1; next } /^```$/ { on = 0 } on' >"$dir/library.cmake"
    for library in armpmu armpmu_static; do
        mkdir -p "$dir/$library.src"
        {
            echo 'cmake_minimum_required(VERSION 3.16)'
            echo 'project(region C)'
            echo "add_executable(region $top/examples/region.c)"
            sed "s/armpmu::armpmu_static/armpmu::$library/" "$dir/library.cmake"
        } >"$dir/$library.src/CMakeLists.txt"
        cmake -S "$dir/$library.src" -B "$dir/$library.build" -DCMAKE_PREFIX_PATH="$prefix" >"$dir/log" 2>&1 &&
            cmake --build "$dir/$library.build" >>"$dir/log" 2>&1
        expect $? "link: CMake, armpmu::$library" "$(tail -n 1 "$dir/log")"
        prints "link: CMake program, armpmu::$library" "$dir/$library.build/region" region
    done
fi

cat >"$dir/use.cc" <<'CODE'
#include <armpmu/arm11_driver.h>
#include <armpmu/driver.h>
#include <armpmu/events.h>
#include <armpmu/mmio.h>
#include <armpmu/model.h>

int main()
{
    apmu_config cfg{};
    apmu unit;
    apmu_pe pe{};

    cfg.size = sizeof cfg;
    cfg.features = apmu_features_closure(APMU_FEAT(PMUv3) | APMU_FEAT(AA64EL1));
    cfg.counters = 6;
    apmu_init(&unit, &cfg);
    pe.el = 1;
    apmu_model_backend model{&unit, &pe};
    apmu_dev dev{};
    apmu_pmu found;
    dev.ops = &apmu_model_ops;
    dev.ctx = &model;
    return apmu_pmu_discover(&dev, nullptr, &found) == APMU_OK && found.counters == 6 ? 0 : 1;
}
CODE
if have g++; then
    # shellcheck disable=SC2046
    g++ -std=c++17 -Wall -Wextra -Werror "$dir/use.cc" -I"$prefix/include" "$prefix/lib/libarmpmu.a" -o "$dir/use" &&
        "$dir/use"
    expect $? "link: C++17" "does not compile or finds no PMU"
fi

# A header for some targets only has an #error for the others; it compiles alone for one of its targets.
for header in "$prefix"/include/armpmu/*.h; do
    cc=$CC
    if grep -q '^#error' "$header"; then
        cc=aarch64-linux-gnu-gcc
        have $cc || continue
    fi
    printf '#include <armpmu/%s>\nextern int not_empty;\n' "${header##*/}" |
        $cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only -x c -
    expect $? "link: installed <armpmu/${header##*/}>" "does not compile alone"
done

# The tables that public headers include are installed, and no others.
(cd "$prefix/include/armpmu" && grep -ho '<armpmu/tables/[a-z0-9_]*\.def>' ./*.h) | sed 's,.*/\(.*\)>,\1,' |
    sort -u >"$dir/included"
(cd "$prefix/include/armpmu/tables" && ls) | sort >"$dir/installed"
[ -s "$dir/included" ] && cmp -s "$dir/included" "$dir/installed"
expect $? "link: the installed tables are those that headers include" \
    "$(diff "$dir/included" "$dir/installed" | tr '\n' ' ')"

# The amalgamation: its files alone.
mkdir "$dir/alone" && cp "$B"/amalgamation/armpmu_*.[ch] "$dir/alone/" && cd "$dir/alone" || exit 2
strict='-std=c11 -O1 -Wall -Wextra -Wpedantic -Wconversion -Werror'
sed 's,<armpmu/\(driver\|events\)\.h>,"armpmu_driver.h",; s,<armpmu/model\.h>,"armpmu_model.h",' \
    "$top/examples/region.c" >region.c
# shellcheck disable=SC2086
$CC $strict -DAPMU_WITH_MODEL region.c armpmu_driver.c armpmu_model.c -o region
expect $? "link: amalgamation, C11" "does not compile"
prints "link: amalgamation program" ./region region
if have g++; then
    printf '#include "armpmu_%s.h"\n' driver model >use.cc
    printf 'int main() { return apmu_event_parse("INST_RETIRED") != 8; }\n' >>use.cc
    $CC -std=c11 -c armpmu_driver.c -o driver.o &&
        g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror use.cc driver.o -o use && ./use
    expect $? "link: amalgamation from C++17" "does not compile or run"
fi

# Firmware links on four targets: a consumer and both files, freestanding.  Only what compilers call is undefined.
cat >consumer.c <<'CODE'
#include "armpmu_driver.h"

int consumer(const struct apmu_dev *dev, struct apmu_pmu *pmu)
{
    return apmu_pmu_discover(dev, 0, pmu);
}
CODE
firmware() { # TARGET COMPILER FLAGS...
    target=$1 cc=$2
    shift 2
    have "$cc" || return
    for file in consumer armpmu_driver armpmu_model; do
        # shellcheck disable=SC2086
        "$cc" "$@" $strict -ffreestanding -fno-stack-protector -DAPMU_WITH_MODEL -c $file.c -o $file.o || break
    done && "$cc" "$@" -nostdlib -r consumer.o armpmu_driver.o armpmu_model.o -o all.o &&
        undefined=$("${cc%gcc}nm" -u all.o | awk '{print $NF}' | grep -vxE 'memcpy|memset|memmove|memcmp')
    [ -f all.o ] && [ -z "${undefined-x}" ]
    expect $? "link: freestanding $target" "does not build, or undefined: ${undefined-}"
    rm -f ./*.o
    unset undefined
}
firmware x86-64 gcc -m64 -mgeneral-regs-only
firmware AArch64 aarch64-linux-gnu-gcc -mgeneral-regs-only
firmware Armv7-A arm-linux-gnueabihf-gcc -march=armv7-a -mfpu=vfpv3-d16
firmware ARM1176 arm-linux-gnueabi-gcc -mcpu=arm1176jzf-s -marm
cd "$top" || exit 2

# Compares the exports with gcc's own list of what the headers declare, which tools/symbols.sh does not use.
if $CC --version | grep -qi gcc || $CC --version | grep -q 'Free Software'; then
    for header in "$prefix"/include/armpmu/*.h; do
        echo "#include <armpmu/${header##*/}>" >"$dir/one.c"
        $CC -std=c11 -DAPMU_INLINE=extern -I"$prefix/include" -aux-info "$dir/one.aux" -fsyntax-only "$dir/one.c" \
            2>/dev/null || continue
        sed -n '/ extern /s/^[^(]*[ *]\(apmu_[a-z0-9_]*\) (.*/\1/p' "$dir/one.aux"
        $CC -std=c11 -I"$prefix/include" -E -P "$dir/one.c" |
            sed -n 's/.*extern const struct [a-z0-9_]* \(apmu_[a-z0-9_]*\);.*/\1/p'
    done | LC_ALL=C sort -u >"$dir/declared"
    nm -D --defined-only "$prefix/lib/libarmpmu.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
        LC_ALL=C sort -u >"$dir/exported"
    difference=$(diff "$dir/declared" "$dir/exported" | grep '^[<>]' | tr '\n' ' ')
    [ -z "$difference" ] && [ "$(wc -l <"$dir/exported")" -gt 50 ]
    expect $? "link: exported symbols are those that the headers declare" "$difference(< declared, > exported)"
else
    skip "link: symbols against gcc's list" "$CC is not gcc"
fi

make -s B="$B" CC="$CC" PREFIX="$prefix" uninstall
left=$(find "$prefix" ! -type d | tr '\n' ' ')
[ -z "$left" ]
expect $? "link: uninstall leaves nothing" "$left"
summary
