# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  A program that closes its stdout is counted to its end.
armpmu stat -x, -e INST_RETIRED close
