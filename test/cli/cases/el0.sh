# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  With --el0 a dynamic program reads the PMU at EL0; without, a remark says why it cannot.
"${CROSS:-aarch64-linux-gnu-}gcc" -O1 "$top/test/cli/programs/pmu.c" -o pmu 2>/dev/null ||
    { echo "no C library" >&2; exit 77; }
armpmu stat --el0 -e INST_RETIRED -o out ./pmu
armpmu stat -x, -e EXC_SVC -o out ./pmu 2>err
echo $?
sed -n 's/.*\(read of PMEVCNTR0_EL0 at EL0\).*--el0/\1/p' err
