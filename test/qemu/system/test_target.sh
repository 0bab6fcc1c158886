#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The images of test/hardware/bare/ pass without the differences from the architecture that they allow other emulators.
. test/qemu/system/machine.sh
EXACT=1 QEMU_AARCH64=$QEMU_SYSTEM QEMU_ARM=$QEMU_SYSTEM sh test/hardware/bare/test_target.sh >"$log/out" 2>&1
relay "without exceptions" $? "$log/out"
summary
