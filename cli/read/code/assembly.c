/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes instructions of A64 and A32, as far as they compute what is written to registers. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>

#include "internal.h"

static bool named(const struct code_instruction *i, const char *name)
{
    return strcmp(i->name, name) == 0;
}

static void add_part(struct code_instruction *i, const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from)) {
        from++;
    }
    while (to > from && isspace((unsigned char)to[-1])) {
        to--;
    }
    if (to > from && i->count < 8) {
        i->operands[i->count].text = from;
        i->operands[i->count++].length = (size_t)(to - from);
    }
}

/* Cuts "mrc p15, 0, %0, c9, c13, 0" into its name and its operands. */
static void parse(struct code_instruction *i, const char *text, size_t length)
{
    const char *p = text, *end = text + length, *from;
    size_t n = 0;
    int depth = 0;

    while (p < end && isspace((unsigned char)*p)) {
        p++;
    }
    while (p < end && (isalnum((unsigned char)*p) || *p == '.' || *p == '_')) {
        if (n + 1 < sizeof i->name) {
            i->name[n++] = (char)tolower((unsigned char)*p);
        }
        p++;
    }
    i->name[n] = '\0';
    for (from = p; p < end; p++) {
        if (*p == '/' && p + 1 < end && (p[1] == '/' || p[1] == '*')) {
            end = p;
            break;
        }
        depth += *p == '[' || *p == '(' || *p == '{';
        depth -= *p == ']' || *p == ')' || *p == '}';
        if (*p == ',' && depth <= 0) {
            add_part(i, from, p);
            from = p + 1;
        }
    }
    add_part(i, from, p < end ? p : end);
}

/* ---------------------------------------------------------------------------------------------------------------
 * System registers.
 */

static uint16_t flags_of(const struct code_instruction *i)
{
    return (uint16_t)(i->list == NULL ? CODE_ASM_FILE : 0);
}

/* Finds the System register that operand @n names; an operand of asm may hold its name. */
static bool system_register(struct code_instruction *i, unsigned n, struct code_name *name)
{
    const char *text = i->operands[n].text;
    size_t length = i->operands[n].length;
    struct code_token token = {text, (uint32_t)length, 0, 0, TOKEN_NAME, false};
    const struct code_definition *d;

    if (code_find_register(text, length, name)) {
        return true;
    }
    d = code_find_definition(i->w, &token);
    if (d != NULL && d->macro && d->body.to > d->body.from) {
        const struct code_token *first = &i->w->lexed->tokens[d->body.from];

        return code_find_register(first->text, first->length, name);
    }
    return false;
}

static bool is_word_operand(struct code_instruction *i, unsigned n)
{
    const unsigned next = i->list != NULL ? i->list->next : 0;
    bool word = false;

    code_read_operand(i, n, &word);
    if (i->list != NULL) {
        i->list->next = next;
    }
    return word;
}

static void do_mrs(struct code_instruction *i)
{
    struct code_name name;
    struct code_value v;
    const bool word = i->count >= 2 && is_word_operand(i, 0);

    if (i->count < 2) {
        return;
    }
    if (!system_register(i, 1, &name)) {
        if (system_register(i, 0, &name)) { /* Go writes the destination last */
            code_write_operand(i, 1, code_read_register(i->w, &name, i->token, 64, flags_of(i)));
        } else {
            code_write_operand(i, 0, code_unknown());
        }
        return;
    }
    v = code_read_register(i->w, &name, i->token, 64,
                           (uint16_t)(flags_of(i) | (word && name.reg != CODE_CPSR ? CODE_W_REGISTER : 0)));
    code_write_operand(i, 0, v);
}

static void do_msr(struct code_instruction *i)
{
    struct code_name name;
    struct code_value v;
    bool word;

    if (i->count < 2) {
        return;
    }
    if (!system_register(i, 0, &name)) {
        if (system_register(i, 1, &name)) { /* MSR R0, PMCR_EL0 of Go, where R0 has 64 bits */
            code_write_register(i->w, &name, i->token, code_read_operand(i, 0, &word), 64, flags_of(i));
        }
        return;
    }
    v = code_read_operand(i, 1, &word);
    if (name.reg == CODE_DAIF) {
        const bool set = strncasecmp(i->operands[0].text, "daifset", 7) == 0;

        if (!code_is_known(&v) || (v.bits & 2) != 0) {
            code_note(i->w, set ? CODE_HAS_MASK : CODE_HAS_UNMASK, i->token->line);
        }
        if (strncasecmp(i->operands[0].text, "daifclr", 7) == 0) {
            return;
        }
    }
    code_write_register(i->w, &name, i->token, v, 64, (uint16_t)(flags_of(i) | (word ? CODE_W_REGISTER : 0)));
}

/* Reads "p15", "c9", "#0" or "0". */
static uint8_t small_number(const char *text, size_t length)
{
    uint64_t value;
    uint8_t width;

    while (length != 0 && !isdigit((unsigned char)*text)) {
        text++;
        length--;
    }
    return length != 0 && code_number(text, length, &value, &width) != 0 ? (uint8_t)(value & 255) : 255;
}

static void do_coproc(struct code_instruction *i, bool write)
{
    struct code_operands o = {.given = true};
    const bool pair = strncmp(i->name, "mrrc", 4) == 0 || strncmp(i->name, "mcrr", 4) == 0;
    struct code_name name;
    bool word;
    struct code_value v, high;

    if (i->count < 5) {
        return;
    }
    o.coproc = small_number(i->operands[0].text, i->operands[0].length);
    o.opc1 = small_number(i->operands[1].text, i->operands[1].length);
    if (pair) {
        o.crm = small_number(i->operands[4].text, i->operands[4].length);
    } else {
        o.crn = small_number(i->operands[3].text, i->operands[3].length);
        o.crm = small_number(i->operands[4].text, i->operands[4].length);
        o.opc2 = i->count > 5 ? small_number(i->operands[5].text, i->operands[5].length) : 0;
    }
    if (o.coproc > 15 || o.crn > 15 || o.crm > 15 || o.opc1 > 15 || o.opc2 > 7 ||
        !code_find_operands(&o, pair, &name)) {
        return;
    }
    i->w->a32 = true;
    if (write) {
        v = code_read_operand(i, 2, &word);
        if (pair) {
            high = code_read_operand(i, 3, &word);
            v = code_operate('|', code_cut(v, 32), code_operate(CODE_MARK2('<', '<'), high, code_known(32)));
        }
        code_write_register(i->w, &name, i->token, v, pair ? 64 : 32, (uint16_t)(flags_of(i) | CODE_A32));
        return;
    }
    v = code_read_register(i->w, &name, i->token, pair ? 64 : 32,
                           (uint16_t)(flags_of(i) | CODE_A32 | (pair ? CODE_PAIR : 0)));
    if (pair) {
        v.count = false;
        v.changed = true;
        code_write_operand(i, 3, v);
        code_write_operand(i, 2, v);
        return;
    }
    code_write_operand(i, 2, v);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Computation.
 */

static unsigned operator_of(const char *name)
{
    static const struct {
        const char *name;
        unsigned operator;
    } operators[] = {
        {"orr", '|'},
        {"orrs", '|'},
        {"orr.w", '|'},
        {"and", '&'},
        {"ands", '&'},
        {"eor", '^'},
        {"eors", '^'},
        {"add", '+'},
        {"adds", '+'},
        {"sub", '-'},
        {"subs", '-'},
        {"mul", '*'},
        {"lsl", CODE_MARK2('<', '<')},
        {"lsls", CODE_MARK2('<', '<')},
        {"lsr", CODE_MARK2('>', '>')},
        {"lsrs", CODE_MARK2('>', '>')},
        {"bic", 'b'},
        {"bics", 'b'},
    };

    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (strcmp(operators[i].name, name) == 0) {
            return operators[i].operator;
        }
    }
    return 0;
}

/* Applies "lsl #16" to @v, if operand @n is that. */
static struct code_value shifted(struct code_instruction *i, unsigned n, struct code_value v)
{
    if (n < i->count && i->operands[n].length > 3 && strncasecmp(i->operands[n].text, "lsl", 3) == 0) {
        return code_operate(CODE_MARK2('<', '<'), v,
                            code_operand_constant(i, i->operands[n].text + 3, i->operands[n].length - 3));
    }
    return v;
}

/* Executes an operation on two operands.  Returns false if it is none. */
static bool do_operation(struct code_instruction *i)
{
    unsigned operator= operator_of(i->name);
    struct code_value a, b;
    bool word;

    if (operator== 0 || i->count<2) {
        return false;
    }
    a = code_read_operand(i, i->count > 2 ? 1 : 0, &word);
    b = shifted(i, 3, code_read_operand(i, i->count > 2 ? 2 : 1, &word));
    if (operator== '-') {
        code_note_difference(i->w, &a, &b, i->token);
    }
    if (operator== 'b') {
        b = code_not(b);
        operator= '&';
    }
    code_write_operand(i, 0, code_operate(operator, a, b));
    return true;
}

/* Inserts the bits of MOVK, MOVT and BFI. */
static bool do_insert(struct code_instruction *i)
{
    struct code_value old, bits, at = code_known(0), width = code_known(16), mask;
    bool word;

    if (named(i, "movt")) {
        at = code_known(16);
    } else if (named(i, "bfi") || named(i, "bfc")) {
        if (i->count < 3) {
            return true;
        }
        at = code_read_operand(i, i->count - 2, &word);
        width = code_read_operand(i, i->count - 1, &word);
    } else if (!named(i, "movk")) {
        return false;
    }
    if (i->count < 2) {
        return true;
    }
    old = code_read_operand(i, 0, &word);
    bits = named(i, "bfc") ? code_known(0) : code_read_operand(i, 1, &word);
    if (named(i, "movk") && i->count > 2 && i->operands[2].length > 3) {
        at = code_operand_constant(i, i->operands[2].text + 3, i->operands[2].length - 3);
    }
    if (!code_is_known(&at) || !code_is_known(&width) || at.bits > 63 || width.bits > 63) {
        code_write_operand(i, 0, code_unknown());
        return true;
    }
    mask = code_known(((UINT64_C(1) << width.bits) - 1) << at.bits);
    bits = code_operate('&', code_operate(CODE_MARK2('<', '<'), bits, at), mask);
    code_write_operand(i, 0, code_operate('|', code_operate('&', old, code_not(mask)), bits));
    return true;
}

static bool do_move(struct code_instruction *i)
{
    bool word;

    if (i->count < 2) {
        return false;
    }
    if (named(i, "mvn") || named(i, "mvns") || named(i, "movn")) {
        code_write_operand(i, 0, code_not(shifted(i, 2, code_read_operand(i, 1, &word))));
        return true;
    }
    if (strncmp(i->name, "mov", 3) != 0 || named(i, "movk") || named(i, "movt")) {
        return false;
    }
    code_write_operand(i, 0, shifted(i, 2, code_read_operand(i, 1, &word)));
    return true;
}

/* Returns the address of "[x0, #4]". */
static struct code_value address_of(struct code_instruction *i, unsigned n)
{
    struct code_instruction inner = *i;
    const char *text = i->operands[n].text;
    size_t length = i->operands[n].length;
    struct code_value a, b;
    bool word;

    inner.count = 0;
    if (length < 3 || text[0] != '[') {
        return code_unknown();
    }
    text++;
    length--;
    while (length != 0 && (text[length - 1] == ']' || text[length - 1] == '!' || text[length - 1] == ' ')) {
        length--;
    }
    const char *comma = memchr(text, ',', length);

    add_part(&inner, text, comma != NULL ? comma : text + length);
    if (comma != NULL) {
        add_part(&inner, comma + 1, text + length);
    }
    if (inner.count == 0) {
        return code_unknown();
    }
    a = code_read_operand(&inner, 0, &word);
    if (inner.count > 1) {
        b = code_read_operand(&inner, 1, &word);
        a = code_operate('+', a, b);
    }
    return code_cut(a, word ? 32 : 64);
}

/* Returns true if the access changes its base register: "[r0], #4" and "[r0, #4]!". */
static bool moves_base(const struct code_instruction *i)
{
    return i->operands[1].text[0] == '[' &&
           (i->count > 2 || i->operands[1].text[i->operands[1].length - 1] == '!');
}

/* Returns what the access leaves in its base register, if it changes that. */
static struct code_value moved_base(struct code_instruction *i)
{
    struct code_value address = moves_base(i) ? address_of(i, 1) : code_unknown();
    bool word;

    return moves_base(i) && i->count > 2 ? code_operate('+', address, code_read_operand(i, 2, &word)) : address;
}

/* Stores @moved in the base register of the access, if it changes that. */
static void write_base(const struct code_instruction *i, struct code_value moved)
{
    struct code_instruction inner = *i;
    const char *text = i->operands[1].text + 1, *end = i->operands[1].text + i->operands[1].length, *p = text;

    while (p < end && *p != ',' && *p != ']') {
        p++;
    }
    inner.count = 0;
    add_part(&inner, text, p);
    if (moves_base(i) && inner.count != 0) {
        code_write_operand(&inner, 0, moved);
    }
}

static bool do_memory(struct code_instruction *i)
{
    const bool store = i->name[0] == 's' && i->name[1] == 't', load = i->name[0] == 'l' && i->name[1] == 'd';
    struct code_name name;
    struct code_value address, moved;
    bool word;

    if ((!store && !load) || i->count < 2) {
        return false;
    }
    moved = moved_base(i);
    if (load && i->operands[1].text[0] == '=') {
        code_write_operand(i, 0, code_operand_constant(i, i->operands[1].text, i->operands[1].length));
        return true;
    }
    address = address_of(i, 1);
    if ((address.known & UINT32_MAX) == UINT32_MAX && code_find_address(address, false, &name)) {
        if (store) {
            code_write_register(i->w, &name, i->token, code_read_operand(i, 0, &word), 32, CODE_MEMORY | flags_of(i));
        } else {
            code_write_operand(i, 0, code_read_register(i->w, &name, i->token, 32, CODE_MEMORY | flags_of(i)));
        }
    } else if (load) {
        code_write_operand(i, 0, code_unknown());
    }
    write_base(i, moved);
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Flow.
 */

static void do_call(struct code_instruction *i)
{
    struct code_token name = {
        i->operands[0].text, (uint32_t)i->operands[0].length, i->token->line, i->token->column, TOKEN_NAME, false};
    struct code_definition *d = code_find_definition(i->w, &name);
    const struct code_arguments none = {0};

    if (d != NULL && !d->macro) {
        code_follow(i->w, d, &none);
        return;
    }
    code_step_add(i->w, CODE_WORK, i->token)->flags |= flags_of(i);
    for (unsigned n = 0; n < 19 && i->list == NULL; n++) { /* the others are the caller's: R4 to R11, X19 to X28 */
        if (!i->w->a32 || n < 4 || n > 11) {
            i->w->registers[n] = code_unknown();
        }
    }
}

/* Returns true for branches, and not for BIC and BFI. */
static bool is_branch(const struct code_instruction *i)
{
    return i->name[0] == 'b' && strncmp(i->name, "bic", 3) != 0 && strncmp(i->name, "bf", 2) != 0;
}

/* Returns true for instructions that write no register but the flags, and for branches on a register. */
static bool compares(const struct code_instruction *i)
{
    static const char *const names[] = {"cmp", "cmn", "tst", "teq", "ccmp", "cbz", "cbnz", "tbz", "tbnz"};

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (named(i, names[k])) {
            return true;
        }
    }
    return false;
}

static bool do_flow(struct code_instruction *i)
{
    if (named(i, "isb")) {
        code_step_add(i->w, CODE_ISB, i->token)->flags |= flags_of(i);
    } else if (named(i, "dsb") || named(i, "dmb")) {
        code_step_add(i->w, CODE_DSB, i->token)->flags |= flags_of(i);
    } else if (named(i, "wfi") || named(i, "wfe")) {
        code_step_add(i->w, CODE_WFI, i->token)->flags |= flags_of(i);
    } else if (named(i, "eret")) {
        code_step_add(i->w, CODE_ISB, i->token)->flags |= flags_of(i);
    } else if (named(i, "cpsie") ||
               (named(i, "msr") && i->count != 0 && strncasecmp(i->operands[0].text, "cpsr", 4) == 0)) {
        code_note(i->w, CODE_HAS_UNMASK, i->token->line);
    } else if (named(i, "cpsid") && i->count != 0 && memchr(i->operands[0].text, 'i', i->operands[0].length) != NULL) {
        code_note(i->w, CODE_HAS_MASK, i->token->line);
    } else if ((named(i, "bl") || named(i, "blx") || named(i, "blr")) && i->count == 1) {
        do_call(i);
    } else {
        return i->name[0] == '.' || named(i, "ret") || named(i, "nop") || is_branch(i) || compares(i);
    }
    return true;
}

void code_take_symbol(struct code_walk *w, const struct code_token *t)
{
    struct code_instruction i = {.w = w, .token = t};

    if (t->length < 5 || t->text[0] != '.') {
        return;
    }
    parse(&i, t->text, t->length);
    if (i.count == 2 && (named(&i, ".equ") || named(&i, ".set") || named(&i, ".equiv"))) {
        code_make_variable(w, code_hash(CODE_HASH, i.operands[0].text, i.operands[0].length))->value =
            code_operand_constant(&i, i.operands[1].text, i.operands[1].length);
    }
}

static void do_instruction(struct code_instruction *i)
{
    if (named(i, "mrs")) {
        do_mrs(i);
    } else if (named(i, "msr")) {
        do_msr(i);
    } else if (strncmp(i->name, "mrc", 3) == 0 || strncmp(i->name, "mrrc", 4) == 0) {
        do_coproc(i, false);
    } else if (strncmp(i->name, "mcr", 3) == 0) {
        do_coproc(i, true);
    } else if (!code_do_opcode(i) && !code_do_multiple(i) && !do_flow(i) && !do_move(i) && !do_insert(i) &&
               !do_operation(i) && !do_memory(i)) {
        if (i->count > 0) {
            code_write_operand(i, 0, code_unknown());
        }
        for (unsigned n = 0; n < 31 && i->list == NULL && strchr(i->name, '_') != NULL; n++) {
            i->w->registers[n] = code_unknown(); /* a macro that is not shown may write each of them */
        }
        code_step_add(i->w, CODE_WORK, i->token)->flags |= (uint16_t)(CODE_STATEMENT | flags_of(i));
    }
}

/* Executes an instruction that its condition may skip: of registers that it changes, the bits that stay are known. */
static void do_conditional(struct code_instruction *i)
{
    struct code_walk *w = i->w;
    struct code_value before[32];
    const uint16_t flags = w->flags;

    memcpy(before, w->registers, sizeof before);
    w->flags |= CODE_MAYBE;
    do_instruction(i);
    w->flags = flags;
    for (size_t n = 0; n < 32; n++) {
        struct code_value *v = &w->registers[n];

        v->known &= before[n].known & ~(before[n].bits ^ v->bits);
        v->bits &= v->known;
    }
}

/* Executes the instruction, which is always or only sometimes executed. */
static void run(struct code_instruction *i)
{
    const size_t unconditional = code_unconditional(i->name, strlen(i->name));

    if (unconditional != 0) {
        i->name[unconditional] = '\0';
        do_conditional(i);
    } else if (i->name[0] != '\0') {
        do_instruction(i);
    }
}

void code_execute_made(const struct code_instruction *from, const char *text)
{
    struct code_instruction i = {.w = from->w, .token = from->token, .list = from->list};

    parse(&i, text, strlen(text));
    run(&i);
}

void code_execute(struct code_walk *w, const char *text, size_t length, const struct code_token *token,
                  struct code_operands_list *list)
{
    struct code_instruction i = {.w = w, .token = token, .list = list};

    if (!code_spend(w, 4)) {
        return;
    }
    parse(&i, text, length);
    if (w->lexed->go_assembly) {
        code_turn_go(&i);
    }
    if (list == NULL) {
        code_take_symbol(w, token);
    }
    run(&i);
}
