/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Secure policy (<armpmu/policy.h>) holds, and the test sees a leak where one is made (test_policy.sh).
 *
 * Secure EL1, Secure EL0, EL3 and EL2 raise a number to a secret power, which takes longer the more bits of it are 1.
 * Less trusted software makes every counter count everywhere that it can: EL2 watches the Secure states, EL1 watches
 * EL2.  A counter leaks if its count depends on the secret.  With the policy none does.  Without it, and with each of
 * its fields left open in turn, exactly those leak that apmu_policy_leaks() names.
 */
#include <armpmu/model.h>
#include <armpmu/native.h>
#include <armpmu/policy.h>

#include "../../hardware/bare/rt.h"

#define COUNTERS 6u
#define SECOND_RANGE 3u /* the first counter of EL2's own, if EL2 watches */
#define CYCLE COUNTERS
#define INSTR (COUNTERS + 1u)
#define WATCHED (COUNTERS + 2u)
#define READ(reg, n) \
    __extension__({ \
        uint64_t value_ = 0; \
        (void)apmu_native_ops.read(NULL, APMU_REG_##reg, n, &value_); \
        value_; \
    })
#define WRITE(reg, n, value) (void)apmu_native_ops.write(NULL, APMU_REG_##reg, n, value)

int main(void);

static const struct apmu_dev dev = {.ops = &apmu_native_ops};
static struct apmu_policy_row rows[APMU_POLICY_ROWS];
static struct apmu_policy_request request;
static size_t row_count; /* 0: no policy */
static uint64_t before[WATCHED], after[WATCHED];

/* A way to leave the policy open. */
static const struct control {
    const char *name;
    enum apmu_reg reg;
    uint64_t clear, set;
    uint64_t needs;   /* the features without which it does not exist */
    bool no_entry;    /* the policy's entry rows are left out */
    bool still_tight; /* nothing leaks, because another field has the same effect */
} controls[] = {
    {.name = "the policy: ", .still_tight = true},
    {"MDCR_EL3.SPME = 1: ", APMU_REG_MDCR_EL3, 0, APMU_MASK(MDCR_EL3, SPME), APMU_FEAT(PMUv3), false, false},
    {"MDCR_EL3.SCCD = 0: ", APMU_REG_MDCR_EL3, APMU_MASK(MDCR_EL3, SCCD), 0, APMU_FEAT(PMUv3p5), false, false},
    {"MDCR_EL3.MCCD = 0: ", APMU_REG_MDCR_EL3, APMU_MASK(MDCR_EL3, MCCD), 0, APMU_FEAT(PMUv3p7), false, true},
    {"MDCR_EL3.SCCD = MCCD = 0: ", APMU_REG_MDCR_EL3, APMU_MASK(MDCR_EL3, SCCD) | APMU_MASK(MDCR_EL3, MCCD), 0,
     APMU_FEAT(PMUv3p7), false, false},
    {"MDCR_EL3.MPMX = 1: ", APMU_REG_MDCR_EL3, 0, APMU_MASK(MDCR_EL3, MPMX), APMU_FEAT(PMUv3p7), false, false},
    {"MDCR_EL3.MPMX = SPME = 1: ", APMU_REG_MDCR_EL3, 0, APMU_MASK(MDCR_EL3, MPMX) | APMU_MASK(MDCR_EL3, SPME),
     APMU_FEAT(PMUv3p7), false, false},
    {"MDCR_EL2.HPMD = 0: ", APMU_REG_MDCR_EL2, APMU_MASK(MDCR_EL2, HPMD), 0, APMU_FEAT(PMUv3p1), false, false},
    {"MDCR_EL2.HCCD = 0: ", APMU_REG_MDCR_EL2, APMU_MASK(MDCR_EL2, HCCD), 0, APMU_FEAT(PMUv3p5), false, false},
    {.name = "nothing written at entries: ", .no_entry = true},
};

/* The places at which the secret is used, with the level that watches each. */
static const struct {
    enum apmu_state state;
    enum rt_where at, watcher;
    const char *name;
} places[] = {
    {APMU_STATE_S_EL1, RT_SECURE_EL1, RT_EL2, "Secure EL1"}, {APMU_STATE_S_EL0, RT_SECURE_EL0, RT_EL2, "Secure EL0"},
    {APMU_STATE_EL3, RT_EL3, RT_EL2, "EL3"},                 {APMU_STATE_NS_EL2, RT_EL2, RT_EL1, "EL2"},
};
enum { PLACES = sizeof places / sizeof places[0] };

/*
 * PMEVTYPER<n>_EL0.  The first of either range counts in every state; the others have combinations of P and NSK, U and
 * NSU, M that let a Secure level through.
 */
static const uint64_t filters[COUNTERS] = {
    APMU_FILTER(NSH), APMU_FILTER(M), APMU_FILTER(P) | APMU_FILTER(NSK) | APMU_FILTER(M),
    APMU_FILTER(NSH), APMU_FILTER(U) | APMU_FILTER(NSU), APMU_FILTER(NSK) | APMU_FILTER(NSU),
};

/* Returns 3 to the power of @secret modulo 65537, by squaring and multiplying. */
static uintptr_t power(void *secret)
{
    uint64_t result = 1;

    for (uint64_t bit = UINT64_C(1) << 63; bit != 0; bit >>= 1) {
        result = result * result % 65537u;
        if (((uintptr_t)secret & bit) != 0) {
            result = result * 3u % 65537u;
            __asm__ volatile("" : "+r"(result)); /* keeps the compiler from making it a conditional select */
        }
    }
    return result;
}

/* Enables all counters, in less trusted software.  @is_el2 is not NULL if that is EL2. */
static uintptr_t prepare(void *is_el2)
{
    if (is_el2 != NULL) {
        WRITE(MDCR_EL2, 0, APMU_PUT(MDCR_EL2, HPMN, SECOND_RANGE) | APMU_MASK(MDCR_EL2, HPME));
    }
    for (unsigned n = 0; n < COUNTERS; n++) {
        WRITE(PMEVTYPER_EL0, n, APMU_EV_INST_RETIRED | filters[n]);
    }
    WRITE(PMCCFILTR_EL0, 0, APMU_FILTER(NSH));
    if ((request.features & APMU_FEAT(PMUv3_ICNTR)) != 0) {
        WRITE(PMICFILTR_EL0, 0, APMU_FILTER(NSH));
    }
    WRITE(PMCNTENSET_EL0, 0, APMU_MASK(PMCNTENSET_EL0, F0) | UINT64_C(1) << APMU_CYCLE | ((1u << COUNTERS) - 1u));
    WRITE(PMCR_EL0, 0, APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, LC)); /* DP is 0 */
    apmu_native_sync();
    return 0;
}

/* Stores all counters in @counts. */
static uintptr_t read_all(void *counts)
{
    uint64_t *const out = counts;

    out[CYCLE] = READ(PMCCNTR_EL0, 0);
    out[INSTR] = (request.features & APMU_FEAT(PMUv3_ICNTR)) != 0 ? READ(PMICNTR_EL0, 0) : 0;
    for (unsigned n = 0; n < COUNTERS; n++) {
        out[n] = READ(PMEVCNTR_EL0, n);
    }
    return 0;
}

/* Stores in @moved what each counter counts while place @p uses @secret. */
static void use(unsigned p, uint64_t secret, bool enter, uint64_t moved[WATCHED])
{
    const size_t count = enter ? row_count : 0;
    struct apmu_policy_saved saved = {0};

    rt_call(places[p].watcher, prepare, (void *)(uintptr_t)(places[p].watcher == RT_EL2));
    rt_call(places[p].watcher, read_all, before);
    if (apmu_policy_enter(&dev, rows, count, &saved) != APMU_OK) {
        rt_true("entry", false);
    }
    rt_call(places[p].at, power, (void *)(uintptr_t)secret);
    if (apmu_policy_leave(&dev, rows, count, &saved) != APMU_OK) {
        rt_true("return", false);
    }
    rt_call(places[p].watcher, read_all, after);
    for (unsigned n = 0; n < WATCHED; n++) {
        moved[n] = after[n] - before[n];
    }
}

#define BITS_2 UINT64_C(0x8000000000000001)
#define BITS_33 UINT64_C(0xAAAAAAAAAAAAAAAB)
#define BITS_64 (~UINT64_C(0))

/* Returns the kinds of counters, a set of enum apmu_counter_kind, whose counts depend on place @p's secret. */
static unsigned leaks(unsigned p, bool enter)
{
    const unsigned second = places[p].watcher == RT_EL2 ? SECOND_RANGE : COUNTERS;
    uint64_t few[WATCHED], some[WATCHED], many[WATCHED];
    unsigned kinds = 0;

    use(p, BITS_2, enter, few);
    use(p, BITS_33, enter, some);
    use(p, BITS_64, enter, many);
    for (unsigned n = 0; n < WATCHED; n++) {
        if (few[n] != many[n] || few[n] != some[n]) {
            kinds |= n == CYCLE ? APMU_KIND_CYCLE : n == INSTR ? APMU_KIND_INSTR :
                     n < second ? APMU_KIND_FIRST : APMU_KIND_SECOND;
        }
        if (some[n] - few[n] != many[n] - some[n]) { /* 31 bits more */
            rt_equal("what leaks is how many bits are 1", some[n] - few[n], many[n] - some[n]);
        }
    }
    return kinds;
}

/* Returns the kinds that apmu_policy_leaks() names for the state of place @p, with these registers. */
static unsigned expected(unsigned p, bool enter, uint64_t mdcr_el3, uint64_t mdcr_el2)
{
    const bool by_entry = enter && apmu_policy_value(rows, row_count, APMU_HOLD_ENTRY, APMU_REG_PMCR_EL0, 0) != 0;
    const bool watched_by_el2 = places[p].watcher == RT_EL2;
    const struct apmu_policy_reg regs[] = {
        {APMU_REG_MDCR_EL3, mdcr_el3},
        {APMU_REG_PMAUTHSTATUS, APMU_PUT(PMAUTHSTATUS, SNID, 2)},
        {APMU_REG_MDCR_EL2,
         watched_by_el2 ? APMU_PUT(MDCR_EL2, HPMN, SECOND_RANGE) | APMU_MASK(MDCR_EL2, HPME) : mdcr_el2},
        {APMU_REG_PMCR_EL0, apmu_policy_value(rows, row_count, APMU_HOLD_ENTRY, APMU_REG_PMCR_EL0,
                                              APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, LC))},
    };

    return apmu_policy_leaks(&request, regs, by_entry ? 4 : 3, by_entry, places[p].state);
}

/* Checks what leaks from each place under @c, with these registers as the policy sets them. */
static void try_control(const struct control *c, uint64_t mdcr_el3, uint64_t mdcr_el2)
{
    const bool enter = !c->no_entry;
    unsigned any = 0;

    mdcr_el3 = c->reg == APMU_REG_MDCR_EL3 ? (mdcr_el3 & ~c->clear) | c->set : mdcr_el3;
    mdcr_el2 = c->reg == APMU_REG_MDCR_EL2 ? (mdcr_el2 & ~c->clear) | c->set : mdcr_el2;
    rt_context(c->name, "");
    for (unsigned p = 0; p < PLACES; p++) {
        WRITE(MDCR_EL3, 0, mdcr_el3);
        WRITE(MDCR_EL2, 0, mdcr_el2);
        apmu_native_sync();
        const unsigned seen = leaks(p, enter);

        rt_equal(places[p].name, seen, expected(p, enter, mdcr_el3, mdcr_el2));
        any |= seen;
    }
    rt_true(c->still_tight ? "nothing leaks" : "the test sees a leak", c->still_tight == (any == 0));
    rt_context("", "");
}

/* Disables the fine-grained traps to EL2 of the instruction counter, so that EL1 can use it. */
static void allow_instr(void)
{
    if ((request.features & APMU_FEAT(FGT2)) != 0) {
        rt_scr = APMU_MASK(SCR_EL3, FGTEn2);
        WRITE(SCR_EL3, 0, READ(SCR_EL3, 0) | rt_scr);
        apmu_native_sync();
        WRITE(HDFGRTR2_EL2, 0, APMU_MASK(HDFGRTR2_EL2, nPMICNTR_EL0) | APMU_MASK(HDFGRTR2_EL2, nPMICFILTR_EL0));
        WRITE(HDFGWTR2_EL2, 0, APMU_MASK(HDFGWTR2_EL2, nPMICNTR_EL0) | APMU_MASK(HDFGWTR2_EL2, nPMICFILTR_EL0));
    }
}

/* Sets the request from the ID registers: the policy protects the Secure states, EL3 and EL2. */
static void find_request(void)
{
    uint64_t features = APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3);
    const uint64_t version = APMU_GET(ID_AA64DFR0_EL1, PMUVer, READ(ID_AA64DFR0_EL1, 0));

    features |= version >= 9 ? APMU_FEAT(PMUv3p9) : version >= 6 ? APMU_FEAT(PMUv3p5) : APMU_FEAT(PMUv3);
    features |= APMU_GET(ID_AA64DFR1_EL1, PMICNTR, READ(ID_AA64DFR1_EL1, 0)) == 1 ? APMU_FEAT(PMUv3_ICNTR) : 0;
    features |= rt_has_secure_el2() ? APMU_FEAT(SEL2) : 0;
    features |= APMU_GET(ID_AA64MMFR0_EL1, FGT, READ(ID_AA64MMFR0_EL1, 0)) >= 2 ? APMU_FEAT(FGT2) : 0;
    request.features = apmu_features_closure(features);
    request.level = 3;
    request.counters = (uint8_t)APMU_GET(PMCR_EL0, N, READ(PMCR_EL0, 0));
    request.protect = (uint16_t)((APMU_STATES_SECURE | APMU_STATE(EL3) | APMU_STATE(NS_EL2)) &
                                 apmu_states(request.features));
}

int main(void)
{
    const uint64_t open_el3 = APMU_MASK(MDCR_EL3, SPME) | APMU_MASK(MDCR_EL3, EnPM2);

    find_request();
    allow_instr();
    try_control(&(const struct control){.name = "no policy: "}, open_el3, COUNTERS);
    rt_error("the policy", apmu_policy(&request, rows, APMU_POLICY_ROWS, &row_count), APMU_OK);
    const uint64_t mdcr_el3 = apmu_policy_value(rows, row_count, APMU_HOLD_BOOT, APMU_REG_MDCR_EL3, 0);
    const uint64_t mdcr_el2 = apmu_policy_value(rows, row_count, APMU_HOLD_BOOT, APMU_REG_MDCR_EL2, 0);
    const bool has_entry = apmu_policy_value(rows, row_count, APMU_HOLD_ENTRY, APMU_REG_PMCR_EL0, 0) != 0;

    for (unsigned i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        const struct control *c = &controls[i];

        if ((c->needs & ~request.features) == 0 && (!c->no_entry || has_entry)) {
            try_control(c, mdcr_el3, mdcr_el2);
        }
    }
    return rt_status();
}
