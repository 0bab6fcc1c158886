#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests the perf_event back end, its example and `armpmu stat` on Linux on Arm, in three guests: with a PMU that lacks
# FEAT_PMUv3p5, with one that has it, and without a PMU.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
. test/hardware/linux/guest.sh
guest_need
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

guest_make libarmpmu.a armpmu || { not_ok guest "libarmpmu.a and armpmu for AArch64 do not build"; summary; }
guest_root "$tmp/root"
cp "$B/arm64/armpmu" test/hardware/linux/cli.sh "$tmp/root/bin/"
for source in test/cli/programs/loop.S test/hardware/linux/spin.S; do
    name=${source##*/}
    "${CROSS}gcc" -nostdlib -static -o "$tmp/root/bin/${name%.S}" "$source" ||
        { not_ok guest "$source does not build"; summary; }
done
for pair in perf:test/hardware/linux/perf.c bin/linux:examples/linux.c; do
    guest_cc "$tmp/root/${pair%%:*}" "${pair#*:}" || { not_ok guest "${pair#*:} does not build"; summary; }
done
cat >"$tmp/root/run" <<'RUN'
/perf "$1"
example() { # NAME PATTERN
    linux >out 2>&1
    grep -qE "$2" out && echo "ok example linux.c $1" || echo "not ok example linux.c $1: $(cat out)"
}
case $1 in
max)
    sysctl -q kernel.perf_user_access=1
    example directly '^[4-9][0-9]{3} instructions, [4-9][0-9]{3} cycles, read directly$'
    sysctl -q kernel.perf_user_access=0
    example "by calls" '^[0-9]+ instructions, [0-9]+ cycles, read by system calls: kernel.perf_user_access is 0'
    . /bin/cli.sh ;;
missing)
    example "without a PMU" '^PMU: the kernel has no PMU of an Arm core; '
    armpmu stat --engine=perf loop 2>err
    [ $? -eq 3 ] && grep -q "^armpmu stat: engine perf: the kernel has no PMU of an Arm core; " err &&
        echo "ok cli a missing PMU" || echo "not ok cli a missing PMU: $(cat err)"
    armpmu doctor >out 2>&1
    [ $? -eq 1 ] && grep -q "PMU: absent: no PMU of a core" out && echo "ok cli doctor without a PMU" ||
        echo "not ok cli doctor without a PMU: $(cat out)"
    armpmu decode --live >out 2>err
    grep -q "^PMU: none in /sys" out && echo "ok cli live without a PMU" ||
        echo "not ok cli live without a PMU: $(cat out err)"
    armpmu stat loop 2>err
    [ $? -eq 3 ] && grep -q "^armpmu stat: qemu-aarch64: the emulator is not on this machine; " err &&
        echo "ok cli without a PMU auto is the emulator" ||
        echo "not ok cli without a PMU auto is the emulator: $(cat err)" ;;
esac
RUN

for run in cortex-a57:cortex-a57 max,pauth-impdef=on:max cortex-a57,pmu=off:missing; do
    guest_boot "$tmp/root" "${run%%:*}" "${run#*:}" >"$tmp/lines"
    status=$?
    sed -n "s/^\(not ok\|ok\|skip\) /&${run#*:}: /p; /^#/p" "$tmp/lines"
    expect $status "guest ${run#*:}: it reaches its end" "$(tail -n 3 "$tmp/lines" | tr '\n' ' ')"
    grep -q '^ok ' "$tmp/lines" && ! grep -q '^not ok ' "$tmp/lines"
    expect $? "guest ${run#*:}: it runs tests, and all pass" "no test ran, or one failed: see the lines above"
done
summary
