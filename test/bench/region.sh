#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures what a region costs, in instructions: armpmu and its peers side by side in one run of the Linux guest, where
# a module (native/) measures the native back end at EL1 and gives EL0 the PMU.  `make bench` calls it.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/hardware/linux/guest.sh
guest_need headers
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

guest_make libarmpmu.a || exit 1
guest_root "$tmp/root"
papi=
[ -f "$guest_libs/libpapi.a" ] && papi="-DWITH_PAPI -L$guest_libs -lpapi -lpfm"
# shellcheck disable=SC2086 # words
guest_cc "$tmp/root/region" test/bench/region.c test/bench/native/native.c $papi 2>"$tmp/err" ||
    { cat "$tmp/err"; exit 1; }
cp -r test/bench/native "$tmp/module"
python3 tools/amalgamate.py "$tmp/module" >/dev/null || exit 1
if why=$(guest_module "$tmp/module" ARMPMU="$PWD"); then
    cp "$tmp/module/armpmu_bench.ko" "$tmp/root/"
    echo 'insmod /armpmu_bench.ko' >"$tmp/root/run"
else
    echo "# native: $why"
fi
cat >>"$tmp/root/run" <<'RUN'
sysctl -q kernel.perf_user_access=1 kernel.perf_event_paranoid=-1
/region || echo "# region: status $?"
RUN
release=$("$QEMU_SYSTEM" --version | head -n 1)
echo "A region on Linux, application and kernel together; cortex-a57 of $release with -icount."
echo "libperf has no package here: its reader is written out, after the protocol in <linux/perf_event.h>."
guest_boot "$tmp/root" cortex-a57
