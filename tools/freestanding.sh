#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# freestanding.sh: builds lib/model/, lib/model/ with lib/names/, these with lib/driver/, and lib/core/ without a C
# library for x86-64, AArch64, Armv7-A and ARM1176, and prints the bytes of code and of tables of each.  Exit status 1:
# a symbol is undefined that no freestanding compiler calls by itself.  It skips a target whose compiler is missing,
# with a line.
set -u
cd "$(dirname "$0")/.." || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
flags='-std=c11 -O2 -ffreestanding -fno-stack-protector -fno-pic -fno-pie -Iinclude'
flags="$flags -Wall -Wextra -Wpedantic -Wconversion -Werror"
status=0

# Compiles FILES, links them to one object, and checks its undefined symbols and its writable data.
build() { # TARGET PART COMPILER FLAGS... -- FILES...
    target=$1 part=$2 cc=$3
    shift 3
    if ! command -v "$cc" >/dev/null 2>&1; then
        echo "skip freestanding $part for $target: no $cc"
        return
    fi
    out="$dir/$target-$(echo "$part" | tr " " -).o"
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    objects=
    for file in "$@"; do
        object="$dir/$target-$(echo "$file" | tr / -).o"
        # shellcheck disable=SC2086
        if ! "$cc" $options $flags -c "$file" -o "$object"; then
            echo "not ok freestanding $part for $target: $file"
            status=1
            return
        fi
        objects="$objects $object"
    done
    # shellcheck disable=SC2086
    "$cc" $options -nostdlib -r $objects -o "$out" || { status=1; return; }
    undefined=$("${cc%gcc}nm" -u "$out" | awk '{print $NF}' | grep -vxE 'memcpy|memset|memmove|memcmp' | tr '\n' ' ')
    if [ -n "$undefined" ]; then
        echo "not ok freestanding $part for $target: undefined: $undefined"
        status=1
    else
        "${cc%gcc}size" -A "$out" | awk -v what="$part for $target" '
            /^\.text/ { code += $2 }
            /^\.(rodata|data\.rel\.ro)/ { tables += $2 }
            /^\.(data|bss)( |$|\.[^r])/ { state += $2 }
            END { if (state) { printf "not ok freestanding %s: %d bytes of writable data\n", what, state; exit 1 }
                  printf "ok freestanding %s: %d bytes of code, %d of tables\n", what, code, tables }' || status=1
    fi
}

# Builds each part for a target.
parts() { # TARGET COMPILER FLAGS...
    target=$1 cc=$2
    shift 2
    build "$target" model "$cc" "$@" -- lib/model/*.c
    build "$target" "model with names" "$cc" "$@" -- lib/model/*.c lib/names/*.c
    build "$target" "core model" "$cc" "$@" -- lib/core/*.c
    build "$target" driver "$cc" "$@" -- lib/model/*.c lib/names/*.c lib/driver/*.c lib/driver/backend/*.c
}

parts x86-64 gcc -m64 -mgeneral-regs-only
parts AArch64 aarch64-linux-gnu-gcc -mgeneral-regs-only
parts Armv7-A arm-linux-gnueabihf-gcc -march=armv7-a -mfpu=vfpv3-d16
parts ARM1176 arm-linux-gnueabi-gcc -mcpu=arm1176jzf-s -marm
exit $status
