/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the formats of texts, and the remarks on what is missing or unclear. */
#include <inttypes.h>
#include <string.h>

#include "../../../cli/state/internal.h"
#include "../../lib/tap.h"

static struct state s;

/* Reads @text into s.  Returns the number of facts. */
static unsigned parse(const char *text)
{
    state_init(&s, "test");
    const unsigned facts = state_parse(&s, text, strlen(text), NULL);

    state_finish(&s);
    return facts;
}

/* Reads @text into s, with the external view at @base.  Returns the number of facts. */
static unsigned parse_frame(const char *text, uint64_t base)
{
    const struct state_frame frame = {true, base};

    state_init(&s, "test");
    const unsigned facts = state_parse(&s, text, strlen(text), &frame);

    state_finish(&s);
    return facts;
}

/* HAS(PMCR_EL0, 0, UINT32_MAX, 0x41, 1): the low 32 bits of PMCR_EL0 are known, are 0x41, and come from line 1. */
#define HAS(reg, n, known_, value_, line_) \
    do { \
        const struct state_cell *cell_ = state_cell(&s, APMU_REG_##reg, n); \
        MUST_EQ(cell_->known, known_, #reg " is known"); \
        MUST_EQ(cell_->value, value_, #reg); \
        MUST_EQ(cell_->line, line_, "line of " #reg); \
    } while (0)
#define ALL UINT64_MAX

/* Returns the remark of @kind on @name.  The test fails if there is none. */
static const struct state_remark *remark(enum state_remark_kind kind, const char *name)
{
    for (unsigned i = 0; i < s.remark_count && i < STATE_REMARKS; i++) {
        if (s.remarks[i].kind == kind && strcmp(s.remarks[i].name, name) == 0) {
            return &s.remarks[i];
        }
    }
    MUST(false, "no remark of kind %d on %s", (int)kind, name);
    static const struct state_remark none = {.why = ""};
    return &none;
}

static void lines_of_every_kind(void)
{
    static const char *const texts[] = {
        "PMCR_EL0=0x41023001",
        "PMCR_EL0: 0x41023001",
        "pmcr_el0 = 0x4102_3001",
        "PMCR_EL0   0x41023001   1090662401",
        "  PMCR_EL0            0x0000000041023001  \r",
        "(81) pmcr_el0 (/64): 0x0000000041023001",
        "PMCR_EL0 (/32): 0x41023001 (dirty)",
        "PMCR_EL0  41023001",
        "PMCR_EL0\t0x00000000`41023001",
        "PMCR_EL0  00000000`41023001",
        "PMCR_EL0  4102_3001",
        "PMCR_EL0,0x41023001",
        "\"PMCR_EL0\" \"0x41023001\"",
        "PMCR_EL0 -> 0x41023001",
        "[   12.345678] cpu: PMCR_EL0=0x41023001",
        "PMCR_EL0 = 0x41023001  # PMCR_EL0.N = 4, MDCR_EL2 = 6",
        "S3_3_C9_C12_0 0x41023001",
        "s3_3_c9_c12_0: 41023001",
        "{\"PMCR_EL0\": \"0x41023001\"}",
        "{\"cpu0\": {\"regs\": [{\"name\": \"PMCR_EL0\", \"value\": 1090662401}]}}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        MUST_EQ(parse(texts[i]), 1, "%s", texts[i]);
        HAS(PMCR_EL0, 0, ALL, 0x41023001, 1);
        MUST_EQ(s.remark_count, 0, "remarks on %s", texts[i]);
    }
}

static void views_lead_to_one_cell(void)
{
    MUST_EQ(parse("PMCR=0x41\nPMEVCNTR3 0x11\nHDCR: 0x86\nSDCR=0x20000\np15, 0, c9, c12, 1 = 0x8000000f\n"
                  "p15 c9 c13 0 0x1234\np15, 0, c9 = 0x500000001\nPMCEID2 0x7\nPMOVSR 0x3\n"), 9, "facts");
    HAS(PMCR_EL0, 0, UINT32_MAX, 0x41, 1);
    HAS(PMEVCNTR_EL0, 3, UINT32_MAX, 0x11, 2);
    HAS(MDCR_EL2, 0, UINT32_MAX, 0x86, 3);
    HAS(MDCR_EL3, 0, UINT32_MAX, 0x20000, 4);
    HAS(PMCNTENSET_EL0, 0, UINT32_MAX, 0x8000000F, 5);
    HAS(PMCCNTR_EL0, 0, ALL, 0x500001234, 7);
    HAS(PMCEID0_EL0, 0, APMU_BITS(63, 32), UINT64_C(0x700000000), 8);
    HAS(PMOVSSET_EL0, 0, UINT32_MAX, 3, 9);
    MUST_EQ(s.remark_count, 1, "remarks: PMCCNTR was read twice, at two times");
    const struct state_remark *r = remark(STATE_CONFLICT, "p15, 0, c9");

    MUST(r->line == 7 && r->other == 6 && r->kept == 0x1234 && r->value == 0x500000001, "lines %u and %u", r->line,
         r->other);
}

static void external_names(void)
{
    MUST_EQ(parse("PMEVCNTR3 0x1122334455667788\nPMCFGR=0x1FFF06\nPMEVTYPER2: 0x20000008\nPMEVTYPER1: 0x04000008\n"
                  "PMDEVAFF1 0x1\nPMICNTR 0x7"), 6, "facts");
    HAS(PMEVCNTR_EL0, 3, ALL, UINT64_C(0x1122334455667788), 1);
    HAS(PMCFGR, 0, ALL, 0x1FFF06, 2);
    HAS(PMEVTYPER_EL0, 2, UINT32_MAX & ~apmu_reg32_info(APMU_REG32_PMEVTYPER)->hides, 0x20000008, 3);
    HAS(PMEVTYPER_EL0, 1, UINT32_MAX, 0x04000008, 4); /* AArch32 hides M, so it is the external register */
    HAS(PMDEVAFF, 0, APMU_BITS(63, 32), UINT64_C(1) << 32, 5);
    HAS(PMICNTR_EL0, 0, ALL, 7, 6);
}

static void arm11_registers(void)
{
    MUST_EQ(parse("PMNC=0x00700001\nCCNT 0x1234\nPMNC0: 5\np15, 0, c15, c9, 0 = 1\np15 c15 c12 3 0x9\nDSCR 0x3"),
            6, "facts");
    MUST_EQ(s.arm11[APMU_ARM11_REG_PMNC].value, 0x700001, "PMNC");
    MUST_EQ(s.arm11[APMU_ARM11_REG_PMN0].value, 5, "PMN0");
    MUST_EQ(s.arm11[APMU_ARM11_REG_PMN1].value, 9, "PMN1");
    MUST_EQ(s.arm11[STATE_ARM11_SUNAVCR].value, 1, "V");
    MUST_EQ(s.arm11[STATE_ARM11_DSCR].value, 3, "DSCR");
    MUST(state_is_arm11(&s), "an ARM11");
    struct state_arm11 m;

    state_to_arm11(&s, &m);
    MUST(m.pe.user_v && m.pe.halted && !m.part_known, "V is %d", m.pe.user_v);
    MUST_EQ(apmu_arm11_why(&m.p, &m.pe, APMU_ARM11_CCNT), APMU_ARM11_WHY(HALTED), "why");
}

static void the_selected_counter(void)
{
    MUST_EQ(parse("PMXEVTYPER=0x8\nPMXEVCNTR=0x55\nPMSELR=3"), 3, "facts");
    HAS(PMEVCNTR_EL0, 3, UINT32_MAX, 0x55, 2);
    MUST_EQ(state_cell(&s, APMU_REG_PMEVTYPER_EL0, 3)->value, 8, "PMEVTYPER3");
    parse("PMXEVTYPER_EL0=0x8000000\nPMSELR_EL0=0x1f\n");
    HAS(PMCCFILTR_EL0, 0, ALL, 0x8000000, 1);
    parse("PMXEVTYPER_EL0=0x8000000\n");
    MUST(strstr(remark(STATE_UNUSED, "PMXEVTYPER")->why, "PMSELR") != NULL, "the cure");
}

static void nothing_is_guessed(void)
{
    MUST_EQ(parse("PMCR=10\nPMSELR=3\nPMCNTENSET=bad\nPMINTENSET: 0x1ffffffffffffffff\nPMOVSSET = ????\n"
                  "PMSWINC 0x1\nHDCR 0x123456789\nSCTLR_EL1 0x30d0198d\nx0 0x1 1\nsp 0x80\nPMCR is off\nTTBR0: 0x4"), 1,
            "facts");
    HAS(PMSELR_EL0, 0, UINT32_MAX, 3, 2);
    MUST(strstr(remark(STATE_BAD_VALUE, "PMCR")->why, "0x") != NULL, "the cure of an ambiguous number");
    MUST_EQ(remark(STATE_BAD_VALUE, "PMCNTENSET")->line, 3, "line");
    MUST_EQ(remark(STATE_BAD_VALUE, "PMINTENSET")->line, 4, "line");
    MUST_EQ(remark(STATE_BAD_VALUE, "PMOVSSET")->line, 5, "line");
    MUST_EQ(remark(STATE_UNUSED, "PMSWINC")->line, 6, "line");
    MUST_EQ(remark(STATE_BAD_VALUE, "HDCR")->line, 7, "line");
    MUST_EQ(remark(STATE_UNKNOWN_NAME, "SCTLR_EL1")->line, 8, "line");
    MUST_EQ(remark(STATE_UNKNOWN_NAME, "TTBR0")->line, 12, "line");
    MUST_EQ(s.remark_count, 8, "remarks");
}

/* Without 0x, eight or sixteen digits are hexadecimal.  Separators are no digits. */
static void separators_are_no_digits(void)
{
    MUST_EQ(parse("PMCR=1234_567\nPMSELR=12_45_78\nPMCNTENSET=a_b\nPMINTENSET=0000_0000_0000_000b"), 1, "facts");
    MUST(strstr(remark(STATE_BAD_VALUE, "PMCR")->why, "0x") != NULL, "the cure of an ambiguous number");
    MUST(strstr(remark(STATE_BAD_VALUE, "PMSELR")->why, "0x") != NULL, "the cure of an ambiguous number");
    MUST_EQ(remark(STATE_BAD_VALUE, "PMCNTENSET")->line, 3, "line");
    HAS(PMINTENSET_EL1, 0, UINT32_MAX, 0xB, 4);
}

static void conflicts_name_both_lines(void)
{
    MUST_EQ(parse("PMCR_EL0=0x41023001\n\nPMCR=0x41023000\nPMCNTENSET=0x1\nPMCNTENCLR=0x1\n"), 4, "facts");
    const struct state_remark *r = remark(STATE_CONFLICT, "PMCR");

    MUST(r->line == 3 && r->other == 1, "lines %u and %u", r->line, r->other);
    HAS(PMCR_EL0, 0, ALL, 0x41023001, 1);
    MUST_EQ(s.remark_count, 1, "remarks");
}

static void nonsense(void)
{
    static const char text[] = "Dear Sir or Madam,\n\twe regret that PMCR and PMCNTENSET are 12 (twelve) leagues off.\n"
                               "0x12345678 0xdeadbeef = zero\n\001\002\377{\n";
    MUST_EQ(parse(text), 0, "facts");
    MUST_EQ(parse(""), 0, "facts");
    MUST_EQ(parse("{\"PMCR_EL0\": "), 0, "facts");
    MUST_EQ(s.remark_count, 2, "remarks");
    MUST_EQ(s.remarks[1].kind, STATE_BAD_FORMAT, "kind");
    MUST_EQ(parse("{\"PMCR_EL0\": 1, \"PMCR_EL0\": 2}"), 2, "facts: not JSON, but lines"); /* and in conflict */
    MUST_EQ(parse("{\"PMCR_EL0\": [1], \"PMSELR_EL0\": \"12\", \"PMUSERENR_EL0\": true, \"TTBR0\": 3}"), 0, "facts");
    MUST_EQ(s.remark_count, 3, "remarks");
}

static void integers_of_json_have_64_bits(void)
{
    static const char text[] =
        "{\"PMEVCNTR0_EL0\": 9223372036854775807,\n\"PMEVCNTR1_EL0\": 9223372036854775808,\n"
        "\"PMEVCNTR2_EL0\": 18446744073709551615,\n\"PMEVCNTR3_EL0\" :\n 0, "
        "\"PMEVCNTR4_EL0\": \"0xffffffffffffffff\",\n"
        "\"others\": [18446744073709551616, -1, 1e999, \"]\"],\n"
        "\"PMCCNTR_EL0\": 18446744073709551616, \"PMCR_EL0\": -1, \"PMSELR_EL0\": 1.0,\n\"PMUSERENR_EL0\": 1e0,\n"
        "\"MDCR_EL2\": -0, \"MDCR_EL3\": 100000000000000000000000000000000, \"\\\"\\u0001\": \"\\\"\"}\n";

    MUST_EQ(parse(text), 5, "facts");
    HAS(PMEVCNTR_EL0, 0, ALL, INT64_MAX, 1);
    HAS(PMEVCNTR_EL0, 1, ALL, UINT64_C(1) << 63, 2);
    HAS(PMEVCNTR_EL0, 2, ALL, UINT64_MAX, 3);
    HAS(PMEVCNTR_EL0, 3, ALL, 0, 5);
    HAS(PMEVCNTR_EL0, 4, ALL, UINT64_MAX, 5);
    MUST(strstr(remark(STATE_BAD_VALUE, "PMCCNTR_EL0")->why, "more than 64 bits") != NULL, "2^64");
    MUST(strstr(remark(STATE_BAD_VALUE, "PMCR_EL0")->why, "negative; give") != NULL, "-1");
    MUST(strstr(remark(STATE_BAD_VALUE, "PMSELR_EL0")->why, "not an integer; give") != NULL, "1.0");
    MUST_EQ(remark(STATE_BAD_VALUE, "PMSELR_EL0")->line, 7, "line");
    MUST(strstr(remark(STATE_BAD_VALUE, "PMUSERENR_EL0")->why, "not an integer; give") != NULL, "1e0");
    MUST_EQ(remark(STATE_BAD_VALUE, "PMUSERENR_EL0")->line, 8, "line");
    MUST(strstr(remark(STATE_BAD_VALUE, "MDCR_EL2")->why, "negative; give") != NULL, "-0");
    MUST(strstr(remark(STATE_BAD_VALUE, "MDCR_EL3")->why, "more than 64 bits") != NULL, "10^32");
    MUST_EQ(parse("[{\"name\": \"PMCR_EL0\", \"value\": 18446744073709551615}, {\"name\": 5, \"value\": 6}]"), 1,
            "facts");
    HAS(PMCR_EL0, 0, ALL, UINT64_MAX, 1);
    /* A text that is not JSON is still not JSON after it is prepared for jansson.  It is read as lines. */
    MUST_EQ(parse("{\"PMCR_EL0\": 0x41023001}"), 1, "facts of a line");
    MUST_EQ(parse("{\"PMCR_EL0\": 01, \"PMSELR_EL0\": 1"), 1, "facts of a line");
}

static void json_of_any_depth(void)
{
    enum { DEPTH = 1000 };
    static char text[6 * DEPTH + 64];
    size_t length = 0;

    for (unsigned i = 0; i < DEPTH; i++) {
        length += (size_t)sprintf(text + length, "{\"x\":");
    }
    length += (size_t)sprintf(text + length, "{\"PMCR_EL0\":1}");
    memset(text + length, '}', DEPTH);
    text[length + DEPTH] = '\0';
    MUST_EQ(parse(text), 1, "facts");
}

/* The PMU frame of a Cortex-A72 at 0xfd5f9000, as U-Boot prints it. */
static const char uboot[] =
    "=> md fd5f9000 4\nfd5f9000: 00000011 00000000 00000022 00000000    ....\"...........\n"
    "fd5f90f8: 89abcdef 01234567 00000000 00000000    .....gE#........\n"
    "fd5f9400: 00000008 00000011\nfd5f947c: 08000000\n"
    "fd5f9c00: 80000003 00000000 00000000 00000000\n"
    "fd5f9e00: 00017f06 41023001 00000000 00000000    .....0.A........\n"
    "fd5f9fbc: 47702a16\n";

static void memory_of_the_32_bit_layout(void)
{
    MUST_EQ(parse_frame(uboot, 0xFD5F9000), 17, "facts");
    HAS(PMEVCNTR_EL0, 0, ALL, 0x11, 2);
    HAS(PMEVCNTR_EL0, 1, ALL, 0x22, 2);
    HAS(PMCCNTR_EL0, 0, ALL, UINT64_C(0x0123456789ABCDEF), 3);
    HAS(PMEVTYPER_EL0, 1, UINT32_MAX, 0x11, 4);
    HAS(PMCCFILTR_EL0, 0, UINT32_MAX, 0x08000000, 5);
    HAS(PMCNTENSET_EL0, 0, ALL, 0x80000003, 6);
    HAS(PMCR_EL0, 0, UINT32_MAX, 0x41023001, 7);
    HAS(PMCFGR, 0, UINT32_MAX, 0x17F06, 7);
    MUST_EQ(s.remark_count, 0, "remarks");
    struct state_model m;

    state_to_model(&s, &m);
    MUST((m.cfg.features & APMU_FEAT(PMUv3_ICNTR)) == 0, "a zero in place of PMICNTR is not an instruction counter");
    MUST((m.cfg.features & APMU_FEAT(PMUv3_EXT32)) != 0 && m.cfg.counters == 6, "%u counters", m.cfg.counters);
}

static void memory_of_the_64_bit_layout(void)
{
    MUST_EQ(parse_frame("0x80000e00 <pmu>:\t0x00017f06\t0x00000000\n0x80000e10:\t0x41023001\n"
                        "0x800004f8: 08000000 00000000\n0x80000fbc: 47702a26", 0x80000000), 6, "facts");
    HAS(PMCR_EL0, 0, UINT32_MAX, 0x41023001, 2);
    HAS(PMCCFILTR_EL0, 0, ALL, 0x08000000, 3);
}

static void other_dumps(void)
{
    MUST_EQ(parse_frame("ANSD:FD5F9E00|>00017F06 41023001\nSD:00000000FD5F9FBC| 47702A16\n", 0xFD5F9000), 3, "Trace32");
    HAS(PMCR_EL0, 0, UINT32_MAX, 0x41023001, 1);
    MUST_EQ(parse_frame("fd5f9e00: 4102300100017f06\nfd5f9fb8: 47702a1600000000", 0xFD5F9000), 4, "md.q");
    HAS(PMCR_EL0, 0, UINT32_MAX, 0x41023001, 1);
    MUST_EQ(parse_frame("fd5f9e04: 01 30 02 41\nfd5f9fbc: 16 2a 70 47    .*pG", 0xFD5F9000), 2, "md.b");
    HAS(PMCR_EL0, 0, UINT32_MAX, 0x41023001, 1);
}

static void memory_that_says_nothing(void)
{
    MUST_EQ(parse(uboot), 0, "facts");
    MUST(strstr(remark(STATE_UNUSED, "memory")->why, "--base") != NULL, "the cure");
    MUST_EQ(parse_frame("fd5f9e04: 41023001\nfd5f9c00: 1", 0xFD5F9000), 0, "facts");
    MUST(strstr(remark(STATE_UNUSED, "memory")->why, "PMDEVARCH") != NULL, "the cure");
    MUST_EQ(parse_frame("fd5f9e04: 41023001\nfd5f9c00: 80000000\n", 0xFD5F9000), 1, "PMCNTENSET is the same in both");
    MUST_EQ(parse_frame("fd5f9c00: 80000000\nfd5f9c00: 80000001\nfd5fa000: 0", 0xFD5F9000), 1, "facts");
    MUST_EQ(remark(STATE_CONFLICT, "0xC00")->other, 1, "line");
    MUST_EQ(parse_frame("fd5f9c00: 00000000\nfd5f9e00: 00000000", 0xFD5F9000), 0, "facts where PMCFGR is 0");
    MUST(strstr(remark(STATE_UNUSED, "memory")->why, "so no PMU is seen") != NULL, "the cure");
    MUST_EQ(parse_frame("fd5f9e00: 00000000 0\nfd5f9fbc: 47702a16", 0xFD5F9000), 0, "facts of a PMU that is locked");
    MUST(strstr(remark(STATE_UNUSED, "memory")->why, "OS Lock") != NULL, "the cure");
}

static void the_core_adds(void)
{
    parse("MIDR_EL1=0x410fd083\nPMCR_EL0=0x41023001");
    MUST(s.core != NULL && strcmp(s.core->name, "Cortex-A72") == 0, "the core");
    uint64_t version;

    MUST(STATE_FIELD(&s, ID_AA64DFR0_EL1, 0, PMUVer, &version) && version == 1, "PMUVer");
    MUST_EQ(state_cell(&s, APMU_REG_ID_AA64DFR0_EL1, 0)->line, STATE_LINE_CORE, "line");
    char buf[128];

    state_origin(&s, state_cell(&s, APMU_REG_ID_AA64DFR0_EL1, 0), buf);
    MUST(strcmp(buf, "the list of cores (Cortex-A72)") == 0, "%s", buf);
    MUST(strcmp(state_origin(&s, state_cell(&s, APMU_REG_PMCR_EL0, 0), buf), "test:2") == 0, "%s", buf);
    struct state_model m;

    state_to_model(&s, &m);
    MUST(m.counters_known && m.cfg.counters == 6, "%u counters", m.cfg.counters);
    MUST(m.contradiction == NULL, "%s", m.contradiction);
}

/* Checks that every name and encoding of a register leads to that register, and is spelled the same. */
static void every_name_leads_home(void)
{
    char name[24], text[64], where[64];

    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        const struct apmu_reg_info *info = apmu_reg_info((enum apmu_reg)r);

        for (unsigned n = 0; n < info->copies; n++) {
            struct names_place by_name, by_where;

            apmu_reg_name((enum apmu_reg)r, n, name);
            MUST(names_by_name(name, strlen(name), &by_name) && by_name.reg == r && by_name.n == n, "%s", name);
            MUST(strcmp(names_spell(&by_name, text), name) == 0, "%s is spelled %s", name, text);
            names_where(&by_name, where);
            if (info->key != 0) {
                MUST(names_by_generic(where, strlen(where), &by_where) && by_where.reg == r && by_where.n == n, "%s",
                     where);
            }
        }
    }
    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        for (unsigned n = 0; n < apmu_reg_info(apmu_reg32_info((enum apmu_reg32)r)->of)->copies; n++) {
            struct names_place by_name, by_where;

            apmu_reg32_name((enum apmu_reg32)r, n, name);
            MUST(names_by_name(name, strlen(name), &by_name) && by_name.view == NAMES_A32, "%s", name);
            MUST(strcmp(names_spell(&by_name, text), name) == 0, "%s is spelled %s", name, text);
            names_where(&by_name, where);
            const size_t used = names_by_operands(where, strlen(where), &by_where);

            MUST(used > 0 && by_where.reg == by_name.reg && by_where.n == n && by_where.mask == by_name.mask, "%s",
                 where);
        }
    }
}

int main(void)
{
    RUN(lines_of_every_kind);
    RUN(views_lead_to_one_cell);
    RUN(external_names);
    RUN(arm11_registers);
    RUN(the_selected_counter);
    RUN(nothing_is_guessed);
    RUN(separators_are_no_digits);
    RUN(conflicts_name_both_lines);
    RUN(nonsense);
    RUN(integers_of_json_have_64_bits);
    RUN(json_of_any_depth);
    RUN(memory_of_the_32_bit_layout);
    RUN(memory_of_the_64_bit_layout);
    RUN(other_dumps);
    RUN(memory_that_says_nothing);
    RUN(the_core_adds);
    RUN(every_name_leads_home);
    return tap_status;
}
