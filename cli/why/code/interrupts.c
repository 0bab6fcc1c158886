/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: overflow interrupts and overflow flags, and counters that code and what interrupts it select. */
#define _GNU_SOURCE
#include <string.h>

#include "code.h"

/* Returns true if step @s is in a handler of interrupts. */
static bool is_handled(const struct code_case *k, const struct code_step *s)
{
    return (s->flags & CODE_HANDLER) != 0 || k->c->functions[s->function].handler;
}

/* Returns true if a handler looks at the overflow flags and sets a counter again: each period ends in an interrupt. */
static bool handler_reloads(const struct code_case *k)
{
    bool flags = false, reloads = false;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (is_handled(k, s) || k->c->functions[s->function].takes_interrupt) {
            flags |= s->reg == CODE_PMOVSCLR || s->reg == CODE_PMOVSSET;
            reloads |= s->act == CODE_WRITE && code_is_count(s->reg);
        }
    }
    return flags && reloads;
}

/* Returns true if the text speaks of an overflow or of a handler: "no interrupts" alone is no complaint. */
static bool speaks_of_handling(const struct code_case *k)
{
    static const char *const words[] = {
        "overflow",       "handler",    "isr",     "ISR",           "irq",          "IRQ",
        "sampl",          "PMINTENSET", "pminten", "Overflow",      "Handler",      "Sampl",
        "callback",       "PMOVS",      "pmovs",   "the interrupt", "an interrupt", "interrupt never",
        "interrupt does", "GIC",        "gic"};

    return code_says_any(k, words, sizeof words / sizeof words[0]) || k->last.inten.line != 0;
}

/* Returns true if the code or its writer waits for an interrupt. */
static bool wants_interrupt(const struct code_case *k)
{
    const uint32_t *f = k->c->facts;
    const bool gic = f[CODE_HAS_GIC] != 0 && (code_complains(k) || k->last.inten.line != 0);

    for (size_t i = 1; i < k->c->function_count; i++) {
        if (k->c->functions[i].handler &&
            (code_function_says(k, (unsigned)i, "pmu") || gic || code_function_says(k, (unsigned)i, "overflow"))) {
            return true;
        }
    }
    return f[CODE_HAS_INTERRUPT] != 0 || gic || (k->sees[READING_no_interrupt] && speaks_of_handling(k)) ||
           (f[CODE_HAS_NVIC] != 0 && k->last.inten.line != 0) || handler_reloads(k);
}

/* Returns the counter that is set to overflow: one that is preloaded, else the one that is used. */
static int sampled(const struct code_case *k, size_t *at)
{
    int n = -1;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        const int counter = s->act == CODE_WRITE ? code_counter_of(k, i) : -1;

        if (counter >= 0 && (s->reg == CODE_PMEVCNTR || s->reg == CODE_PMCCNTR || s->reg == CODE_PMXEVCNTR) &&
            !(s->value.known == UINT64_MAX && s->value.bits == 0) && (s->flags & CODE_HANDLER) == 0) {
            n = counter;
            *at = i;
        }
    }
    if (n < 0 && k->used != 0 && (k->used & (k->used - 1)) == 0) {
        for (n = 0; (k->used >> n & 1) == 0; n++) {
        }
        *at = k->last.cnten.line != 0 ? k->last.cnten.step : 0;
    }
    return n;
}

/* Returns true if counter @n's interrupt is or may be enabled, and the same function does not disable it again. */
static bool is_enabled(const struct code_case *k, int n)
{
    unsigned by = 0;
    bool enabled = false;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (code_does(s, CODE_WRITE, CODE_PMINTENSET) && ((s->value.bits | ~s->value.known) >> n & 1) != 0) {
            enabled = true;
            by = s->function;
        } else if (code_does(s, CODE_WRITE, CODE_PMINTENCLR) && (s->value.bits >> n & 1) != 0 && s->function == by) {
            enabled = false;
        }
    }
    return enabled;
}

static void check_enable(struct code_case *k)
{
    const struct code_cell *inten = &k->last.inten;
    char because[400], cure[400], value[16], text[160];
    struct suspect *suspect;
    size_t at = SIZE_MAX;
    int n;
    const bool pair = code_last_write(k, CODE_PMINTENSET) != SIZE_MAX;
    bool again;

    if (!wants_interrupt(k) || !k->set_up || (k->sees[READING_storm] && !k->sees[READING_no_interrupt])) {
        return; /* interrupts that come without end are enabled */
    }
    n = sampled(k, &at);
    if (n < 0 && !pair && k->sees[READING_no_interrupt]) {
        n = 0;
        at = k->last.cnten.line != 0 ? k->last.cnten.step : k->last.pmcr.step;
    }
    if (n < 0 || is_enabled(k, n) ||
        (pair && (inten->value.known >> n & 1) == 0 && inten->value.read != 0)) {
        return;
    }
    if (pair && (k->c->steps[code_last_write(k, CODE_PMINTENSET)].value.known & UINT32_MAX) != UINT32_MAX) {
        return;
    }
    again = pair && (k->c->steps[code_last_write(k, CODE_PMINTENSET)].value.bits >> n & 1) != 0;
    snprintf(value, sizeof value, "1 << %d", n);
    suspect_text(because,
                 again  ? "bit %d of PMINTENSET is set here, and the same function clears it again by PMINTENCLR"
                 : pair ? "bit %d of PMINTENSET is never written as 1: another counter's interrupt is enabled"
                        : "nothing writes bit %d of PMINTENSET, so the overflow asks for no interrupt",
                 n);
    suspect_text(cure, "enable its interrupt: %s", code_write_text(k, CODE_PMINTENSET, 0, value, text));
    at = pair ? code_last_write(k, CODE_PMINTENSET) : at;
    suspect = code_suspect(k, WHY_overflow_interrupt_not_enabled, SUSPECT_CERTAIN, at, because, cure);
    suspect->weight = 68;
    suspect->counters = UINT64_C(1) << n;
    if (pair && !again) {
        code_suspect(k, WHY_wrong_bit_or_mask, SUSPECT_LIKELY, at, because, cure)->weight = 60;
    }
    suspect_clear(k->all, WHY_irq_not_unmasked);
}

/* Calls that install a handler and enable no interrupt, and those that enable it. */
static const struct enabling_call {
    const char *installs, *enables;
    bool always; /* nothing else enables it, so no complaint is needed */
    bool named;  /* both have the interrupt as argument .number */
    unsigned number;
    const char *of; /* what programs of that system contain, if others may have a call of that name; NULL: none has */
} enabling_calls[] = {
    {"IRQ_CONNECT(", "irq_enable(", true, true, 0, NULL},                 /* Zephyr */
    {"irq_connect_dynamic(", "irq_enable(", true, false, 0, NULL},        /* Zephyr */
    {"irq_attach(", "up_enable_irq(", true, true, 0, "nuttx/"},           /* NuttX */
    {"request_percpu_irq(", "enable_percpu_irq(", false, false, 0, NULL}, /* Linux */
    {"IRQF_NO_AUTOEN", "enable_irq(", false, false, 0, NULL},             /* Linux */
    {"NVIC_SetVector(", "NVIC_EnableIRQ(", false, true, 0, NULL},         /* CMSIS */
    {"IRQ_SetHandler(", "IRQ_Enable(", false, true, 0, NULL},             /* CMSIS for Cortex-A */
    {"XScuGic_Connect(", "XScuGic_Enable(", false, true, 1, NULL},        /* Xilinx */
};

/*
 * Finds a handler that is installed by a call that does not enable the interrupt, without the call that does.  Returns
 * true if it found one.
 */
static bool check_installed(struct code_case *k)
{
    const bool works = k->sees[READING_good] || k->r->sees[READING_good];
    const char *text = k->r->text.joined;
    char because[400], cure[400];
    const size_t at = code_last_write(k, CODE_PMINTENSET);

    for (size_t i = 0; at != SIZE_MAX && i < sizeof enabling_calls / sizeof enabling_calls[0]; i++) {
        const struct enabling_call *call = &enabling_calls[i];

        if ((k->sees[READING_no_interrupt] || (call->always && !code_complains(k) && !works)) &&
            (call->of == NULL || strstr(text, call->of) != NULL) && strstr(text, call->installs) != NULL &&
            strstr(text, call->enables) == NULL) {
            const int length = (int)strcspn(call->installs, "(");

            suspect_text(because,
                         "%.*s installs the handler only, and nothing here calls %s): the interrupt controller keeps "
                         "the PMU's interrupt out", length, call->installs, call->enables);
            suspect_text(cure, "call %s...) with the PMU's interrupt once the handler is installed: it sets the "
                               "interrupt's bit in the %s", call->enables,
                         k->m_profile ? "NVIC (ISER)" : "GIC (ISENABLER)");
            code_suspect(k, WHY_irq_not_unmasked, SUSPECT_LIKELY, at, because, cure)->weight = 75;
            return true;
        }
    }
    return false;
}

/* Finds argument @n of the call at @call, which ends with its bracket.  Returns its length; 0: there is none. */
static size_t call_argument(const char *call, unsigned n, const char **argument)
{
    const char *at = strchr(call, '(') + 1;

    for (; n != 0; n--) {
        at += strcspn(at, ",();\n");
        if (*at++ != ',') {
            return 0;
        }
    }
    *argument = at += strspn(at, " \t");
    return strcspn(at, " \t,();\n");
}

/* Finds in @text a call of @name whose argument @n is @wanted, of @length bytes. */
static bool is_called_with(const char *text, const char *name, unsigned n, const char *wanted, size_t length)
{
    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name)) {
        const char *argument;

        if (call_argument(at, n, &argument) == length && memcmp(argument, wanted, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Finds the interrupt whose handler is the PMU's, by the calls of @call.  Returns its length; 0: there is none. */
static size_t find_installed(const char *text, const struct enabling_call *call, const char **wanted)
{
    size_t length = 0;

    for (const char *c = strstr(text, call->installs); c != NULL; c = strstr(c + 1, call->installs)) {
        const char *argument = NULL, *pmu = strcasestr(c, "pmu");
        const size_t size = call_argument(c, call->number, &argument);

        if (size != 0 && pmu != NULL && pmu < c + strcspn(c, ";\n")) {
            *wanted = argument;
            length = size;
        }
    }
    return length;
}

/* Returns true if each interrupt that @call enables is that of a handler which is installed. */
static bool enables_installed(const char *text, const struct enabling_call *call)
{
    for (const char *c = strstr(text, call->enables); c != NULL; c = strstr(c + 1, call->enables)) {
        const char *argument = NULL;
        const size_t size = call_argument(c, call->number, &argument);

        if (size == 0 || !is_called_with(text, call->installs, call->number, argument, size)) {
            return false; /* it may be the PMU's by another name */
        }
    }
    return true;
}

/* Finds handlers of the PMU that are installed, where the interrupts that are enabled are those of other handlers. */
static bool check_other_enabled(struct code_case *k)
{
    const size_t at = code_last_write(k, CODE_PMINTENSET);
    const char *text = k->r->text.joined, *wanted = NULL;
    char because[400], cure[400];

    for (size_t i = 0; at != SIZE_MAX && k->sees[READING_no_interrupt] &&
                       i < sizeof enabling_calls / sizeof enabling_calls[0]; i++) {
        const struct enabling_call *call = &enabling_calls[i];
        const size_t length = call->named ? find_installed(text, call, &wanted) : 0;

        if (length == 0 || is_called_with(text, call->enables, call->number, wanted, length) ||
            strstr(text, call->enables) == NULL) {
            continue;
        }
        if (!enables_installed(text, call)) {
            return false;
        }
        suspect_text(because, "%.*s installs the handler of %.*s, and %.*s is called for another interrupt only",
                     (int)strcspn(call->installs, "("), call->installs, (int)length, wanted,
                     (int)strcspn(call->enables, "("), call->enables);
        suspect_text(cure, "call %s...) with %.*s, too: it sets the interrupt's bit in the %s", call->enables,
                     (int)length, wanted, k->m_profile ? "NVIC (ISER)" : "GIC (ISENABLER)");
        code_suspect(k, WHY_irq_not_unmasked, SUSPECT_LIKELY, at, because, cure)->weight = 80;
        return true;
    }
    return false;
}

/* Finds code that asks for interrupts, masks them and unmasks none.  Returns true if it did. */
static bool check_masked(struct code_case *k)
{
    const uint32_t masked = k->c->facts[CODE_HAS_MASK];
    char quote[160], because[400];

    if (masked == 0 || k->c->facts[CODE_HAS_UNMASK] != 0 ||
        !(k->sees[READING_no_interrupt] || k->sees[READING_zero] || k->sees[READING_stuck] || code_says(k, "hang"))) {
        return false;
    }
    reading_quote(k->r, masked, quote, sizeof quote);
    suspect_text(because, "%s -- it masks interrupts, and nothing here unmasks them: the PE takes none", quote);
    suspect_add(k->all, WHY_irq_not_unmasked, SUSPECT_LIKELY, masked, because,
                k->m_profile ? "unmask interrupts once all is set up: __enable_irq(), CPSIE I"
                : k->aarch32 ? "unmask interrupts once all is set up: CPSIE I (CPSR.I = 0)"
                             : "unmask interrupts once all is set up: MSR DAIFClr, #2 (PSTATE.I = 0)")
        ->weight = 78;
    return true;
}

/* Returns true if @function calls what is not shown. */
static bool calls_others(const struct code_case *k, unsigned function)
{
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (s->function == function && s->act == CODE_WORK && (s->flags & CODE_STATEMENT) == 0) {
            return true;
        }
    }
    return false;
}

static void check_mask(struct code_case *k)
{
    const size_t at = code_last_write(k, CODE_PMINTENSET);
    const uint32_t *f = k->c->facts;
    const bool kernel = k->place == READING_PLACE_KERNEL && !code_says(k, "no OS") && !code_says(k, "bare metal") &&
                        !code_says(k, "bare-metal");
    const bool gic = f[CODE_HAS_GIC] != 0 || f[CODE_HAS_NVIC] != 0, unmask = f[CODE_HAS_UNMASK] != 0;

    if (at == SIZE_MAX || (k->last.inten.value.bits & UINT32_MAX) == 0 || kernel || (gic && unmask)) {
        return;
    }
    if (reading_find(k->r, CLUE_words_handler_alone) != NULL) {
        return; /* the PE takes the interrupt */
    }
    if (check_masked(k)) {
        return;
    }
    const bool comes = code_says(k, "every") || code_says(k, "comes too") || code_says(k, "each time");
    const bool seen = k->sees[READING_no_interrupt] || code_says(k, "pending") || code_says(k, "never");

    if (comes && !k->sees[READING_no_interrupt]) {
        return;
    }
    if (!seen && (gic || !unmask || calls_others(k, k->c->steps[at].function))) {
        return; /* what is not shown may enable it */
    }
    suspect_clear(k->all, WHY_interrupt_pending_not_handled); /* a comment that shows the flag tells nothing else */
    if (!gic) {
        code_suspect(k, WHY_irq_not_unmasked, k->sees[READING_no_interrupt] ? SUSPECT_LIKELY : SUSPECT_POSSIBLE, at,
                     "the PMU asks for the interrupt, and nothing here enables it in the interrupt controller",
                     k->m_profile
                         ? "NVIC_EnableIRQ(PMU_IRQn)"
                         : "enable the PMU's interrupt in the GIC (PPI 7, INTID 23, on most "
                           "parts): GICR_ISENABLER0 or GICD_ISENABLER0 bit 23, and clear PSTATE.I: MSR DAIFClr, #2")
            ->weight = 55;
    } else if (!unmask && !k->m_profile && seen) {
        code_suspect(k, WHY_irq_not_unmasked, SUSPECT_LIKELY, at,
                     "nothing here clears PSTATE.I, so the PE takes no interrupt",
                     k->aarch32 ? "CPSIE i, and the PMU's interrupt enabled in the GIC"
                                : "MSR DAIFClr, #2, and the PMU's interrupt enabled in the GIC")
            ->weight = 55;
    }
}

/* Returns true if step @s clears overflow flags: a 1 may be written. */
static bool clears_flags(const struct code_step *s)
{
    return code_does(s, CODE_WRITE, CODE_PMOVSCLR) && (s->value.bits != 0 || (~s->value.known & UINT32_MAX) != 0);
}

/* Returns true if values beside the code show that the PMU asks for its interrupt: a flag and its enable are 1. */
static bool is_asserted(const struct code_case *k)
{
    const struct state_cell *flags = state_cell(&k->r->states[0], APMU_REG_PMOVSSET_EL0, 0);
    const struct state_cell *enables = state_cell(&k->r->states[0], APMU_REG_PMINTENSET_EL1, 0);

    return (flags->last & flags->known & enables->last & enables->known & UINT32_MAX) != 0;
}

/* Returns true if all of @function is shown: its brackets close before a prompt or the end, and it calls nothing. */
static bool is_whole(const struct code_case *k, unsigned function)
{
    const struct text *t = &k->r->text;
    unsigned depth = 0;

    if (calls_others(k, function)) {
        return false;
    }
    for (size_t i = text_find(t, k->c->functions[function].line); i < t->count; i++) {
        const char *line = t->lines[i].text;

        if (strncmp(line, "(gdb)", 5) == 0 || strncmp(line, "(lldb)", 6) == 0) {
            return false;
        }
        for (; *line != '\0'; line++) {
            depth += *line == '{';
            if (*line == '}' && depth-- <= 1) {
                return true;
            }
        }
    }
    return false;
}

/* Finds a handler that clears no flag. */
static void check_handler(struct code_case *k)
{
    bool asserted = is_asserted(k), enabled;
    size_t first[2] = {SIZE_MAX, SIZE_MAX};
    bool clears = false, anywhere = false, accesses = false;
    char cure[400], text[160];

    for (unsigned f = 1; f < k->c->function_count && asserted; f++) {
        asserted = !k->c->functions[f].handler || is_whole(k, f);
    }
    enabled = code_last_write(k, CODE_PMINTENSET) != SIZE_MAX || asserted;
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        const bool handler = is_handled(k, s);

        anywhere |= clears_flags(s);
        if (handler) {
            first[0] = first[0] == SIZE_MAX ? i : first[0];
            clears |= clears_flags(s);
            if ((s->act == CODE_READ || s->act == CODE_WRITE) &&
                (enabled || k->sees[READING_storm] || s->reg == CODE_PMOVSSET ||
                 s->reg == CODE_PMOVSCLR) &&
                code_is_pmu(s->reg)) {
                first[1] = first[1] == SIZE_MAX ? i : first[1];
                accesses = true;
            }
        }
    }
    if (first[0] == SIZE_MAX || clears || (!accesses && !k->sees[READING_storm] && !enabled)) {
        return;
    }
    if (!enabled && !accesses) {
        return;
    }
    suspect_text(cure, "write 1 to the counter's bit of PMOVSCLR in the handler: %s",
                 code_write_text(k, CODE_PMOVSCLR, 0, "the flags that PMOVSSET shows", text));
    code_suspect(k, WHY_overflow_flag_never_cleared,
                 anywhere && !k->sees[READING_storm] && !asserted ? SUSPECT_LIKELY : SUSPECT_CERTAIN,
                 first[1] != SIZE_MAX ? first[1] : first[0],
                 "the handler clears no overflow flag, so the interrupt stays "
                 "asserted",
                 cure)
        ->weight = 65;
}

/* Finds a handler that clears constant bits, and not those of the counters that interrupt. */
static void check_cleared_bits(struct code_case *k)
{
    const struct code_value *inten = &k->last.inten.value;
    uint64_t cleared = 0;
    size_t at = SIZE_MAX;
    char because[400], cure[400], text[160];

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (!code_does(s, CODE_WRITE, CODE_PMOVSCLR)) {
            continue;
        }
        if ((~s->value.known & UINT32_MAX) != 0) {
            return; /* what it clears is not known */
        }
        cleared |= s->value.bits;
        if (is_handled(k, s)) {
            at = i;
        }
    }
    if (at == SIZE_MAX || k->last.inten.line == 0 || (inten->bits & cleared & UINT32_MAX) != 0 ||
        (inten->bits & UINT32_MAX) == 0 || cleared == 0) {
        return;
    }
    suspect_text(because, "this clears 0x%llx, and the interrupt is enabled for 0x%llx: the flag of that counter stays "
                          "set, and so does the interrupt",
                 (unsigned long long)(cleared & UINT32_MAX), (unsigned long long)(inten->bits & UINT32_MAX));
    suspect_text(cure, "write the counter's bit, 1 << n, not its number: %s",
                 code_write_text(k, CODE_PMOVSCLR, 0, "the flags that PMOVSSET shows", text));
    code_suspect(k, WHY_wrong_bit_or_mask, SUSPECT_CERTAIN, at, because, cure)->weight = 66;
}

/* Finds a poll of the flags after which nobody clears them. */
static void check_poll(struct code_case *k)
{
    char cure[400], text[160];

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        bool cleared = false, near = false;

        if (s->act != CODE_READ || (s->reg != CODE_PMOVSSET && s->reg != CODE_PMOVSCLR) ||
            (s->flags & (CODE_IN_LOOP | CODE_POLLED)) == 0 || (s->flags & CODE_HANDLER) != 0) {
            continue;
        }
        for (size_t j = 0; j < k->c->step_count; j++) {
            cleared |= clears_flags(&k->c->steps[j]);
            near |= clears_flags(&k->c->steps[j]) && k->c->steps[j].function == s->function;
        }
        if (near || (cleared && !code_complains(k))) {
            return;
        }
        suspect_text(cure, "write 1 to the bit in PMOVSCLR before, or after, each wait: %s",
                     code_write_text(k, CODE_PMOVSCLR, 0, "1 << n", text));
        code_suspect(k, WHY_overflow_flag_never_cleared, cleared ? SUSPECT_LIKELY : SUSPECT_CERTAIN, i,
                     "the flag is polled and never cleared, so the next poll ends at once", cure)
            ->weight = 60;
        return;
    }
}

/* Finds flags that are "cleared" by a write to PMOVSSET, which sets them. */
static void check_set(struct code_case *k)
{
    const size_t at = code_last_write(k, CODE_PMOVSSET);
    char cure[400], text[160];

    if (at == SIZE_MAX || (k->c->steps[at].value.bits & UINT32_MAX) == 0 || code_says(k, "software") ||
        code_says(k, "trigger") || code_says(k, "test")) {
        return;
    }
    suspect_text(cure, "clear the flags in PMOVSCLR: %s", code_write_text(k, CODE_PMOVSCLR, 0, "1 << n", text));
    code_suspect(k, WHY_overflow_flag_never_cleared, SUSPECT_LIKELY, at,
                 "a write to PMOVSSET sets the flags; PMOVSCLR clears them", cure)
        ->weight = 55;
}

/* Returns true if the function's name is that of code that interrupts other code: a handler, a tick, a hook. */
static bool interrupts_others(const struct code_case *k, const struct code_step *s)
{
    static const char *const words[] = {"irq", "isr", "Hook", "hook", "tick", "Tick", "handler", "Handler", "timer_cb"};
    bool says = is_handled(k, s);

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        says |= code_function_says(k, s->function, words[i]);
    }
    return says;
}

/*
 * Finds two pieces of code that select a counter and access it, one of which interrupts the other: in the step of its
 * own function, or that of its caller.
 */
static void check_shared_selection(struct code_case *k)
{
    bool interrupting = false, plain = false, inside = false;
    size_t at = SIZE_MAX;

    if (!(k->sees[READING_sometimes] || code_says(k, "once in") || code_says(k, "other one's") ||
          code_says(k, "wrong counter"))) {
        return;
    }
    for (size_t i = 0, depth = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        depth += s->act == CODE_ENTER;
        inside = s->act == CODE_ENTER && depth == 1 ? interrupts_others(k, s) : inside;
        depth -= s->act == CODE_LEAVE && depth > 0;
        if (code_does(s, CODE_WRITE, CODE_PMSELR)) {
            *(inside ? &interrupting : &plain) = true;
            at = i;
        }
    }
    if (interrupting && plain) {
        code_suspect(k, WHY_pmselr_selects_other_counter, SUSPECT_LIKELY, at,
                     "what interrupts here selects a counter too: between the select and the access it may write "
                     "PMSELR",
                     "mask interrupts from the write of PMSELR to the access, or save and restore PMSELR in what "
                     "interrupts; or use PMEVCNTR<n>, which need no PMSELR")
            ->weight = 66;
    }
}

void rules_code_interrupts(struct code_case *k)
{
    if (k->user && !k->granted) {
        return;
    }
    check_enable(k);
    if (!check_installed(k) && !check_other_enabled(k)) {
        check_mask(k);
    }
    check_handler(k);
    check_cleared_bits(k);
    check_poll(k);
    check_set(k);
    check_shared_selection(k);
}
