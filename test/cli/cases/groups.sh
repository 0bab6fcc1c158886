# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  Braces and :u do not change a count: the emulator counts all events at the same times, at EL0.
armpmu stat -x, -o counts -e '{INST_RETIRED,LD_RETIRED:u}:u,BR_RETIRED' loop 2>/dev/null ||
    { echo "no engine" >&2; exit 77; }
sed -n '3,$p' counts | cut -d, -f 1,3
armpmu stat -x, -o counts -e INST_RETIRED,LD_RETIRED,BR_RETIRED loop
sed -n '3,$p' counts | cut -d, -f 1
