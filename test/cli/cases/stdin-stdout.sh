# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  The program's output goes to stdout, the counts to stderr.
armpmu stat -x, -e INST_RETIRED say
