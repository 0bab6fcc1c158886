/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests traces as an input: the state is that of the model at the end of the trace, or at the end of the part that was
 * given.
 */
#include <stdio.h>
#include <string.h>

#include "../../../cli/state/state.h"
#include "../../lib/tap.h"

static const char trace[] =
    "armpmu-trace 1\ntrace example\n" /* PMUv3p7, EL2 and EL3, four counters */
    "config feat=0x800061f0f n=4 pmceid0=0x40060101 pmceid1=0x0 pmmir=0x4\n"
    "pe mdcr_el2=0x4 el=3 scr_el3=0x401 hcr_el2=0x80000000 mdcr_el3=0x20000\n"
    "w a64 PMEVTYPER0_EL0 0x8000008 -> ok\nw a64 PMEVCNTR0_EL0 0xfffffffe -> ok\nw a64 PMCNTENSET_EL0 0x1 -> ok\n"
    "w a64 PMCR_EL0 0x41 -> ok\npe el=1\ncycles 2 0x8*1\npe halted=1\nend\n";

static struct state s;
static struct state_model m;

/* Reads the first @length characters of the trace into s and m. */
static void read_part(size_t length)
{
    state_init(&s, "trace");
    state_parse(&s, trace, length, NULL);
    state_finish(&s);
    MUST_EQ(s.remark_count, 0, "remarks, the first on %s", s.remarks[0].name);
    state_to_model(&s, &m);
    MUST(m.contradiction == NULL, "%s", m.contradiction);
}

static void the_state_at_the_end(void)
{
    read_part(sizeof trace - 1);
    MUST_EQ(m.cfg.features, UINT64_C(0x800061F0F), "features");
    MUST_EQ(m.undecided, 0, "undecided features");
    MUST(m.el_known && m.pe.el == 1 && m.pe.halted && m.cfg.counters == 4, "EL%u", m.pe.el);
    MUST_EQ(m.p.cntr[0], UINT64_C(0x100000000), "PMEVCNTR0_EL0 carries into bit 32");
    MUST_EQ(m.p.ovs, 1, "PMOVSSET_EL0");
    MUST_EQ(apmu_why(&m.p, &m.pe, 0), APMU_WHY(HALTED), "why");
    MUST_EQ(state_cell(&s, APMU_REG_PMCR_EL0, 0)->line, 12, "line");
}

static void the_state_in_the_middle(void)
{
    read_part((size_t)(strstr(trace, "cycles") - trace));
    MUST_EQ(m.p.cntr[0], 0xFFFFFFFE, "PMEVCNTR0_EL0");
    MUST_EQ(apmu_why(&m.p, &m.pe, 0), 0, "it counts");
    read_part((size_t)(strstr(trace, "w a64 PMCR") - trace));
    MUST_EQ(apmu_why(&m.p, &m.pe, 0) & APMU_WHY(PMCR_E), APMU_WHY(PMCR_E), "why");
}

static void arm11(void)
{
    static const char text[] = "armpmu-trace 1\ntrace a\nconfig part=1176\nw arm11 PMNC 0x00700001 -> ok\nend\n";

    state_init(&s, "trace");
    state_parse(&s, text, sizeof text - 1, NULL);
    state_finish(&s);
    MUST(state_is_arm11(&s) && s.core != NULL && strcmp(s.core->name, "ARM1176") == 0, "an ARM1176");
    MUST_EQ(s.arm11[APMU_ARM11_REG_PMNC].value, 0x700001, "PMNC");
}

static void arm11_in_the_secure_world(void)
{
    static const char text[] = "armpmu-trace 1\ntrace a\nconfig part=1176\npe user=1 user_v=1 secure=1 spniden=0\n"
                               "w arm11 PMNC 0x00700001 -> ok\ncycles 5 0x7*1\npe suniden=0 halted=0\n";
    static const char spniden[] = "pe user=0x0 spniden=0x1\ncycles 5 0x7*1\nend\n";
    static struct state_arm11 unit;
    char both[sizeof text + sizeof spniden];

    state_init(&s, "trace");
    state_parse(&s, text, sizeof text - 1, NULL);
    state_finish(&s);
    state_to_arm11(&s, &unit);
    MUST(unit.pe.user && unit.pe.user_v && unit.pe.secure && !unit.pe.spniden && !unit.pe.suniden, "the core");
    MUST_EQ(unit.p.count[APMU_ARM11_PMN0], 0, "PMN0 does not count");
    MUST_EQ(apmu_arm11_why(&unit.p, &unit.pe, APMU_ARM11_PMN0), APMU_ARM11_WHY(SPNIDEN), "why");
    snprintf(both, sizeof both, "%s%s", text, spniden);
    state_init(&s, "trace");
    state_parse(&s, both, strlen(both), NULL);
    state_finish(&s);
    state_to_arm11(&s, &unit);
    MUST(!unit.pe.user && unit.pe.spniden, "the core after it");
    MUST_EQ(unit.p.count[APMU_ARM11_PMN0], 5, "PMN0 with SPNIDEN");
    MUST_EQ(apmu_arm11_why(&unit.p, &unit.pe, APMU_ARM11_PMN0), 0, "it counts");
}

static void traces_that_are_wrong(void)
{
    static const char *const texts[] = {
        "armpmu-trace 1\n", "armpmu-trace 1\ntrace x\n", "armpmu-trace 1\ntrace x\nconfig what=1\n",
        "armpmu-trace 1\ntrace x\nconfig feat=0x100 n=4\ncycles 0xffffffffffffffff\n",
        "armpmu-trace 1\ntrace x\nconfig feat=0x100 n=4\nw a64 NOREG 1\n", "armpmu-trace 1\nPMCR=0x1\n",
        "armpmu-trace 1\ntrace x\nconfig part=1176\npe el=1\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        state_init(&s, "trace");
        MUST_EQ(state_parse(&s, texts[i], strlen(texts[i]), NULL), 0, "%s", texts[i]);
        MUST(s.remark_count == 1 && s.remarks[0].kind == STATE_BAD_FORMAT, "%s: %u remarks", texts[i], s.remark_count);
    }
}

int main(void)
{
    RUN(the_state_at_the_end);
    RUN(the_state_in_the_middle);
    RUN(arm11);
    RUN(arm11_in_the_secure_world);
    RUN(traces_that_are_wrong);
    return tap_status;
}
