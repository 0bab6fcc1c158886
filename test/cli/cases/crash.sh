# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  A crash: what killed it, the counts, 128 + the signal.
armpmu stat -x, -e INST_RETIRED crash
