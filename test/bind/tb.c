/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference model for test benches: accesses, words, coverage, stimulus. */
#include <stdlib.h>
#include <string.h>

#include <armpmu/model.h>

#include "../../bind/tb/tb.h"
#include "../lib/tap.h"

static const char plain_config[] = "features=PMUv3p7,AA64EL0,AA64EL1,AA64EL2,AA64EL3,Debugv8p4,PMUv3_EXT32 counters=4";
/* Has all that can stop a counter. */
static const char full_config[] =
    "features=PMUv3p9,PMUv3_ICNTR,PMUv3_SS,SEBEP,AA64EL0,AA64EL1,AA64EL2,AA64EL3,AA32EL0,SEL2,RME,SPE_DPFZS,SPE_EXC,"
    "PMUv3_SME,HPMN0,PMUv3_EXT64,PMUv3_EXTPMN,PMUv3_TH2,Debugv8p9 thwidth=12 counters=6 sync_event=8 "
    "sync_event_count=1";

enum { INST_RETIRED = 0x08, LINES = 4 };

static struct apmu_tb *create(const char *config)
{
    static const int events[LINES] = {INST_RETIRED, 0x10, 0x24, 0x00};
    struct apmu_tb *tb = apmu_tb_create(config);

    MUST(tb != NULL && apmu_tb_fault(tb)[0] == '\0', "%s", tb == NULL ? "no memory" : apmu_tb_fault(tb));
    for (int line = 0; line < LINES; line++) {
        apmu_tb_line(tb, line, events[line]);
    }
    return tb;
}

static void set(struct apmu_tb *tb, const char *name, uint64_t value)
{
    MUST(apmu_tb_pe_find(name) >= 0, "no state %s", name);
    apmu_tb_pe_set(tb, apmu_tb_pe_find(name), value);
}

static int msr(struct apmu_tb *tb, const char *name, uint64_t value)
{
    const int address = apmu_tb_find(tb, APMU_TB_A64, name);

    MUST(address >= 0, "no register %s", name);
    return apmu_tb_write(tb, APMU_TB_A64, address, 0, value);
}

static void wrong_configurations_are_named(void)
{
    static const struct {
        const char *config, *fault;
    } cases[] = {
        {"counter=4", "configuration: counter: there is no such setting; did you mean counters?"},
        {"feature=PMUv3", "configuration: feature: there is no such setting; did you mean features?"},
        {"view=a64", "configuration: view: there is no such setting; did you mean views?"},
        {"zeal=4", "configuration: zeal: there is no such setting; tb.h and bind/tb/settings.def list them"},
        {"divider=mine", "divider: mine: it is model or any"},
        {"beyond=trap", "beyond: trap: it is any, undefined or razwi"},
        {"leave_out=PMFOO", "leave_out: PMFOO: there is no such register"},
        {"counters=four", "counters: four: it is no number"},
        {"occurrences=0", "occurrences: 0: it is not 1 to 255"},
        {"counters=256", "counters: 256: it is too large"},
        {"counters", "configuration: counters: it is not NAME=VALUE"},
        {"features=PMUv4", "features: PMUv4: there is no such feature"},
        {"features=PMUv3,AA64EL1 hold=el4", "hold: el4: there is no such state"},
        {"features=PMUv3,AA64EL1 views=jtag", "views: jtag: the views are"},
        {"features=PMUv3,AA64EL1 views=ext", "views: none of them: the unit lacks"},
        {"features=PMUv3p5 counters=6", "views: there is none: the features name no Exception level"},
        {"features=PMUv3,AA64EL1 counters=32", "configuration: refused:"},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct apmu_tb *tb = apmu_tb_create(cases[i].config);
        MUST(strncmp(apmu_tb_fault(tb), cases[i].fault, strlen(cases[i].fault)) == 0, "%s gives \"%s\"",
             cases[i].config, apmu_tb_fault(tb));
        apmu_tb_destroy(tb);
    }
}

static void numbers_of_options_are_read(void)
{
    MUST(apmu_tb_number("100000") == 100000 && apmu_tb_number("0x1F") == 31, "a number is not read");
    MUST(apmu_tb_number("010") == 10, "a leading 0 makes it octal");
    MUST(apmu_tb_number("") == -1 && apmu_tb_number("1x") == -1 && apmu_tb_number("-1") == -1 &&
         apmu_tb_number("9223372036854775808") == -1, "what is none is read");
}

static void registers_are_found_in_each_view(void)
{
    struct apmu_tb *tb = create(full_config);

    MUST_EQ((unsigned)apmu_tb_find(tb, APMU_TB_A64, "PMEVCNTR5_EL0"), APMU_A64_KEY(3, 3, 14, 8, 5), "A64");
    MUST_EQ((unsigned)apmu_tb_find(tb, APMU_TB_A32, "PMEVCNTR5"), APMU_A32_KEY(0, 14, 8, 5), "A32");
    MUST_EQ((unsigned)apmu_tb_find(tb, APMU_TB_EXT, "PMEVCNTR5"), 0x028, "offset");
    MUST_EQ((unsigned)apmu_tb_find(tb, APMU_TB_EXT, "PMCR"), 0xE10, "offset with FEAT_PMUv3_EXT64");
    MUST_EQ((unsigned)apmu_tb_find(tb, APMU_TB_EXT, "pmcr_el0"), 0xE10, "Arm's name of another view, in small letters");
    MUST_EQ((unsigned)apmu_tb_find(tb, APMU_TB_EXT, "PMEVCNTR5_EL0"), 0x028, "the same of a bank");
    MUST_EQ((unsigned)apmu_tb_find(tb, APMU_TB_A64, "PMEVCNTR5"), APMU_A64_KEY(3, 3, 14, 8, 5), "without _EL0");
    MUST_EQ((unsigned)apmu_tb_find(tb, APMU_TB_A64, "pmintenset"), APMU_A64_KEY(3, 0, 9, 14, 1), "without _EL1");
    MUST_EQ((unsigned)apmu_tb_find(tb, APMU_TB_A32, "PMEVCNTR5_EL0"), APMU_A32_KEY(0, 14, 8, 5), "A32 with _EL0");
    MUST(apmu_tb_find(tb, APMU_TB_A64, "MDCR_EL2") == -1, "MDCR_EL2 is a state, not a register of the PMU");
    MUST(apmu_tb_find(tb, APMU_TB_EXT, "PMEVCNTR31") == -1, "a copy too many");
    set(tb, "el", 3);
    msr(tb, "PMEVCNTR5_EL0", 0x123456789ABC);
    MUST(apmu_tb_read(tb, APMU_TB_EXT, 0x028, APMU_TB_ATTRIBUTES(8, 2, 0)) == APMU_ACCESS_OK, "%s",
         apmu_tb_control(tb));
    MUST_EQ(apmu_tb_value(tb), 0x123456789ABC, "both views show one register");
    apmu_tb_destroy(tb);
}

static void a_refusal_says_what_decides(void)
{
    struct apmu_tb *tb = create(plain_config);

    set(tb, "el", 1);
    set(tb, "SCR_EL3", APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW));
    set(tb, "mdcr_el2", APMU_MASK(MDCR_EL2, TPM));
    MUST(msr(tb, "PMCR_EL0", 1) == APMU_ACCESS_TRAP, "it does not trap");
    MUST(strcmp(apmu_tb_control(tb), "MDCR_EL2.TPM") == 0, "%s", apmu_tb_control(tb));
    MUST_EQ(apmu_tb_syndrome(tb) >> 32, 2, "EL");
    MUST_EQ(apmu_tb_syndrome(tb) >> 26 & 63, 0x18, "EC");
    MUST_EQ(apmu_tb_stored(tb, apmu_tb_slot("PMCR_EL0")) & 1, 0, "PMCR_EL0.E");
    apmu_tb_check(tb, APMU_ACCESS_OK, 0, 0);
    MUST(strcmp(apmu_tb_mismatch(tb, 0), "MSR PMCR_EL0, 0x1 at EL1 is performed and must be so that it traps: "
                "MDCR_EL2.TPM") == 0, "%s", apmu_tb_mismatch(tb, 0));
    apmu_tb_destroy(tb);
}

/* Makes a unit in which HPMD stops counter 2 at EL2, lets two events occur, and copies its state to a design's. */
static struct apmu_tb *stopped_at_el2(uint32_t *state, uint32_t *present)
{
    struct apmu_tb *tb = create(plain_config);
    const uint32_t counts[APMU_TB_LINE_WORDS] = {1};

    set(tb, "el", 2);
    set(tb, "SCR_EL3", APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW));
    set(tb, "MDCR_EL2", APMU_PUT(MDCR_EL2, HPMN, 4) | APMU_MASK(MDCR_EL2, HPMD));
    msr(tb, "PMEVTYPER2_EL0", INST_RETIRED | APMU_MASK(PMEVTYPER_EL0, NSH));
    msr(tb, "PMCNTENSET_EL0", 4);
    msr(tb, "PMCR_EL0", 1);
    apmu_tb_step(tb, 2, counts);
    memset(present, 0xFF, 4 * APMU_TB_PRESENT_WORDS);
    for (int slot = 0; slot < APMU_TB_SLOTS; slot++) {
        state[2 * slot] = (uint32_t)apmu_tb_stored(tb, slot);
        state[2 * slot + 1] = (uint32_t)(apmu_tb_stored(tb, slot) >> 32);
    }
    return tb;
}

static void differences_are_told_in_words(void)
{
    uint32_t state[APMU_TB_SLOT_WORDS], present[APMU_TB_PRESENT_WORDS];
    struct apmu_tb *tb = stopped_at_el2(state, present);
    const int control = apmu_tb_slot("PMCR_EL0"), flags = apmu_tb_slot("PMOVSCLR_EL0");
    static const char *const words[] = {
        "PMEVCNTR2_EL0 is 1 ahead: MDCR_EL2.HPMD stops it at EL2",
        "PMCR_EL0.LP is 0x1 and must be 0x0: first range overflows from: 0 bit 31, 1 bit 63",
        "PMCR_EL0.D is 0x1 and must be 0x0: it is reserved without FEAT_AA32",
    };

    MUST(apmu_tb_compare(tb, state, present) == 0, "%s", apmu_tb_mismatch(tb, 0));
    state[2 * 2]++;
    state[2 * control] |= APMU_MASK(PMCR_EL0, LP) | APMU_MASK(PMCR_EL0, D);
    MUST(flags == -1 && apmu_tb_slot("PMOVSSET_EL0") >= 0, "the set registers name the slots");
    MUST(strcmp(apmu_tb_slot_name(tb, flags), "") == 0 &&
         strcmp(apmu_tb_slot_name(tb, control), "PMCR_EL0") == 0 &&
         strcmp(apmu_tb_slot_name(tb, 2), "PMEVCNTR2_EL0") == 0, "slots have other names");
    MUST(apmu_tb_compare(tb, state, present) == 2, "%d slots", apmu_tb_mismatches(tb));
    for (int i = 0; i < 3; i++) {
        MUST(strncmp(apmu_tb_mismatch(tb, i), words[i], strlen(words[i])) == 0, "%s", apmu_tb_mismatch(tb, i));
    }
    apmu_tb_forget(tb);
    present[0] &= ~4u;
    present[control / 32] &= ~(1u << control % 32);
    MUST(apmu_tb_compare(tb, state, present) == 0, "absent slots are compared");
    MUST(strstr(apmu_tb_why_text(tb, 2), "MDCR_EL2.HPMD is 1") != NULL, "%s", apmu_tb_why_text(tb, 2));
    apmu_tb_destroy(tb);
}

/* Copies the state of the unit to a design's. */
static void copy_state(const struct apmu_tb *tb, uint32_t *state, uint32_t *present)
{
    memset(present, 0xFF, 4 * APMU_TB_PRESENT_WORDS);
    for (int slot = 0; slot < APMU_TB_SLOTS; slot++) {
        state[2 * slot] = (uint32_t)apmu_tb_stored(tb, slot);
        state[2 * slot + 1] = (uint32_t)(apmu_tb_stored(tb, slot) >> 32);
    }
}

static const char small_config[] = "features=PMUv3,AA64EL0,AA64EL1,AA32EL0 counters=4";

/* Makes a unit at EL1 whose counter 0 counts INST_RETIRED and counter 1 @event with the bits @filter. */
static struct apmu_tb *small_unit(const char *config, unsigned event, uint64_t filter)
{
    struct apmu_tb *tb = create(config);

    set(tb, "el", 1);
    msr(tb, "PMEVTYPER0_EL0", INST_RETIRED);
    msr(tb, "PMEVTYPER1_EL0", event | filter);
    msr(tb, "PMCNTENSET_EL0", 3 | UINT64_C(1) << 31);
    msr(tb, "PMCR_EL0", 1);
    return tb;
}

/* Adds one to PMEVCNTR1_EL0 of the design, and compares the sentence. */
static void must_say_ahead(struct apmu_tb *tb, const char *sentence)
{
    uint32_t state[APMU_TB_SLOT_WORDS], present[APMU_TB_PRESENT_WORDS];

    copy_state(tb, state, present);
    state[2]++;
    apmu_tb_forget(tb);
    MUST(apmu_tb_compare(tb, state, present) == 1, "%d slots", apmu_tb_mismatches(tb));
    MUST(strcmp(apmu_tb_mismatch(tb, 0), sentence) == 0, "%s", apmu_tb_mismatch(tb, 0));
}

static void chain_and_software_increments_have_causes(void)
{
    const uint64_t p = APMU_MASK(PMEVTYPER_EL0, P);
    const uint32_t one[APMU_TB_LINE_WORDS] = {1}, none[APMU_TB_LINE_WORDS] = {0};
    struct apmu_tb *tb = small_unit(small_config, APMU_EV_CHAIN, p);

    msr(tb, "PMEVCNTR0_EL0", UINT32_MAX);
    apmu_tb_step(tb, 1, one);
    must_say_ahead(tb, "PMEVCNTR1_EL0 is 1 ahead: PMEVTYPER1_EL0.P stops it at EL1");
    apmu_tb_step(tb, 1, one);
    must_say_ahead(tb, "PMEVCNTR1_EL0 is 1 ahead: PMEVCNTR0_EL0 did not overflow, and PMEVTYPER1_EL0.P stops it at "
                   "EL1");
    msr(tb, "PMEVTYPER1_EL0", APMU_EV_SW_INCR | p);
    must_say_ahead(tb, "PMEVCNTR1_EL0 is 1 ahead: no event occurs in this action");
    msr(tb, "PMSWINC_EL0", 2);
    must_say_ahead(tb, "PMEVCNTR1_EL0 is 1 ahead: PMEVTYPER1_EL0.P stops it at EL1");
    msr(tb, "PMEVTYPER1_EL0", APMU_EV_SW_INCR);
    msr(tb, "PMSWINC_EL0", 1);
    must_say_ahead(tb, "PMEVCNTR1_EL0 is 1 ahead: PMSWINC_EL0 does not increment it");
    set(tb, "halted", 1);
    msr(tb, "PMSWINC_EL0", 2);
    must_say_ahead(tb, "PMEVCNTR1_EL0 is 1 ahead: Debug state stops it");
    set(tb, "halted", 0);
    msr(tb, "PMEVTYPER1_EL0", INST_RETIRED);
    apmu_tb_step(tb, 1, none);
    must_say_ahead(tb, "PMEVCNTR1_EL0 is 1 ahead: its event did not occur");
    apmu_tb_destroy(tb);
}

static void a_read_says_what_was_not_to_be_counted(void)
{
    const uint32_t one[APMU_TB_LINE_WORDS] = {1};
    struct apmu_tb *tb = small_unit(small_config, INST_RETIRED, APMU_MASK(PMEVTYPER_EL0, P));
    const int counter = apmu_tb_find(tb, APMU_TB_A64, "PMEVCNTR1_EL0");

    apmu_tb_step(tb, 5, one);
    set(tb, "halted", 0);
    apmu_tb_read(tb, APMU_TB_A64, counter, 0);
    MUST(apmu_tb_check(tb, APMU_ACCESS_OK, 0, 3) == 1, "it does not differ");
    MUST(strcmp(apmu_tb_mismatch(tb, 0), "MRS PMEVCNTR1_EL0 at EL1 reads 0x3 and must read 0x0: it is 3 ahead; of its "
                "event 5 do not count: PMEVTYPER1_EL0.P stops it at EL1") == 0, "%s", apmu_tb_mismatch(tb, 0));
    apmu_tb_destroy(tb);
}

/* Lets steps of @cycles cycles pass in which a design divides by @by from @phase on.  Returns the mismatches. */
static int divided(const char *config, unsigned phase, unsigned by, unsigned cycles)
{
    const uint32_t none[APMU_TB_LINE_WORDS] = {0};
    uint32_t state[APMU_TB_SLOT_WORDS], present[APMU_TB_PRESENT_WORDS];
    struct apmu_tb *tb = small_unit(config, INST_RETIRED, 0);
    uint64_t count = 0;

    msr(tb, "PMCR_EL0", 1 | APMU_MASK(PMCR_EL0, D));
    for (unsigned i = 0; i < 100; i++) {
        apmu_tb_step(tb, cycles, none);
        count += (phase + cycles) / by;
        phase = (phase + cycles) % by;
        copy_state(tb, state, present);
        state[2 * APMU_CYCLE] = (uint32_t)count;
        apmu_tb_compare(tb, state, present);
    }
    const int mismatches = apmu_tb_mismatches(tb);
    apmu_tb_destroy(tb);
    return mismatches;
}

static void the_phase_of_the_divider_may_be_the_designs(void)
{
    char any[128];

    snprintf(any, sizeof any, "%s divider=any", small_config);
    MUST(divided(small_config, 0, 64, 7) == 0, "the model's own phase");
    MUST(divided(small_config, 30, 64, 7) > 0, "another phase passes without divider=any");
    for (unsigned phase = 0; phase < 64; phase++) {
        MUST(divided(any, phase, 64, 7) == 0, "phase %u", phase);
    }
    MUST(divided(any, 0, 63, 7) > 0 && divided(any, 0, 65, 7) > 0, "a divider by 63 or 65 passes");
    MUST(divided(any, 0, 1, 1) > 0 && divided(any, 0, 100000, 1) > 0, "a divider by 1, or that never ticks, passes");
}

/* Returns how apmu_tb_check() takes an answer to an access to PMEVCNTR4_EL0, which four counters do not have. */
static int beyond(const char *setting, bool write, int outcome, uint64_t value)
{
    char config[160];

    snprintf(config, sizeof config, "%s %s", small_config, setting);
    struct apmu_tb *tb = small_unit(config, INST_RETIRED, 0);
    const int address = apmu_tb_find(tb, APMU_TB_A64, "PMEVCNTR4_EL0");
    const int model = write ? apmu_tb_write(tb, APMU_TB_A64, address, 0, 5) : apmu_tb_read(tb, APMU_TB_A64, address, 0);
    const int differs = apmu_tb_check(tb, outcome, UINT64_C(1) << 32, value);

    MUST(model == APMU_ACCESS_UNPREDICTABLE, "%d", model);
    MUST(differs == 0 || strstr(apmu_tb_mismatch(tb, 0), "(CONSTRAINED UNPREDICTABLE: n >= PMCR_EL0.N)") != NULL, "%s",
         apmu_tb_mismatch(tb, 0));
    apmu_tb_destroy(tb);
    return differs;
}

static void counters_beyond_the_last_are_open(void)
{
    MUST(beyond("", false, APMU_ACCESS_UNDEFINED, 0) == 0 && beyond("", false, APMU_ACCESS_RAZ, 0) == 0 &&
         beyond("", true, APMU_ACCESS_WI, 0) == 0 && beyond("", true, APMU_ACCESS_OK, 0) == 0, "it is not open");
    MUST(beyond("", false, APMU_ACCESS_TRAP, 0) == 1 && beyond("", true, APMU_ACCESS_ERROR, 0) == 1, "all is open");
    MUST(beyond("beyond=undefined", false, APMU_ACCESS_UNDEFINED, 0) == 0 &&
         beyond("beyond=undefined", false, APMU_ACCESS_RAZ, 0) == 1, "beyond=undefined");
    MUST(beyond("beyond=razwi", false, APMU_ACCESS_OK, 0) == 0 &&
         beyond("beyond=razwi", false, APMU_ACCESS_OK, 1) == 1 &&
         beyond("beyond=razwi", true, APMU_ACCESS_UNDEFINED, 0) == 1, "beyond=razwi");
}

/* Below EL2, MDCR_EL2.HPMN makes PMEVCNTR2_EL0 one beyond the last, and the design may trap to EL2 as well. */
static void a_counter_of_el2_may_trap(void)
{
    struct apmu_tb *tb = create("features=PMUv3,AA64EL0,AA64EL1,AA64EL2 counters=4");
    const int address = apmu_tb_find(tb, APMU_TB_A64, "PMEVCNTR2_EL0");
    struct apmu_tb *fgt = create("features=PMUv3,FGT,AA64EL0,AA64EL1,AA64EL2,AA64EL3 counters=4");

    for (int i = 0; i < 2; i++) {
        struct apmu_tb *at = i == 0 ? tb : fgt;
        set(at, "el", 1);
        set(at, "SCR_EL3", APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW));
        set(at, "MDCR_EL2", APMU_PUT(MDCR_EL2, HPMN, 2));
        apmu_tb_read(at, APMU_TB_A64, address, 0);
    }
    MUST(apmu_tb_syndrome(fgt) >> 32 == 2, "with FEAT_FGT it does not trap");
    MUST(apmu_tb_check(tb, APMU_ACCESS_TRAP, apmu_tb_syndrome(fgt), 0) == 0, "%s", apmu_tb_mismatch(tb, 0));
    MUST(apmu_tb_check(tb, APMU_ACCESS_TRAP, apmu_tb_syndrome(fgt) ^ 1, 0) == 1, "another syndrome passes");
    apmu_tb_destroy(fgt);
    apmu_tb_destroy(tb);
}

static void a_write_may_reach_any_counter(void)
{
    uint32_t state[APMU_TB_SLOT_WORDS], present[APMU_TB_PRESENT_WORDS];
    struct apmu_tb *tb = small_unit(small_config, INST_RETIRED, 0);

    for (int i = 0; i < 2; i++) {
        msr(tb, "PMSELR_EL0", 7);
        msr(tb, "PMXEVCNTR_EL0", 0x1234);
        MUST(apmu_tb_check(tb, APMU_ACCESS_OK, 0, 0) == 0, "%s", apmu_tb_mismatch(tb, 0));
        copy_state(tb, state, present);
        state[2 * 3] = i == 0 ? 0x1234 : 0x1235;
        MUST(apmu_tb_compare(tb, state, present) == i, "%d: %s", i, apmu_tb_mismatch(tb, 0));
        MUST_EQ(apmu_tb_stored(tb, 3), 0x1234, "PMEVCNTR3_EL0 of the model");
    }
    apmu_tb_destroy(tb);
}

static void signals_are_told_in_words(void)
{
    struct apmu_tb *tb = create(plain_config);

    MUST(apmu_tb_check_signals(tb, apmu_tb_signals(tb), ~0u) == 0, "they differ");
    MUST(apmu_tb_check_signals(tb, 1, 1) == 1, "they do not differ");
    MUST(strcmp(apmu_tb_mismatch(tb, 0), "PMUIRQ is 1 and must be 0: no overflow flag is set") == 0, "%s",
         apmu_tb_mismatch(tb, 0));
    apmu_tb_destroy(tb);
}

static void a_saved_state_is_restored(void)
{
    struct apmu_tb *tb = create(full_config);
    char first[64], again[64];

    for (int i = 0; i < 500; i++) {
        apmu_tb_next(tb);
        apmu_tb_perform(tb);
    }
    struct apmu_tb *saved = apmu_tb_save(tb);
    for (int i = 0; i < 200; i++) {
        apmu_tb_next(tb);
        apmu_tb_perform(tb);
    }
    apmu_tb_next(tb);
    snprintf(first, sizeof first, "%.63s", apmu_tb_next_text(tb));
    apmu_tb_restore(tb, saved);
    for (int i = 0; i < 200; i++) {
        apmu_tb_next(tb);
        apmu_tb_perform(tb);
    }
    apmu_tb_next(tb);
    snprintf(again, sizeof again, "%.63s", apmu_tb_next_text(tb));
    MUST(strcmp(first, again) == 0, "%s and then %s", first, again);
    apmu_tb_destroy(saved);
    apmu_tb_destroy(tb);
}

/* Rows of coverage: reasons of any counter, reasons crossed with what a counter counts, all. */
enum rows { REASONS, CROSSES, ALL_ROWS };

static bool is_row(const char *name, enum rows rows)
{
    const bool reason = strncmp(name, "reason ", 7) == 0, cross = reason && strstr(name, " stops ") != NULL;

    return rows == ALL_ROWS || (rows == CROSSES ? cross : reason && !cross);
}

/*
 * Runs @actions actions and returns how many of @rows can be reached and were not, or were reached although they cannot
 * be; names one in @wrong.
 */
static int misses(const char *config, int actions, enum rows rows, char wrong[64])
{
    struct apmu_tb *tb = create(config);
    int found = 0;

    for (int i = 0; i < actions; i++) {
        apmu_tb_next(tb);
        apmu_tb_perform(tb);
    }
    for (int i = 0; i < apmu_tb_cover_count(); i++) {
        const bool possible = apmu_tb_cover_possible(tb, i) != 0, reached = apmu_tb_cover_hits(tb, i) != 0;

        if (is_row(apmu_tb_cover_name(tb, i), rows) && (rows == CROSSES ? possible != reached : possible && !reached)) {
            snprintf(wrong, 64, "%.63s", apmu_tb_cover_name(tb, i));
            found++;
        }
    }
    apmu_tb_destroy(tb);
    return found;
}

static void the_stimulus_reaches_every_reason(void)
{
    static const char *const configs[] = {
        plain_config,
        full_config,
        "features=PMUv3,AA64EL0,AA64EL1,AA64EL2,AA64EL3 counters=6",
        "features=PMUv3p5,AA64EL0,AA64EL1,AA64EL2 counters=2",
        "features=PMUv3,AA32EL0,AA32EL1,AA32EL2,AA32EL3 counters=4",
        "features=PMUv2,AA32EL0,AA32EL1 counters=6",
    };
    char wrong[64] = "";

    for (unsigned i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        MUST(misses(configs[i], 40000, REASONS, wrong) == 0, "%s: %s", configs[i], wrong);
    }
    MUST(misses(full_config, 200000, ALL_ROWS, wrong) == 0, "%s", wrong);
    MUST(misses("features=PMUv2,AA32EL0,AA32EL1,AA32EL2 counters=4", 200000, ALL_ROWS, wrong) == 0, "ARMv7: %s", wrong);
}

/* Exactly the reasons that can stop cycles, CHAIN and SW_INCR do. */
static void the_stimulus_reaches_every_cross(void)
{
    static const char *const configs[] = {
        plain_config,
        full_config,
        "features=PMUv3p9,PMUv3_ICNTR,AA64EL0,AA64EL1,AA64EL2,AA64EL3,SEL2,PMUv3_EXT64,PMUv3_EXTPMN,Debugv8p9,SPEv1p2 "
        "counters=5 chain_crosses_ranges=1",
        "features=PMUv3,AA64EL0,AA64EL1 counters=1",
        "features=PMUv3,AA64EL0,AA64EL1 counters=4 leave_out=PMSWINC_EL0",
        "features=PMUv3p5,AA64EL0,AA64EL1,AA64EL2 counters=2",
        "features=PMUv3,AA32EL0,AA32EL1,AA32EL2,AA32EL3 counters=4",
        "features=PMUv2,AA32EL0,AA32EL1,AA32EL2 counters=6",
    };
    char wrong[64] = "";

    for (unsigned i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        MUST(misses(configs[i], 150000, CROSSES, wrong) == 0, "%s: %s", configs[i], wrong);
    }
}

static void states_that_are_held_stay(void)
{
    struct apmu_tb *tb = create("features=PMUv3p7,AA64EL0,AA64EL1,AA64EL2,AA64EL3,PMUv3_EXT32,Debugv8p4 counters=4 "
                                "hold=os_lock,MDCR_EL3 views=a64 cycles=3 occurrences=4");
    uint32_t counts[APMU_TB_LINE_WORDS], most = 0;
    int steps = 0;

    apmu_tb_line(tb, 0, APMU_EV_INST_RETIRED);
    set(tb, "MDCR_EL3", APMU_MASK(MDCR_EL3, SPME));
    for (int i = 0; i < 20000; i++) {
        const int kind = apmu_tb_next(tb);
        const char *name = apmu_tb_pe_name(apmu_tb_next_row(tb));
        MUST(kind != APMU_TB_STATE || (strcmp(name, "os_lock") != 0 && strcmp(name, "MDCR_EL3") != 0), "%s", name);
        MUST(kind > APMU_TB_WRITE || apmu_tb_next_view(tb) == APMU_TB_A64, "another view");
        MUST(kind != APMU_TB_STEP || apmu_tb_next_cycles(tb) <= 3, "%d cycles", apmu_tb_next_cycles(tb));
        if (kind == APMU_TB_STEP) {
            apmu_tb_next_counts(tb, counts);
            most = (counts[0] & 0xFF) > most ? counts[0] & 0xFF : most;
            steps++;
        }
        apmu_tb_perform(tb);
    }
    MUST(most == 4, "an event occurs %u times", (unsigned)most);
    MUST(steps > 1000, "%d steps", steps);
    apmu_tb_destroy(tb);
}

/* Prints the rules of the rows of coverage, which the shell test looks up in SPEC.md. */
static void print_rules(void)
{
    struct apmu_tb *tb = create(full_config);

    for (int i = 0; i < apmu_tb_cover_count(); i++) {
        printf("%s\t%s\n", apmu_tb_cover_rule(tb, i), apmu_tb_cover_name(tb, i));
    }
    apmu_tb_destroy(tb);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--rules") == 0) {
        print_rules();
        return 0;
    }
    RUN(wrong_configurations_are_named);
    RUN(numbers_of_options_are_read);
    RUN(registers_are_found_in_each_view);
    RUN(a_refusal_says_what_decides);
    RUN(differences_are_told_in_words);
    RUN(chain_and_software_increments_have_causes);
    RUN(a_read_says_what_was_not_to_be_counted);
    RUN(the_phase_of_the_divider_may_be_the_designs);
    RUN(counters_beyond_the_last_are_open);
    RUN(a_counter_of_el2_may_trap);
    RUN(a_write_may_reach_any_counter);
    RUN(signals_are_told_in_words);
    RUN(a_saved_state_is_restored);
    RUN(the_stimulus_reaches_every_reason);
    RUN(the_stimulus_reaches_every_cross);
    RUN(states_that_are_held_stay);
    return tap_status;
}
