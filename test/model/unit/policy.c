/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known answers of the Secure policy: the fields that Trusted Firmware sets for each feature, the leaks that remain,
 * and the switch between worlds.  No field keeps an old value.  test/model/prop/policy.c checks that the policy stops
 * what it promises.
 */

#include <string.h>

#include <armpmu/model.h>
#include <armpmu/policy.h>

#include "../../lib/tap.h"

#define A64 (APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3))
#define A32 (APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1) | APMU_FEAT(AA32EL2) | APMU_FEAT(AA32EL3))
#define SECURE_AND_EL3 (APMU_STATE(S_EL0) | APMU_STATE(S_EL1) | APMU_STATE(EL3))
#define VERSION_1 (A64 | APMU_FEAT(PMUv3p1) | APMU_FEAT(Debugv8p2))
#define VERSION_9 \
    (A64 | APMU_FEAT(PMUv3p9) | APMU_FEAT(Debugv8p4) | APMU_FEAT(PMUv3_SS) | APMU_FEAT(MTPMU) | APMU_FEAT(EBEP) | \
     APMU_FEAT(SPEv1p2) | APMU_FEAT(PMUv3_EXT64) | APMU_FEAT(RME) | APMU_FEAT(SEL2) | APMU_FEAT(AA32EL0))

static struct apmu_policy_request request;
static struct apmu_policy_row rows[APMU_POLICY_ROWS];
static size_t count;
static struct apmu_policy_violation violations[APMU_LEAK_COUNT];

static void ask(uint64_t features, unsigned level, unsigned protect)
{
    request = (struct apmu_policy_request){.features = apmu_features_closure(features), .level = (uint8_t)level,
                                           .counters = 6, .protect = (uint16_t)protect};
    const enum apmu_error error = apmu_policy(&request, rows, APMU_POLICY_ROWS, &count);

    MUST(error == APMU_OK, "%s", apmu_error_text(error));
}

static const struct apmu_policy_row *row_of(enum apmu_policy_hold hold, enum apmu_reg reg, const char *field)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].hold == hold && rows[i].reg == reg && strcmp(rows[i].field, field) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The values.
 */

/* Checks the fields that TF-A's lib/extensions/pmuv3 sets at EL3, and for an unused EL2, each from a feature on. */
static void tf_a_sets(void)
{
    static const struct {
        enum apmu_reg reg;
        const char *field;
        uint64_t value, from;
    } fields[] = {
        {APMU_REG_MDCR_EL3, "SCCD", 1, APMU_FEAT(PMUv3p5)}, {APMU_REG_MDCR_EL3, "MCCD", 1, APMU_FEAT(PMUv3p7)},
        {APMU_REG_MDCR_EL3, "MPMX", 0, APMU_FEAT(PMUv3p7)}, {APMU_REG_MDCR_EL3, "SPME", 0, APMU_FEAT(PMUv3)},
        {APMU_REG_MDCR_EL3, "TPM", 0, APMU_FEAT(PMUv3)},    {APMU_REG_MDCR_EL3, "EnPM2", 1, APMU_FEAT(PMUv3p9)},
        {APMU_REG_MDCR_EL3, "MTPME", 0, APMU_FEAT(MTPMU)},  {APMU_REG_MDCR_EL3, "PMEE", 1, APMU_FEAT(EBEP)},
        {APMU_REG_MDCR_EL2, "HLP", 1, APMU_FEAT(PMUv3p5)},  {APMU_REG_MDCR_EL2, "HCCD", 1, APMU_FEAT(PMUv3p5)},
        {APMU_REG_MDCR_EL2, "HPMD", 1, APMU_FEAT(PMUv3p1)}, {APMU_REG_MDCR_EL2, "HPME", 0, APMU_FEAT(PMUv3)},
        {APMU_REG_MDCR_EL2, "TPM", 0, APMU_FEAT(PMUv3)},    {APMU_REG_MDCR_EL2, "TPMCR", 0, APMU_FEAT(PMUv3)},
        {APMU_REG_MDCR_EL2, "HPMN", 6, APMU_FEAT(PMUv3)},   {APMU_REG_PMCR_EL0, "DP", 1, APMU_FEAT(PMUv3)},
        {APMU_REG_PMCR_EL0, "C", 1, APMU_FEAT(PMUv3)},      {APMU_REG_PMCR_EL0, "P", 1, APMU_FEAT(PMUv3)},
        {APMU_REG_PMCR_EL0, "X", 0, APMU_FEAT(PMUv3)},      {APMU_REG_PMCR_EL0, "E", 0, APMU_FEAT(PMUv3)},
    };
    static const uint64_t sets[] = {A64 | APMU_FEAT(PMUv3),   VERSION_1, A64 | APMU_FEAT(PMUv3p5),
                                    A64 | APMU_FEAT(PMUv3p7), VERSION_9};

    for (unsigned s = 0; s < sizeof sets / sizeof sets[0]; s++) {
        ask(sets[s], 3, SECURE_AND_EL3 | APMU_STATE(NS_EL2));
        for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
            const struct apmu_policy_row *row = row_of(APMU_HOLD_BOOT, fields[i].reg, fields[i].field);

            MUST((row != NULL) == ((request.features & fields[i].from) != 0), "set %u: %s", s, fields[i].field);
            MUST(row == NULL || row->value == fields[i].value * (row->mask & (0 - row->mask)), "set %u: value of %s", s,
                 fields[i].field);
        }
    }
}

/* Every implemented field of the PMU in each written register has a value, so nothing UNKNOWN remains. */
static void every_field_has_a_value(void)
{
    static const enum apmu_reg registers[] = {APMU_REG_MDCR_EL3, APMU_REG_MDCR_EL2, APMU_REG_PMCR_EL0};

    ask(VERSION_9, 3, SECURE_AND_EL3 | APMU_STATE(NS_EL2) | APMU_STATES_REALM);
    for (unsigned r = 0; r < sizeof registers / sizeof registers[0]; r++) {
        const struct apmu_reg_info *info = apmu_reg_info(registers[r]);

        for (unsigned f = 0; f < info->field_count; f++) {
            const enum apmu_field_access access = info->fields[f].access;
            const bool spe = strcmp(info->fields[f].name, "PMSEE") == 0; /* of the profiling buffer, not of the PMU */
            const bool of_el2 = strcmp(info->fields[f].name, "MTPME") == 0 && registers[r] == APMU_REG_MDCR_EL2;

            if ((access == APMU_RW || access == APMU_RW1 || access == APMU_WO) && !spe && !of_el2) {
                MUST(row_of(APMU_HOLD_BOOT, registers[r], info->fields[f].name) != NULL, "%s.%s has no value",
                     info->name, info->fields[f].name);
            }
        }
        for (unsigned hold = APMU_HOLD_BOOT; hold <= APMU_HOLD_ENTRY; hold++) {
            const enum apmu_policy_hold when = (enum apmu_policy_hold)hold;
            uint64_t mask = 0;

            for (size_t i = 0; i < count; i++) {
                MUST((rows[i].value & ~rows[i].mask) == 0, "%s.%s", rows[i].name, rows[i].field);
                mask |= rows[i].reg == registers[r] && rows[i].hold == when ? rows[i].mask : 0;
            }
            MUST_EQ(apmu_policy_value(rows, count, when, registers[r], ~UINT64_C(0)) & mask,
                    apmu_policy_value(rows, count, when, registers[r], 0), "%s keeps what it had", info->name);
            MUST_EQ(apmu_policy_value(rows, count, when, registers[r], ~UINT64_C(0)) | mask, ~UINT64_C(0),
                    "%s: bits that are not the PMU's", info->name);
        }
    }
}

/*
 * Checks PMCR_EL0, of which released firmware sets wrong values: TF-A's AArch32 init has | instead of &, and so sets
 * every bit except X and E; Hafnium's DP and X are one bit off.
 */
static void pmcr_is_a_known_value(void)
{
    ask(VERSION_9, 3, SECURE_AND_EL3 | APMU_STATES_REALM);
    const uint64_t modes = 0x1000003FF; /* bit 8 is reserved, and stays unchanged */

    MUST_EQ(apmu_policy_value(rows, count, APMU_HOLD_BOOT, APMU_REG_PMCR_EL0, modes), 0x1E6, "boot");
    MUST_EQ(apmu_policy_value(rows, count, APMU_HOLD_ENTRY, APMU_REG_PMCR_EL0, modes), 0x1E0, "entry");
    ask(A32 | APMU_FEAT(PMUv3), 3, SECURE_AND_EL3);
    MUST_EQ(apmu_policy_value(rows, count, APMU_HOLD_BOOT, APMU_REG_PMCR_EL0, 0), 0x66, "AArch32, boot");
}

static void aarch32_names_and_fields(void)
{
    const struct apmu_policy_row *row;

    ask(A32 | APMU_FEAT(PMUv3p5) | APMU_FEAT(Debugv8p2) | APMU_FEAT(MTPMU), 3, SECURE_AND_EL3 | APMU_STATE(NS_EL2));
    row = row_of(APMU_HOLD_BOOT, APMU_REG_MDCR_EL3, "SCCD");
    MUST(row != NULL && strcmp(row->name, "SDCR") == 0 && row->value == UINT64_C(1) << 23, "SDCR.SCCD");
    row = row_of(APMU_HOLD_BOOT, APMU_REG_MDCR_EL2, "HCCD");
    MUST(row != NULL && strcmp(row->name, "HDCR") == 0, "HDCR.HCCD");
    row = row_of(APMU_HOLD_BOOT, APMU_REG_SDER32_EL3, "SUNIDEN");
    MUST(row != NULL && strcmp(row->name, "SDER") == 0 && row->value == 0, "SDER.SUNIDEN");
    row = row_of(APMU_HOLD_BOOT, APMU_REG_PMCR_EL0, "DP");
    MUST(row != NULL && strcmp(row->name, "PMCR") == 0, "PMCR.DP");
    MUST(row_of(APMU_HOLD_BOOT, APMU_REG_MDCR_EL3, "TPM") == NULL, "SDCR has no TPM");
    ask(A32 | APMU_FEAT(PMUv2), 3, SECURE_AND_EL3 | APMU_STATE(NS_EL2));
    MUST(row_of(APMU_HOLD_BOOT, APMU_REG_MDCR_EL3, "SPME") == NULL, "ARMv7 has no SDCR");
    MUST(row_of(APMU_HOLD_SIGNAL, APMU_REG_PMAUTHSTATUS, "SNID") != NULL, "ARMv7 asks for SPIDEN and SPNIDEN low");
    MUST(row_of(APMU_HOLD_BOOT, APMU_REG_PMCR_EL0, "LC") == NULL, "ARMv7 has no PMCR.LC");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Remaining leaks, and violations.
 */

static void what_is_open(void)
{
    static const struct {
        uint64_t features;
        unsigned level, protect;
        struct { const char *id; unsigned states, counters; } open[2];
    } cases[] = {
        {VERSION_1, 3, SECURE_AND_EL3, {{"SECURE_DP", SECURE_AND_EL3, APMU_KIND_CYCLE}}},
        {A64 | APMU_FEAT(PMUv3p5) | APMU_FEAT(Debugv8p2), 3, SECURE_AND_EL3 | APMU_STATE(NS_EL2), {{0}}},
        {A64 | APMU_FEAT(PMUv3p7), 3, SECURE_AND_EL3, {{0}}},
        {VERSION_1, 2, APMU_STATE(NS_EL2), {{"EL2_DP", APMU_STATE(NS_EL2), APMU_KIND_CYCLE}}},
        {A64 | APMU_FEAT(PMUv3), 2, APMU_STATE(NS_EL2),
         {{"EL2_E", APMU_STATE(NS_EL2), APMU_KIND_FIRST | APMU_KIND_CYCLE}}},
        {VERSION_9, 2, APMU_STATE(NS_EL2) | APMU_STATE(S_EL2) | APMU_STATE(RL_EL2), {{0}}},
        {VERSION_9, 3, APMU_STATES_REALM,
         {{"REALM_E", APMU_STATES_REALM, APMU_KIND_FIRST | APMU_KIND_CYCLE},
          {"REALM_HPME", APMU_STATES_REALM, APMU_KIND_SECOND}}},
        {A32 | APMU_FEAT(PMUv2), 3, APMU_STATE(S_EL1), {{"SECURE_DP", APMU_STATE(S_EL1), APMU_KIND_CYCLE}}},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(cases[i].features, cases[i].level, cases[i].protect);
        const size_t found = apmu_policy_gaps(&request, violations);
        const size_t wanted = (cases[i].open[0].id != NULL) + (size_t)(cases[i].open[1].id != NULL);

        MUST_EQ(found, wanted, "case %u", i);
        for (size_t k = 0; k < wanted && k < found; k++) {
            MUST(strcmp(violations[k].id, cases[i].open[k].id) == 0, "case %u: %s", i, violations[k].id);
            MUST_EQ(violations[k].states, cases[i].open[k].states, "case %u: states", i);
            MUST_EQ(violations[k].counters, cases[i].open[k].counters, "case %u: counters", i);
        }
        MUST((row_of(APMU_HOLD_ENTRY, APMU_REG_PMCR_EL0, "E") != NULL) == (found != 0), "case %u: entries", i);
    }
}

static void notes_of(uint64_t features, unsigned level, unsigned protect, const char *wanted, unsigned window)
{
    struct apmu_policy_note notes[APMU_NOTE_COUNT];
    char got[128] = "";

    ask(features, level, protect);
    const size_t found = apmu_policy_notes(&request, notes);
    for (size_t i = 0; i < found; i++) {
        strcat(strcat(got, notes[i].id), " ");
        MUST(notes[i].note != APMU_NOTE_WINDOW || notes[i].states == window, "%s: states %x", notes[i].id,
             notes[i].states);
    }
    MUST(strcmp(got, wanted) == 0, "notes: %s", got);
}

static void what_no_register_ends(void)
{
    notes_of(VERSION_1, 3, SECURE_AND_EL3, "WINDOW UNATTRIBUTABLE ", APMU_STATE(EL3));
    notes_of(VERSION_1, 3, APMU_STATE(S_EL1), "UNATTRIBUTABLE ", 0); /* EL3 writes PMCR_EL0, and is not protected */
    notes_of(VERSION_1, 2, APMU_STATE(NS_EL2), "WINDOW UNATTRIBUTABLE ", APMU_STATE(NS_EL2));
    notes_of(VERSION_9, 3, SECURE_AND_EL3, "UNATTRIBUTABLE ", 0);
    notes_of(VERSION_9 | APMU_FEAT(PMUv3_EXTPMN), 3, SECURE_AND_EL3, "UNATTRIBUTABLE THIRD_RANGE ", 0);
    MUST(row_of(APMU_HOLD_EXTERNAL, APMU_REG_PMEVTYPER_EL0, "filters") != NULL, "the third range's filters");
}

static void violations_name_field_and_leak(void)
{
    struct apmu_policy_reg regs[] = {{APMU_REG_MDCR_EL3, 0}, {APMU_REG_MDCR_EL2, 0}};

    ask(VERSION_9, 3, SECURE_AND_EL3);
    regs[0].value = apmu_policy_value(rows, count, APMU_HOLD_BOOT, APMU_REG_MDCR_EL3, 0);
    MUST_EQ(apmu_policy_check(&request, regs, 2, false, violations), 0, "the policy itself");
    regs[0].value ^= APMU_MASK(MDCR_EL3, MPMX) | APMU_MASK(MDCR_EL3, SPME);
    MUST_EQ(apmu_policy_check(&request, regs, 2, false, violations), 2, "{SPME, MPMX} = {1, 1}");
    MUST(strcmp(violations[0].id, "SECURE_SPME") == 0 && strcmp(violations[0].name, "MDCR_EL3") == 0 &&
             strcmp(violations[0].field, "SPME") == 0 && violations[0].known && violations[0].wanted == 0 &&
             violations[0].found == APMU_MASK(MDCR_EL3, SPME) && violations[0].states == SECURE_AND_EL3, "SPME");
    MUST_EQ(apmu_policy_leaks(&request, regs, 2, false, APMU_STATE_EL3), APMU_KIND_SECOND, "at EL3, R2 alone");
    regs[0].value = apmu_policy_value(rows, count, APMU_HOLD_BOOT, APMU_REG_MDCR_EL3, 0) & ~APMU_MASK(MDCR_EL3, SCCD);
    MUST_EQ(apmu_policy_check(&request, regs, 2, false, violations), 1, "SCCD = 0");
    MUST(violations[0].leak == APMU_LEAK_SECURE_SCCD && violations[0].counters == APMU_KIND_CYCLE &&
             violations[0].states == (APMU_STATE(S_EL0) | APMU_STATE(S_EL1)), "MCCD still stops it at EL3");
    MUST(apmu_policy_check(&request, NULL, 0, false, violations) == 3 && !violations[0].known, "no registers at all");
}

static void refusals(void)
{
    struct apmu_policy_request r = {
        .features = apmu_features_closure(VERSION_1), .level = 3, .protect = SECURE_AND_EL3,
    };

    MUST(apmu_policy(&r, rows, 3, &count) == APMU_E_POLICY_ROOM && count == 0, "room for three rows");
    r.protect = APMU_STATE(NS_EL1);
    MUST(apmu_policy(&r, rows, APMU_POLICY_ROWS, &count) == APMU_E_POLICY_STATE, "EL3 cannot protect NS_EL1");
    r.protect = APMU_STATE(RL_EL1);
    MUST(apmu_policy(&r, rows, APMU_POLICY_ROWS, &count) == APMU_E_POLICY_STATE, "no Realm state without FEAT_RME");
    r.level = 2, r.protect = APMU_STATE(S_EL1);
    MUST(apmu_policy(&r, rows, APMU_POLICY_ROWS, &count) == APMU_E_POLICY_STATE, "EL2 protects itself");
    r.level = 1, r.protect = 0;
    MUST(apmu_policy(&r, rows, APMU_POLICY_ROWS, &count) == APMU_E_POLICY_LEVEL, "EL1");
    r.level = 3, r.features &= ~APMU_FEAT(AA64EL3);
    MUST(apmu_policy(&r, rows, APMU_POLICY_ROWS, &count) == APMU_E_POLICY_LEVEL, "no EL3");
    MUST(strcmp(apmu_state_text(APMU_STATE_RL_EL2), "Realm EL2") == 0, "the name of a state");
}

/* ---------------------------------------------------------------------------------------------------------------
 * The switch between worlds, on the model.
 */

static struct apmu p;
static struct apmu_pe pe;

/* The accesses of a switch to PMCR_EL0 and MDCR_EL2 at EL3.  Access number @fail_at fails. */
static unsigned accesses, fail_at;

static enum apmu_error switch_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    (void)ctx;
    if (++accesses == fail_at) {
        return APMU_E_BACKEND;
    }
    *value = reg < APMU_REG_COUNT ? apmu_peek(&p, &pe, reg, n) : 0;
    return reg < APMU_REG_COUNT || apmu_pe_get(&pe, reg, value) ? APMU_OK : APMU_E_NO_REGISTER;
}

static enum apmu_error switch_write(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value)
{
    (void)ctx;
    if (++accesses == fail_at) {
        return APMU_E_BACKEND;
    }
    if (reg < APMU_REG_COUNT) {
        apmu_poke(&p, &pe, reg, n, value, NULL);
    }
    return reg < APMU_REG_COUNT || apmu_pe_set(&pe, reg, value) ? APMU_OK : APMU_E_NO_REGISTER;
}

static void switch_sync(void *ctx)
{
    (void)ctx;
}

static const struct apmu_reg_ops switch_ops = {
    .size = sizeof(struct apmu_reg_ops), .read = switch_read, .write = switch_write, .sync = switch_sync,
};
static const struct apmu_dev switch_dev = {.ops = &switch_ops};

enum { NONSECURE = 1, REALM = 2 };

static void world(unsigned el, unsigned which)
{
    pe.el = (uint8_t)el;
    pe.scr_el3 = APMU_MASK(SCR_EL3, RW) | (which != 0 ? APMU_MASK(SCR_EL3, NS) : 0) |
                 (which == REALM ? APMU_MASK(SCR_EL3, NSE) : 0);
}

/*
 * Makes a Non-secure profiler that counts everything it can in both ranges, with every mode bit set except DP and FZO.
 */
static void profiler(void)
{
    const struct apmu_config cfg = {.size = sizeof cfg, .features = request.features, .counters = 6};

    MUST(apmu_config_check(&cfg) == NULL, "%s", apmu_config_check(&cfg));
    apmu_init(&p, &cfg);
    pe = (struct apmu_pe){.mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 4) | APMU_MASK(MDCR_EL2, HPME)};
    pe.mdcr_el3 = apmu_policy_value(rows, count, APMU_HOLD_BOOT, APMU_REG_MDCR_EL3, ~UINT64_C(0));
    world(2, NONSECURE);
    apmu_poke(&p, &pe, APMU_REG_PMCR_EL0, 0, ~(APMU_MASK(PMCR_EL0, DP) | APMU_MASK(PMCR_EL0, FZO)), NULL);
    apmu_poke(&p, &pe, APMU_REG_PMCNTENSET_EL0, 0, ~UINT64_C(0), NULL);
    for (unsigned n = 0; n < 6; n++) {
        apmu_poke(&p, &pe, APMU_REG_PMEVTYPER_EL0, n, APMU_MASK(PMEVTYPER_EL0, NSH) | APMU_EV_INST_RETIRED, NULL);
    }
    accesses = fail_at = 0;
}

/* Returns the set of the profiler's counters that count at @el of a world. */
static uint64_t moved(unsigned el, unsigned which)
{
    const struct apmu before = p;
    uint64_t set = 0;

    world(el, which);
    apmu_event(&p, &pe, APMU_EV_INST_RETIRED, 10, 1, NULL);
    apmu_cycles(&p, &pe, 640, NULL);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        set |= p.cntr[n] != before.cntr[n] ? UINT64_C(1) << n : 0;
    }
    return set;
}

static void firmware_saves_and_restores_pmcr(void)
{
    struct apmu_policy_saved saved;

    ask(VERSION_1, 3, SECURE_AND_EL3);
    profiler();
    MUST_EQ(moved(1, NONSECURE), 0x8000003F, "the profiler counts its own world");
    MUST_EQ(moved(1, 0), 0x80000000, "and without the switch cycles of Secure state, as the policy says");
    const uint64_t before = p.pmcr;
    world(3, NONSECURE);
    MUST(apmu_policy_enter(&switch_dev, rows, count, &saved) == APMU_OK, "enter");
    MUST_EQ(moved(3, 0) | moved(1, 0) | moved(0, 0), 0, "what moves in the Secure world");
    world(3, 0);
    MUST(apmu_policy_leave(&switch_dev, rows, count, &saved) == APMU_OK, "leave");
    MUST_EQ(p.pmcr, before, "PMCR_EL0 is restored");
    MUST_EQ(moved(1, NONSECURE), 0x8000003F, "the profiler goes on");
    MUST(accesses == 3, "only PMCR_EL0 is switched");
}

/* The boot rows of NS_EL2 are about all four registers. */
static void firmware_writes_the_boot_rows(void)
{
    ask(VERSION_1 | APMU_FEAT(AA32EL1), 3, SECURE_AND_EL3 | APMU_STATE(NS_EL2));
    profiler();
    world(3, NONSECURE);
    p.pmcr = pe.mdcr_el3 = pe.sder32_el3 = pe.mdcr_el2 = 0;
    for (unsigned turn = 0; turn < 2; turn++) { /* the second turn begins with all ones */
        const struct apmu_pe old = pe;
        const uint64_t pmcr = apmu_peek(&p, &pe, APMU_REG_PMCR_EL0, 0);
#define WANT(reg, old) apmu_policy_value(rows, count, APMU_HOLD_BOOT, APMU_REG_##reg, old)
        accesses = 0;
        MUST(apmu_policy_apply(&switch_dev, rows, count) == APMU_OK, "apply");
        MUST_EQ(accesses, 8, "accesses: a read and a write of each");
        MUST_EQ(apmu_peek(&p, &pe, APMU_REG_PMCR_EL0, 0) & ~(APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C)),
                WANT(PMCR_EL0, pmcr) & ~(APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C)), "PMCR_EL0");
        MUST_EQ(pe.mdcr_el3, WANT(MDCR_EL3, old.mdcr_el3), "MDCR_EL3");
        MUST_EQ(pe.sder32_el3, WANT(SDER32_EL3, old.sder32_el3), "SDER32_EL3");
        MUST_EQ(pe.mdcr_el2, WANT(MDCR_EL2, old.mdcr_el2), "MDCR_EL2");
#undef WANT
        apmu_poke(&p, &pe, APMU_REG_PMCR_EL0, 0, UINT64_MAX, NULL);
        pe.mdcr_el3 = pe.sder32_el3 = pe.mdcr_el2 = UINT64_MAX;
    }
    for (fail_at = 1; fail_at <= 8; fail_at++) {
        accesses = 0;
        MUST(apmu_policy_apply(&switch_dev, rows, count) == APMU_E_BACKEND && accesses == fail_at, "access %u fails",
             fail_at);
    }
}

static void realm_needs_mdcr_el2_too(void)
{
    struct apmu_policy_saved saved;

    ask(VERSION_9, 3, SECURE_AND_EL3 | APMU_STATES_REALM);
    profiler();
    MUST_EQ(moved(1, REALM), 0x8000003F, "without the switch all move in Realm state");
    const uint64_t mdcr_el2 = pe.mdcr_el2, pmcr = p.pmcr;
    world(3, NONSECURE);
    MUST(apmu_policy_enter(&switch_dev, rows, count, &saved) == APMU_OK, "enter");
    MUST_EQ(moved(3, 0) | moved(2, REALM) | moved(1, REALM) | moved(0, REALM), 0, "what moves in the Realm world");
    world(3, REALM);
    MUST(apmu_policy_leave(&switch_dev, rows, count, &saved) == APMU_OK, "leave");
    MUST(pe.mdcr_el2 == mdcr_el2 && p.pmcr == pmcr, "both are restored");
    for (fail_at = 1; fail_at <= 4; fail_at++) {
        accesses = 0;
        MUST(apmu_policy_enter(&switch_dev, rows, count, &saved) == APMU_E_BACKEND, "access %u fails", fail_at);
        MUST(pe.mdcr_el2 == mdcr_el2 && p.pmcr == pmcr, "after access %u failed all is as it was", fail_at);
    }
    ask(VERSION_9, 3, SECURE_AND_EL3);
    accesses = 0;
    MUST(apmu_policy_enter(&switch_dev, rows, count, &saved) == APMU_OK && accesses == 0, "no entry, no access");
}

/* Confirms the note UNATTRIBUTABLE: without entries such events may be counted; PMCR_EL0.E = 0 stops them. */
static void unattributable_events(void)
{
    struct apmu_policy_saved saved;

    ask(VERSION_1, 3, SECURE_AND_EL3);
    profiler();
    p.cfg.counts_unattributable = true;
    pe.unattributable = true;
    MUST_EQ(moved(1, 0), 0x8000003F, "counted although prohibited");
    world(3, NONSECURE);
    MUST(apmu_policy_enter(&switch_dev, rows, count, &saved) == APMU_OK, "enter");
    MUST_EQ(moved(1, 0), 0x30, "E = 0 leaves the second range");
}

int main(void)
{
    RUN(tf_a_sets);
    RUN(every_field_has_a_value);
    RUN(pmcr_is_a_known_value);
    RUN(aarch32_names_and_fields);
    RUN(what_is_open);
    RUN(what_no_register_ends);
    RUN(violations_name_field_and_leak);
    RUN(refusals);
    RUN(firmware_saves_and_restores_pmcr);
    RUN(firmware_writes_the_boot_rows);
    RUN(realm_needs_mdcr_el2_too);
    RUN(unattributable_events);
    return tap_status;
}
