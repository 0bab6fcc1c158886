#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The native back end of ARMv7 at PL0 takes ID_PFR1 from the caller: with PMUv2 it executes an access to PMOVSSET if
# ID_PFR1.Virtualization is not 0, and refuses it otherwise.  Under a user emulator, where each access to the PMU is
# UNDEFINED, the two differ.
# Runs beside other tests.
set -u
. test/lib/tap.sh
cc=${ARM:-arm-linux-gnueabi-}gcc
need "$cc"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
run=$B/qemu/armpmu-qemu-arm
[ -x "$run" ] || run=$(command -v qemu-arm) || { skip "ID_PFR1 at PL0" "no user emulator for Arm"; summary; }

cat >"$dir/ids.c" <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

#include <armpmu/driver.h>
#include <armpmu/native.h>

static sigjmp_buf back;

static void undefined(int number)
{
    siglongjmp(back, number);
}

static const char *outcome(unsigned version, unsigned virtualization)
{
    struct apmu_ids ids = {.id_dfr0 = version << 24, .id_pfr1 = virtualization << 12};
    uint64_t value = 0;

    if (sigsetjmp(back, 1) != 0) {
        return "executed";
    }
    return apmu_native_ops.read(&ids, APMU_REG_PMOVSSET_EL0, 0, &value) == APMU_OK ? "read" : "refused";
}

int main(void)
{
    signal(SIGILL, undefined);
    for (unsigned version = 1; version <= 3; version++) {
        printf("%u %s %s\n", version, outcome(version, 0), outcome(version, 1));
    }
    return 0;
}
END
$cc -std=gnu11 -march=armv7-a -marm -O1 -static -Iinclude "$dir/ids.c" lib/driver/backend/a32.c \
    lib/driver/backend/select.c -ffunction-sections -Wl,--gc-sections -o "$dir/ids" 2>"$dir/log" &&
    "$run" "$dir/ids" >"$dir/out" 2>>"$dir/log"
printf '1 refused refused\n2 refused executed\n3 executed executed\n' | cmp -s - "$dir/out"
expect $? "PMOVSSET at PL0, by PerfMon and Virtualization" "$(tr '\n' ';' <"$dir/out") $(head -n 2 "$dir/log")"
summary
