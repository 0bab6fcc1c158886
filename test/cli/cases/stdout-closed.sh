# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  A closed stdout is closed for the program too.
armpmu stat -x, -e EXC_SVC say >&-
