# SPDX-License-Identifier: BSD-2-Clause
# Boots images and prints their results, for the tests of this folder, which source this file.  B is the build folder;
# QEMU_SYSTEM may name another build of the emulator.
. test/lib/tap.sh
: "${QEMU_SYSTEM:=$B/qemu/armpmu-qemu-system-aarch64}"
[ -x "$QEMU_SYSTEM" ] || skip_all "no $QEMU_SYSTEM: make qemu"
a64=$B/target/a64
log=$(mktemp -d) || exit 2
trap 'rm -rf "$log"' EXIT

options='-nic none -display none -monitor none -serial stdio -semihosting-config enable=on,target=native'

# Boots an image at EL3, with both Security states and EL2.  It has TIMEOUT seconds, 100 if that is not set.
boot() { # CPU IMAGE OPTIONS...
    cpu=$1 image=$2
    shift 2
    # shellcheck disable=SC2086
    timeout "${TIMEOUT:-100}" "$QEMU_SYSTEM" -M virt,secure=on,virtualization=on -cpu "$cpu" $options \
        -kernel "$image" "$@" </dev/null
}

# Boots an image and passes on its results under NAME.
image() { # NAME CPU IMAGE OPTIONS...
    name=$1
    shift
    boot "$@" >"$log/out" 2>&1
    relay "$name" $? "$log/out"
}

# Prints the -cpu option for a PMU of expect.c.
cpu_of() { # PMU
    case $1 in
    a57) echo cortex-a57 ;;
    max) echo max ;;
    p9) echo max,pmu-features=PMUv3p9+PMUv3_ICNTR+PMUv3_TH2+HPMN0,pmu-counters=31 ;;
    ss) echo neoverse-n2,pmu-features=PMUv3p9+PMUv3_SS+PMUv3_ICNTR,pmu-counters=5 ;;
    ext32) echo cortex-a57,pmu-frame=0x0b000000 ;;
    a15) echo cortex-a15 ;;
    a7) echo cortex-a7 ;;
    ext64) echo max,pmu-features=PMUv3p9+PMUv3_ICNTR+HPMN0,pmu-counters=8,pmu-frame=0x0b000000 ;;
    esac
}
# Writes the expectations of a PMU and prints the options that load them.
expectations() { # PMU
    echo "-device loader,file=$log/expect,addr=0x44000000,force-raw=on"
    "$B/test/expect" "$1" >"$log/expect"
}
