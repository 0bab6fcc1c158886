# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  A program that kills itself by SIGKILL.
armpmu stat -x, -e EXC_SVC killed
