# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  The fields of perf stat -x, with a separator of choice.
armpmu stat -x '\t' -e INST_RETIRED,CPU_CYCLES -e LD_SPEC loop
