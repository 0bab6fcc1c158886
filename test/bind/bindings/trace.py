# SPDX-License-Identifier: BSD-2-Clause
"""Prints what trace.sv prints, by the package's own objects."""
import sys

import armpmu

CONFIG = ("features=PMUv3p9,PMUv3_ICNTR,PMUv3_SS,SEBEP,AA64EL0,AA64EL1,AA64EL2,AA64EL3,AA32EL0,SEL2,RME,"
          "SPE_DPFZS,SPE_EXC,PMUv3_SME,HPMN0,PMUv3_EXT64,PMUv3_EXTPMN,PMUv3_TH2,Debugv8p9 "
          "thwidth=12 counters=6 sync_event=8 sync_event_count=1")


def main():
    unit = armpmu.Unit(CONFIG)
    for line, number in enumerate((8, 16, 36)):
        unit.line(line, number)
    for i, action in enumerate(unit.actions(2026, int(sys.argv[1]) if len(sys.argv) > 1 else 10000)):
        last = action.access
        print(f"{i} {action.words}")
        print(f"{last.outcome:d} {last.value:016x} {last.syndrome:016x} {unit.signals():08x} {unit.overflowed():016x} "
              f"{last.control}")
        if action.kind == armpmu.Kind.STEP:
            print(f"{unit.reasons(1):016x} {unit.why_text(1)}")


main()
