/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the register values of the Secure policy. */
#include "policy_internal.h"

/* GATE_<reg>_<field> and ACCESS_<reg>_<field>: the gate and the access of each row of fields.def. */
enum {
#define APMU_FIELD(reg, field, msb, lsb, access, gate, text) \
    GATE_##reg##_##field = APMU_GATE_##gate, ACCESS_##reg##_##field = APMU_##access,
#include <armpmu/tables/fields.def>
};

const struct policy_field *apmu_policy_field(enum policy_field_row row)
{
    static const struct policy_field rows[POLICY_FIELD_COUNT] = {
#define APMU_POLICY_FIELD(reg, field, value, a32, rule, text) \
    {APMU_REG_##reg, APMU_##reg##_##field##_MSB, APMU_##reg##_##field##_LSB, (a32) != 0, GATE_##reg##_##field, \
     ACCESS_##reg##_##field, POLICY_TEXT(#field), POLICY_TEXT(rule), POLICY_TEXT(text)},
#include <armpmu/tables/policy.def>
    };
    return &rows[row];
}

uint64_t apmu_policy_wanted(enum policy_field_row row, uint64_t features, const struct policy_moment *moment)
{
    const unsigned counters = moment->counters;
    const bool entry = moment->entry, relies = moment->relies;

    (void)features;
    switch (row) {
#define APMU_POLICY_FIELD(reg, field, value, a32, rule, text) \
    case POLICY_FIELD_##reg##_##field: \
        return APMU_PUT(reg, field, value);
#include <armpmu/tables/policy.def>
    default:
        return 0;
    }
}

/*
 * Returns whether the gate of a field holds.  Where a gate depends on a choice that is not a feature, the field is
 * taken to exist: to write it has no effect if it does not.
 */
static bool holds(uint64_t features, enum apmu_gate gate)
{
    static const struct {
        uint64_t pmceid[2];
        uint32_t iidr, filter2;
        uint8_t imp;
        bool export_bus, multithreaded, a32_long_counters, external_swinc, software_lock, coresight_id, peripheral_id,
            integration, sample_enable;
    } choices = {{1, 1}, 1, 1, 1, true, true, true, true, true, true, true, true, true}, *cfg = &choices;
    const unsigned n = 0;

    switch (gate) {
#define APMU_FEATURE(id, bit, requires, text) \
    case APMU_GATE_##id: \
        return HAS(id);
#define APMU_GATE(id, condition, text) \
    case APMU_GATE_##id: \
        return condition;
#include <armpmu/tables/features.def>
    default:
        return false;
    }
}

/* Returns whether the AArch32 register takes the place of @reg. */
static bool uses_a32(uint64_t features, enum apmu_reg reg)
{
    switch (reg) {
    case APMU_REG_MDCR_EL3:
    case APMU_REG_SDER32_EL3:
        return !HAS(AA64EL3);
    case APMU_REG_MDCR_EL2:
        return !HAS(AA64EL2);
    default:
        return !HAS(AA64);
    }
}

const char *apmu_policy_reg_name(uint64_t features, enum apmu_reg reg)
{
    const bool a32 = uses_a32(features, reg);

    switch (reg) {
#define NAMES(id, other) \
    case APMU_REG_##id: \
        return a32 ? POLICY_TEXT(other) : POLICY_TEXT(#id);
    NAMES(MDCR_EL3, "SDCR")
    NAMES(SDER32_EL3, "SDER")
    NAMES(MDCR_EL2, "HDCR")
    NAMES(PMCR_EL0, "PMCR")
    NAMES(PMEVTYPER_EL0, "PMEVTYPER")
    NAMES(PMAUTHSTATUS, "PMAUTHSTATUS")
#undef NAMES
    default:
        return "";
    }
}

/*
 * Returns whether the field exists.  Without AArch64, PMCR.LC and LP have their own conditions: APMU_LACKS in
 * aarch32.def.
 */
static bool field_exists(uint64_t features, const struct policy_field *field)
{
    if (uses_a32(features, field->reg) && !field->a32) {
        return false;
    }
    if (field->reg == APMU_REG_PMCR_EL0 && !HAS(PMUv3) && field->lsb == APMU_PMCR_EL0_LC_LSB) {
        return false;
    }
    return holds(features, field->gate) || field->access == APMU_RW1;
}

/* Returns whether the register exists for the level that sets the policy. */
static bool register_exists(uint64_t features, unsigned level, enum apmu_reg reg)
{
    switch (reg) {
    case APMU_REG_MDCR_EL3:
        return level == 3 && HAS(PMUv3); /* ARMv7 has no SDCR */
    case APMU_REG_SDER32_EL3:
        return level == 3 && HAS(AA32EL1);
    case APMU_REG_MDCR_EL2:
        return HAS_EL2;
    case APMU_REG_PMAUTHSTATUS:
        return !HAS(Debugv8p2);
    default:
        return true;
    }
}

/*
 * Returns whether MDCR_EL2 is written at boot: by EL2 to protect itself, or by firmware for an EL2 that leaves it so.
 */
static bool el2_at_boot(const struct apmu_policy_request *r)
{
    return r->level == 2 || (r->protect & APMU_STATE(NS_EL2)) != 0;
}

/* Returns whether rows with @hold write @reg. */
static bool written(const struct apmu_policy_request *r, enum apmu_reg reg, enum apmu_policy_hold hold)
{
    const bool realm_entry = r->level == 3 && (r->protect & APMU_STATES_REALM) != 0;

    if (reg == APMU_REG_PMAUTHSTATUS || hold == APMU_HOLD_SIGNAL) {
        return reg == APMU_REG_PMAUTHSTATUS && hold == APMU_HOLD_SIGNAL;
    }
    if (hold == APMU_HOLD_BOOT) {
        return reg != APMU_REG_MDCR_EL2 || el2_at_boot(r);
    }
    return reg == APMU_REG_PMCR_EL0 || (reg == APMU_REG_MDCR_EL2 && realm_entry);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The rows.
 */

/* The rows that a policy fills.  count is the number of all, even of those beyond room, which are not stored. */
struct policy_rows {
    struct apmu_policy_row *rows;
    size_t room, count;
};

static void add(struct policy_rows *out, struct apmu_policy_row row)
{
    if (out->count < out->room) {
        out->rows[out->count] = row;
    }
    out->count++;
}

/* Adds a row with @hold for each field. */
static void add_fields(struct policy_rows *out, const struct apmu_policy_request *r, enum apmu_policy_hold hold,
                       bool relies)
{
    const struct policy_moment moment = {r->counters, hold == APMU_HOLD_ENTRY, relies};

    for (unsigned i = 0; i < POLICY_FIELD_COUNT; i++) {
        const enum policy_field_row row = (enum policy_field_row)i;
        const struct policy_field *f = apmu_policy_field(row);

        if (register_exists(r->features, r->level, f->reg) && written(r, f->reg, hold) &&
            field_exists(r->features, f)) {
            add(out, (struct apmu_policy_row){
                         .reg = f->reg, .name = apmu_policy_reg_name(r->features, f->reg), .field = f->field,
                         .mask = APMU_BITS(f->msb, f->lsb), .value = apmu_policy_wanted(row, r->features, &moment),
                         .hold = hold, .rule = f->rule, .why = f->text});
        }
    }
}

static enum apmu_error check_request(const struct apmu_policy_request *r)
{
    const uint64_t features = r->features;
    const unsigned allowed = r->level == 2 ? APMU_STATES_EL2 : ~(APMU_STATE(NS_EL0) | APMU_STATE(NS_EL1));

    if (!(r->level == 3 && HAS_EL3) && !(r->level == 2 && HAS_EL2)) {
        return APMU_E_POLICY_LEVEL;
    }
    return (r->protect & ~(apmu_states(features) & allowed)) != 0 ? APMU_E_POLICY_STATE : APMU_OK;
}

/* Returns whether counters leak with the values that last, so whether apmu_policy_gaps() would find a field. */
static bool leaks_between_entries(const struct apmu_policy_request *request)
{
    struct apmu_policy_reg regs[POLICY_HELD];
    const size_t count = apmu_policy_held(request, regs);

    for (unsigned state = 0; state < APMU_STATE_COUNT; state++) {
        if ((request->protect >> state & 1) != 0 &&
            apmu_policy_leaks(request, regs, count, false, (enum apmu_state)state) != 0) {
            return true;
        }
    }
    return false;
}

static uint64_t filters(uint64_t features); /* below */

enum apmu_error apmu_policy(const struct apmu_policy_request *request, struct apmu_policy_row *rows, size_t room,
                            size_t *count)
{
    const uint64_t features = request->features;
    const enum apmu_error error = check_request(request);
    struct policy_rows out = {rows, room, 0};

    *count = 0;
    if (error != APMU_OK) {
        return error;
    }
    const bool relies = leaks_between_entries(request);

    add_fields(&out, request, APMU_HOLD_BOOT, relies);
    if (relies) {
        add_fields(&out, request, APMU_HOLD_ENTRY, relies);
    }
    add_fields(&out, request, APMU_HOLD_SIGNAL, relies);
    if (HAS(PMUv3_EXTPMN)) {
        add(&out, (struct apmu_policy_row){
                      .reg = APMU_REG_PMEVTYPER_EL0, .name = apmu_policy_reg_name(features, APMU_REG_PMEVTYPER_EL0),
                      .field = POLICY_TEXT("filters"), .mask = filters(features), .hold = APMU_HOLD_EXTERNAL,
                      .value = apmu_policy_filter(features, request->protect), .rule = POLICY_TEXT("ILNLLM"),
                      .why = POLICY_TEXT("only its filters keep the third range out of a state")});
    }
    if (out.count > room) {
        return APMU_E_POLICY_ROOM;
    }
    *count = out.count;
    return APMU_OK;
}

/* A policy has at most two rows for each field, and one for the filters. */
_Static_assert(POLICY_FIELD_COUNT * 2 + 1 <= APMU_POLICY_ROWS, "APMU_POLICY_ROWS is too small");

uint64_t apmu_policy_value(const struct apmu_policy_row *rows, size_t count, enum apmu_policy_hold hold,
                           enum apmu_reg reg, uint64_t old)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].reg == reg && rows[i].hold == hold) {
            old = (old & ~rows[i].mask) | rows[i].value;
        }
    }
    return old;
}

size_t apmu_policy_held(const struct apmu_policy_request *request, struct apmu_policy_reg *regs)
{
    static const enum apmu_reg held[POLICY_HELD] = {APMU_REG_MDCR_EL3, APMU_REG_SDER32_EL3, APMU_REG_MDCR_EL2,
                                                    APMU_REG_PMAUTHSTATUS};
    const struct policy_moment moment = {request->counters, false, false};
    size_t count = 0;

    for (unsigned i = 0; i < POLICY_HELD; i++) {
        const enum apmu_reg reg = held[i];

        if (register_exists(request->features, request->level, reg) &&
            (reg != APMU_REG_MDCR_EL2 || el2_at_boot(request))) {
            regs[count] = (struct apmu_policy_reg){reg, 0};
            for (unsigned f = 0; f < POLICY_FIELD_COUNT; f++) {
                const enum policy_field_row row = (enum policy_field_row)f;

                if (apmu_policy_field(row)->reg == reg && field_exists(request->features, apmu_policy_field(row))) {
                    regs[count].value |= apmu_policy_wanted(row, request->features, &moment);
                }
            }
            count++;
        }
    }
    return count;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Filters.
 */

/* Returns the filter bits that exist. */
static uint64_t filters(uint64_t features)
{
    static const struct {
        uint64_t mask;
        enum apmu_gate gate;
    } bits[] = {
#define BIT_OF(field) {APMU_MASK(PMEVTYPER_EL0, field), (enum apmu_gate)GATE_PMEVTYPER_EL0_##field}
        BIT_OF(P), BIT_OF(U), BIT_OF(NSK), BIT_OF(NSU), BIT_OF(NSH), BIT_OF(M), BIT_OF(SH), BIT_OF(RLK), BIT_OF(RLU),
        BIT_OF(RLH),
    };
    uint64_t mask = 0;

    for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        mask |= holds(features, bits[i].gate) ? bits[i].mask : 0;
    }
    return HAS(PMUv3) || HAS(PMUv2) ? mask : 0;
}

/*
 * A filter bit is compared with a base bit.  Outside EL2 a state is excluded if they differ, at EL2 if they are equal.
 */
uint64_t apmu_policy_filter(uint64_t features, unsigned excluded)
{
    const bool a32_el3 = HAS(AA32EL3) && !HAS(AA64EL3);
    /* base<n>: the states at EL<n> that U, P or NSH decides alone.  Without EL3 there is one Security state. */
    const unsigned one0 = APMU_STATE(NS_EL0) | APMU_STATE(S_EL0), one1 = APMU_STATE(NS_EL1) | APMU_STATE(S_EL1);
    const unsigned base0 = HAS_EL3 ? APMU_STATE(S_EL0) : one0;
    const unsigned base1 = HAS_EL3 ? APMU_STATE(S_EL1) | (a32_el3 ? APMU_STATE(EL3) : 0) : one1;
    const unsigned base2 = APMU_STATE(NS_EL2) | (HAS_EL3 ? 0 : APMU_STATE(S_EL2));
    const bool u = (excluded & base0) != 0, p = (excluded & base1) != 0, h = (excluded & base2) == 0;
#define OUT(id) ((excluded & APMU_STATE(id)) != 0)
    const uint64_t value = APMU_PUT(PMEVTYPER_EL0, P, p) | APMU_PUT(PMEVTYPER_EL0, U, u) |
                           APMU_PUT(PMEVTYPER_EL0, NSK, p != OUT(NS_EL1)) |
                           APMU_PUT(PMEVTYPER_EL0, NSU, u != OUT(NS_EL0)) |
                           APMU_PUT(PMEVTYPER_EL0, M, p != OUT(EL3)) |
                           APMU_PUT(PMEVTYPER_EL0, RLK, p != OUT(RL_EL1)) |
                           APMU_PUT(PMEVTYPER_EL0, RLU, u != OUT(RL_EL0)) | APMU_PUT(PMEVTYPER_EL0, NSH, h) |
                           APMU_PUT(PMEVTYPER_EL0, SH, h == OUT(S_EL2)) |
                           APMU_PUT(PMEVTYPER_EL0, RLH, h == OUT(RL_EL2));
#undef OUT

    return value & filters(features);
}
