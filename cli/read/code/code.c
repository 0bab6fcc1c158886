/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads code. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "internal.h"

enum { WORTH = 1 << 21 }; /* bytes in which the first word of a PMU has to be */
enum { STEPS = 20000, BUDGET = 1000000 };

/* ---------------------------------------------------------------------------------------------------------------
 * The walk's store.
 */

bool code_spend(struct code_walk *w, uint64_t work)
{
    if (w->budget <= work || w->code->step_count >= STEPS) {
        w->budget = 0;
        return false;
    }
    w->budget -= work;
    return true;
}

uint64_t code_hash(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    return hash != 0 ? hash : 1;
}

/* Returns the variable @name of frame @frame, or NULL. */
static struct code_variable *find_in(struct code_walk *w, uint64_t name, uint32_t frame)
{
    code_spend(w, w->variable_count / 64);
    for (size_t i = w->variable_count; i-- > 0;) {
        if (w->variables[i].name == name && w->variables[i].frame == frame) {
            return &w->variables[i];
        }
    }
    return NULL;
}

struct code_variable *code_find_variable(struct code_walk *w, uint64_t name)
{
    const unsigned room = sizeof w->expansions / sizeof w->expansions[0];
    uint32_t frame = w->frame;
    struct code_variable *v = find_in(w, name, frame);

    for (unsigned i = w->expansion_count < room ? w->expansion_count : room; v == NULL && i-- > 0;) {
        if (w->expansions[i].frame == frame) {
            frame = w->expansions[i].caller;
            v = find_in(w, name, frame);
        }
    }
    return v != NULL || frame == 0 ? v : find_in(w, name, 0);
}

void code_push_expansion(struct code_walk *w, uint32_t frame, uint32_t caller)
{
    if (w->expansion_count < sizeof w->expansions / sizeof w->expansions[0]) {
        w->expansions[w->expansion_count] = (struct code_expansion){frame, caller};
    }
    w->expansion_count++;
}

void code_drop_locals(struct code_walk *w, size_t first, uint32_t frame)
{
    for (size_t i = first; i < w->variable_count;) {
        if (w->variables[i].frame >= frame) {
            w->variables[i] = w->variables[--w->variable_count];
        } else {
            i++;
        }
    }
}

void code_number_stranger(struct code_walk *w, struct code_value *v)
{
    if ((v->known & UINT32_MAX) == 0 && v->read == 0 && !v->vague && v->whose == 0) {
        w->strangers = (uint16_t)(w->strangers % INT16_MAX + 1);
        v->whose = w->strangers;
    }
}

struct code_variable *code_make_variable(struct code_walk *w, uint64_t name)
{
    struct code_variable *v = code_find_variable(w, name);

    return v != NULL ? v : code_make_local(w, name);
}

struct code_variable *code_make_local(struct code_walk *w, uint64_t name)
{
    struct code_variable *v = find_in(w, name, w->frame);

    if (v != NULL) {
        return v;
    }
    if (w->variable_count == w->variable_room) {
        w->variable_room = w->variable_room == 0 ? 64 : 2 * w->variable_room;
        w->variables = cli_allocate(w->variables, w->variable_room, sizeof *w->variables);
    }
    v = &w->variables[w->variable_count++];
    memset(v, 0, sizeof *v);
    v->name = name;
    v->frame = w->frame;
    return v;
}

const struct code_token *code_resolve(struct code_walk *w, const struct code_token *token)
{
    const uint32_t frame = w->frame;

    for (unsigned i = 0; i < 8 && token->kind == TOKEN_NAME; i++) {
        const struct code_variable *v = code_find_variable(w, code_hash(CODE_HASH, token->text, token->length));

        if (v == NULL || v->alias.to != v->alias.from + 1) {
            break;
        }
        token = &w->lexed->tokens[v->alias.from];
        w->frame = v->alias_frame;
    }
    w->frame = frame;
    return token;
}

struct code_step *code_step_add(struct code_walk *w, enum code_act act, const struct code_token *token)
{
    struct code *c = w->code;
    struct code_step *s;

    if ((c->step_count & (c->step_count - 1)) == 0) {
        c->steps = cli_allocate(c->steps, c->step_count == 0 ? 1 : 2 * c->step_count, sizeof *c->steps);
    }
    s = &c->steps[c->step_count++];
    *s = (struct code_step){.act = act, .flags = w->flags, .function = w->function};
    token = w->site != NULL ? w->site : token;
    s->line = token != NULL ? token->line : 0;
    s->column = token != NULL ? token->column : 0;
    return s;
}

/* Fills what reads and writes have in common. */
static struct code_step *add_access(struct code_walk *w, enum code_act act, const struct code_name *name,
                                    const struct code_token *token, unsigned width, uint16_t flags)
{
    struct code_step *s = code_step_add(w, act, token);

    s->reg = name->reg;
    s->n = (uint8_t)name->n;
    s->n_known = name->n_known;
    s->width = (uint8_t)width;
    s->flags |= flags | (name->aarch32 ? CODE_A32 : 0) | (name->pair && (flags & CODE_MEMORY) != 0 ? CODE_PAIR : 0);
    s->operands = name->operands;
    s->page = name->page;
    if (name->reg >= CODE_DEMCR && name->reg <= CODE_OTHER_LAR) {
        code_note(w, CODE_HAS_M, s->line);
    }
    return s;
}

struct code_value code_read_register(struct code_walk *w, const struct code_name *name, const struct code_token *token,
                                     unsigned width, uint16_t flags)
{
    struct code_step *s = add_access(w, CODE_READ, name, token, width, flags);
    struct code_value v = code_unknown();

    v.read = (uint32_t)w->code->step_count;
    v.kept = UINT64_MAX;
    if (name->reg == CODE_CURRENTEL && w->level != 0) {
        return code_known((uint64_t)w->level << 2);
    }
    v.count = name->reg == CODE_PMCCNTR && width == 64 && (s->flags & (CODE_MEMORY | CODE_W_REGISTER)) == 0;
    return (s->flags & CODE_W_REGISTER) != 0 ? code_cut(v, 32) : v;
}

void code_write_register(struct code_walk *w, const struct code_name *name, const struct code_token *token,
                         struct code_value value, unsigned width, uint16_t flags)
{
    struct code_step *s = add_access(w, CODE_WRITE, name, token, width, flags);

    s->value = width == 32 ? code_cut(value, 32) : value;
    if (value.read != 0 && value.read <= w->code->step_count) {
        w->code->steps[value.read - 1].used++;
    }
}

void code_note(struct code_walk *w, enum code_fact fact, uint32_t line)
{
    if (w->code->facts[fact] == 0) {
        w->code->facts[fact] = line;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Facts.
 */

static const struct fact_word {
    const char *word;
    enum code_fact fact;
} fact_words[] = {
    {"module_init", CODE_HAS_KERNEL},
    {"MODULE_LICENSE", CODE_HAS_KERNEL},
    {"write_sysreg", CODE_HAS_KERNEL},
    {"write_sysreg_s", CODE_HAS_KERNEL},
    {"printk", CODE_HAS_KERNEL},
    {"pr_info", CODE_HAS_KERNEL},
    {"__init", CODE_HAS_KERNEL},
    {"platform_device", CODE_HAS_KERNEL},
    {"on_each_cpu", CODE_HAS_KERNEL},
    {"cpuhp_setup_state", CODE_HAS_KERNEL},
    {"smp_call_function_single", CODE_HAS_KERNEL},
    {"arm_smccc_smc", CODE_HAS_KERNEL},
    {"file_operations", CODE_HAS_KERNEL},
    {"kthread_run", CODE_HAS_KERNEL},
    {"read_sysreg", CODE_HAS_KERNEL},
    {"__iomem", CODE_HAS_KERNEL},
    {"device_initcall", CODE_HAS_KERNEL},
    {"mmio_write_32", CODE_HAS_TFA},
    {"write_mdcr_el3", CODE_HAS_TFA},
    {"read_mdcr_el3", CODE_HAS_TFA},
    {"bl31_main", CODE_HAS_TFA},
    {"el3_exit", CODE_HAS_TFA},
    {"bl31_platform_setup", CODE_HAS_TFA},
    {"no_std", CODE_HAS_BARE},
    {"no_main", CODE_HAS_BARE},
    {"XScuGic", CODE_HAS_BARE},
    {"xil_printf", CODE_HAS_BARE},
    {"Xil_In32", CODE_HAS_BARE},
    {"_start", CODE_HAS_BARE},
    {"vTaskDelay", CODE_HAS_BARE},
    {"xTaskCreate", CODE_HAS_BARE},
    {"k_msleep", CODE_HAS_BARE},
    {"k_sleep", CODE_HAS_BARE},
    {"HAL_Init", CODE_HAS_BARE},
    {"uart_puts", CODE_HAS_BARE},
    {"do_bootm", CODE_HAS_BARE},
    {"U_BOOT_CMD", CODE_HAS_BARE},
    {"xscugic", CODE_HAS_BARE},
    {"kernel_main", CODE_HAS_BARE},
    {"gic_enable_ppi", CODE_HAS_BARE},
    {"uart_printf", CODE_HAS_BARE},
    {"XTime", CODE_HAS_BARE},
    {"__ISB", CODE_HAS_BARE},
    {"vbar_el1", CODE_HAS_BARE},
    {"VBAR_EL1", CODE_HAS_BARE},
    {"xparameters", CODE_HAS_BARE},
    {"sys_write32", CODE_HAS_BARE},
    {"IRQ_CONNECT", CODE_HAS_BARE},
    {"global_asm", CODE_HAS_BARE},
    {"printf", CODE_HAS_STDIO},
    {"malloc", CODE_HAS_STDIO},
    {"exit", CODE_HAS_STDIO},
    {"getpid", CODE_HAS_STDIO},
    {"println", CODE_HAS_STDIO},
    {"cout", CODE_HAS_STDIO},
    {"perror", CODE_HAS_STDIO},
    {"pthread_create", CODE_HAS_STDIO},
    {"sched_setaffinity", CODE_HAS_STDIO},
    {"clock_gettime", CODE_HAS_STDIO},
    {"fopen", CODE_HAS_STDIO},
    {"mmap", CODE_HAS_STDIO},
    {"ioctl", CODE_HAS_STDIO},
    {"eprintln", CODE_HAS_STDIO},
    {"argv", CODE_HAS_STDIO},
    {"std", CODE_HAS_STDIO},
    {"ctypes", CODE_HAS_STDIO},
    {"fn", CODE_HAS_RUST},
    {"perf_event_open", CODE_HAS_PERF},
    {"__NR_perf_event_open", CODE_HAS_PERF},
    {"perf_event_attr", CODE_HAS_PERF},
    {"SYS_perf_event_open", CODE_HAS_PERF},
    {"perf_open", CODE_HAS_PERF},
    {"perf_event", CODE_HAS_PERF},
    {"irqreturn_t", CODE_HAS_INTERRUPT},
    {"sigaction", CODE_HAS_SIGILL_HANDLER},
    {"SIGILL", CODE_HAS_SIGILL_HANDLER},
    {"kthread_bind", CODE_HAS_SMP},
    {"secondary_start", CODE_HAS_SMP},
    {"smp_processor_id", CODE_HAS_SMP},
    {"OpenMP", CODE_HAS_THREADS},
    {"omp", CODE_HAS_THREADS},
    {"std::thread", CODE_HAS_THREADS},
    {"thread", CODE_HAS_THREADS},
    {"into_par_iter", CODE_HAS_THREADS},
    {"par_iter", CODE_HAS_THREADS},
    {"rayon", CODE_HAS_THREADS},
    {"ThreadPoolExecutor", CODE_HAS_THREADS},
    {"threading", CODE_HAS_THREADS},
    {"multiprocessing", CODE_HAS_THREADS},
    {"jthread", CODE_HAS_THREADS},
    {"taskset", CODE_HAS_AFFINITY},
    {"CPU_SET", CODE_HAS_AFFINITY},
    {"sched_setaffinity", CODE_HAS_AFFINITY},
};

static void note_words(struct code_walk *w)
{
    for (size_t i = 0; i < w->count; i++) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_STRING && i > 0 && w->tokens[i - 1].kind == TOKEN_DEFINE) {
            if (memmem(t->text, t->length, "stdio.h", 7) != NULL || memmem(t->text, t->length, "unistd.h", 8) != NULL ||
                memmem(t->text, t->length, "pthread.h", 9) != NULL ||
                memmem(t->text, t->length, "iostream", 8) != NULL) {
                code_note(w, CODE_HAS_STDIO, t->line);
            }
            if (memmem(t->text, t->length, "linux/module", 12) != NULL ||
                memmem(t->text, t->length, "asm/sysreg", 10) != NULL ||
                memmem(t->text, t->length, "linux/smp", 9) != NULL ||
                memmem(t->text, t->length, "linux/kernel", 12) != NULL) {
                code_note(w, CODE_HAS_KERNEL, t->line);
            }
            continue;
        }
        if (t->kind != TOKEN_NAME || t->length < 2) {
            continue;
        }
        if (code_name_has(t, "isenabler") || code_name_has(t, "icdiser")) {
            code_note(w, CODE_HAS_GIC, t->line);
        }
        for (size_t k = 0; k < sizeof fact_words / sizeof fact_words[0]; k++) {
            if (fact_words[k].word[0] == t->text[0] && code_token_is(t, fact_words[k].word)) {
                code_note(w, fact_words[k].fact, t->line);
            }
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The reader.
 */

/* Returns true if the text has the offset of PMCR and that of another register of the PMU's frame. */
static bool has_frame(const struct text *t)
{
    static const char *const offsets[] = {"0xC00", "0xc00", "0xC20", "0xc20", "0xFB0", "0xfb0", "0x47C", "0x47c"};
    const size_t length = t->length < WORTH ? t->length : WORTH;

    if (memmem(t->joined, length, "0xE04", 5) == NULL && memmem(t->joined, length, "0xe04", 5) == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        if (memmem(t->joined, length, offsets[i], strlen(offsets[i])) != NULL) {
            return true;
        }
    }
    return false;
}

/* Returns true if the text has a number of two digits, 0xF8 and the like: the high one is F. */
static bool has_offset(const char *text, char low)
{
    for (const char *p = strcasestr(text, "0x"); p != NULL; p = strcasestr(p + 2, "0x")) {
        const char *digit = p + 2 + (p[2] == '0');

        if ((*digit | 0x20) == 'f' && (digit[1] | 0x20) == (low | 0x20) && !isxdigit((unsigned char)digit[2])) {
            return true;
        }
    }
    return false;
}

/* Returns true if the text has the offsets of both halves of the cycle counter in the PMU's frame, and says so. */
static bool has_halves(const struct text *t)
{
    const char *text = t->joined;

    return t->length < WORTH && has_offset(text, '8') &&
           (strcasestr(text, "ccnt") != NULL ||
            (strcasestr(text, "pmu") != NULL && strcasestr(text, "cycle") != NULL)) &&
           (has_offset(text, 'c') || strstr(text, "+ 4") != NULL || strstr(text, "+4") != NULL);
}

/* Returns true if the text may have code that concerns a PMU, so that the work of reading it is worth while. */
static bool is_worth(const struct text *t)
{
    static const char *const words[] = {
        "pmc",    "PMC",    "pme",        "PME",    "pmu",       "PMU",     "pmo",   "PMO",        "pms",
        "PMS",    "pmi",    "PMI",        "pmx",    "PMX",       "DWT",     "dwt",   "perf_event", "perf_open",
        "cntvct", "CNTVCT", "cntpct",     "CNTPCT", "mrc",       "MRC",     "mcr",   "MCR",        "mrs",
        "MRS",    "msr",    "MSR",        "SPDX-",  "Copyright", "_CP(",    "oproc", "mdcr",       "MDCR",
        "E000",   "e000",   "c9",         "c15",    "c14",       "CP15",    "CCNT",  "ccnt",       "S3_3_",
        "s3_3_",  "perf_",  "Hardware::", "PERF_",  "ctypes",    "syscall", ".inst", "DCI", "(SB)",
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (memmem(t->joined, t->length < WORTH ? t->length : WORTH, words[i], strlen(words[i])) != NULL) {
            return true;
        }
    }
    return has_frame(t);
}

/* Claims the lines that have tokens or comments of code.  Returns their number. */
static void claim_lines(struct reading *r, const struct code_lexed *lexed)
{
    size_t line = 0;

    for (size_t i = 0; i < lexed->count; i++) {
        while (line < r->text.count && r->text.lines[line].number < lexed->tokens[i].line) {
            line++;
        }
        if (line < r->text.count && r->text.lines[line].number == lexed->tokens[i].line) {
            text_claim(&r->text, line, TEXT_CODE);
        }
    }
}

/* Returns true if the text is code that gives numbers to a PMU: names of numbers, calls, and the words for it. */
static bool has_events(const struct code_walk *w)
{
    static const char *const words[] = {"PERF_TYPE_RAW", "pmu", "PMU", "event", "EVT", "evt", "counter"};
    const char *text = w->r->text.joined;
    bool says = false;
    unsigned calls = 0;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        says |= strstr(text, words[i]) != NULL;
    }
    for (size_t i = 0; i + 1 < w->count; i++) {
        calls += w->tokens[i].kind == TOKEN_NAME && is_mark(&w->tokens[i + 1], "(");
    }
    return says && calls >= 2 && w->code->number_count >= 2;
}

/* Returns true if what was found is code: an access, and not just a table of registers. */
static bool is_code(const struct code_walk *w)
{
    const struct code *c = w->code;
    size_t accesses = 0;

    for (size_t i = 0; i < c->step_count; i++) {
        const struct code_step *s = &c->steps[i];

        accesses += (s->act == CODE_READ || s->act == CODE_WRITE) && (s->flags & CODE_GUESSED) == 0 &&
                    (code_is_pmu(s->reg) || s->reg == CODE_UNKNOWN || code_is_timer(s->reg));
    }
    return accesses != 0 || c->perf != NULL || has_events(w);
}

/* Returns true if the text is a file of a project: a licence or a copyright line, and lines of code. */
static bool is_source(struct code_walk *w)
{
    uint32_t lines = w->lexed->c_lines + w->lexed->assembly_lines;
    bool licence = false;

    for (size_t i = 0; i < w->lexed->comment_count && i < 12; i++) {
        const struct code_comment *c = &w->lexed->comments[i];

        licence |= memmem(c->text, c->length, "SPDX-License", 12) != NULL ||
                   memmem(c->text, c->length, "Copyright", 9) != NULL;
    }
    for (size_t i = 0; i < w->r->text.count && licence && lines < 3; i++) { /* a header may have directives alone */
        lines += strncmp(w->r->text.lines[i].text, "#include ", 9) == 0;
    }
    if (lines >= 3 && licence) {
        code_note(w, CODE_HAS_LICENCE, 1);
    }
    return w->code->facts[CODE_HAS_LICENCE] != 0;
}

/* Learns of the machine what code tells: where it runs, and which PMU it programs. */
static void learn(struct reading *r, const struct code *c)
{
    struct reading_machine *m = &r->machine;

    if (c->facts[CODE_HAS_M] != 0) {
        reading_learn(&m->pmu, READING_PMU_M, c->facts[CODE_HAS_M]);
        reading_learn(&m->place, READING_PLACE_BARE, c->facts[CODE_HAS_M]);
    }
    if (c->facts[CODE_HAS_KERNEL] != 0) {
        reading_learn(&m->place, READING_PLACE_KERNEL, c->facts[CODE_HAS_KERNEL]);
        reading_learn(&m->linux_os, 1, c->facts[CODE_HAS_KERNEL]);
    }
    if (c->facts[CODE_HAS_PERF] != 0 && c->perf != NULL) {
        reading_learn(&m->place, READING_PLACE_USER, c->facts[CODE_HAS_PERF]);
        reading_learn(&m->linux_os, 1, c->facts[CODE_HAS_PERF]);
    }
    for (size_t i = 0; i < c->step_count; i++) {
        const struct code_step *s = &c->steps[i];

        if (s->act != CODE_READ && s->act != CODE_WRITE) {
            continue;
        }
        if (s->reg >= CODE_A11_PMNC && s->reg <= CODE_A11_VALIDATION) {
            reading_learn(&m->pmu, READING_PMU_ARM11, s->line);
        }
        if ((s->flags & CODE_A32) != 0 && code_is_pmu(s->reg)) {
            reading_learn(&m->aarch32, 1, s->line);
        }
    }
}

static void release(struct code_walk *w)
{
    free(w->definitions);
    free(w->variables);
    free(w->fields);
    free(w->index);
}

/*
 * Makes tokens of the text, in which macros of assembly are expanded.  The caller frees *@expanded and *@turned after
 * them.
 */
static void lex(struct code_lexed *lexed, const struct text *t, char **expanded, char **turned)
{
    struct text expansion, gnu;

    *expanded = *turned = NULL;
    if (code_is_armasm(t)) {
        code_turn_armasm(t, &gnu, turned);
        t = &gnu;
    }
    if (code_expand(t, &expansion, expanded)) {
        code_lex(lexed, &expansion);
        free(expansion.lines);
    } else {
        code_lex(lexed, t);
    }
    if (*turned != NULL) {
        free(gnu.lines);
    }
}

void read_code(struct reading *r)
{
    struct code_lexed lexed;
    char *expanded, *turned;
    struct code_walk w = {.r = r, .lexed = &lexed, .budget = UINT64_MAX / 2};

    if (r->text.length == 0 || !is_worth(&r->text)) {
        return;
    }
    lex(&lexed, &r->text, &expanded, &turned);
    w.code = cli_allocate(NULL, 1, sizeof *w.code);
    memset(w.code, 0, sizeof *w.code);
    w.code->expanded = expanded;
    w.code->turned = turned;
    w.tokens = lexed.tokens;
    w.count = lexed.count;
    w.has_frame = has_frame(&r->text);
    w.has_halves = has_halves(&r->text);
    note_words(&w);
    if (strstr(r->text.joined, "#pragma omp") != NULL) {
        code_note(&w, CODE_HAS_THREADS, 1);
    }
    if (lexed.python) {
        code_note(&w, CODE_HAS_PYTHON, 1);
    }
    code_find_level(&w);
    code_collect(&w);
    w.budget = BUDGET;
    if (lexed.ada) {
        code_run_ada(&w);
    } else if (!lexed.python) {
        code_run(&w);
    }
    code_read_perf(&w);
    code_read_numbers(&w);
    w.code->comments = lexed.comments;
    w.code->comment_count = lexed.comment_count;
    if (is_source(&w) || is_code(&w)) {
        r->code = w.code;
        claim_lines(r, &lexed);
        for (size_t i = 0; i < r->text.count && w.code->facts[CODE_HAS_LICENCE] != 0; i++) {
            text_claim(&r->text, i, TEXT_CODE);
        }
        learn(r, w.code);
    } else {
        code_free(w.code);
    }
    release(&w);
    code_lexed_free(&lexed);
}

void code_free(struct code *c)
{
    if (c != NULL) {
        free(c->steps);
        free(c->functions);
        free(c->comments);
        free(c->numbers);
        code_perf_free(c->perf);
        free(c->expanded);
        free(c->turned);
        free(c);
    }
}
