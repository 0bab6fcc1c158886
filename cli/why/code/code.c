/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: what the accesses that the reader of code found do, and what they miss. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

/* Returns true if a function's name or an access says that the code runs at @el. */
static bool runs_at(const struct code_case *k, const char *word, enum code_register reg)
{
    for (size_t i = 0; i < k->c->function_count; i++) {
        if (code_function_says(k, (unsigned)i, word)) {
            return true;
        }
    }
    return code_last_write(k, reg) != SIZE_MAX;
}

/* Returns true if the text says the Exception level @word, and not only in the name of a register. */
static bool says_level(const struct code_case *k, const char *word)
{
    return code_says(k, word);
}

/* Returns true if the text is a hypervisor's and no module of Linux, although its accesses have the kernel's form. */
static bool is_hypervisor(const struct code_case *k)
{
    return (says_level(k, "hypervisor") || says_level(k, "hyp") || says_level(k, "EL2")) &&
           strstr(k->r->text.joined, "module") == NULL && strstr(k->r->text.joined, "MODULE") == NULL &&
           strstr(k->r->text.joined, "__init") == NULL && !says_level(k, "Linux") && !says_level(k, "driver");
}

/* Returns true if one function sets the PMU up and writes a register of EL3: it runs there, whatever comments name. */
static bool sets_up_at_el3(const struct code_case *k)
{
    const size_t el3 = code_last_write(k, CODE_MDCR_EL3), pmcr = code_last_write(k, CODE_PMCR);

    return el3 != SIZE_MAX && pmcr != SIZE_MAX && k->c->steps[el3].function == k->c->steps[pmcr].function &&
           k->c->steps[el3].function < k->c->function_count;
}

/*
 * Returns true if the text says that what starts at EL2 or EL3 goes down to a kernel at EL1, or does so, and is no
 * hypervisor.
 */
static bool goes_down(const struct code_case *k)
{
    static const char *const downs[] = {"ERET to EL1", "eret to EL1", "down to EL1", "drops to EL1", "drop to EL1",
                                        "dropped to EL1", "goes to EL1", "switches to EL1", "returns to EL1",
                                        "enters EL1", "EL1 kernel", "kernel at EL1", "into EL1"};
    static const char *const guests[] = {"hypervisor", "guest", "guests", "hyp", "VM", "vcpu", "HVC"};

    const char *text = k->r->text.joined;
    const bool does = strcasestr(text, "spsr_el2") != NULL && strcasestr(text, "eret") != NULL;

    return (does || code_says_any(k, downs, sizeof downs / sizeof downs[0])) &&
           !code_says_any(k, guests, sizeof guests / sizeof guests[0]);
}

static void find_level(struct code_case *k)
{
    const struct reading_machine *m = &k->r->machine;
    const bool kernel = k->place == READING_PLACE_KERNEL;

    k->el = k->user ? 0 : k->place == READING_PLACE_FIRMWARE ? 3 : k->place == READING_PLACE_HYPERVISOR ? 2 : 1;
    k->el_known = k->user || k->place == READING_PLACE_FIRMWARE || k->place == READING_PLACE_HYPERVISOR ||
                  k->place == READING_PLACE_SECURE;
    k->secure = reading_value(&m->secure, 0) == 1 || k->place == READING_PLACE_SECURE || says_level(k, "S-EL1") ||
                says_level(k, "secure EL1") || says_level(k, "trusted OS") || says_level(k, "OP-TEE");
    if (sets_up_at_el3(k) && !k->user && !k->aarch32) {
        k->el = 3;
        k->el_known = true;
        return;
    }
    if (k->secure && !k->user) {
        k->el = 1;
        k->el_known = true;
    } else if (kernel && reading_value(&m->vhe, 0) == 1) {
        k->el = 2;
        k->el_known = true;
    } else if (!k->user && m->el.known && m->el.value != 0 && !(m->el.value != 1 && goes_down(k))) {
        k->el = (unsigned)m->el.value;
        k->el_known = true;
    } else if (!k->user && !kernel && (runs_at(k, "el3", CODE_MDCR_EL3) || runs_at(k, "EL3", CODE_SCR_EL3)) &&
               !says_level(k, "EL1")) {
        k->el = 3;
        k->el_known = true;
    } else if (!k->user && (!kernel || is_hypervisor(k)) &&
               (!k->aarch32 || says_level(k, "EL2") || says_level(k, "Hyp mode")) && !says_level(k, "EL1") &&
               (runs_at(k, "el2", CODE_MDCR_EL2) || runs_at(k, "hyp", CODE_HCR_EL2) || says_level(k, "EL2"))) {
        k->el = 2;
        k->el_known = true;
    }
    if (!k->user && !k->secure && k->el == 2 && says_level(k, "EL1") &&
        (says_level(k, "from EL2") || says_level(k, "drop") || says_level(k, "dropped") || says_level(k, "drops") ||
         says_level(k, "left EL2") || says_level(k, "EL1h"))) {
        k->el = 1;
    }
    if (!k->user && says_level(k, "EL1") && k->el != 1 && (!m->el.known || goes_down(k))) {
        k->el = 1;
    }
    if (k->aarch32 && k->el == 3) {
        k->el = 1;
    }
}

/* Returns true if the text is a program of an operating system. */
static bool is_user(const struct code_case *k)
{
    static const char *const kernels[] = {"at EL1",    "in EL1",       "teaching kernel", "own kernel", "our kernel",
                                          "my kernel", "hobby kernel", "toy kernel",      "hobby OS",   "own OS",
                                          "our OS",    "my OS",        "toy OS",          "microkernel"};
    const uint32_t *facts = k->c->facts;
    const bool unknown = k->place == READING_PLACE_UNKNOWN || /* a comment on the module that grants access */
                         (k->place == READING_PLACE_KERNEL && facts[CODE_HAS_KERNEL] == 0);

    if (k->place == READING_PLACE_USER && facts[CODE_HAS_MAIN] == 0 && !code_says(k, "SIGILL") &&
        code_says_any(k, kernels, sizeof kernels / sizeof kernels[0]) && code_last_write(k, CODE_PMCR) != SIZE_MAX) {
        return false; /* what is counted runs at EL0, and the code at EL1 */
    }
    if (k->place == READING_PLACE_USER || strstr(k->r->text.joined, "TA_InvokeCommandEntryPoint") != NULL ||
        strstr(k->r->text.joined, "TA_OpenSessionEntryPoint") != NULL) {
        return true; /* a trusted application runs at Secure EL0 */
    }
    if (unknown && facts[CODE_HAS_BARE] == 0 && facts[CODE_HAS_KERNEL] == 0 &&
        (strstr(k->r->text.joined, "pthread") != NULL || strstr(k->r->text.joined, "std::thread") != NULL)) {
        return true;
    }
    const bool signal = code_says(k, "SIGILL") || code_says(k, "illegal instruction") ||
                        code_says(k, "Illegal instruction"); /* that is what a program sees */

    return unknown && facts[CODE_HAS_MAIN] != 0 && (facts[CODE_HAS_STDIO] != 0 || signal) &&
           facts[CODE_HAS_BARE] == 0 && facts[CODE_HAS_TFA] == 0 && facts[CODE_HAS_M] == 0 &&
           facts[CODE_HAS_GIC] == 0 && facts[CODE_HAS_KERNEL] == 0 && !code_says(k, "bare metal") &&
           !code_says(k, "bare-metal") && !code_says(k, "standalone") && !code_says(k, "RTOS") &&
           !code_says(k, "EL1") && !code_says(k, "EL2") && !code_says(k, "EL3") && !code_says(k, "SVC mode");
}

static bool is_granted(const struct code_case *k)
{
    static const char *const words[] = {"granted",
                                        "grants",
                                        "PMUSERENR",
                                        "user access",
                                        "perf_user_access",
                                        "allowed",
                                        "enabled by a module",
                                        "kernel module",
                                        "EL0 access",
                                        "module sets",
                                        "module enables",
                                        "USERENR",
                                        "allows",
                                        "userenr",
                                        "a module",
                                        "our module",
                                        "the module",
                                        "kernel patch",
                                        "opened to user"};

    if (code_says_any(k, words, sizeof words / sizeof words[0])) {
        return true;
    }
    return k->last.userenr.line != 0;
}

static void describe(struct code_case *k)
{
    const struct reading_machine *m = &k->r->machine;

    k->core = m->core;
    k->place = (enum reading_place)reading_value(&m->place, READING_PLACE_UNKNOWN);
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        const bool access = s->act == CODE_READ || s->act == CODE_WRITE;

        k->differs |= s->act == CODE_DIFFERENCE;
        k->aarch32 |= access && (s->flags & CODE_A32) != 0 &&
                      (code_is_pmu(s->reg) || s->reg == CODE_UNKNOWN || code_is_timer(s->reg));
        k->arm11 |= access && s->reg >= CODE_A11_PMNC && s->reg <= CODE_A11_VALIDATION;
    }
    k->m_profile = k->c->facts[CODE_HAS_M] != 0;
    if (k->c->facts[CODE_HAS_TFA] != 0 && k->place == READING_PLACE_UNKNOWN) {
        k->place = READING_PLACE_FIRMWARE;
    }
    k->user = is_user(k);
    if (k->core != NULL && code_is_outside(k) && code_names_cores(k)) {
        k->core = NULL; /* one of them runs the code, and the PMU is that of the other one */
    }
}

/* Returns true if the code accesses a register of a PMU. */
static bool has_access(const struct code_case *k)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if ((s->act == CODE_READ || s->act == CODE_WRITE) && code_is_pmu(s->reg)) {
            return true;
        }
    }
    return false;
}

/* Returns true if the code sets a PMU up, so that "nothing wrong" can be said of it. */
static bool is_judged(const struct code_case *k)
{
    const struct code_state *st = &k->last;

    if ((k->c->perf != NULL && k->c->perf->open_line != 0) ||
        (k->c->facts[CODE_HAS_LICENCE] != 0 && (k->c->function_count > 1 || has_access(k)))) {
        return true;
    }
    if (k->m_profile) {
        return st->dwt.line != 0 || st->pmcr.line != 0;
    }
    if (k->arm11) {
        return code_last_write(k, CODE_A11_PMNC) != SIZE_MAX;
    }
    return k->set_up || st->mdcr2.line != 0 || st->mdcr3.line != 0 || st->userenr.line != 0;
}

/* The causes that code shows. */
static const enum why_cause_id decided[] = {
    WHY_pmcr_e_clear,
    WHY_counter_not_enabled,
    WHY_set_register_written_zero,
    WHY_wrong_bit_or_mask,
    WHY_wrong_encoding,
    WHY_filter_p_or_u_set,
    WHY_filter_security_bits_differ,
    WHY_nsh_clear_at_el2,
    WHY_missing_isb,
    WHY_missing_isb_after_pmselr,
    WHY_pmselr_selects_other_counter,
    WHY_counter_does_not_exist,
    WHY_event_counts_other_than_thought,
    WHY_event_not_of_this_core,
    WHY_event_not_implemented,
    WHY_event_number_unknown,
    WHY_chain_not_programmed,
    WHY_read_in_two_halves,
    WHY_count_truncated_to_32_bits,
    WHY_divide_by_64,
    WHY_asm_not_volatile,
    WHY_counter_reset_after_start,
    WHY_m_profile_trcena_or_lock,
    WHY_cyccnt_not_enabled,
    WHY_wraps_at_32_bits,
    WHY_cycle_overflow_at_32_bits,
    WHY_perf_event_never_enabled,
    WHY_multiplexed_unscaled,
    WHY_group_larger_than_counters,
    WHY_perf_inherit_missing,
    WHY_exclude_kernel_missing,
    WHY_wrong_pmu_type,
    WHY_hpmn_zero_reserved,
    WHY_hpme_clear,
    WHY_counter_owned_by_el2,
    WHY_el2_forbids_counting,
    WHY_overflow_interrupt_not_enabled,
    WHY_measures_itself,
    WHY_pmcr_value_copied_from_write,
    WHY_two_cycle_counts_differ,
    WHY_overflow_flag_never_cleared,
    WHY_wfi_stops_cycles,
    WHY_threshold_set,
    WHY_mt_without_effect,
};

/* Returns true if a rule on code added the cause: those before @before are of other readers. */
static bool is_mine(const struct code_case *k, enum why_cause_id cause, size_t before)
{
    const struct suspect *s = suspect_find(k->all, cause);

    return s != NULL && (size_t)(s - k->all->list) >= before;
}

/* Returns true if a debugger that lists the code gives bit 0 of @reg, too. */
static bool is_given(const struct code_case *k, enum apmu_reg reg)
{
    const struct state_cell *cell = state_cell(&k->r->states[0], reg, 0);
    const size_t i = text_find(&k->r->text, cell->last_line);

    return (cell->known & 1) != 0 && i < k->r->text.count && !text_is_claimed(&k->r->text, i, TEXT_CODE) &&
           reading_find(k->r, CLUE_exception_debugger) != NULL;
}

/*
 * Returns true if values that stand beside the code decide about @cause: code is a part, and values are what came of
 * it.
 */
static bool has_values_of(const struct code_case *k, enum why_cause_id cause)
{
    if (cause == WHY_pmcr_e_clear) {
        return is_given(k, APMU_REG_PMCR_EL0);
    }
    if (cause == WHY_counter_not_enabled) {
        return is_given(k, APMU_REG_PMCNTENSET_EL0);
    }
    return (cause == WHY_m_profile_trcena_or_lock || cause == WHY_cyccnt_not_enabled) &&
           (k->r->extras[READING_DEMCR].known || k->r->extras[READING_DWT_CTRL].known ||
            k->r->extras[READING_DWT_LSR].known);
}

/* Clears the causes that code shows, unless they were found: the words beside code describe it and are no complaint. */
static void clear_others(struct code_case *k, size_t before)
{
    if (!is_judged(k) && k->c->facts[CODE_HAS_LICENCE] == 0) {
        return;
    }
    for (size_t i = 0; i < WHY_CAUSE_IDS && !k->complains && reading_find(k->r, CLUE_linux_selinux) == NULL; i++) {
        /* nobody complains: no sentence is a symptom */
        if (!is_mine(k, (enum why_cause_id)i, before) && !has_values_of(k, (enum why_cause_id)i)) {
            suspect_clear(k->all, (enum why_cause_id)i);
        }
    }
    for (size_t i = 0; i < sizeof decided / sizeof decided[0]; i++) {
        if (!is_mine(k, decided[i], before) && !has_values_of(k, decided[i])) {
            suspect_clear(k->all, decided[i]);
        }
    }
}

/* Returns true if the writer says that the set-up, which is not shown, is right. */
static bool says_set_up(const struct code_case *k)
{
    static const char *const words[] = {"checked", "since boot", "at boot", "verified", "by the boot code",
                                        "set up elsewhere", "already enabled", "enabled elsewhere", "counter on",
                                        "counter runs", "is enabled by", "set up by", "started by", "has set",
                                        "has started", "has enabled", "have started", "already started",
                                        "already set up", "already running", "already runs", "was set up",
                                        "was started", "was enabled", "enabled by the", "enabled by our",
                                        "enables the counter", "sets the counter", "set up in",
                                        "module that enables", "module enables", "driver that enables",
                                        "driver enables", "kernel enables", "firmware enables", "boot code enables",
                                        "loader enables", "patch that enables", "kernel has enabled",
                                        "enabled for us", "enabled on each", "enabled on every", "enabled on all"};

    return code_says_any(k, words, sizeof words / sizeof words[0]);
}

/* Asks for what is not shown. */
static void ask_for_set_up(const struct code_case *k)
{
    if (k->m_profile) {
        suspect_ask(k->all, 60,
                    "the code that sets the DWT up, or the values of DEMCR (0xE000EDFC), DWT_CTRL (0xE0001000) "
                    "and DWT_CYCCNT read twice");
    } else if (k->arm11) {
        suspect_ask(k->all, 60, "the code that writes PMNC, or its value: MRC p15, 0, Rt, c15, c12, 0");
    } else {
        char b[32];
        const bool events = (k->read_counters & ~(UINT32_C(1) << CODE_CYCLE)) != 0;

        suspect_ask(k->all, 60,
                    "the code that sets the PMU up is not shown: print %s, PMCNTENSET%s and %s where the counter "
                    "is read, or show that code",
                    code_name_text(k, CODE_PMCR, 0, b), k->aarch32 ? "" : "_EL0",
                    events       ? "PMEVTYPER of the counter"
                    : k->aarch32 ? "PMCCFILTR"
                                 : "PMCCFILTR_EL0");
    }
}

/* Returns true if all that the comments say of symptoms is how slowly a counter wraps, or what the code does then. */
static bool tells_of_wraps(const struct code_case *k)
{
    for (unsigned i = 0; i < READING_good; i++) {
        if (k->sees[i] && i != READING_small && i != READING_wraps) {
            return false;
        }
    }
    return code_wants_divider(k) || (code_deals_with_wraps(k) && !k->sees[READING_small]);
}

void rules_code(const struct rules_input *in, struct suspects *all)
{
    struct code_case *k;
    size_t before = all->count;

    if (in->r->code == NULL || (reading_find(in->r, CLUE_linux_refused) != NULL && in->r->code->step_count == 0 &&
                                strstr(in->r->text.joined, ") = -1 E") != NULL)) {
        return; /* there is none, or it is a trace of calls */
    }
    k = cli_allocate(NULL, 1, sizeof *k);
    memset(k, 0, sizeof *k);
    k->in = in;
    k->r = in->r;
    k->c = in->r->code;
    k->all = all;
    k->form = in->form;
    k->states = cli_allocate(NULL, k->c->step_count + 1, sizeof *k->states);
    code_find_complaint(k);
    describe(k);
    code_simulate(k);
    code_take_mentioned(k);
    k->granted = is_granted(k);
    find_level(k);
    rules_code_encodings(k);
    rules_code_m(k);
    rules_code_arm11(k);
    rules_code_counters(k);
    rules_code_masks(k);
    rules_code_place(k);
    rules_code_model(k);
    rules_code_firmware(k);
    rules_code_sync(k);
    rules_code_periods(k);
    rules_code_regions(k);
    rules_code_widths(k);
    rules_code_printed(k);
    rules_code_events(k);
    rules_code_interrupts(k);
    rules_code_modes(k);
    rules_code_late(k);
    rules_code_perf(k);
    rules_code_tables(k);
    clear_others(k, before);
    if (all->count == before && is_judged(k) && (!code_complains(k) || tells_of_wraps(k))) {
        all->fine = !code_hints(k->c);
        all->doubtful |= !all->fine;
    } else if (all->count == before && k->reads && !is_judged(k) && !code_complains(k) && says_set_up(k)) {
        all->fine = true;
    } else if (all->count == before && k->reads && !is_judged(k)) {
        ask_for_set_up(k);
    } else if (all->count == before && !is_judged(k) && !has_access(k)) {
        all->foreign = true;
        suspect_ask(all, 50, "the code that accesses the PMU: nothing here reads or writes one of its registers, or "
                             "opens an event of perf");
    }
    all->aarch32 |= k->aarch32;
    code_make_remedies(k);
    free(k->states);
    free(k);
}
