# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  A program that kills itself with SIGKILL: its counts, and a remark.
armpmu stat -x, -e EXC_SVC killed
