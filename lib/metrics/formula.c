/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses formulas into postfix order, by a stack of the signs that wait for their right operand. */
#include <armpmu/arm11_regs.h>
#include <armpmu/metrics.h>

#define NAME_SIZE 64 /* longer than every name of an event */

struct parser {
    const char *text;
    size_t at; /* where in @text the parser is, or where the error is */
    const struct apmu_core_info *core;
    struct apmu_formula *formula;
    char waiting[APMU_FORMULA_STEPS]; /* signs and parentheses, the last at the end */
    uint32_t waiting_count;
    uint32_t open;  /* parentheses among them */
    uint32_t depth; /* values that the steps so far leave on the stack */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_blanks(struct parser *p)
{
    while (p->text[p->at] == ' ') {
        p->at++;
    }
}

/* Appends a step.  Returns false if the formula is too long or too deep. */
static bool append(struct parser *p, enum apmu_formula_action action, uint32_t value)
{
    struct apmu_formula *f = p->formula;

    if (f->step_count == APMU_FORMULA_STEPS) {
        return false;
    }
    if (action >= APMU_FORMULA_ADD) {
        p->depth--;
    } else if (++p->depth > APMU_FORMULA_DEPTH) {
        return false;
    }
    f->steps[f->step_count].action = action;
    f->steps[f->step_count].value = value;
    f->step_count++;
    return true;
}

/*
 * Takes the unit behind a number: K, M, G, or %.  A unit of which more letters follow is none.  Returns its factor, and
 * in *@divisor 100 for %, or else 1.
 */
static uint32_t take_unit(struct parser *p, uint32_t *divisor)
{
    const char unit = p->text[p->at];
    const uint32_t factor = unit == 'K' ? 1000 : unit == 'M' ? 1000000 : unit == 'G' ? 1000000000 : 1;

    *divisor = unit == '%' ? 100 : 1;
    if (unit == '%' || (factor != 1 && !is_letter(p->text[p->at + 1]) && !is_digit(p->text[p->at + 1]))) {
        p->at++;
    }
    return factor;
}

/* Appends a product with @factor, or with APMU_FORMULA_DIVIDE a quotient, unless @factor is 1. */
static bool append_factor(struct parser *p, enum apmu_formula_action action, uint32_t factor)
{
    return factor == 1 || (append(p, APMU_FORMULA_NUMBER, factor) && append(p, action, 0));
}

/* Appends a number, "12", "0.05", "10K" or "5%".  Steps hold whole numbers, so 0.05 becomes 5 / 100. */
static enum apmu_error parse_number(struct parser *p)
{
    uint32_t value = 0, power = 1, percent, factor;
    bool fraction = false;

    for (; is_digit(p->text[p->at]) || (p->text[p->at] == '.' && !fraction && is_digit(p->text[p->at + 1])); p->at++) {
        if (p->text[p->at] == '.') {
            fraction = true;
            continue;
        }
        const uint32_t digit = (uint32_t)(p->text[p->at] - '0');

        if (value > (UINT32_MAX - digit) / 10 || (fraction && power > UINT32_MAX / 10)) {
            return APMU_E_FORMULA;
        }
        value = 10 * value + digit;
        power *= fraction ? 10 : 1;
    }
    factor = take_unit(p, &percent);
    return append(p, APMU_FORMULA_NUMBER, value) && append_factor(p, APMU_FORMULA_DIVIDE, power) &&
                   append_factor(p, APMU_FORMULA_MULTIPLY, factor) && append_factor(p, APMU_FORMULA_DIVIDE, percent)
               ? APMU_OK : APMU_E_FORMULA;
}

/* Finds the event that @core calls @name, or that @core leaves to the common events. */
static bool find_event(const struct apmu_core_info *core, const char *name, struct apmu_core_event *event)
{
    if (core != NULL && core->pmu == APMU_CORE_PMU_ARM11) {
        const struct apmu_arm11_event_info *info = apmu_arm11_event_by_name(name);

        if (info != NULL) {
            event->number = info->number;
            event->name = info->name;
        }
        return info != NULL;
    }
    const int number = apmu_core_event_parse(core, name);
    const struct apmu_event_info *common = number < 0 ? NULL : apmu_event_by_number((uint32_t)number);

    if (number < 0) {
        return false;
    }
    event->number = (uint16_t)number;
    event->name = core != NULL ? apmu_core_event_name(core, (uint32_t)number) : common != NULL ? common->name : NULL;
    return event->name != NULL;
}

/* Appends the count of @event, which is listed once. */
static enum apmu_error append_event(struct parser *p, const struct apmu_core_event *event)
{
    struct apmu_formula *f = p->formula;
    uint32_t i = 0;

    while (i < f->event_count && f->events[i].number != event->number) {
        i++;
    }
    if (i == APMU_FORMULA_EVENTS) {
        return APMU_E_FORMULA;
    }
    if (i == f->event_count) {
        f->events[f->event_count++] = *event;
    }
    return append(p, APMU_FORMULA_EVENT, i) ? APMU_OK : APMU_E_FORMULA;
}

static bool same_text(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static enum apmu_error parse_name(struct parser *p)
{
    static const char *const constants[APMU_FORMULA_CONSTANTS] = {"slots", "line", "seconds"};
    const size_t start = p->at;
    struct apmu_core_event event;
    char name[NAME_SIZE];
    size_t n = 0;

    while (n < NAME_SIZE - 1 && (is_letter(p->text[start + n]) || is_digit(p->text[start + n]))) {
        name[n] = p->text[start + n];
        n++;
    }
    name[n] = '\0';
    for (uint32_t i = 0; i < APMU_FORMULA_CONSTANTS; i++) {
        if (same_text(name, constants[i])) {
            p->at += n;
            p->formula->constants |= 1u << i;
            return append(p, APMU_FORMULA_CONSTANT, i) ? APMU_OK : APMU_E_FORMULA;
        }
    }
    if (!find_event(p->core, name, &event)) {
        return APMU_E_EVENT_NAME;
    }
    p->at += n;
    return append_event(p, &event);
}

static enum apmu_error parse_operand(struct parser *p)
{
    skip_blanks(p);
    while (p->text[p->at] == '(') {
        if (++p->open > APMU_FORMULA_DEPTH || p->waiting_count == APMU_FORMULA_STEPS) {
            return APMU_E_FORMULA;
        }
        p->waiting[p->waiting_count++] = '(';
        p->at++;
        skip_blanks(p);
    }
    if (is_digit(p->text[p->at])) {
        return parse_number(p);
    }
    return is_letter(p->text[p->at]) ? parse_name(p) : APMU_E_FORMULA;
}

static bool is_product(char sign)
{
    return sign == '*' || sign == '/';
}

/* Appends the signs that wait since the last parenthesis and bind at least as strongly as @sign; '\0': all. */
static bool append_waiting(struct parser *p, char sign)
{
    while (p->waiting_count > 0 && p->waiting[p->waiting_count - 1] != '(') {
        const char last = p->waiting[p->waiting_count - 1];

        if (is_product(sign) && !is_product(last)) {
            return true;
        }
        p->waiting_count--;
        if (!append(p, last == '+' ? APMU_FORMULA_ADD : last == '-' ? APMU_FORMULA_SUBTRACT :
                       last == '*' ? APMU_FORMULA_MULTIPLY : APMU_FORMULA_DIVIDE, 0)) {
            return false;
        }
    }
    return true;
}

/* Takes what follows an operand: parentheses that close, then a sign or the end. */
static enum apmu_error parse_sign(struct parser *p)
{
    skip_blanks(p);
    while (p->text[p->at] == ')') {
        if (p->open == 0 || !append_waiting(p, '\0')) {
            return APMU_E_FORMULA;
        }
        p->waiting_count--;
        p->open--;
        p->at++;
        skip_blanks(p);
    }
    const char sign = p->text[p->at];

    if (sign == '\0') {
        return p->open == 0 && append_waiting(p, '\0') ? APMU_OK : APMU_E_FORMULA;
    }
    if ((sign != '+' && sign != '-' && !is_product(sign)) || !append_waiting(p, sign) ||
        p->waiting_count == APMU_FORMULA_STEPS) {
        return APMU_E_FORMULA;
    }
    p->waiting[p->waiting_count++] = sign;
    p->at++;
    return APMU_OK;
}

enum apmu_error apmu_formula_parse(const char *text, const struct apmu_core_info *core, struct apmu_formula *formula,
                                   size_t *at)
{
    struct parser p = {.text = text, .core = core, .formula = formula};
    enum apmu_error error;
    bool ends = false;

    formula->step_count = formula->event_count = formula->constants = 0;
    do {
        error = parse_operand(&p);
        if (error == APMU_OK) {
            skip_blanks(&p);
            error = parse_sign(&p);
            ends = text[p.at] == '\0' && p.waiting_count == 0;
        }
    } while (error == APMU_OK && !ends);
    if (at != NULL) {
        *at = p.at;
    }
    return error;
}
