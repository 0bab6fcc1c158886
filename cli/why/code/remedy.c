/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the remedies of causes that code shows: the register writes that the code lacks. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "code.h"

#define PMCR_E  UINT64_C(1)
#define PMCR_D  UINT64_C(8)
#define PMCR_LC UINT64_C(0x40)
#define TRCENA  (UINT64_C(1) << 24)

/* A suspect of code, and its remedy. */
struct remedy_case {
    const struct code_case *k;
    const struct suspect *s;
    struct remedy *m;
    const struct code_step *step; /* the access to blame; NULL: none */
    uint32_t wanted;              /* counters that should count: bit 31 the cycle counter */
};

/* Returns the access at the line and column of the suspect, or the last one in that line. */
static const struct code_step *find_step(const struct code_case *k, const struct suspect *s)
{
    const struct code_step *found = NULL;

    for (size_t i = 0; i < k->c->step_count && s->line != 0; i++) {
        const struct code_step *step = &k->c->steps[i];

        if (step->line == s->line && (step->act == CODE_READ || step->act == CODE_WRITE) &&
            (found == NULL || step->column == s->column)) {
            found = step;
        }
    }
    return found;
}

static bool is_cycle(unsigned n)
{
    return n == CODE_CYCLE;
}

/* Adds a change of the event type, or the filter, of each counter that should count. */
static void change_types(const struct remedy_case *c, uint64_t clear, uint64_t set)
{
    for (unsigned n = 0; n < 32; n++) {
        if ((c->wanted >> n & 1) != 0) {
            remedy_change(c->m, is_cycle(n) ? APMU_REG_PMCCFILTR_EL0 : APMU_REG_PMEVTYPER_EL0, is_cycle(n) ? 0 : n,
                          clear, set);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * One function for each kind of cause.
 */

static void start(const struct remedy_case *c)
{
    if (c->k->arm11) {
        remedy_change_plain(c->m, CODE_A11_PMNC, 0, PMCR_E);
        return;
    }
    remedy_change(c->m, APMU_REG_PMCR_EL0, 0, 0,
                  (c->wanted >> CODE_CYCLE & 1) != 0 && !c->k->aarch32 && !c->k->m_profile ? PMCR_E | PMCR_LC
                                                                                            : PMCR_E);
    remedy_sync(c->m);
}

static void enable(const struct remedy_case *c)
{
    remedy_write(c->m, APMU_REG_PMCNTENSET_EL0, 0, c->wanted);
    remedy_sync(c->m);
}

static void enable_interrupts(const struct remedy_case *c)
{
    const uint32_t named = (uint32_t)c->s->counters;

    remedy_write(c->m, APMU_REG_PMINTENSET_EL1, 0, named != 0 ? named : c->wanted);
}

static void clear_flags(const struct remedy_case *c)
{
    remedy_write(c->m, APMU_REG_PMOVSCLR_EL0, 0, c->wanted);
}

/* The mask of PMCNTENSET or PMINTENSET lacks its bit, or PMCR lacks E. */
static void correct_mask(const struct remedy_case *c)
{
    const enum code_register reg = c->step != NULL ? c->step->reg : CODE_PMCNTENSET;

    if (reg == CODE_PMCR) {
        start(c);
    } else if (reg == CODE_PMINTENSET) {
        enable_interrupts(c);
    } else if (reg == CODE_DEMCR) {
        remedy_change_plain(c->m, CODE_DEMCR, 0, TRCENA);
    } else if (reg == CODE_PMCNTENSET && c->s->line != 0) {
        enable(c);
    }
}

/* A set or clear register was written with zeros: the bits that were meant are written as 1. */
static void write_ones(const struct remedy_case *c)
{
    const struct code_step *s = c->step;
    const uint64_t zeros = s != NULL ? s->value.known & ~s->value.bits & UINT32_MAX : 0;
    const bool all = zeros == 0 || zeros == UINT32_MAX;
    const uint32_t bits = all ? c->wanted : (uint32_t)zeros;
    const bool reads = s != NULL && s->value.read != 0;

    c->m->instead = true;
    if (s == NULL) {
        return;
    }
    if (s->reg == CODE_PMCNTENSET && (c->k->enabled & bits) != bits && !reads) {
        remedy_write(c->m, APMU_REG_PMCNTENSET_EL0, 0, bits);
        remedy_sync(c->m);
    } else if (s->reg == CODE_PMCNTENSET || s->reg == CODE_PMCNTENCLR) {
        remedy_write(c->m, APMU_REG_PMCNTENCLR_EL0, 0, bits);
    } else if (s->reg == CODE_PMINTENSET || s->reg == CODE_PMINTENCLR) {
        remedy_write(c->m, APMU_REG_PMINTENCLR_EL1, 0, bits);
    } else {
        remedy_write(c->m, APMU_REG_PMOVSCLR_EL0, 0, bits);
    }
}

static void include_el2(const struct remedy_case *c)
{
    change_types(c, 0, APMU_MASK(PMEVTYPER_EL0, NSH));
    remedy_sync(c->m);
}

static void exclude_el2(const struct remedy_case *c)
{
    change_types(c, APMU_MASK(PMEVTYPER_EL0, NSH), 0);
    remedy_sync(c->m);
}

/* P and U, and the bits of the Security states that are compared with them. */
static void include_all(const struct remedy_case *c)
{
    const bool a32 = c->k->aarch32;

    change_types(c, APMU_MASK(PMEVTYPER_EL0, P) | APMU_MASK(PMEVTYPER_EL0, U) | APMU_MASK(PMEVTYPER_EL0, NSK) |
                    APMU_MASK(PMEVTYPER_EL0, NSU) | (a32 ? 0 : APMU_MASK(PMEVTYPER_EL0, M)), 0);
    remedy_sync(c->m);
}

static void give_second_range(const struct remedy_case *c)
{
    remedy_change(c->m, APMU_REG_MDCR_EL2, 0, 0, APMU_MASK(MDCR_EL2, HPME));
    remedy_sync(c->m);
}

/* HPMN is the number of counters: the core's, or as many as the code uses. */
static void give_counters(const struct remedy_case *c)
{
    const struct apmu_core_info *core = c->k->core;
    uint64_t number = core != NULL && core->counters <= 31 ? core->counters : 0;

    for (unsigned n = 0; n < 31; n++) {
        number = (c->k->used >> n & 1) != 0 && number < n + 1 ? n + 1 : number;
    }
    if (number != 0) {
        remedy_change(c->m, APMU_REG_MDCR_EL2, 0, APMU_MASK(MDCR_EL2, HPMN) & ~number, number);
        remedy_sync(c->m);
    }
}

static void permit_el2(const struct remedy_case *c)
{
    remedy_change(c->m, APMU_REG_MDCR_EL2, 0, APMU_MASK(MDCR_EL2, HPMD) | APMU_MASK(MDCR_EL2, HCCD), 0);
    remedy_sync(c->m);
}

static void permit_secure_events(const struct remedy_case *c)
{
    remedy_change(c->m, APMU_REG_MDCR_EL3, 0, 0, APMU_MASK(MDCR_EL3, SPME));
    remedy_sync(c->m);
}

static void permit_secure_cycles(const struct remedy_case *c)
{
    const struct code_value *v = &c->k->last.mdcr3.value;

    remedy_change(c->m, APMU_REG_MDCR_EL3, 0,
                  APMU_MASK(MDCR_EL3, SCCD) | (v->bits & APMU_MASK(MDCR_EL3, MCCD)), 0);
    remedy_sync(c->m);
}

static void untrap_el2(const struct remedy_case *c)
{
    remedy_change(c->m, APMU_REG_MDCR_EL2, 0, APMU_MASK(MDCR_EL2, TPM) | APMU_MASK(MDCR_EL2, TPMCR), 0);
}

static void untrap_el3(const struct remedy_case *c)
{
    remedy_change(c->m, APMU_REG_MDCR_EL3, 0, APMU_MASK(MDCR_EL3, TPM), 0);
}

static void grant_user(const struct remedy_case *c)
{
    const size_t write = code_last_write(c->k, CODE_PMUSERENR);

    remedy_write(c->m, APMU_REG_PMUSERENR_EL0, 0, 1);
    if (write != SIZE_MAX) {
        c->m->place = c->k->c->steps[write].line;
        c->m->instead = true;
    } else {
        c->m->who = "a kernel module, on each CPU (on_each_cpu)";
        c->m->form = FORM_LINUX;
    }
}

static void grant_user_arm11(const struct remedy_case *c)
{
    remedy_write_plain(c->m, CODE_A11_VALIDATION, 1);
    c->m->who = "privileged code";
    c->m->form = FORM_C;
}

static void stop_dividing(const struct remedy_case *c)
{
    if (c->k->arm11) {
        remedy_change_plain(c->m, CODE_A11_PMNC, PMCR_D, 0);
    } else {
        remedy_change(c->m, APMU_REG_PMCR_EL0, 0, PMCR_D, c->k->aarch32 ? 0 : PMCR_LC);
    }
}

static void count_long(const struct remedy_case *c)
{
    remedy_change(c->m, APMU_REG_PMCR_EL0, 0, 0, PMCR_LC);
}

static void synchronize(const struct remedy_case *c)
{
    remedy_sync(c->m);
}

/* Selects the counter that is read, or typed, and that nothing selects. */
static void select_counter(const struct remedy_case *c)
{
    const uint32_t events = c->k->read_counters & 0x7FFFFFFF & ~c->k->typed;
    const uint32_t any = c->s->counters != 0 ? (uint32_t)c->s->counters
                         : events != 0       ? events
                                             : (c->k->enabled | c->k->typed | c->k->read_counters) & 0x7FFFFFFF;
    unsigned n = 0;

    while (n < 30 && (any >> n & 1) == 0) {
        n++;
    }
    remedy_write(c->m, APMU_REG_PMSELR_EL0, 0, any != 0 ? n : 0);
    remedy_sync(c->m);
}

/* Makes the odd counter of the pair count the overflows of the even one. */
static void chain(const struct remedy_case *c)
{
    const uint32_t events = c->k->used & 0x7FFFFFFF;

    for (unsigned n = 1; n < 31; n += 2) {
        if ((events >> (n - 1) & 3) != 0 && (c->k->last.types[n].line != 0 || (events >> n & 1) != 0)) {
            remedy_write(c->m, APMU_REG_PMEVTYPER_EL0, n, APMU_EV_CHAIN);
            remedy_write(c->m, APMU_REG_PMCNTENSET_EL0, 0, UINT64_C(3) << (n - 1));
            remedy_sync(c->m);
            return;
        }
    }
}

static void thaw(const struct remedy_case *c)
{
    remedy_write(c->m, APMU_REG_PMOVSCLR_EL0, 0, c->wanted);
    remedy_change(c->m, APMU_REG_PMCR_EL0, 0, UINT64_C(1) << 9, 0);
}

static void drop_threshold(const struct remedy_case *c)
{
    change_types(c, APMU_MASK(PMEVTYPER_EL0, TC) | APMU_MASK(PMEVTYPER_EL0, TH), 0);
}

static void drop_mt(const struct remedy_case *c)
{
    change_types(c, UINT64_C(1) << 25, 0);
}

static void open_dwt(const struct remedy_case *c)
{
    const struct code_cell *demcr = &c->k->last.demcr;

    remedy_change_plain(c->m, CODE_DEMCR, 0, TRCENA);
    if (strstr(c->s->cure, "LAR") != NULL) {
        c->m->count = demcr->line != 0 && (demcr->value.bits & TRCENA) != 0 ? 0 : c->m->count;
        remedy_write_plain(c->m, CODE_DWT_LAR, 0xC5ACCE55);
    }
    remedy_change_plain(c->m, CODE_DWT_CTRL, 0, 1);
}

static void start_dwt(const struct remedy_case *c)
{
    remedy_change_plain(c->m, CODE_DWT_CTRL, 0, 1);
}

/* The reset goes: the counter was set to 0 before it started, or is as good without. */
static void drop_statement(const struct remedy_case *c)
{
    c->m->instead = true;
    if (c->step != NULL && c->step->reg == CODE_PMCR && (c->step->value.bits & PMCR_E) != 0 &&
        c->step->value.read == 0) {
        remedy_change(c->m, APMU_REG_PMCR_EL0, 0, 0, PMCR_E);
    }
}

static void add_volatile(const struct remedy_case *c)
{
    if (c->k->form->id == FORM_C || c->k->form->id == FORM_LINUX || c->k->form->id == FORM_TFA) {
        c->m->old = c->k->form->underscores ? "__asm__" : "asm";
        c->m->fresh = c->k->form->underscores ? "__asm__ volatile" : "asm volatile";
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Programs that use perf_event_open().
 */

/* Writes the word that ends at @end to @name, with @behind.  Returns false if there is none. */
static bool take_word(const char *text, const char *end, const char *behind, char name[40])
{
    const char *from = end;

    while (from > text && text_is_word(from[-1])) {
        from--;
    }
    if (from == end || end - from > 32) {
        return false;
    }
    snprintf(name, 40, "%.*s%s", (int)(end - from), from, behind);
    return true;
}

/* Finds what stands before the members of struct perf_event_attr: "attr." or "pe->". */
static void find_attribute(const struct code_case *k, char name[40])
{
    static const char type[] = "perf_event_attr";
    const char *text = k->r->text.joined;

    snprintf(name, 40, "attr.");
    for (const char *at = strstr(text, type); at != NULL; at = strstr(at + 1, type)) {
        const char *word = at + sizeof type - 1 + strspn(at + sizeof type - 1, " \t");
        const bool pointer = *word == '*';
        size_t length = 0;

        word += strspn(word, "* ");
        while (text_is_word(word[length])) {
            length++;
        }
        if (length != 0 && take_word(text, word + length, pointer ? "->" : ".", name) && !pointer) {
            return;
        }
    }
}

/* Returns true if the line that begins at @line is no directive, no comment and no definition. */
static bool is_call_line(const char *line)
{
    line += strspn(line, " \t");
    return *line != '#' && *line != '*' && *line != '/' && strncmp(line, "static", 6) != 0;
}

/* Returns the line with the first call of perf_event_open(). */
static uint32_t find_open(const struct code_case *k)
{
    static const char *const words[] = {"__NR_perf_event_open", "SYS_perf_event_open", "perf_event_open("};

    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        for (size_t i = 0; i < k->r->text.count && i < 4000; i++) {
            const struct text_line *l = &k->r->text.lines[i];

            if (strstr(l->text, words[w]) != NULL && is_call_line(l->text)) {
                return l->number;
            }
        }
    }
    return k->c->perf->open_line;
}

/* Finds the variable to which a line assigns: "fd" of "int fd = syscall(...)".  Returns false if it does not. */
static bool find_descriptor(const struct code_case *k, uint32_t line, char name[40])
{
    const size_t i = text_find(&k->r->text, line);
    const char *text = i < k->r->text.count ? k->r->text.lines[i].text : "";
    const char *end = strchr(text, '=');

    while (end != NULL && end > text && end[-1] == ' ') {
        end--;
    }
    return end != NULL && take_word(text, end, "", name);
}

/* Returns the last line that assigns to a member of the structure that @attr names; 0 if none does. */
static uint32_t last_assignment(const struct code_case *k, const char *attr)
{
    uint32_t last = 0;

    for (unsigned f = 0; f < CODE_PERF_FIELDS; f++) {
        const uint32_t line = k->c->perf->fields[f].line;
        const size_t i = text_find(&k->r->text, line);

        if (line > last && i < k->r->text.count && strstr(k->r->text.lines[i].text, attr) != NULL) {
            last = line;
        }
    }
    return last;
}

/* Returns the line that calls the function around line @line and keeps its result; 0 if there is none. */
static uint32_t find_caller(const struct code_case *k, uint32_t line)
{
    const struct code_function *around = NULL;

    for (size_t f = 1; f < k->c->function_count; f++) {
        const struct code_function *one = &k->c->functions[f];

        around = one->line <= line && (around == NULL || one->line > around->line) ? one : around;
    }
    for (size_t i = 0; around != NULL && i < k->r->text.count && i < 4000; i++) {
        const struct text_line *l = &k->r->text.lines[i];
        const char *equals = strchr(l->text, '=');
        const char *call = equals != NULL ? memmem(equals, strlen(equals), around->name, around->length) : NULL;

        if (call != NULL && call[around->length] == '(') {
            return l->number;
        }
    }
    return 0;
}

/* The event is enabled behind the call that opens it, or the one that calls a function for that. */
static void enable_event(const struct remedy_case *c, const char *attr)
{
    const uint32_t open = find_open(c->k), caller = find_caller(c->k, open);
    char fd[40];

    if (find_descriptor(c->k, open, fd)) {
        c->m->place = open;
    } else if (caller != 0 && find_descriptor(c->k, caller, fd)) {
        c->m->place = caller;
    } else {
        remedy_text(c->m, "%sdisabled = 0;", attr);
        return;
    }
    c->m->before = false;
    remedy_text(c->m, "ioctl(%s, PERF_EVENT_IOC_ENABLE, 0);", fd);
}

static void use_perf(const struct remedy_case *c)
{
    char attr[40];

    if (c->k->c->perf == NULL || c->k->c->facts[CODE_HAS_RUST] != 0 || c->k->c->facts[CODE_HAS_PYTHON] != 0) {
        return;
    }
    find_attribute(c->k, attr);
    c->m->place = last_assignment(c->k, attr);
    c->m->before = c->m->place == 0;
    c->m->place = c->m->before ? find_open(c->k) : c->m->place;
    switch (c->s->cause) {
    case WHY_perf_event_never_enabled:
        enable_event(c, attr);
        return;
    case WHY_perf_inherit_missing:
        remedy_text(c->m, "%sinherit = 1;", attr);
        return;
    case WHY_exclude_kernel_missing:
        remedy_text(c->m, "%sexclude_kernel = 1;", attr);
        remedy_text(c->m, "%sexclude_hv = 1;", attr);
        return;
    case WHY_perf_user_access_not_requested:
        remedy_text(c->m, "%sconfig1 |= 2;", attr);
        return;
    default:
        return;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The table.
 */

static const struct {
    enum why_cause_id cause;
    void (*make)(const struct remedy_case *c);
} makers[] = {
    {WHY_pmcr_e_clear, start},
    {WHY_counter_not_enabled, enable},
    {WHY_wrong_bit_or_mask, correct_mask},
    {WHY_set_register_written_zero, write_ones},
    {WHY_overflow_interrupt_not_enabled, enable_interrupts},
    {WHY_overflow_flag_never_cleared, clear_flags},
    {WHY_nsh_clear_at_el2, include_el2},
    {WHY_vhe_kernel_counted, exclude_el2},
    {WHY_filter_p_or_u_set, include_all},
    {WHY_filter_security_bits_differ, include_all},
    {WHY_hpme_clear, give_second_range},
    {WHY_counter_owned_by_el2, give_counters},
    {WHY_hpmn_zero_reserved, give_counters},
    {WHY_counters_kept_back, give_counters},
    {WHY_el2_forbids_counting, permit_el2},
    {WHY_secure_events_prohibited, permit_secure_events},
    {WHY_cycle_counter_stops_secure, permit_secure_cycles},
    {WHY_el2_traps_pmu, untrap_el2},
    {WHY_el3_traps_pmu, untrap_el3},
    {WHY_el0_access_off, grant_user},
    {WHY_el0_access_off_aarch32, grant_user},
    {WHY_el0_write_not_allowed, grant_user},
    {WHY_arm11_v_bit_clear, grant_user_arm11},
    {WHY_divide_by_64, stop_dividing},
    {WHY_cycle_overflow_at_32_bits, count_long},
    {WHY_missing_isb, synchronize},
    {WHY_missing_isb_after_pmselr, synchronize},
    {WHY_pmselr_selects_other_counter, select_counter},
    {WHY_chain_not_programmed, chain},
    {WHY_frozen_on_overflow, thaw},
    {WHY_threshold_set, drop_threshold},
    {WHY_mt_without_effect, drop_mt},
    {WHY_m_profile_trcena_or_lock, open_dwt},
    {WHY_cyccnt_not_enabled, start_dwt},
    {WHY_counter_reset_after_start, drop_statement},
    {WHY_asm_not_volatile, add_volatile},
    {WHY_perf_event_never_enabled, use_perf},
    {WHY_perf_inherit_missing, use_perf},
    {WHY_exclude_kernel_missing, use_perf},
    {WHY_perf_user_access_not_requested, use_perf},
};

void code_make_remedies(const struct code_case *k)
{
    const uint32_t used = k->read_counters != 0 ? k->read_counters : k->typed != 0 ? k->typed : k->enabled;

    for (size_t i = 0; k->all->remedies != NULL && i < k->all->count; i++) {
        const struct suspect *s = &k->all->list[i];
        struct remedy *m = &k->all->remedies[s->cause];
        const struct remedy_case c = {k, s, m, find_step(k, s), used != 0 ? used : UINT32_C(1) << CODE_CYCLE};

        m->line = s->line;
        for (size_t r = 0; r < sizeof makers / sizeof makers[0]; r++) {
            if (makers[r].cause == s->cause) {
                makers[r].make(&c);
            }
        }
    }
}
