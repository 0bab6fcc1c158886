# SPDX-License-Identifier: BSD-2-Clause
# armpmu run prints the emulator's report on a PMUv3 and an ARM11 CPU, and nothing if no CPU executed anything.
printf '#!/bin/sh\ncat "$2" >"$ARMPMU_REPORT"\nexit 5\n' >emulator
chmod +x emulator
export ARMPMU_QEMU_SYSTEM="$PWD/emulator"
cat >report <<'END'
armpmu-report 1
limit 1000
cpu 0 1000 pmuv3
counter 0 0x8 10
reason_time 600 0x0
reason_time 300 0x4
reason_time 10 0x1
reason_time 9 0x2
reason_time 8 0x3
reason_time 7 0x5
reason_time 6 0x6
reason_time 5 0x7
reason_time 4 0x9
reason_time 3 0xa
reason_time 2 0xb
counter 1 0x4001 0 silent
reason_time 1000 0x0
counter 2 0x3fff 7
reason_time 1000 0x0
counter 3 0x0 0
reason_time 1000 0xffffffffff
counter 5 0x0 0
reason_time 1000 0xffffffffff
counter 31 0x11 1000
reason_time 1000 0x0
cpu 1 20 arm11
counter 0 0x7 10
reason_time 10 0x0
reason_time 10 0x1
counter 2 0xff 20
reason_time 20 0x0
END
printf 'armpmu-report 1\ncpu 0 0 pmuv3\n' >idle
armpmu run -- -kernel report
echo "exit status $?"
armpmu run -- -kernel idle
echo "exit status $?"
