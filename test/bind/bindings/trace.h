/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration of the traces that each binding prints, and the printing of their lines, as trace.sv does both. */
#ifndef ARMPMU_TEST_BIND_TRACE_H
#define ARMPMU_TEST_BIND_TRACE_H

#include <cinttypes>
#include <cstdio>

#include "../../../bind/tb/tb.h"

static const char trace_config[] =
    "features=PMUv3p9,PMUv3_ICNTR,PMUv3_SS,SEBEP,AA64EL0,AA64EL1,AA64EL2,AA64EL3,AA32EL0,SEL2,RME,"
    "SPE_DPFZS,SPE_EXC,PMUv3_SME,HPMN0,PMUv3_EXT64,PMUv3_EXTPMN,PMUv3_TH2,Debugv8p9 "
    "thwidth=12 counters=6 sync_event=8 sync_event_count=1";

static inline void trace_start(apmu_tb *tb)
{
    apmu_tb_line(tb, 0, 8);
    apmu_tb_line(tb, 1, 16);
    apmu_tb_line(tb, 2, 36);
    apmu_tb_seed(tb, 2026);
}

static inline void trace_print(apmu_tb *tb, int outcome, int kind)
{
    std::printf("%d %016" PRIx64 " %016" PRIx64 " %08x %016" PRIx64 " %s\n", outcome, apmu_tb_value(tb),
                apmu_tb_syndrome(tb), apmu_tb_signals(tb), apmu_tb_overflowed(tb), apmu_tb_control(tb));
    if (kind == APMU_TB_STEP) {
        std::printf("%016" PRIx64 " %s\n", apmu_tb_why(tb, 1), apmu_tb_why_text(tb, 1));
    }
}

#endif
