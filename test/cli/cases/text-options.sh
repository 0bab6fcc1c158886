# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  Arguments of the program are its own; counts have groups of thousands.
armpmu stat -e inst_retired,r11,0x70 nap -e foo
