# SPDX-License-Identifier: BSD-2-Clause
# A 32-bit Arm program, and an emulator that cannot count its conditions.
cp /bin/true qemu
ARMPMU_QEMU_ARM=./qemu armpmu stat arm32
