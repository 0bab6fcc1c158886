# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  A file that cannot be written: the complaint comes before the program starts.
armpmu stat -o /nosuch/file say
echo $?
armpmu stat -o . say
