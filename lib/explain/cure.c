/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the smallest cure.  A cure lifts every open reason, so for each of them it changes a field on which the reason
 * depends.  The search takes one open reason and branches over its fields.  It allows one register first, then one more
 * at a time, so the first cure that it finds has the fewest registers.
 */
#include "internal.h"

enum {
    MOST_FIELDS = 16,               /* fields that a cure changes */
    MOST_TIES = 8,                  /* cures of the same size whose effects are compared */
    MOST_WORK_OF_A_STATE = 1 << 14, /* questions to the model about one state of the search */
};

/* A field and the value that a cure gives it. */
struct change {
    enum apmu_subject subject;
    uint64_t value;
};

/* A search: what it looks for, the changes that it tries now, and the best cure so far. */
struct search {
    const struct apmu_facts *f; /* the facts without a change */
    struct apmu_facts g;        /* *f with the changes of .stack done */
    unsigned n, level;          /* the counter; the highest Exception level that may write, as in apmu_cure() */
    enum apmu_state state;
    bool certain;               /* looks for a cure that excludes every reason, not only those that hold for sure */
    uint64_t writable;          /* the subjects that the levels allowed can write */
    unsigned most_registers;    /* that a cure may have at this step of the search */
    bool cut;                   /* a branch was left because it had too many registers or fields */
    bool unsure;                /* a state was left out: the work did not suffice to find whether the counter counts */
    struct explain_memo memo;
    uint64_t *work;             /* questions to the model that are left; at 0 the search is given up */
    uint64_t tried;             /* states of the PMU that were looked at */
    bool have_before;           /* .before is filled */
    uint64_t before[APMU_STATE_COUNT];        /* by state: the counters that count without the changes */
    uint64_t before_unsure[APMU_STATE_COUNT]; /* by state: the counters for which that was not worked out */
    struct change stack[MOST_FIELDS];         /* the changes that are tried now */
    size_t depth;               /* of .stack, in use */
    struct change best[MOST_FIELDS];          /* the best cure so far */
    size_t best_depth;          /* of .best, in use; 0: no cure yet */
    unsigned best_effects;      /* on other counters and states */
    unsigned ties;              /* cures whose effects were compared */
};

/* The subjects that a cure leaves alone. */
static const uint64_t left_alone =
    APMU_SUBJECT(EVENT) | APMU_SUBJECT(SYNC_ALL) | APMU_SUBJECT(HPMN) | APMU_SUBJECT(EPMN) | APMU_SUBJECT(HCR_RW) |
    APMU_SUBJECT(E2H) | APMU_SUBJECT(TGE) | APMU_SUBJECT(EEL2) | APMU_SUBJECT(SCR_RW) | APMU_SUBJECT(NS) |
    APMU_SUBJECT(HALTED) | APMU_SUBJECT(SM) | APMU_SUBJECT(AUTH);

/* Returns the overflow flags that freeze the counter if they are set: those of its range, or all if that is unknown. */
static uint64_t freezing_flags(const struct search *s)
{
    const struct apmu_full_state *w = &s->f->is;
    const bool range_known = apmu_subject_known(s->f, APMU_SUBJECT_HPMN, 0, NULL) || !explain_has_el(&w->p.cfg, 2);
    const unsigned range = apmu_range(&w->p, &w->pe, s->n);
    uint64_t set = range == 1 || !range_known ? UINT64_C(1) << APMU_INSTR : 0;

    for (unsigned n = 0; n < w->p.cfg.counters; n++) {
        set |= !range_known || apmu_range(&w->p, &w->pe, n) == range ? UINT64_C(1) << n : 0;
    }
    return set;
}

/* Adds the bits of a change to the write of its register. */
static void add_bits(const struct search *s, const struct change *c, struct apmu_cure_write *w)
{
    uint64_t bits;
    unsigned lsb;
    struct apmu_facts *f = (struct apmu_facts *)(uintptr_t)s->f; /* read only */
    const uint64_t *word = apmu_explain_word(&f->is, c->subject, s->n, &bits, &lsb);

    w->subjects |= UINT64_C(1) << c->subject;
    if (c->subject == APMU_SUBJECT_OVS) {
        w->mask |= bits & (*word | ~f->known.p.ovs) & freezing_flags(s);
        w->value = w->mask;
    } else {
        w->mask |= bits;
        w->value |= c->value << lsb & bits;
    }
}

/* Returns true if the levels allowed can write a subject, and the write has an effect. */
static bool can_be_written(struct search *s, enum apmu_subject subject)
{
    struct apmu_cure_write w = {.reg = apmu_subject_reg(subject, s->n, &w.n)};
    const struct change c = {subject, 0};

    if (w.reg == APMU_REG_ALL) {
        return false;
    }
    add_bits(s, &c, &w);
    if (subject == APMU_SUBJECT_CNTEN) {
        w.value = w.mask;
    } else if (w.reg < APMU_REG_COUNT && subject != APMU_SUBJECT_OVS) { /* a field that is not implemented stays 0 */
        w.value = w.mask;
        if (apmu_explain_level(s->f, &w, s->state, s->level, &s->memo, s->work)) {
            return true;
        }
        w.value = 0;
    }
    return apmu_explain_level(s->f, &w, s->state, s->level, &s->memo, s->work);
}

/* Counts the registers of the changes on the stack and of one more, to the subject @extra. */
static unsigned count_registers(const struct search *s, enum apmu_subject extra)
{
    enum apmu_reg seen[MOST_FIELDS + 1];
    unsigned count = 0, copy;

    for (size_t i = 0; i <= s->depth; i++) {
        const enum apmu_reg reg = apmu_subject_reg(i < s->depth ? s->stack[i].subject : extra, s->n, &copy);
        bool found = false;

        for (unsigned k = 0; k < count; k++) {
            found |= seen[k] == reg;
        }
        if (!found) {
            seen[count++] = reg;
        }
    }
    return count;
}

static unsigned ones(uint64_t set)
{
    unsigned count = 0;

    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

/*
 * Returns the counters that count in @state whatever the unknown bits are.  *@unsure are those for which that was not
 * worked out.
 */
static uint64_t counting_in(const struct apmu_facts *f, enum apmu_state state, uint64_t *work, uint64_t *unsure)
{
    struct apmu_facts g = *f;
    uint64_t set = 0;

    *unsure = 0;
    apmu_facts_at(&g, state);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        bool complete;

        if (n >= g.is.p.cfg.counters && n < APMU_CYCLE) {
            continue;
        }
        set |= apmu_explain_counts(&g, n, work, &complete) ? UINT64_C(1) << n : 0;
        *unsure |= complete ? 0 : UINT64_C(1) << n;
    }
    return set;
}

static void count_before(struct search *s)
{
    const unsigned states = apmu_explain_states(&s->f->is.p.cfg);

    for (unsigned i = 0; i < APMU_STATE_COUNT && !s->have_before; i++) {
        if ((states >> i & 1) != 0) {
            s->before[i] = counting_in(s->f, (enum apmu_state)i, s->work, &s->before_unsure[i]);
        }
    }
    s->have_before = true;
}

/* Fills .starts and .stops of @cure, without the counter and state asked for.  Returns how many effects there are. */
static unsigned find_effects(struct search *s, struct apmu_cure *cure)
{
    const unsigned states = apmu_explain_states(&s->f->is.p.cfg);
    unsigned count = 0;

    count_before(s);
    cure->effects_cut = false;
    for (unsigned i = 0; i < APMU_STATE_COUNT; i++) {
        const enum apmu_state state = (enum apmu_state)i;
        uint64_t unsure = 0;
        const uint64_t after = (states >> i & 1) != 0 ? counting_in(&s->g, state, s->work, &unsure) : 0;
        const uint64_t asked = state == s->state ? UINT64_C(1) << s->n : 0;

        unsure |= s->before_unsure[i];
        cure->starts[i] = after & ~s->before[i] & ~asked & ~unsure;
        cure->stops[i] = s->before[i] & ~after & ~unsure;
        cure->effects_cut |= unsure != 0;
        count += ones(cure->starts[i] | cure->stops[i]);
    }
    return count;
}

/* Keeps the changes on the stack as the best cure, if they are better than the best so far. */
static void note_solution(struct search *s)
{
    struct apmu_cure discard;

    if (s->best_depth != 0 && (s->depth > s->best_depth || s->ties == MOST_TIES)) {
        return;
    }
    const unsigned here = find_effects(s, &discard);
    if (s->best_depth == 0 || s->depth < s->best_depth || here < s->best_effects) {
        for (size_t i = 0; i < s->depth; i++) {
            s->best[i] = s->stack[i];
        }
        s->best_depth = s->depth;
        s->best_effects = here;
    }
    s->ties++;
}

/* Returns the subjects to branch over: those of the open reason that has the fewest still writable ones. */
static uint64_t subjects_of_narrowest(const struct search *s, uint64_t open, uint64_t done)
{
    unsigned fewest = APMU_SUBJECT_COUNT + 1;
    uint64_t choice = 0;

    for (unsigned r = 0; r < APMU_REASON_COUNT; r++) {
        if ((open >> r & 1) != 0) {
            const uint64_t depends_on = apmu_explain_subjects(&s->g, s->n, (enum apmu_reason)r) & s->writable & ~done;
            const unsigned count = ones(depends_on);

            if (count < fewest) {
                fewest = count;
                choice = depends_on;
            }
        }
    }
    return choice;
}

/* Fills @values with the values that a cure may write to a subject, none of them reserved.  Returns how many. */
static unsigned values_of(enum apmu_subject subject, uint64_t values[4])
{
    values[0] = subject == APMU_SUBJECT_CNTEN ? 1 : 0;
    switch (subject) {
    case APMU_SUBJECT_CNTEN: /* a cure only sets it */
    case APMU_SUBJECT_OVS:   /* a cure only clears it */
    case APMU_SUBJECT_P:     /* 0 counts whether NSK and M are implemented or not */
    case APMU_SUBJECT_U:
    case APMU_SUBJECT_NSK:
    case APMU_SUBJECT_NSU:
        return 1;
    case APMU_SUBJECT_VS:
        values[1] = 1;
        values[2] = 2;
        return 3;
    case APMU_SUBJECT_PMSEE:
    case APMU_SUBJECT_EE:
        values[1] = 1;
        values[2] = 2;
        values[3] = 3;
        return 4;
    default:
        values[1] = 1;
        return 2;
    }
}

static uint64_t done_subjects(const struct search *s)
{
    uint64_t set = 0;

    for (size_t i = 0; i < s->depth; i++) {
        set |= UINT64_C(1) << s->stack[i].subject;
    }
    return set;
}

/* Returns the open reasons of the state that the search is in.  Spends at most MOST_WORK_OF_A_STATE on it. */
static uint64_t open_reasons(struct search *s, bool *stands, bool *complete)
{
    const uint64_t bound = *s->work < MOST_WORK_OF_A_STATE ? *s->work : MOST_WORK_OF_A_STATE;
    uint64_t work = bound;
    const uint64_t open = apmu_explain_open(&s->g, s->n, &work, stands, complete);

    *s->work -= bound - work;
    (void)apmu_explain_spend(s->work);
    return open;
}

static void descend(struct search *s);

/* Searches with one more change, which gives @subject the value @value, and takes it back. */
static void try_value(struct search *s, enum apmu_subject subject, uint64_t value)
{
    uint64_t bits, now;
    unsigned lsb;
    uint64_t *is = apmu_explain_word(&s->g.is, subject, s->n, &bits, &lsb);
    uint64_t *known = apmu_explain_word(&s->g.known, subject, s->n, &bits, &lsb);
    const bool is_known = apmu_subject_known(&s->g, subject, s->n, &now);
    const uint64_t old_is = *is, old_known = *known;

    if (is_known && now == value) {
        return;
    }
    s->stack[s->depth++] = (struct change){subject, value};
    apmu_subject_suppose(&s->g, subject, s->n, value);
    descend(s);
    s->depth--;
    *is = old_is;
    *known = old_known;
}

/* Searches from the state that the search is in: it is a cure, or one more field is to change. */
static void descend(struct search *s)
{
    uint64_t values[4];
    bool stands, complete;
    const uint64_t open = open_reasons(s, &stands, &complete);

    if (*s->work == 0) {
        return;
    }
    s->tried++;
    if (s->certain ? open == 0 : !stands && complete) {
        note_solution(s);
        return;
    }
    s->unsure |= !stands && !complete;
    if (s->best_depth != 0 && s->depth + 1 > s->best_depth) {
        return;
    }
    const uint64_t choice = subjects_of_narrowest(s, open, done_subjects(s));
    for (unsigned i = 0; i < APMU_SUBJECT_COUNT; i++) {
        const enum apmu_subject subject = (enum apmu_subject)i;

        if ((choice >> i & 1) == 0) {
            continue;
        }
        if (s->depth == MOST_FIELDS || count_registers(s, subject) > s->most_registers) {
            s->cut = true;
            continue;
        }
        const unsigned count = values_of(subject, values);
        for (unsigned k = 0; k < count; k++) {
            try_value(s, subject, values[k]);
        }
    }
}

/* Searches with one register, then with one more at a time, until there is a cure or no more to try. */
static enum apmu_cure_result look_for(struct search *s)
{
    s->best_depth = s->depth = 0;
    s->ties = 0;
    s->unsure = false;
    for (s->most_registers = 1; s->most_registers <= APMU_CURE_WRITES; s->most_registers++) {
        s->cut = false;
        descend(s);
        if (s->best_depth != 0) {
            return APMU_CURE_FOUND;
        }
        if (!s->cut || *s->work == 0) {
            break;
        }
    }
    return *s->work == 0 || s->cut || s->unsure ? APMU_CURE_GAVE_UP : APMU_CURE_IMPOSSIBLE;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The answer.
 */

/*
 * Returns the rank of a register in the order of the writes: registers of the PE first, those of higher Exception
 * levels before others; then filters, flags, the counter's enable, and PMCR_EL0 last.
 */
static unsigned rank(enum apmu_reg reg)
{
    if (reg >= APMU_REG_COUNT) {
        return 4 - (apmu_reg_info(reg)->key >> 12 & 3u);
    }
    return reg == APMU_REG_PMCR_EL0 ? 9 : reg == APMU_REG_PMCNTENSET_EL0 ? 8 : reg == APMU_REG_PMOVSCLR_EL0 ? 7 : 6;
}

/* Makes the writes of the best cure, one for each register, in order. */
static void collect_writes(const struct search *s, struct apmu_cure *cure)
{
    for (size_t i = 0; i < s->best_depth; i++) {
        unsigned copy;
        const enum apmu_reg reg = apmu_subject_reg(s->best[i].subject, s->n, &copy);
        size_t k = 0;

        while (k < cure->count && cure->writes[k].reg != reg) {
            k++;
        }
        if (k == cure->count) {
            for (; k > 0 && rank(cure->writes[k - 1].reg) > rank(reg); k--) {
                cure->writes[k] = cure->writes[k - 1];
            }
            cure->writes[k] = (struct apmu_cure_write){.reg = reg, .n = copy};
            cure->count++;
        }
        add_bits(s, &s->best[i], &cure->writes[k]);
    }
}

/* Returns the open reasons of which no field can be written; all of @open if there are none. */
static uint64_t blocked(struct search *s, uint64_t open)
{
    uint64_t set = 0;

    for (unsigned r = 0; r < APMU_REASON_COUNT; r++) {
        if ((open >> r & 1) != 0 && (apmu_explain_subjects(s->f, s->n, (enum apmu_reason)r) & s->writable) == 0) {
            set |= UINT64_C(1) << r;
        }
    }
    return set != 0 ? set : open;
}

/* Returns the unknown subjects on which the reasons of @open depend.  Trying their values is what took long. */
static uint64_t unknown_subjects(const struct search *s, uint64_t open)
{
    uint64_t depends_on = 0;

    for (unsigned r = 0; r < APMU_REASON_COUNT; r++) {
        depends_on |= (open >> r & 1) != 0 ? apmu_explain_subjects(s->f, s->n, (enum apmu_reason)r) : 0;
    }
    return depends_on & apmu_explain_unknown(s->f, s->n);
}

static void give_up(const struct search *s, uint64_t open, struct apmu_cure *cure)
{
    *cure = (struct apmu_cure){.result = APMU_CURE_GAVE_UP, .cut = true, .blocked = open, .tried = s->tried};
}

/* Searches with @part of *@work.  The rest is left for the steps that follow. */
static enum apmu_cure_result look_within(struct search *s, uint64_t *work, uint64_t part, struct apmu_cure *cure)
{
    uint64_t left = part;

    s->work = &left;
    const enum apmu_cure_result result = look_for(s);
    *work -= part - left;
    s->work = work;
    cure->cut = result == APMU_CURE_GAVE_UP || (result == APMU_CURE_FOUND && (left == 0 || s->unsure));
    cure->tried = s->tried;
    return result;
}

/*
 * Searches for a cure that excludes every reason.  There may be none, because unknown bits may be out of reach.  Then
 * searches for one that lifts the reasons that hold for sure.
 */
static void find_cure(struct search *s, uint64_t open, bool stands, bool complete, uint64_t *work,
                      struct apmu_cure *cure)
{
    for (unsigned i = 0; i < APMU_SUBJECT_COUNT; i++) {
        if ((left_alone >> i & 1) == 0 && can_be_written(s, (enum apmu_subject)i)) {
            s->writable |= UINT64_C(1) << i;
        }
    }
    if (*work == 0) { /* what can be written was not worked out */
        give_up(s, open, cure);
        return;
    }
    cure->result = look_within(s, work, *work / 2, cure);
    if (cure->result == APMU_CURE_FOUND) {
        return;
    }
    const bool cut = cure->cut;

    s->certain = false;
    if (!stands) {
        cure->result = complete ? APMU_CURE_NEEDLESS : APMU_CURE_GAVE_UP;
        cure->open = open;
        return;
    }
    cure->result = look_within(s, work, *work / 2, cure);
    cure->cut |= cut && cure->result == APMU_CURE_FOUND;
    if (cure->result != APMU_CURE_FOUND) {
        cure->blocked = blocked(s, open);
    }
}

/* Fills in the writes, the levels that can do them, and their effects. */
static void finish(struct search *s, uint64_t open, struct apmu_cure *cure)
{
    bool stands, complete;

    collect_writes(s, cure);
    for (size_t i = 0; i < cure->count; i++) {
        struct explain_memo memo = {.reg = APMU_REG_ALL};

        (void)apmu_explain_level(&s->g, &cure->writes[i], s->state, s->level, &memo, s->work);
        apmu_cure_apply(&s->g, &cure->writes[i], s->state);
    }
    if (*s->work == 0) { /* which levels can do the writes was not worked out */
        give_up(s, open, cure);
        return;
    }
    cure->open = open_reasons(s, &stands, &complete);
    (void)find_effects(s, cure);
}

void apmu_cure_within(const struct apmu_facts *f, unsigned n, enum apmu_state state, unsigned level, uint64_t *work,
                      struct apmu_cure *cure)
{
    struct apmu_facts at = *f;
    struct search s = {.f = &at, .n = n, .level = level, .state = state, .certain = true, .work = work,
                       .memo = {.reg = APMU_REG_ALL}};
    bool stands, complete;

    *cure = (struct apmu_cure){.result = APMU_CURE_NEEDLESS};
    apmu_facts_at(&at, state);
    s.g = at;
    const uint64_t open = open_reasons(&s, &stands, &complete);
    if (open == 0) {
        return;
    }
    find_cure(&s, open, stands, complete, work, cure);
    if (cure->result == APMU_CURE_FOUND) {
        finish(&s, open, cure);
    }
    cure->unknown = cure->cut ? unknown_subjects(&s, open) : 0;
}

void apmu_cure(const struct apmu_facts *f, unsigned n, enum apmu_state state, unsigned level, struct apmu_cure *cure)
{
    uint64_t work = APMU_EXPLAIN_WORK;

    apmu_cure_within(f, n, state, level, &work, cure);
}
