/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes an image: checks the options, adds the rows that identify the machine, then the scenes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The states of the PE that no program changes, or that the image leaves alone.  a32 is another without AArch32. */
#define HELD \
    "sm,halted,sdd,os_lock,double_lock,dbgen,niden,spiden,spniden,rlpiden,rtpiden,core_off,debug_off," \
    "unattributable,pm,ppend,edecr_pme,SDER32_EL3,PMBLIMITR_EL1,PMBSR_EL1,PMBSR_EL2,PMBSR_EL3,PMSCR_EL2,sample_valid"

/* Returns whether a unit may have @features, a set that this function closes. */
static bool is_possible(uint64_t features)
{
    const struct apmu_config cfg = {.size = sizeof cfg, .features = apmu_features_closure(features), .counters = 1,
                                    .thwidth = (features & APMU_FEAT(PMUv3_TH)) != 0};

    return apmu_config_check(&cfg) == NULL;
}

/* Returns the Exception levels up to @el that a unit with @features has in the states @isa. */
static uint64_t levels_of(uint64_t features, unsigned el, enum image_isa isa)
{
    const uint64_t above = APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3);
    /* PMUv1 is older than EL2; other units lack it if they are said to have EL3 and are not said to have EL2. */
    const bool without_el2 = (features & APMU_FEAT(PMUv1)) != 0 || (features & above) == APMU_FEAT(AA64EL3);
    uint64_t levels = isa == IMAGE_A64_A32 ? APMU_FEAT(AA32EL0) : 0;

    for (unsigned level = 0; level <= el; level++) {
        levels |= level == 2 && without_el2 ? 0 : (isa == IMAGE_A32 ? APMU_FEAT(AA32EL0) : APMU_FEAT(AA64EL0)) << level;
    }
    return levels;
}

uint64_t image_features(uint64_t features, unsigned el, enum image_isa isa)
{
    uint64_t above64 = 0, above = 0, levels = levels_of(features, el, isa), kept = 0;

    features |= levels;
    for (unsigned level = 0; level <= 3; level++) {
        const uint64_t a64 = APMU_FEAT(AA64EL0) << level, a32 = APMU_FEAT(AA32EL0) << level;

        const bool absent = (levels & (a64 | a32)) == 0; /* it is above @el, or EL2 and there is none */

        above64 |= absent || isa == IMAGE_A32 ? a64 : 0;
        above |= (absent ? a64 | a32 : 0) | (isa == IMAGE_A32 ? a64 | APMU_FEAT(AA64) : 0);
        levels |= absent ? 0 : features & (isa == IMAGE_A32 ? a32 : a64 | a32);
    }
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const uint64_t feature = UINT64_C(1) << bit, with = APMU_FEAT(PMUv3) | levels | feature;
        const bool implies = (apmu_features_closure(feature) & above) != 0;

        const bool lacks = !is_possible(with) && (is_possible(with | above64) || is_possible(with | above));

        kept |= implies || lacks ? 0 : feature;
    }
    return features & kept;
}

/* Makes the guide.  Returns NULL, or what is wrong. */
static const char *make_guide(struct image *m, char fault[256])
{
    char config[1024];
    size_t used = 0;

    static const char *const views[] = {[IMAGE_A64] = "a64", [IMAGE_A64_A32] = "a64,a32", [IMAGE_A32] = "a32"};
    const bool sdcr = !image_is_a32(m) || image_has(m, APMU_FEAT(PMUv3));

    used += (size_t)snprintf(config, sizeof config, "counters=%u views=%s hold=" HELD "%s%s features=",
                             m->options->counters, views[m->options->isa],
                             m->options->isa == IMAGE_A64_A32 ? "" : ",a32", sdcr ? "" : ",MDCR_EL3");
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const char *name = apmu_feature_name(bit);

        if (name != NULL && (m->options->features >> bit & 1) != 0 && used < sizeof config) {
            used += (size_t)snprintf(config + used, sizeof config - used, "%s,", name + strlen("FEAT_"));
        }
    }
    if (used >= sizeof config) {
        return "too many features";
    }
    config[used - 1] = '\0';
    if ((m->options->features & APMU_FEAT(PMUv3_TH)) != 0) {
        snprintf(config + used - 1, sizeof config - used, " thwidth=12");
    }
    m->tb = apmu_tb_create(config);
    if (m->tb != NULL && apmu_tb_fault(m->tb)[0] != '\0') {
        snprintf(fault, 256, "%s", apmu_tb_fault(m->tb));
        return fault;
    }
    memset(m->tb->stimulus.crossed, 0, sizeof m->tb->stimulus.crossed); /* a scene of software increments has its own */
    if (m->tb == NULL) {
        return "there is no memory";
    }
    apmu_tb_line(m->tb, 0, APMU_EV_SW_INCR);
    apmu_tb_line(m->tb, 1, APMU_EV_INST_RETIRED);
    apmu_tb_seed(m->tb, m->options->seed);
    return NULL;
}

/* Adds rows that print the registers which say what the machine is. */
static void add_identity(struct image *m)
{
    static const enum apmu_reg others[] = {APMU_REG_PMCR_EL0, APMU_REG_PMCEID0_EL0, APMU_REG_PMCEID1_EL0};
    static const enum apmu_reg a32[] = {APMU_REG_MIDR_EL1, APMU_REG_ID_PFR0_EL1, APMU_REG_ID_PFR1_EL1,
                                        APMU_REG_ID_DFR0_EL1, APMU_REG_ID_DFR1_EL1};
    const struct apmu_id_field *field;
    uint64_t seen[2] = {0, 0};

    for (size_t i = 0; i < sizeof a32 / sizeof a32[0] && image_is_a32(m); i++) {
        image_add(m, &(struct image_row){.kind = ROW_IDENTITY, .cell = image_read_cell(m, a32[i])});
    }
    for (size_t i = 0; !image_is_a32(m) && (field = apmu_id_field_at(i)) != NULL; i++) {
        const unsigned key = apmu_reg_info(field->reg)->key;

        if (key != 0 && (seen[field->reg / 64 % 2] >> field->reg % 64 & 1) == 0) {
            seen[field->reg / 64 % 2] |= UINT64_C(1) << field->reg % 64;
            const unsigned cell = image_access_cell(m, APMU_TB_A64, key, false);
            image_add(m, &(struct image_row){.kind = ROW_IDENTITY, .cell = cell});
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        image_add(m, &(struct image_row){.kind = ROW_IDENTITY, .cell = image_read_cell(m, others[i])});
    }
}

/* Adds a row that ends the image unless bits of a register are from @least to @most. */
static void add_guard(struct image *m, enum apmu_reg reg, unsigned msb, unsigned lsb, uint64_t least, uint64_t most,
                      const char *text)
{
    image_add(m, &(struct image_row){.kind = ROW_GUARD,
                                     .cell = image_read_cell(m, reg),
                                     .text = image_text(m, text),
                                     .mask = APMU_BITS(msb, lsb),
                                     .want = least << lsb,
                                     .room = (most - least) << lsb});
}

/* Adds rows that check the version of the PMU and the Exception levels where these are in AArch32 state. */
static void add_guards_a32(struct image *m)
{
    const uint64_t dfr0 = apmu_id_value(APMU_REG_ID_DFR0_EL1, m->options->features);
    const uint64_t version = APMU_GET(ID_DFR0_EL1, PerfMon, dfr0);
    const bool el2 = image_has(m, APMU_FEAT(AA32EL2));
    char text[IMAGE_TEXT];

    snprintf(text, sizeof text, "its ID_DFR0.PerfMon is %u", (unsigned)version);
    add_guard(m, APMU_REG_ID_DFR0_EL1, 27, 24, version == 1 ? 0 : version, version, text); /* 0: older than the field */
    if (m->options->el == 3) {
        snprintf(text, sizeof text, "it has %s", el2 ? "EL2" : "no EL2");
        add_guard(m, APMU_REG_ID_PFR1_EL1, 15, 12, el2, el2 ? 15 : 0, text);
    }
}

/* Adds rows that check the features that AArch64 state shows. */
static void add_guards_a64(struct image *m)
{
    const struct apmu_id_field *field;
    char text[IMAGE_TEXT];

    for (size_t i = 0; (field = apmu_id_field_at(i)) != NULL; i++) {
        const bool traps = field->reg == APMU_REG_ID_AA64MMFR0_EL1 && m->options->el >= 2; /* FEAT_FGT */
        const bool a64 = field->reg == APMU_REG_ID_AA64DFR0_EL1 || field->reg == APMU_REG_ID_AA64DFR1_EL1 ||
                         field->reg == APMU_REG_ID_AA64PFR0_EL1 || traps;

        if (a64 && (m->options->features >> field->feature & 1) != 0) {
            snprintf(text, sizeof text, "it has %s", apmu_feature_name(field->feature));
            add_guard(m, field->reg, field->msb, field->lsb, field->least, field->most, text);
        }
    }
    for (unsigned level = 0; level <= m->options->el; level++) {
        if (level == 2 && !image_has(m, APMU_FEAT(AA64EL2))) {
            add_guard(m, APMU_REG_ID_AA64PFR0_EL1, 11, 8, 0, 0, "it has no EL2");
        } else if (!image_has(m, APMU_FEAT(AA32EL0) << level)) {
            snprintf(text, sizeof text, "it has no AArch32 at EL%u, which the feature AA32EL%u adds", level,
                     level);
            add_guard(m, APMU_REG_ID_AA64PFR0_EL1, 4 * level + 3, 4 * level, 1, 1, text);
        }
    }
    const uint64_t version = APMU_GET(ID_AA64DFR0_EL1, PMUVer,
                                      apmu_id_value(APMU_REG_ID_AA64DFR0_EL1, m->options->features));

    snprintf(text, sizeof text, "its PMUVer is %u", (unsigned)version);
    add_guard(m, APMU_REG_ID_AA64DFR0_EL1, 11, 8, version, version, text);
}

/* Adds rows that check that the machine is the one of the options: its features that it shows, its counters. */
static void add_guards(struct image *m)
{
    char text[IMAGE_TEXT];

    if (image_is_a32(m)) {
        add_guards_a32(m);
    } else {
        add_guards_a64(m);
    }
    snprintf(text, sizeof text, "it has %u event counters", m->options->counters);
    add_guard(m, APMU_REG_PMCR_EL0, 15, 11, m->options->counters, m->options->counters, text);
}

const char *image_make(struct image *m, const struct image_options *options, char fault[256])
{
    m->options = options;
    m->text_count = 1; /* "" */
    const char *wrong = make_guide(m, fault);

    if (wrong != NULL) {
        return wrong;
    }
    image_make_units(m);
    add_identity(m);
    if (options->length != 0) {
        add_guards(m);
    }
    image_plan(m);
    m->summary.reachable = m->tb->stimulus.reachable & ~(APMU_WHY(NO_COUNTER) | APMU_WHY(HALTED));
    return m->full ? "there is no memory" : NULL;
}

const char *image_write(FILE *out, const struct image_options *options, struct image_summary *summary,
                        char fault[256])
{
    struct image *m = calloc(1, sizeof *m);

    if (m == NULL) {
        return "there is no memory";
    }
    const char *wrong = image_make(m, options, fault);

    if (wrong == NULL) {
        image_print(out, m);
        if (summary != NULL) {
            *summary = m->summary;
        }
    }
    apmu_tb_destroy(m->tb);
    free(m->rows);
    free(m);
    return wrong;
}
