#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the bare-metal examples and checks that they print what their comments promise.
set -u
. test/lib/tap.sh
. test/hardware/bare/machine.sh
need "${QEMU_AARCH64:-qemu-system-aarch64}"
[ -f "$B/target/a64/el0.elf" ] || skip_all "no aarch64-linux-gnu-gcc, which builds the examples"

# Checks a condition of awk over what the example printed: n["text before the colon"] is the number behind it.
check() { # NAME CONDITION
    printf '%s\n' "$out" | awk -F ': ' "{ sub(/\r\$/, \"\"); n[\$(NF - 1)] = \$NF } END { exit !($2) }"
    expect $? "$1" "$(printf '%s' "$out" | tr '\r\n' ' /')"
}

for cpu in cortex-a57 max; do
    out=$(boot_el1 $cpu "$B/target/a64/baremetal_el1.elf" 2>&1 </dev/null)
    check "baremetal_el1 on $cpu: a sample for each period" \
        'n["samples in hot()"] + n["samples in cold()"] + n["samples elsewhere"] == int(n["cycles"] / 10000)'
    check "baremetal_el1 on $cpu: three of four samples in hot()" \
        'n["samples in cold()"] >= 10 && n["samples in hot()"] / n["samples in cold()"] > 2.5 &&
         n["samples in hot()"] / n["samples in cold()"] < 3.5'
    check "baremetal_el1 on $cpu: under icount an instruction is a cycle" 'n["instructions"] == n["cycles"]'
    out=$(boot_el1 $cpu "$B/target/a64/el0.elf" 2>&1 </dev/null)
    check "el0 on $cpu: the loop's instructions and what loads its counter" 'n["instructions of the loop"] == 2001'
    check "el0 on $cpu: its cycles" 'n["cycles of the loop"] == 2001'
    check "el0 on $cpu: a read is one instruction" 'n["instructions from one read to the next"] == 1'
    out=$(boot_el1 $cpu "$B/target/a64/sequence.elf" 2>&1 </dev/null)
    check "sequence on $cpu: event counters" 'n["event counters in PMCR_EL0.N at EL1"] >= 4'
    for level in EL1 EL0; do
        check "sequence on $cpu: cycles and instructions of the loop at $level" \
            "n[\"$level cycles in counter 31\"] == 2001 && n[\"$level event 8\"] == 2001 &&
             n[\"$level event 17\"] == 2001"
    done
done

# The policy of the firmware at EL3.  Installed emulators do not count instructions across Security states with EL2.
out=$(boot64 cortex-a57 "$B/target/a64/el3.elf" 2>&1 </dev/null)
check "el3: cycles leak without the policy" 'n["cycles without the policy"] == 2000'
check "el3: nothing leaks with it" \
    '"cycles with the policy" in n && n["instructions with the policy"] + n["cycles with the policy"] == 0'
# Runs a command that boots el3, and compares what it prints with the head of main.c.
promise() { # NAME COMMAND...
    name=$1
    shift
    "$@" 2>"$B/target/a64/el3.log" </dev/null | tr -d '\r' >"$B/target/a64/el3.out"
    sed -n '/it prints:$/,/^ \* Boot/s/^ \*     //p' examples/el3/main.c | cmp -s - "$B/target/a64/el3.out"
    expect $? "el3 $name: it prints what it promises" "$(tr '\n' '/' <"$B/target/a64/el3.out")"
}
command=$(sed -n '/qemu-system-aarch64/,/el3.elf/{s/^ \* *//; s/\\$//; s,el3\.elf,'"$B"'/target/a64/el3.elf,; p;}' \
    examples/el3/main.c)
if qemu-system-aarch64 --version 2>/dev/null | grep -q 'version 7\.2\.'; then
    # shellcheck disable=SC2086
    promise 'by the command of its head, on QEMU 7.2' timeout 30 $command
else
    skip 'el3 by the command of its head, on QEMU 7.2' 'no qemu-system-aarch64 7.2 is installed'
fi
QEMU_AARCH64=$B/qemu/armpmu-qemu-system-aarch64
if [ ! -x "$QEMU_AARCH64" ]; then
    skip "el3 on the emulator of make qemu" "no $QEMU_AARCH64: make qemu"
    summary
fi
for cpu in cortex-a57 max; do
    promise "on $cpu of make qemu" boot64 $cpu "$B/target/a64/el3.elf"
done
summary
