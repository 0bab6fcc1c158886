#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a region costs through Linux, in instructions: armpmu and its peers side by side in one run of the Linux guest.
# `make bench` calls it.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/guest/guest.sh
guest_need
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

guest_make libarmpmu.a || exit 1
guest_root "$tmp/root"
papi=
[ -f "$guest_libs/libpapi.a" ] && papi="-DWITH_PAPI -L$guest_libs -lpapi -lpfm"
# shellcheck disable=SC2086 # words
guest_cc "$tmp/root/region" test/bench/region.c $papi 2>"$tmp/err" || { cat "$tmp/err"; exit 1; }
echo 'sysctl -q kernel.perf_user_access=1 kernel.perf_event_paranoid=-1; /region' >"$tmp/root/run"
echo "A region on Linux, application and kernel together; cortex-a57 of $("$QEMU_SYSTEM" --version | head -n 1) with -icount."
echo "libperf has no package here: its reader is written out, after the protocol in <linux/perf_event.h>."
guest_boot "$tmp/root" cortex-a57
