# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  -o that cannot be written: said before the program starts.
armpmu stat -o /nosuch/file say
echo $?
armpmu stat -o . say
