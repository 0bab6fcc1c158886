# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  SIGKILL.
armpmu stat -x, -e EXC_SVC killed
