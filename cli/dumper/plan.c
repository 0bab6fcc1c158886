/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the list of reads of a view out of the tables. */
#include <string.h>

#include <armpmu/model.h>

#include "dumper.h"

/* ---------------------------------------------------------------------------------------------------------------
 * The tables.
 */

/* The conditions of gates, as features.def writes them.  APMU_GATE(EL2, ...) becomes "HAS(AA64EL2) || HAS(AA32EL2)". */
static const char *const conditions[APMU_GATE_COUNT] = {
#define APMU_FEATURE(id, bit, requires, text) [APMU_GATE_##id] = "HAS(" #id ")",
#define APMU_GATE(id, condition, text) [APMU_GATE_##id] = #condition,
#include <armpmu/tables/features.def>
};

/* What an access does to which member of the model, as registers.def writes it; control registers have none. */
static const struct effect {
    const char *op, *storage;
} effects[APMU_REG_ALL] = {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    [APMU_REG_##id] = {#op, #storage},
#include <armpmu/tables/registers.def>
};

/* The fields of MDCR_EL3 that have to be 1 for a read below EL3. */
static const char *const enables[APMU_REG_ALL] = {
#define ENABLE_TPM NULL
#define ENABLE_EnPM2 "MDCR_EL3.EnPM2"
#define ENABLE_EnPMSS "MDCR_EL3.EnPMSS"
#define APMU_ACCESS(id, user_read, user_write, counter, read_trap, write_trap, el2, el3) \
    [APMU_REG_##id] = ENABLE_##el3,
#include <armpmu/tables/access.def>
#define DUMPER_CLOSED(id, field) [APMU_REG_##id] = field,
#include "guards.def"
};

/* A further gate of guards.def. */
static const struct also {
    enum apmu_reg reg;
    enum dumper_view view;
    enum apmu_gate gate;
} alsos[] = {
#define DUMPER_ALSO(id, view, gate, why) {APMU_REG_##id, DUMPER_##view, APMU_GATE_##gate},
#include "guards.def"
};

/* Returns the condition without which the register is read only if the user asks for it; NULL if there is none. */
static const char *asked_of(const char *name)
{
    static const struct {
        const char *name;
        enum apmu_gate unless;
    } asked[] = {
#define DUMPER_ASKED(name, unless, why) {name, APMU_GATE_##unless},
#include "guards.def"
    };

    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        if (strcmp(asked[i].name, name) == 0) {
            return conditions[asked[i].unless];
        }
    }
    return NULL;
}

static bool is_never_read(const char *name)
{
    static const char *const never[] = {
#define DUMPER_NEVER(id, why) #id,
#include "guards.def"
    };

    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
        if (strcmp(name, never[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if the op of @reg in registers.def is @op. */
static bool has_op(enum apmu_reg reg, const char *op)
{
    return effects[reg].op != NULL && strcmp(effects[reg].op, op) == 0;
}

/* Returns the SET register that shows the same bits as @reg, a CLR register; @reg itself if it is something else. */
static enum apmu_reg set_of(enum apmu_reg reg)
{
    for (unsigned r = 0; has_op(reg, "CLR") && r <= APMU_REG_LAST_A64; r++) {
        if (has_op((enum apmu_reg)r, "SET") && strcmp(effects[r].storage, effects[reg].storage) == 0) {
            return (enum apmu_reg)r;
        }
    }
    return reg;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Reads.
 */

#define GATES (sizeof((struct dumper_read *)0)->gates / sizeof(const char *))

/* Adds a condition to those of a read, unless it is there. */
static void add_condition(struct dumper_read *read, const char *condition)
{
    size_t i = 0;

    while (i < GATES && read->gates[i] != NULL && strcmp(read->gates[i], condition) != 0) {
        i++;
    }
    if (i < GATES) {
        read->gates[i] = condition;
    }
}

static void add_gate(struct dumper_read *read, enum apmu_gate gate)
{
    if (gate != APMU_GATE_ALWAYS) {
        add_condition(read, conditions[gate]);
    }
}

/* Returns the features that @core is known to lack. */
static uint64_t lacks_of(const struct apmu_core_info *core)
{
    const unsigned lsb = APMU_ID_AA64DFR0_EL1_PMUVer_LSB;
    const uint64_t newest = apmu_id_features(APMU_REG_ID_AA64DFR0_EL1, UINT64_C(14) << lsb);
    uint64_t lacks, all = 0;

    if (core == NULL) {
        return 0;
    }
    switch (core->pmu) {
    case APMU_CORE_PMU_V1:
        lacks = newest | APMU_FEAT(PMUv2);
        break;
    case APMU_CORE_PMU_V2:
        lacks = newest | APMU_FEAT(PMUv1);
        break;
    default:
        lacks = APMU_FEAT(PMUv1) | APMU_FEAT(PMUv2);
        if (core->version != 0) {
            lacks |= newest & ~apmu_id_features(APMU_REG_ID_AA64DFR0_EL1, (uint64_t)core->version << lsb);
        }
        break;
    }
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const uint64_t feature = UINT64_C(1) << bit;

        all |= (apmu_features_closure(feature) & lacks) != 0 ? feature : 0;
    }
    return all;
}

/* Adds @read to the plan, unless the core lacks it.  A bank gets as many copies as the core has counters. */
static void add(struct dumper_plan *plan, const struct dumper_read *read)
{
    for (size_t i = 0; i < GATES && read->gates[i] != NULL; i++) {
        if (!dumper_may_hold(read->gates[i], plan->lacks)) {
            return;
        }
    }
    if (plan->count == DUMPER_READS || is_never_read(read->name)) {
        return;
    }
    struct dumper_read *added = &plan->reads[plan->count++];

    *added = *read;
    if (read->copies > 1 && plan->core != NULL && plan->core->counters < read->copies) {
        added->copies = plan->core->counters;
    }
    for (size_t i = 0; i < GATES && read->gates[i] != NULL; i++) {
        plan->features |= dumper_features_of(read->gates[i]);
    }
    plan->features |= read->unless != NULL ? dumper_features_of(read->unless) : 0;
}

/* Returns a read of the AArch64 register @reg, or of a part of it that another view shows. */
static struct dumper_read read_of(enum apmu_reg reg, enum dumper_view view, const char *name, uint16_t key)
{
    const struct apmu_reg_info *info = apmu_reg_info(reg);
    const unsigned op1 = info->key >> 11 & 7;
    const bool control = reg > APMU_REG_LAST_A64;
    struct dumper_read read = {
        .reg = reg, .copies = info->copies, .key = key, .coproc = 15, .wide = view == DUMPER_A64,
        .level = op1 == 6 ? 3 : op1 == 4 ? 2 : 1, .closed_by = view == DUMPER_A64 ? enables[reg] : NULL,
        .asked = asked_of(name),
    };

    strcpy(read.name, name);
    read.moment = control && (info->key >> 7 & 15) == 0 && info->key >> 14 == 3 ? DUMPER_ID
                  : control || has_op(reg, "CONST")                             ? DUMPER_ONCE
                                                                                : DUMPER_TWICE;
    if ((view == DUMPER_A64 && info->gate != APMU_GATE_AA64) || !control) { /* other gates are about MRS */
        add_gate(&read, info->gate);
    }
    for (size_t i = 0; i < sizeof alsos / sizeof alsos[0]; i++) {
        if (alsos[i].reg == reg && alsos[i].view == view) {
            add_gate(&read, alsos[i].gate);
            read.moment = DUMPER_ONCE; /* after the IDs that its guard needs */
        }
    }
    return read;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Views.
 */

static void plan_a64(struct dumper_plan *plan, enum dumper_moment moment)
{
    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        const enum apmu_reg reg = (enum apmu_reg)r;
        const struct apmu_reg_info *info = apmu_reg_info(reg);
        char name[24];
        struct dumper_read read;

        if (info->key == 0 || !info->readable || set_of(reg) != reg) {
            continue;
        }
        read = read_of(reg, DUMPER_A64, apmu_reg_name(reg, 0, name), info->key);
        if (read.moment == moment) {
            add(plan, &read);
        }
    }
}

/* Returns the AArch32 register that shows all bits of @of, or the SET register of a CLR register; or NULL. */
static const struct apmu_reg32_info *better_than(const struct apmu_reg32_info *info)
{
    const enum apmu_reg of = set_of(info->of);

    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        const struct apmu_reg32_info *other = apmu_reg32_info((enum apmu_reg32)r);
        const bool wider = info->part != APMU_PART_BOTH && other->part == APMU_PART_BOTH;

        if (other->of == of && (of != info->of || wider)) {
            return other;
        }
    }
    return NULL;
}

/* Adds the read of @info through PMSELR, which ARMv7 has in place of a bank and of PMCCFILTR. */
static void add_selected(struct dumper_plan *plan, const struct dumper_read *direct)
{
    struct dumper_read read = *direct;
    const bool counter = direct->reg == APMU_REG_PMEVCNTR_EL0;
    const struct apmu_reg_info *by = apmu_reg_info(counter ? APMU_REG_PMXEVCNTR_EL0 : APMU_REG_PMXEVTYPER_EL0);

    read.selected = true;
    read.key = (uint16_t)APMU_A32_SAME(by->key);
    memset(read.gates, 0, sizeof read.gates);
    add_condition(&read, direct->copies == 1 ? "HAS(PMUv2)" : "HAS(PMUv1) || HAS(PMUv2)");
    add(plan, &read);
}

/* The PMUs of AArch32 state. */
static const char any_pmu[] = "HAS(PMUv1) || HAS(PMUv2) || HAS(PMUv3)";

static void plan_a32(struct dumper_plan *plan, enum dumper_moment moment)
{
    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        const struct apmu_reg32_info *info = apmu_reg32_info((enum apmu_reg32)r), *better = better_than(info);
        char name[24];

        if (!apmu_reg_info(info->of)->readable || (better != NULL && better->gate == APMU_GATE_ALWAYS)) {
            continue;
        }
        struct dumper_read read = read_of(info->of, DUMPER_A32, apmu_reg32_name((enum apmu_reg32)r, 0, name),
                                          info->key);
        read.wide = info->part == APMU_PART_BOTH;
        if (apmu_reg_info(info->of)->gate == APMU_GATE_PMUv3) { /* in this view PMUv1 and PMUv2 have it too */
            memset(read.gates, 0, sizeof read.gates);
            add_condition(&read, any_pmu);
        }
        add_gate(&read, info->gate);
        if (better != NULL) {
            read.unless = conditions[better->gate];
            read.unless_all = asked_of(better->name) != NULL;
        }
        if (strncmp(name, "PMX", 3) == 0 || read.moment != moment) {
            continue;
        }
        add(plan, &read);
        if (info->gate == APMU_GATE_NOT_ARMV7 && !read.wide) {
            add_selected(plan, &read);
        }
    }
#define APMU_BORROWED32(id, of, coproc_, opc1, crn, crm, opc2, part, text) \
    { \
        struct dumper_read read = read_of(APMU_REG_##of, DUMPER_A32, #id, APMU_A32_KEY(opc1, crn, crm, opc2)); \
        read.coproc = coproc_; \
        if (APMU_PART_##part == APMU_PART_HIGH) { /* the upper half came with Armv8 */ \
            add_gate(&read, APMU_GATE_PMUv3); \
        } \
        if (read.moment == moment) { \
            add(plan, &read); \
        } \
    }
#include <armpmu/tables/aarch32.def>
}

static void plan_arm11(struct dumper_plan *plan)
{
    struct dumper_read midr = read_of(APMU_REG_MIDR_EL1, DUMPER_A32, "MIDR", APMU_A32_KEY(0, 0, 0, 0));

    add(plan, &midr);
#define APMU_ARM11_REGISTER(id, opc2, storage, also, text) \
    add(plan, &(struct dumper_read){.name = #id, .copies = 1, .key = APMU_A32_KEY(0, 15, 12, opc2), .coproc = 15, \
                                    .level = 1, .moment = DUMPER_TWICE});
#define APMU_ARM11_BORROWED(id, coproc_, opc1, crn, crm, opc2, text) \
    add(plan, &(struct dumper_read){.name = #id, .copies = 1, .key = APMU_A32_KEY(opc1, crn, crm, opc2), \
                                    .coproc = coproc_, .level = 1, .moment = DUMPER_ONCE, \
                                    .asked = asked_of(#id)});
#include <armpmu/tables/arm11.def>
}

void dumper_make_plan(struct dumper_plan *plan, enum dumper_view view, const struct apmu_core_info *core)
{
    *plan = (struct dumper_plan){.view = view, .core = core, .lacks = lacks_of(core)};
    if (view == DUMPER_ARM11) {
        plan_arm11(plan);
    }
    if (view == DUMPER_ARM11 || view == DUMPER_EXTERNAL) { /* memory.c lists words */
        return;
    }
    for (enum dumper_moment moment = DUMPER_ID; moment <= DUMPER_TWICE; moment++) {
        if (view == DUMPER_A64) {
            plan_a64(plan, moment);
        } else {
            plan_a32(plan, moment);
        }
    }
}

const struct dumper_read *dumper_find(const struct dumper_plan *plan, enum apmu_reg reg)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->reads[i].reg == reg && plan->view != DUMPER_ARM11) {
            return &plan->reads[i];
        }
    }
    return NULL;
}

const char *dumper_name(const struct dumper_plan *plan, const struct dumper_read *read, unsigned n, char buf[24])
{
    if (read->copies == 1 || plan->view == DUMPER_ARM11) {
        return strcpy(buf, read->name);
    }
    if (plan->view == DUMPER_A64) {
        return apmu_reg_name(read->reg, n, buf);
    }
    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        if (apmu_reg32_info((enum apmu_reg32)r)->of == read->reg) {
            return apmu_reg32_name((enum apmu_reg32)r, n, buf);
        }
    }
    return strcpy(buf, read->name);
}
