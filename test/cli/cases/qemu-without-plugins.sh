# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  An emulator without plugins.
cp "$work/bin/x86" qemu
ARMPMU_QEMU=./qemu armpmu stat say
