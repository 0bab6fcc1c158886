# SPDX-License-Identifier: BSD-2-Clause
# A 32-bit Arm program.
armpmu stat arm32
