#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The dumper in C for AArch64 on emulated machines, at EL3, EL2, EL1 and Secure EL1: no read traps; on the emulator with
# the model as its PMU every value is the model's; the loop between the two readings is seen.
# Runs beside other tests.
set -u
. test/lib/tap.sh
. test/cli/dumper/dumper.sh
need aarch64-linux-gnu-gcc
HW=test/hardware/bare
options='-M virt,secure=on,virtualization=on -nic none -display none -monitor none -serial stdio -icount shift=0
    -semihosting-config enable=on,target=native'

# image OUT FLAGS...: builds the image with the dumper in $dir/dump.c.
image() {
    out=$1
    shift
    aarch64-linux-gnu-gcc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -Iinclude -O2 -ffreestanding \
        -fno-stack-protector -fno-pic -fno-pie -fno-tree-loop-distribute-patterns -DRT_SLED=2 -mgeneral-regs-only \
        -mstrict-align "$@" -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,max-page-size=4096 \
        -Wl,-T "$HW/target.ld" "$HW/a64.S" "$HW/vectors64.c" "$HW/rt.c" test/cli/dumper/bare64.c lib/driver/error.c \
        "$dir/dump.c" -o "$out" 2>"$dir/err"
}

# Checks what was printed on a CPU: all levels came to their end, and armpmu why reads them.
check_levels() { # NAME
    grep -qx 'done' "$dir/out"
    expect $? "$1: no read traps" "$(grep '^not ok' "$dir/out")"
    for el in EL3 EL2 EL1 S_EL1; do
        level $el >"$dir/dump"
        check_read "$1: $el" "$dir/dump"
        first_reading "$dir/dump" >"$dir/first"
        has=$(sed -n 's/^\(MDCR_EL[23]\) .*/\1/p' "$dir/first" | tr '\n' ' ')
        case $el in EL3) want='MDCR_EL2 MDCR_EL3 ' ;; EL2) want='MDCR_EL2 ' ;; *) want= ;; esac
        [ "$has" = "$want" ]
        expect $? "$1: $el: has the controls that the level may read" "$has"
    done
}

for core in '' Cortex-A53 0x413fd0c1; do
    dumper "$dir/dump.c" c ${core:+--core "$core"} && image "$dir/still${core:+-$core}.elf"
    expect $? "it builds without a warning: ${core:-any core}" "$(head -n 3 "$dir/err")"
done
dumper "$dir/dump.c" c && image "$dir/running.elf" -DRUNNING=1
expect $? "it builds: running" "$(head -n 3 "$dir/err")"

# The installed emulator, with its own PMU.
if command -v qemu-system-aarch64 >/dev/null; then
    for cpu in cortex-a53 cortex-a72 neoverse-n1 max; do
        qemu-system-aarch64 -version | grep -q 'version 7\.[01]\.' && [ $cpu = neoverse-n1 ] && continue
        # shellcheck disable=SC2086
        timeout 60 qemu-system-aarch64 -cpu $cpu $options -kernel "$dir/still.elf" 2>&1 </dev/null |
            tr -d '\r' >"$dir/out"
        check_levels "stock $cpu"
    done
    # shellcheck disable=SC2086
    timeout 60 qemu-system-aarch64 -cpu cortex-a53 $options -kernel "$dir/still-Cortex-A53.elf" 2>&1 </dev/null |
        tr -d '\r' >"$dir/out"
    check_levels "stock cortex-a53, with --core"
else
    skip "the installed emulator" "no qemu-system-aarch64: apt-get install qemu-system-arm"
fi

# The emulator with the model: the trace of the run leads to the model's state.
exact_run() { # IMAGE CPU
    # shellcheck disable=SC2086
    ARMPMU_QEMU_SYSTEM=$exact timeout 60 "$B/armpmu" run --trace "$dir/trace" -- -cpu "$2" $options -kernel "$1" \
        2>"$dir/err" </dev/null | tr -d '\r' >"$dir/out"
}
if [ -x "$exact" ]; then
    for cpu in cortex-a57 max,pmu-features=PMUv3p9+PMUv3_ICNTR+PMUv3_TH2+HPMN0,pmu-counters=31 \
        neoverse-n2,pmu-features=PMUv3p9+PMUv3_SS+PMUv3_ICNTR,pmu-counters=5; do
        exact_run "$dir/still.elf" $cpu
        check_levels "model $cpu"
        values "$dir/trace" >"$dir/model"
        for el in EL3 EL2 EL1 S_EL1; do
            level $el >"$dir/dump"
            # Bit 3 of OSLSR_EL1 says that there is an OS Lock; PMCR_EL0.N is HPMN at EL1.
            case $el in *EL1) also='|PMCR_EL0' ;; *) also= ;; esac
            check_model "model $cpu: $el" "$dir/dump" "CurrentEL|SCR_EL3|HCR_EL2|OSLSR_EL1$also"
            # These CPUs have no SPE and no SME; a PE does not read EDSCR, and no MRS reads PSTATE as a whole.
            lacks='PMB.*|PMSCR_EL2|SVCR|DBGAUTHSTATUS_EL1|PSTATE|EDSCR|EDPRSR'
            case $cpu in
            cortex-a57) lacks="$lacks|HDFG.*" ;;
            neoverse-n2*) lacks="$lacks|SDER32_EL3" ;; # only EL0 can use AArch32
            esac
            [ $el = EL3 ] && check_complete "model $cpu: $el" "$dir/dump" "$lacks"
        done
    done
    exact_run "$dir/running.elf" max
    for el in EL2 EL1; do
        level $el >"$dir/dump"
        check_read "model: $el, running" "$dir/dump"
        for counter in PMCCNTR_EL0 PMEVCNTR0_EL0; do
            check_counts "model: $el" "$dir/dump" $counter
        done
    done
else
    skip "the emulator with the model" "no $exact: make qemu"
fi
summary
