# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  The keys of perf stat -j.
armpmu stat -j -e INST_RETIRED,CPU_CYCLES,LD_SPEC loop
