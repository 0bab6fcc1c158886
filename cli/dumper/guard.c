/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads conditions of features.def, "HAS(EBEP) || HAS(PMUv3_SS)", and writes them in the language of a form. */
#include <string.h>

#include "dumper.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Conditions.
 */

/* A piece of a condition. */
struct piece {
    const char *at;
    size_t length;
};

static struct piece trim(struct piece p)
{
    while (p.length > 0 && p.at[0] == ' ') {
        p.at++;
        p.length--;
    }
    while (p.length > 0 && p.at[p.length - 1] == ' ') {
        p.length--;
    }
    return p;
}

/* Cuts the first operand of @sign, "||" or "&&", outside of parentheses, off *@rest.  Returns false at the end. */
static bool next_operand(struct piece *rest, const char *sign, struct piece *operand)
{
    size_t depth = 0, i = 0;

    if (rest->length == 0) {
        return false;
    }
    for (; i < rest->length; i++) {
        const bool operates = i + 1 < rest->length && memcmp(rest->at + i, sign, 2) == 0;

        if (depth == 0 && operates) {
            break;
        }
        depth += rest->at[i] == '(' ? 1 : 0;
        depth -= rest->at[i] == ')' ? 1 : 0;
    }
    const size_t used = i < rest->length ? i + 2 : i;

    *operand = trim((struct piece){rest->at, i});
    rest->at += used;
    rest->length -= used;
    return true;
}

/* Returns the feature of "HAS(PMUv3)" at the beginning of @p as a set, or 0. */
static uint64_t feature_of(struct piece p)
{
    if (p.length < 6 || memcmp(p.at, "HAS(", 4) != 0) {
        return 0;
    }
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const char *name = apmu_feature_name(bit) + strlen("FEAT_");
        const size_t length = strlen(name);

        if (length + 5 <= p.length && memcmp(p.at + 4, name, length) == 0 && p.at[4 + length] == ')') {
            return UINT64_C(1) << bit;
        }
    }
    return 0;
}

/* Returns true if the piece asks for more of the implementation than its features, which no ID register shows. */
static bool asks_config(struct piece p)
{
    for (size_t i = 0; i + 3 <= p.length; i++) {
        if (memcmp(p.at + i, "cfg", 3) == 0) {
            return true;
        }
    }
    return false;
}

/* Strips the parentheses around a whole piece, if it has them. */
static bool in_parentheses(struct piece *p)
{
    if (p->length < 2 || p->at[0] != '(' || p->at[p->length - 1] != ')') {
        return false;
    }
    p->at++;
    p->length -= 2;
    return true;
}

static bool may_hold(struct piece condition, uint64_t lacks, unsigned depth);

/* Does what dumper_may_hold() does for an operand without || and &&. */
static bool operand_may_hold(struct piece p, uint64_t lacks, unsigned depth)
{
    if (depth < 4 && in_parentheses(&p)) {
        return may_hold(p, lacks, depth + 1);
    }
    return (feature_of(p) & lacks) == 0; /* what is negated, or not a feature, may hold */
}

static bool may_hold(struct piece condition, uint64_t lacks, unsigned depth)
{
    struct piece term, factor;

    while (next_operand(&condition, "||", &term)) {
        bool all = !asks_config(term);

        while (next_operand(&term, "&&", &factor)) {
            all &= operand_may_hold(factor, lacks, depth);
        }
        if (all) {
            return true;
        }
    }
    return false;
}

bool dumper_may_hold(const char *condition, uint64_t lacks)
{
    return may_hold((struct piece){condition, strlen(condition)}, lacks, 0);
}

uint64_t dumper_features_of(const char *condition)
{
    struct piece rest = {condition, strlen(condition)}, term;
    uint64_t set = 0;

    while (next_operand(&rest, "||", &term)) {
        for (; !asks_config(term) && term.length > 0; term.at++, term.length--) {
            set |= feature_of(term);
        }
    }
    return set;
}

/* Writes the condition with variables has_FEATURE in place of HAS(FEATURE), without what asks for a configuration. */
static void write_condition(FILE *out, const char *condition, const struct dumper_language *language)
{
    struct piece rest = {condition, strlen(condition)}, term;
    const char *separator = "";

    while (next_operand(&rest, "||", &term)) {
        if (asks_config(term)) {
            continue;
        }
        fputs(separator, out);
        separator = " || ";
        while (term.length > 0) {
            const uint64_t feature = feature_of(term);
            size_t used = 1;

            if (feature != 0) {
                const char *end = memchr(term.at, ')', term.length);

                used = (size_t)(end - term.at) + 1;
                fprintf(out, "%shas_%.*s%s", language->sigil, (int)(used - 5), term.at + 4, language->tail);
            } else {
                fputc(term.at[0], out);
            }
            term.at += used;
            term.length -= used;
        }
    }
}

bool dumper_write_guard(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read,
                        const struct dumper_language *language)
{
    const char *separator = "";
    const char *const levels[] = {"", "", "hyp", "secure"}; /* of AArch32 state */

    if (read->level > 1) {
        if (plan->view == DUMPER_A32) {
            fprintf(out, "%s%s%s", language->sigil, levels[read->level], language->tail);
        } else {
            fprintf(out, "%sel%s >= %u", language->sigil, language->tail, read->level);
        }
        separator = " && ";
    }
    for (size_t i = 0; i < sizeof read->gates / sizeof read->gates[0] && read->gates[i] != NULL; i++) {
        const bool alternatives = strchr(read->gates[i], '|') != NULL;

        fprintf(out, alternatives ? "%s(" : "%s", separator);
        write_condition(out, read->gates[i], language);
        fputs(alternatives ? ")" : "", out);
        separator = " && ";
    }
    if (read->unless != NULL) {
        fprintf(out, "%s!(", separator);
        if (read->unless_all) {
            fprintf(out, "%sall%s && ", language->sigil, language->tail);
        }
        write_condition(out, read->unless, language);
        fputs(")", out);
        separator = " && ";
    }
    if (read->closed_by != NULL) {
        fprintf(out, "%s%sopen%s", separator, language->sigil, language->tail);
        separator = " && ";
    }
    if (read->asked != NULL) {
        const bool always = dumper_features_of(read->asked) == 0;

        fprintf(out, "%s%s%sall%s", separator, always ? "" : "(", language->sigil, language->tail);
        if (!always) {
            fputs(" || ", out);
            write_condition(out, read->asked, language);
            fputs(")", out);
        }
        separator = " && ";
    }
    return separator[0] != '\0';
}

/* ---------------------------------------------------------------------------------------------------------------
 * Features from ID registers.
 */

/* A row APMU_ID_FIELD of features.def. */
static const struct id_row {
    uint64_t feature;
    enum apmu_reg reg;
    uint8_t msb, lsb;
    uint16_t least, most;
} id_rows[] = {
#define APMU_ID_FIELD(id, reg, field, least, most) \
    {APMU_FEAT(id), APMU_REG_##reg, APMU_##reg##_##field##_MSB, APMU_##reg##_##field##_LSB, least, most},
#include <armpmu/tables/features.def>
};

void dumper_write_arm11(FILE *out, const struct dumper_language *language)
{
    const char *separator = "";

    for (size_t i = 0; i < apmu_core_count(); i++) {
        const struct apmu_core_info *core = apmu_core_at(i);

        if (core->pmu == APMU_CORE_PMU_ARM11) {
            fprintf(out, "%s(%sv_MIDR%s & 0xff00fff0) == 0x%02x00%03x0", separator, language->sigil, language->tail,
                    core->implementer, core->part);
            separator = " || ";
        }
    }
}

/* Writes the names of the reads for which @which holds, with a title, as lines that begin with @prefix. */
static void write_names(FILE *out, const struct dumper_plan *plan, const char *prefix, const char *title,
                        bool (*which)(const struct dumper_plan *plan, const struct dumper_read *read))
{
    size_t width = 0;
    bool any = false;

    for (size_t i = 0; i < plan->count; i++) {
        const struct dumper_read *read = &plan->reads[i];

        if (!which(plan, read)) {
            continue;
        }
        if (!any) {
            fprintf(out, "%s   %s:\n%s      ", prefix, title, prefix);
        } else if (width + strlen(read->name) > 90) {
            fprintf(out, "\n%s      ", prefix);
            width = 0;
        }
        any = true;
        const size_t digit = read->copies > 1 ? strcspn(read->name, "0") : strlen(read->name);

        width += (size_t)fprintf(out, " %.*s%s%s", (int)digit, read->name, read->copies > 1 ? "<n>" : "",
                                 read->name + digit + (read->copies > 1));
    }
    fputs(any ? "\n" : "", out);
}

static bool is_closed(const struct dumper_plan *plan, const struct dumper_read *read)
{
    (void)plan;
    return read->closed_by != NULL;
}

static bool is_asked(const struct dumper_plan *plan, const struct dumper_read *read)
{
    (void)plan;
    return read->asked != NULL;
}

static bool is_secure(const struct dumper_plan *plan, const struct dumper_read *read)
{
    return plan->view == DUMPER_A32 && read->level == 3;
}

void dumper_write_closed(FILE *out, const struct dumper_plan *plan, const char *prefix, const char *what)
{
    fprintf(out, "%s\n%s Where a trap does no harm, set %s to read these too:\n", prefix, prefix, what);
    write_names(out, plan, prefix, "below another Exception level, which may trap them, as no ID register shows",
                is_closed);
    write_names(out, plan, prefix, "outside Monitor mode, only in Secure state", is_secure);
    write_names(out, plan, prefix, plan->view == DUMPER_ARM11
                                       ? "readable in the Secure world of an ARM1176, or UNDEFINED in QEMU"
                                       : "required by the architecture, but UNDEFINED in QEMU", is_asked);
}

/* Returns the name of ID register @reg in the plan, or NULL if the plan does not read it. */
static const char *id_in(const struct dumper_plan *plan, enum apmu_reg reg)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->reads[i].reg == reg && plan->reads[i].moment == DUMPER_ID) {
            return plan->reads[i].name;
        }
    }
    return NULL;
}

/* Writes the condition that a field has a value from least to most. */
static void write_field(FILE *out, const struct id_row *row, const char *name, const struct dumper_language *language)
{
    const unsigned mask = (1u << (row->msb - row->lsb + 1)) - 1;
    char field[96];

    snprintf(field, sizeof field, "((%sv_%s%s >> 0x%x) & 0x%x)", language->sigil, name, language->tail, row->lsb, mask);
    if (row->least == row->most) {
        fprintf(out, "%s == 0x%x", field, row->most);
    } else if (row->most == mask) {
        fprintf(out, "%s >= 0x%x", field, row->least);
    } else {
        fprintf(out, "%s >= 0x%x && %s <= 0x%x", field, row->least, field, row->most);
    }
}

/* Writes the alternative for cores with PMUv1 whose ID_DFR0 does not show it: "|| (... == 0 && (MIDR is one of))". */
static void write_old_cores(FILE *out, const struct dumper_plan *plan, const struct dumper_language *language)
{
    const char *dfr0 = id_in(plan, APMU_REG_ID_DFR0_EL1), *midr = id_in(plan, APMU_REG_MIDR_EL1);
    const char *separator = "";

    fprintf(out, " || (((%sv_%s%s >> 0x18) & 0xf) == 0x0 && (", language->sigil, dfr0, language->tail);
    for (size_t i = 0; i < apmu_core_count(); i++) {
        const struct apmu_core_info *core = apmu_core_at(i);

        if (core->pmu == APMU_CORE_PMU_V1 && (plan->core == NULL || plan->core == core)) {
            fprintf(out, "%s(%sv_%s%s & 0xff00fff0) == 0x%02x00%03x0", separator, language->sigil, midr, language->tail,
                    core->implementer, core->part);
            separator = " || ";
        }
    }
    fputs(separator[0] == '\0' ? "0))" : "))", out);
}

bool dumper_needs_id(const struct dumper_plan *plan, enum apmu_reg reg)
{
    const char *name = id_in(plan, reg);

    if (name == NULL) {
        return false;
    }
    if ((plan->view == DUMPER_A64 && reg == APMU_REG_ID_AA64PFR0_EL1) || /* .EL2 and .EL3 say what is above */
        ((plan->features & ~plan->lacks & APMU_FEAT(PMUv1)) != 0 && reg == APMU_REG_MIDR_EL1)) {
        return true;
    }
    for (size_t i = 0; i < sizeof id_rows / sizeof id_rows[0]; i++) {
        if (id_rows[i].reg == reg && (plan->features & ~plan->lacks & id_rows[i].feature) != 0) {
            return true;
        }
    }
    return false;
}

void dumper_write_features(FILE *out, const struct dumper_plan *plan, const struct dumper_language *language)
{
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const uint64_t feature = UINT64_C(1) << bit;
        bool written = false;

        if ((plan->features & feature) == 0) {
            continue;
        }
        fprintf(out, "%shas_%s%s", language->define, apmu_feature_name(bit) + strlen("FEAT_"), language->is);
        if ((plan->lacks & feature) != 0) {
            fprintf(out, "0%s", language->end);
            continue;
        }
        for (size_t i = 0; i < sizeof id_rows / sizeof id_rows[0] && !written; i++) {
            const char *name = id_rows[i].feature == feature ? id_in(plan, id_rows[i].reg) : NULL;

            if (name != NULL) {
                write_field(out, &id_rows[i], name, language);
                written = true;
            }
        }
        if (feature == APMU_FEAT(PMUv1) && written) {
            write_old_cores(out, plan, language);
        }
        if (!written) { /* the view itself shows it, or lacks it */
            fputs(feature == APMU_FEAT(AA64) || feature == APMU_FEAT(AA32EL1) ? "1" : "0", out);
        }
        fputs(language->end, out);
    }
}
