#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The images of test/target/, without the differences from the architecture that other emulators are granted.
. test/qemu/machine.sh
EXACT=1 QEMU_AARCH64=$QEMU_SYSTEM QEMU_ARM=$QEMU_SYSTEM sh test/target/test_target.sh
