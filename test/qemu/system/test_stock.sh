#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The installed QEMU, with its own PMU, executes the conformance image and, on CPUs with several versions of the PMU,
# the image that checks the required events.  Each difference from the architecture is known, with a verdict
# (stock.txt).  STOCK may name another QEMU.
set -u
: "${STOCK:=qemu-system-aarch64}"
. test/qemu/system/machine.sh
need "$STOCK"
QEMU_SYSTEM=$STOCK
version=$("$STOCK" --version | sed -n 's/^.*version \([0-9]*\.[0-9]*\).*/\1/p')
if ! grep -v '^#' test/qemu/system/stock.txt | cut -f 1 | grep -qw "$version"; then
    skip_all "stock.txt does not know version $version of $STOCK"
fi
# shellcheck disable=SC2046
boot "$(cpu_of a57)" "$a64/qemu-conform.elf" $(expectations a57) -icount shift=0 >"$log/out" 2>&1
for cpu in cortex-a57 cortex-a76 max; do
    boot $cpu "$a64/qemu-identity.elf" -icount shift=0 2>&1 |
        sed -nE "s/^(ok|not ok) (.* is announced)/\1 $cpu: \2/p" >>"$log/out"
done
awk -v version="$version" -v required="$("$B/test/expect" --required a57)" -f test/qemu/system/stock.awk \
    test/qemu/system/stock.txt "$log/out" >"$log/verdicts"
relay "QEMU $version" $? "$log/verdicts"
if [ "$version" = 7.2 ]; then # an access under HSTR_EL2 at Secure EL0 aborts it, before the last settings
    grep -q 'Assertion .arm_is_el2_enabled' "$log/out"
    expect $? "QEMU 7.2: it stops at its assertion" "it did not"
fi
summary
