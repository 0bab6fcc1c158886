/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and sets subjects, names them, and lists the values to try for those that are unknown. */
#include <string.h>

#include "internal.h"

_Static_assert(APMU_SUBJECT_COUNT <= 64, "a set of subjects is a uint64_t");

/* How the bits of a subject are found. */
enum shape {
    FIELD,   /* a field of a register */
    COUNTER, /* bit n of a register with a bit for each counter */
    ALL,     /* all bits of such a register; what matters is whether any is 1 */
    FLAG,    /* a bool, or several fields that are one condition */
};

struct subject_row {
    enum shape shape;
    uint8_t msb, lsb;
    enum apmu_reg reg;    /* APMU_REG_COUNT for a FLAG */
    uint16_t place;       /* the offset in struct apmu_full_state of the word, or of an array of words */
    const char *reg_name; /* a FLAG's register, for people; "" for other shapes */
    const char *field;
};

static const struct subject_row rows[APMU_SUBJECT_COUNT] = {
/* SHAPE(CNTEN), the shape in CNTEN's row, is COUNTER, because each bit of PMCNTENSET_EL0 belongs to a counter. */
#define IS(id, other) (APMU_SUBJECT_##id == APMU_SUBJECT_##other)
#define SHAPE(id) (IS(id, OVS) ? ALL : IS(id, CNTEN) || IS(id, UACR) ? COUNTER : FIELD)
#define APMU_SUBJECT_FIELD(id, reg, field, place) \
    {SHAPE(id), APMU_##reg##_##field##_MSB, APMU_##reg##_##field##_LSB, APMU_REG_##reg, \
     offsetof(struct apmu_full_state, place), "", #field},
#define APMU_SUBJECT_FLAG(id, reg, name, place) {FLAG, 0, 0, APMU_REG_COUNT, 0, reg, name},
#include <armpmu/tables/subjects.def>
};

static uint64_t bits_of(const struct subject_row *row, unsigned n)
{
    return row->shape == COUNTER ? UINT64_C(1) << n
           : row->shape == ALL   ? UINT64_C(0x1FFFFFFFF)
                                 : APMU_BITS(row->msb, row->lsb);
}

static size_t place_of(const struct subject_row *row, unsigned n)
{
    return row->place + (row->reg == APMU_REG_PMEVTYPER_EL0 ? n * sizeof(uint64_t) : 0);
}

uint64_t *apmu_explain_word(struct apmu_full_state *w, enum apmu_subject subject, unsigned n, uint64_t *bits,
                            unsigned *lsb)
{
    const struct subject_row *row = &rows[subject];

    *lsb = row->shape == COUNTER ? n : row->shape == ALL ? 0 : row->lsb;
    *bits = bits_of(row, n);
    return row->shape == FLAG ? NULL : (uint64_t *)(void *)((unsigned char *)w + place_of(row, n));
}

static bool signals_known(const struct apmu_facts *f)
{
    return f->known.pe.dbgen && f->known.pe.niden && f->known.pe.spiden && f->known.pe.spniden;
}

static bool syncs_known(const struct apmu_facts *f)
{
    uint64_t known = ~UINT64_C(0);

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        known &= n < f->is.p.cfg.counters || n == APMU_INSTR ? f->known.p.typer[n] : known;
    }
    return (known & APMU_MASK(PMEVTYPER_EL0, SYNC)) != 0;
}

/* Finds the words of fine-grained traps: words[0] for reads, words[1] for writes. */
static void fine_words(struct apmu_full_state *w, enum apmu_subject subject, uint64_t *words[2])
{
    words[0] = subject == APMU_SUBJECT_FGT ? &w->pe.hdfgrtr_el2 : &w->pe.hdfgrtr2_el2;
    words[1] = subject == APMU_SUBJECT_FGT ? &w->pe.hdfgwtr_el2 : &w->pe.hdfgwtr2_el2;
}

static bool flag_known(const struct apmu_facts *f, enum apmu_subject subject, uint64_t *value)
{
    struct apmu_facts *g = (struct apmu_facts *)(uintptr_t)f; /* read only */
    uint64_t *words[2];

    *value = 0;
    switch (subject) {
    case APMU_SUBJECT_HALTED:
        *value = f->is.pe.halted;
        return f->known.pe.halted;
    case APMU_SUBJECT_SM:
        *value = f->is.pe.sm;
        return f->known.pe.sm;
    case APMU_SUBJECT_AUTH:
        *value = (f->is.pe.dbgen || f->is.pe.niden) && (f->is.pe.spiden || f->is.pe.spniden);
        return signals_known(f);
    case APMU_SUBJECT_SYNC_ALL:
        return syncs_known(f);
    default:
        fine_words(&g->known, subject, words);
        return *words[0] == UINT64_MAX && *words[1] == UINT64_MAX;
    }
}

bool apmu_subject_known(const struct apmu_facts *f, enum apmu_subject subject, unsigned n, uint64_t *value)
{
    struct apmu_facts *g = (struct apmu_facts *)(uintptr_t)f; /* read only */
    uint64_t bits, discard;
    unsigned lsb;
    const uint64_t *word = apmu_explain_word(&g->is, subject, n, &bits, &lsb);
    const uint64_t *known = apmu_explain_word(&g->known, subject, n, &bits, &lsb);

    value = value == NULL ? &discard : value;
    if (word == NULL || known == NULL) {
        return flag_known(f, subject, value);
    }
    *value = (*word & bits & *known) >> lsb;
    return (*known & bits) == bits;
}

uint64_t apmu_explain_unknown(const struct apmu_facts *f, unsigned n)
{
    uint64_t set = 0;

    for (unsigned i = 0; i < APMU_SUBJECT_COUNT; i++) {
        const struct subject_row *row = &rows[i];
        uint64_t known, value;

        if (row->shape == FLAG) {
            set |= flag_known(f, (enum apmu_subject)i, &value) ? 0 : UINT64_C(1) << i;
        } else {
            memcpy(&known, (const unsigned char *)&f->known + place_of(row, n), sizeof known);
            set |= (~known & bits_of(row, n)) != 0 ? UINT64_C(1) << i : 0;
        }
    }
    return set;
}

static void set_flag(struct apmu_full_state *w, const struct apmu_facts *f, enum apmu_subject subject, uint64_t value)
{
    const uint64_t sync = APMU_MASK(PMEVTYPER_EL0, SYNC);
    struct apmu_facts *g = (struct apmu_facts *)(uintptr_t)f; /* read only */
    uint64_t *words[2], *known[2];

    switch (subject) {
    case APMU_SUBJECT_HALTED:
        w->pe.halted = value != 0;
        break;
    case APMU_SUBJECT_SM:
        w->pe.sm = value != 0;
        break;
    case APMU_SUBJECT_AUTH:
        w->pe.dbgen = w->pe.spiden = value != 0;
        w->pe.niden = w->pe.spniden = false;
        break;
    case APMU_SUBJECT_SYNC_ALL: /* sets all unknown ones; the subject SYNC then sets that of counter n */
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            const uint64_t bit = sync & ~f->known.p.typer[n];
            w->p.typer[n] = (w->p.typer[n] & ~bit) | (value != 0 ? bit : 0);
        }
        break;
    default:
        fine_words(w, subject, words);
        fine_words(&g->known, subject, known);
        for (unsigned i = 0; i < 2; i++) {
            *words[i] = (*words[i] & *known[i]) | (value != 0 ? ~*known[i] : 0);
        }
        break;
    }
}

void apmu_explain_set(struct apmu_full_state *w, const struct apmu_facts *f, enum apmu_subject subject, unsigned n,
                      uint64_t value)
{
    uint64_t bits;
    unsigned lsb;
    uint64_t *word = apmu_explain_word(w, subject, n, &bits, &lsb);

    if (word == NULL) {
        set_flag(w, f, subject, value);
    } else {
        *word = (*word & ~bits) | (value << lsb & bits);
    }
}

void apmu_subject_suppose(struct apmu_facts *f, enum apmu_subject subject, unsigned n, uint64_t value)
{
    uint64_t bits;
    unsigned lsb;
    uint64_t *known = apmu_explain_word(&f->known, subject, n, &bits, &lsb);
    uint64_t *words[2];

    apmu_explain_set(&f->is, f, subject, n, value);
    if (known != NULL) {
        *known |= bits;
        return;
    }
    switch (subject) {
    case APMU_SUBJECT_HALTED:
        f->known.pe.halted = true;
        break;
    case APMU_SUBJECT_SM:
        f->known.pe.sm = true;
        break;
    case APMU_SUBJECT_AUTH:
        f->known.pe.dbgen = f->known.pe.niden = f->known.pe.spiden = f->known.pe.spniden = true;
        break;
    case APMU_SUBJECT_SYNC_ALL:
        for (unsigned i = 0; i < APMU_COUNTERS; i++) {
            f->known.p.typer[i] |= APMU_MASK(PMEVTYPER_EL0, SYNC);
        }
        break;
    default:
        fine_words(&f->known, subject, words);
        *words[0] = *words[1] = UINT64_MAX;
        break;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Names.
 */

/* The AArch32 name of a register that tables/aarch32.def lacks. */
struct a32_name {
    enum apmu_reg reg;
    const char *name;
};

/* Writes the name of a register to @out: the AArch32 name if the PE has no AArch64. */
static void reg_name(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n, char out[24])
{
    static const struct a32_name others[] = {
        {APMU_REG_MDCR_EL2, "HDCR"}, {APMU_REG_MDCR_EL3, "SDCR"}, {APMU_REG_SDER32_EL3, "SDER"},
        {APMU_REG_HCR_EL2, "HCR"}, {APMU_REG_SCR_EL3, "SCR"}, {APMU_REG_HSTR_EL2, "HSTR"},
    };

    apmu_reg_name(reg, n, out);
    if (explain_has(cfg, APMU_FEAT(AA64))) {
        return;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].reg == reg) {
            memcpy(out, others[i].name, strlen(others[i].name) + 1);
            return;
        }
    }
    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        const struct apmu_reg32_info *info = apmu_reg32_info((enum apmu_reg32)r);
        if (info->of == reg && info->part == APMU_PART_LOW) {
            apmu_reg32_name((enum apmu_reg32)r, n, out);
            return;
        }
    }
}

static enum apmu_reg typer_of(unsigned n)
{
    return n == APMU_CYCLE ? APMU_REG_PMCCFILTR_EL0 : n == APMU_INSTR ? APMU_REG_PMICFILTR_EL0 : APMU_REG_PMEVTYPER_EL0;
}

enum apmu_reg apmu_subject_reg(enum apmu_subject subject, unsigned n, unsigned *copy)
{
    const struct subject_row *row = &rows[subject];

    *copy = 0;
    if (row->shape == FLAG) {
        return APMU_REG_ALL;
    }
    if (subject == APMU_SUBJECT_OVS) {
        return APMU_REG_PMOVSCLR_EL0;
    }
    if (row->reg == APMU_REG_PMEVTYPER_EL0) {
        *copy = n < APMU_CYCLE ? n : 0;
        return typer_of(n);
    }
    return row->reg;
}

static void copy(char *out, size_t size, const char *text)
{
    const size_t length = strlen(text) < size ? strlen(text) : size - 1;

    memcpy(out, text, length);
    out[length] = '\0';
}

void apmu_subject_name(const struct apmu_config *cfg, enum apmu_subject subject, unsigned n,
                       struct apmu_subject_name *name)
{
    const struct subject_row *row = &rows[subject];
    char reg[24];

    if (row->shape == FLAG) {
        copy(name->reg, sizeof name->reg, row->reg_name);
        copy(name->field, sizeof name->field, row->field);
        return;
    }
    reg_name(cfg, row->reg == APMU_REG_PMEVTYPER_EL0 ? typer_of(n) : row->reg, n, reg);
    copy(name->reg, sizeof name->reg, reg);
    if (row->shape == COUNTER) {
        const char digits[] = {'[', (char)('0' + n / 10), (char)('0' + n % 10), ']', '\0'};
        copy(name->field, sizeof name->field, digits);
        if (n < 10) {
            memmove(name->field + 1, name->field + 2, 3);
        }
    } else {
        copy(name->field, sizeof name->field, row->shape == ALL ? "" : row->field);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Spaces of values.
 */

static void add_value(struct explain_axis *axis, uint64_t value)
{
    for (unsigned i = 0; i < axis->count; i++) {
        if (axis->values[i] == value) {
            return;
        }
    }
    if (axis->count < EXPLAIN_VALUES) {
        axis->values[axis->count++] = value;
    }
}

/* Adds an event without synchronous mode, and one with it if there is any. */
static void add_events(struct explain_axis *axis, const struct apmu_config *cfg)
{
    const unsigned count = cfg->sync_event_count <= 14 ? cfg->sync_event_count : 14;
    uint64_t other = 0;

    for (bool again = true; again; other += again) {
        again = false;
        for (unsigned i = 0; i < count; i++) {
            again |= cfg->sync_events[i] == other;
        }
    }
    add_value(axis, other);
    if (count > 0) {
        add_value(axis, cfg->sync_events[0]);
    }
}

/* Adds values of HPMN or EPMN that put counter @n into each range that it can be in. */
static void add_ranges(struct explain_axis *axis, unsigned n)
{
    add_value(axis, 0);
    if (n < APMU_EVENT_COUNTERS) {
        add_value(axis, n);
        add_value(axis, n + 1);
    }
    add_value(axis, 31);
}

static void fill_axis(struct explain_axis *axis, const struct apmu_facts *f, unsigned n, bool every_range)
{
    struct apmu_facts *g = (struct apmu_facts *)(uintptr_t)f; /* read only */
    uint64_t bits, known_bits, fixed;
    unsigned lsb;
    const uint64_t *known = apmu_explain_word(&g->known, axis->subject, n, &bits, &lsb);

    (void)apmu_subject_known(f, axis->subject, n, &fixed);
    if (known == NULL) {
        add_value(axis, 0);
        add_value(axis, 1);
        return;
    }
    known_bits = (*known & bits) >> lsb;
    if (axis->subject == APMU_SUBJECT_OVS) {
        add_value(axis, fixed);
        add_value(axis, fixed | ((bits >> lsb) & ~known_bits));
        return;
    }
    if (axis->subject == APMU_SUBJECT_EVENT) {
        add_events(axis, &f->is.p.cfg);
        return;
    }
    if ((axis->subject == APMU_SUBJECT_HPMN || axis->subject == APMU_SUBJECT_EPMN) && known_bits == 0 && !every_range) {
        add_ranges(axis, n);
        return;
    }
    for (uint64_t value = 0; value <= bits >> lsb && value < EXPLAIN_VALUES; value++) {
        if (((value ^ fixed) & known_bits) == 0) {
            add_value(axis, value);
        }
    }
}

void apmu_explain_choose(struct explain_space *s, size_t axis, unsigned i)
{
    struct explain_axis *a = &s->axes[axis];

    a->now = i;
    apmu_explain_set(&s->w, s->f, a->subject, s->n, a->values[i]);
}

void apmu_explain_space(struct explain_space *s, const struct apmu_facts *f, unsigned n, uint64_t set,
                        bool every_range)
{
    s->f = f;
    s->n = n;
    s->count = 0;
    s->total = 1;
    s->w = f->is;
    for (unsigned i = 0; i < APMU_SUBJECT_COUNT; i++) {
        struct explain_axis *axis = &s->axes[s->count];

        if ((set >> i & 1) == 0 || apmu_subject_known(f, (enum apmu_subject)i, n, NULL)) {
            continue;
        }
        axis->subject = (enum apmu_subject)i;
        axis->count = axis->now = 0;
        fill_axis(axis, f, n, every_range);
        s->total = s->total > UINT64_MAX / EXPLAIN_VALUES ? UINT64_MAX : s->total * axis->count;
        apmu_explain_choose(s, s->count++, 0);
    }
}

bool apmu_explain_next(struct explain_space *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->axes[i].now + 1 < s->axes[i].count) {
            apmu_explain_choose(s, i, s->axes[i].now + 1);
            return true;
        }
        apmu_explain_choose(s, i, 0);
    }
    return false;
}
