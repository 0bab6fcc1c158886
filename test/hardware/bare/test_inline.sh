#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that each single read of <armpmu/native.h> is one instruction, and the one that the disassembler shows under
# Arm's name.  Checks the same for the back ends.
# Runs beside other tests.
set -u
. test/lib/tap.sh
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
flags='-std=c11 -ffreestanding -Wall -Wextra -Wpedantic -Wconversion -Werror -Iinclude'

# Prints one function for each read.
source() { # TYPE READ...
    echo '#include <armpmu/native.h>'
    type=$1
    shift
    for read in "$@"; do
        echo "$type f_$read(void);"
        echo "$type f_$read(void) { return apmu_read_$read(); }"
    done
}

# Prints "NAME: instruction; instruction" for each function, without the return.
bodies() { # OBJDUMP OBJECT
    "$1" -d --no-show-raw-insn "$2" | awk '
        /^[0-9a-f]+ <f_/ {
            if (name) print name ":" body
            name = $2; gsub(/[<>:]|f_/, "", name); body = ""; ended = 0
            next
        }
        /^ / && !ended {
            sub(/^[^\t]*\t/, ""); gsub(/[ \t]+/, " "); sub(/pmicntr_el0/, "s3_3_c9_c4_0")
            if ($0 ~ /^(ret|bx lr)/) ended = 1; else body = body (body ? ";" : "") " " $0
        }
        END { print name ":" body }'
}

events=$(n=0; while [ $n -lt 31 ]; do echo "pmevcntr$n"; n=$((n + 1)); done)

# Compiles the reads, and compares their instructions with $dir/want.
try() { # NAME OBJDUMP TYPE READS -- COMPILER...
    name=$1 objdump=$2 type=$3 reads=$4
    shift 5
    if ! command -v "$1" >/dev/null || ! command -v "$objdump" >/dev/null; then
        skip "$name" "no $1 or no $objdump"
        return
    fi
    # shellcheck disable=SC2086
    source "$type" $reads >"$dir/reads.c"
    # shellcheck disable=SC2086
    "$@" $flags -O2 -c "$dir/reads.c" -o "$dir/reads.o" || { not_ok "$name" "it does not compile"; return; }
    bodies "$objdump" "$dir/reads.o" >"$dir/got"
    difference=$(diff "$dir/got" "$dir/want")
    expect $? "$name: $(wc -l <"$dir/want") reads" "$(printf '%s' "$difference" | head -n 4 | tr '\n' '|')"
}

# AArch64: binutils' names.  PMICNTR_EL0 has one from 2.42 on.
for read in pmccntr $events; do echo "$read: mrs x0, ${read}_el0"; done >"$dir/want"
echo "pmicntr: mrs x0, s3_3_c9_c4_0" >>"$dir/want"
objdump=aarch64-linux-gnu-objdump
try "A64 reads by gcc" $objdump uint64_t "pmccntr $events pmicntr" -- aarch64-linux-gnu-gcc
try "A64 reads by clang" $objdump uint64_t "pmccntr $events pmicntr" -- clang --target=aarch64-linux-gnu

# AArch32: CRm and opc2 of event counter n are 0b10:n[4:3] and n[2:0].
echo "pmccntr: mrrc 15, 0, r0, r1, cr9" >"$dir/want"
for read in $events; do
    n=${read#pmevcntr}
    echo "$read: mrc 15, 0, r0, cr14, cr$((8 + n / 8)), {$((n % 8))}"
done >>"$dir/want"
objdump=arm-linux-gnueabi-objdump
# Tries the read of PMCCNTR, the first line of $dir/want, and the reads of the event counters, the other lines.
try32() { # NAME COMPILER...
    title=$1
    shift
    sed -n 1p "$dir/want" >"$dir/all" && cp "$dir/want" "$dir/keep"
    sed -n 1p "$dir/keep" >"$dir/want"
    try "$title, PMCCNTR" $objdump uint64_t pmccntr -- "$@"
    sed 1d "$dir/keep" >"$dir/want"
    try "$title" $objdump uint32_t "$events" -- "$@"
    cp "$dir/keep" "$dir/want"
}
try32 "A32 reads by gcc" arm-linux-gnueabi-gcc -march=armv8-a -marm
try32 "A32 reads by clang" clang --target=arm-linux-gnueabi -march=armv8-a -marm
echo "pmccntr: mrc 15, 0, r0, cr9, cr13, {0}" >"$dir/want"
try "ARMv7 read by gcc" $objdump uint32_t pmccntr -- arm-linux-gnueabi-gcc -march=armv7-a -marm

# A region of 6 counters is as long as native.h says, even where the compiler could vectorise.
printf '%s\n' '#include <armpmu/native.h>' 'void f_region(struct apmu_native_region *r);' \
    'void f_region(struct apmu_native_region *r)' \
    '{ apmu_native_region_begin(r, 0x3F); apmu_native_region_end(r, 0x3F); }' >"$dir/region.c"
# Checks that the region has at most MOST instructions.
region() { # MOST COMPILER...
    most=$1
    shift
    name="an A64 region of 6 counters by ${1##*-}"
    if ! command -v aarch64-linux-gnu-objdump >/dev/null || ! command -v "$1" >/dev/null; then
        skip "$name" "no $1 or no aarch64-linux-gnu-objdump"
        return
    fi
    # shellcheck disable=SC2086
    "$@" $flags -O2 -c "$dir/region.c" -o "$dir/region.o" || { not_ok "$name" "it does not compile"; return; }
    length=$(bodies aarch64-linux-gnu-objdump "$dir/region.o" | sed 's/^[^:]*: //' | tr ';' '\n' | grep -c .)
    [ "$length" -gt 20 ] && [ "$length" -le "$most" ]
    expect $? "$name" "it has $length instructions, and should have 21 to $most"
}
region 31 aarch64-linux-gnu-gcc
region 34 clang --target=aarch64-linux-gnu

# The whole back end accesses every System register of the table, under the disassembler's name.
if command -v aarch64-linux-gnu-gcc >/dev/null; then
    # shellcheck disable=SC2086
    aarch64-linux-gnu-gcc $flags -O2 -c lib/driver/backend/a64.c -o "$dir/a64.o"
    aarch64-linux-gnu-objdump -d --no-show-raw-insn "$dir/a64.o" |
        grep -ohE '\b(pm[a-z0-9]+_el[0-9]|mdcr_el[0-9])\b' | sort -u >"$dir/got"
    {
        n=0
        while [ $n -lt 31 ]; do printf 'pmevcntr%d_el0\npmevtyper%d_el0\n' $n $n; n=$((n + 1)); done
        for register in pmcr pmcntenset pmcntenclr pmovsclr pmovsset pmswinc pmselr pmceid0 pmceid1 pmccntr pmxevtyper \
            pmxevcntr pmuserenr pmccfiltr; do
            echo "${register}_el0"
        done
        printf '%s\n' pmintenset_el1 pmintenclr_el1 pmmir_el1 mdcr_el2 mdcr_el3
    } | sort -u >"$dir/want"
    missing=$(comm -13 "$dir/got" "$dir/want" | tr '\n' ' ')
    [ -z "$missing" ]
    expect $? "A64 back end: $(wc -l <"$dir/want") registers under the disassembler's names" \
        "the disassembler does not find $missing"
else
    skip "A64 back end" "no aarch64-linux-gnu-gcc"
fi

# The sync operation of the back ends is an ISB.
for try in a64:aarch64-linux-gnu: a32:arm-linux-gnueabi:-march=armv7-a; do
    file=${try%%:*} rest=${try#*:}
    tools=${rest%%:*}
    command -v "$tools-gcc" >/dev/null || { skip "sync of $file.c" "no $tools-gcc"; continue; }
    # shellcheck disable=SC2086
    "$tools-gcc" ${rest#*:} $flags -O2 -c "lib/driver/backend/$file.c" -o "$dir/$file.o"
    "$tools-objdump" -d "$dir/$file.o" |
        awk '/<native_sync>:/ { on = 1 } /^$/ { on = 0 } on && /\tisb/ { n++ } END { exit !n }'
    expect $? "sync of $file.c is an ISB" "native_sync has no ISB"
done

# Where the target does not have this PMU architecture, the header refuses to compile and says what to use.
for try in 'cc:compile for AArch64 or Armv7-A' \
    'arm-linux-gnueabi-gcc -mcpu=arm1176jzf-s -marm:armpmu/arm11_driver.h'; do
    compiler=${try%%:*} says=${try#*:}
    [ "$compiler" = cc ] && compiler=$CC
    name="native.h is refused with a cure by ${compiler%% *}"
    command -v "${compiler%% *}" >/dev/null || { skip "$name" "no ${compiler%% *}"; continue; }
    case $("${compiler%% *}" -dumpmachine) in
    aarch64* | armv7*)
        skip "$name" "its target has this PMU architecture"
        continue
        ;;
    esac
    printf '#include <armpmu/native.h>\n' | $compiler -std=c11 -Iinclude -x c -fsyntax-only - 2>&1 | grep -qF "$says"
    expect $? "$name" "the message does not say \"$says\""
done
[ "$tap_checks" -gt 0 ] || skip_all "no cross compiler"
summary
