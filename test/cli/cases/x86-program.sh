# SPDX-License-Identifier: BSD-2-Clause
# A program for another machine.
armpmu stat x86
