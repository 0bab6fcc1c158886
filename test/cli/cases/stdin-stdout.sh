# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  What the program says goes to stdout, the counts to stderr.
armpmu stat -x, -e INST_RETIRED say
