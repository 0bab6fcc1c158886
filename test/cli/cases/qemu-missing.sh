# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  No emulator.
ARMPMU_QEMU=./qemu armpmu stat say
