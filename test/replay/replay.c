/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay FILE...: replays trace files ("armpmu-trace 1"): sequences of register accesses, cycles and questions, with
 * the answers of an independent model.  A trace ends early where it uses a view that the model does not have yet.
 * Exit 0: no mismatch; 1: a mismatch; 2: a file that it cannot read or does not know.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armpmu/model.h>

enum { SHOWN = 10, LINE = 4096, WORDS = 256 };

struct replay {
    const char *path;
    unsigned long line, traces, cut_short, checked, mismatches;
    bool skipping;      /* the rest of this trace */
    bool wrong_format;
    const char *text;   /* the line, for messages */
    struct apmu_config cfg;
    struct apmu p;
    struct apmu_pe pe;
    struct apmu_out out;
};

static void mismatch(struct replay *r, const char *got)
{
    r->mismatches++;
    if (r->mismatches <= SHOWN) {
        printf("%s:%lu: %s\n    model: %s\n", r->path, r->line, r->text, got);
    }
}

static uint64_t number(struct replay *r, const char *s)
{
    char *end;

    errno = 0;
    const unsigned long long value = strtoull(s, &end, 0);
    if (*s == '\0' || *s == '-' || *end != '\0' || errno != 0) {
        fprintf(stderr, "replay: %s:%lu: \"%s\" is not a number\n", r->path, r->line, s);
        r->wrong_format = true;
    }
    return value;
}

/* Splits "key=value", and gives the value. */
static uint64_t keyed(struct replay *r, char *word)
{
    char *equals = strchr(word, '=');

    if (equals == NULL) {
        r->wrong_format = true;
        return 0;
    }
    *equals = '\0';
    return number(r, equals + 1);
}

/* Keys of a configuration that only other views read are passed over. */
static void config(struct replay *r, char **word, unsigned words)
{
    uint64_t feat = 0, mmir = 0;
    struct apmu_config c = {.size = sizeof c};

    for (unsigned i = 1; i < words; i++) {
        const uint64_t value = keyed(r, word[i]);
        const char *key = word[i];
        if (strcmp(key, "feat") == 0) {
            feat = value;
        } else if (strcmp(key, "n") == 0) {
            c.counters = (uint8_t)value;
        } else if (strcmp(key, "seconly") == 0) {
            c.secure_only = value != 0;
        } else if (strcmp(key, "pmceid0") == 0) {
            c.pmceid[0] = value;
        } else if (strcmp(key, "pmceid1") == 0) {
            c.pmceid[1] = value;
        } else if (strcmp(key, "pmmir") == 0) {
            mmir = value;
        } else if (strcmp(key, "imp") == 0) {
            c.imp = (uint8_t)value;
        } else if (strcmp(key, "idcode") == 0) {
            c.idcode = (uint8_t)value;
        } else if (strcmp(key, "x") == 0) {
            c.export_bus = value != 0;
        } else if (strcmp(key, "sddprio") == 0) {
            c.sdd_undef_priority = value != 0;
        } else if (strcmp(key, "part") == 0) {
            r->skipping = true; /* an ARM11 unit */
            r->cut_short++;
        }
    }
    c.features = feat;
    c.slots = (uint8_t)APMU_GET(PMMIR_EL1, SLOTS, mmir);
    c.bus_slots = (uint8_t)APMU_GET(PMMIR_EL1, BUS_SLOTS, mmir);
    c.bus_width = (uint8_t)APMU_GET(PMMIR_EL1, BUS_WIDTH, mmir);
    c.thwidth = (uint8_t)APMU_GET(PMMIR_EL1, THWIDTH, mmir);
    r->cfg = c;
    r->pe = (struct apmu_pe){0};
    apmu_init(&r->p, &c);
}

static void put(uint64_t *reg, uint64_t mask, uint64_t value)
{
    *reg = (*reg & ~mask) | (value != 0 ? mask : 0);
}

static void pe_key(struct replay *r, const char *key, uint64_t value)
{
    struct apmu_pe *pe = &r->pe;
    const struct {
        const char *key;
        bool *flag;
    } flags[] = {{"a32", &pe->a32}, {"sm", &pe->sm}, {"halted", &pe->halted}, {"sdd", &pe->sdd},
                 {"oslk", &pe->os_lock}, {"dlk", &pe->double_lock}, {"dbgen", &pe->dbgen}, {"niden", &pe->niden},
                 {"spiden", &pe->spiden}, {"spniden", &pe->spniden}};
    const struct {
        const char *key;
        uint64_t *reg;
    } regs[] = {{"mdcr_el2", &pe->mdcr_el2}, {"hcr_el2", &pe->hcr_el2}, {"scr_el3", &pe->scr_el3},
                {"sder32_el3", &pe->sder32_el3}, {"hstr_el2", &pe->hstr_el2}, {"hdfgrtr_el2", &pe->hdfgrtr_el2},
                {"hdfgwtr_el2", &pe->hdfgwtr_el2}, {"hdfgrtr2_el2", &pe->hdfgrtr2_el2},
                {"hdfgwtr2_el2", &pe->hdfgwtr2_el2}};
    const struct {
        const char *key;
        uint64_t *reg;
        uint64_t mask;
    } bits[] = {{"pmbl_e", &pe->pmblimitr_el1, APMU_MASK(PMBLIMITR_EL1, E)},
                {"pmbl_pmfz", &pe->pmblimitr_el1, APMU_MASK(PMBLIMITR_EL1, PMFZ)},
                {"pmbsr1_s", &pe->pmbsr_el1, APMU_MASK(PMBSR_EL1, S)},
                {"pmbsr2_s", &pe->pmbsr_el2, APMU_MASK(PMBSR_EL2, S)},
                {"pmbsr3_s", &pe->pmbsr_el3, APMU_MASK(PMBSR_EL3, S)}};

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strcmp(key, flags[i].key) == 0) {
            *flags[i].flag = value != 0;
            return;
        }
    }
    for (size_t i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        if (strcmp(key, regs[i].key) == 0) {
            *regs[i].reg = value;
            return;
        }
    }
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        if (strcmp(key, bits[i].key) == 0) {
            put(bits[i].reg, bits[i].mask, value);
            return;
        }
    }
    const uint64_t pmsee = APMU_MASK(MDCR_EL3, PMSEE);
    if (strcmp(key, "el") == 0) {
        pe->el = (uint8_t)value;
    } else if (strcmp(key, "mdcr_el3") == 0) { /* the key pmsee counts, not the bits of this one */
        pe->mdcr_el3 = (value & ~pmsee) | (pe->mdcr_el3 & pmsee);
    } else if (strcmp(key, "pmsee") == 0) {
        pe->mdcr_el3 = (pe->mdcr_el3 & ~pmsee) | APMU_PUT(MDCR_EL3, PMSEE, value);
    } else if (strcmp(key, "pmscr2_ee") == 0) {
        pe->pmscr_el2 = APMU_PUT(PMSCR_EL2, EE, value);
    } else {
        fprintf(stderr, "replay: %s:%lu: unknown key \"%s\"\n", r->path, r->line, key);
        r->wrong_format = true;
    }
}

/* A register access in words: "w VIEW REG VALUE", "r VIEW REG". */
struct attempt {
    bool write;
    uint64_t value; /* what is written, and then what is read */
};

/* Each view performs an access that is allowed, and answers false if there is no such register. */
static bool access_a64(struct replay *r, const char *name, struct attempt *t, struct apmu_access *a)
{
    enum apmu_reg reg;
    unsigned n;

    if (!apmu_reg_by_name(name, &reg, &n)) {
        return false;
    }
    *a = apmu_access(&r->p, &r->pe, reg, n, t->write);
    if (a->outcome == APMU_ACCESS_OK && t->write) {
        apmu_poke(&r->p, &r->pe, reg, n, t->value, &r->out);
    } else if (a->outcome == APMU_ACCESS_OK) {
        t->value = apmu_peek(&r->p, &r->pe, reg, n);
    }
    return true;
}

static bool access_a32(struct replay *r, const char *name, struct attempt *t, struct apmu_access *a)
{
    enum apmu_reg32 reg;
    unsigned n;

    if (!apmu_reg32_by_name(name, &reg, &n)) {
        return false;
    }
    *a = apmu_access_a32(&r->p, &r->pe, reg, n, t->write);
    if (a->outcome == APMU_ACCESS_OK && t->write) {
        apmu_poke_a32(&r->p, &r->pe, reg, n, t->value, &r->out);
    } else if (a->outcome == APMU_ACCESS_OK) {
        t->value = apmu_peek_a32(&r->p, &r->pe, reg, n);
    }
    return true;
}

static const struct {
    const char *name;
    bool (*access)(struct replay *r, const char *name, struct attempt *t, struct apmu_access *a);
} views[] = {{"a64", access_a64}, {"a32", access_a32}};

enum { VIEWS = sizeof views / sizeof views[0] };

/* The result as the trace would say it. */
static void access_through(struct replay *r, unsigned view, char **word, const char *result)
{
    struct attempt t = {.write = word[0][0] == 'w'};
    struct apmu_access a;
    char got[64];

    t.value = t.write ? number(r, word[3]) : 0;
    if (!views[view].access(r, word[2], &t, &a)) {
        fprintf(stderr, "replay: %s:%lu: unknown register \"%s\"\n", r->path, r->line, word[2]);
        r->wrong_format = true;
        return;
    }
    switch (a.outcome) {
    case APMU_ACCESS_OK:
        if (t.write) {
            snprintf(got, sizeof got, "ok");
        } else {
            snprintf(got, sizeof got, "ok 0x%llx", (unsigned long long)t.value);
        }
        break;
    case APMU_ACCESS_RAZ:
        snprintf(got, sizeof got, "raz");
        break;
    case APMU_ACCESS_WI:
        snprintf(got, sizeof got, "wi");
        break;
    case APMU_ACCESS_UNDEFINED:
        snprintf(got, sizeof got, "undef");
        break;
    case APMU_ACCESS_TRAP:
        snprintf(got, sizeof got, "trap %u 0x%x", a.el, a.ec);
        break;
    default:
        snprintf(got, sizeof got, "CONSTRAINED UNPREDICTABLE");
        break;
    }
    r->checked++;
    if (strcmp(got, result) != 0) {
        mismatch(r, got);
    }
}

/* "cycles N [EV*COUNT ...]" */
static void cycles(struct replay *r, char **word, unsigned words)
{
    struct apmu_occurrence ev[WORDS];
    size_t count = 0;

    for (unsigned i = 2; i < words; i++) {
        char *star = strchr(word[i], '*');
        if (star == NULL) {
            r->wrong_format = true;
            return;
        }
        *star = '\0';
        ev[count].event = (uint16_t)number(r, word[i]);
        ev[count++].count = number(r, star + 1);
    }
    apmu_step(&r->p, &r->pe, number(r, word[1]), ev, count, &r->out);
}

static void question(struct replay *r, bool got, const char *result)
{
    r->checked++;
    if (strcmp(result, got ? "1" : "0") != 0) {
        mismatch(r, got ? "1" : "0");
    }
}

static void snapshot(struct replay *r)
{
    const uint64_t status = apmu_peek(&r->p, &r->pe, APMU_REG_PMSSCR_EL1, 0);
    apmu_poke(&r->p, &r->pe, APMU_REG_PMSSCR_EL1, 0, status | APMU_MASK(PMSSCR_EL1, SS), &r->out);
}

static void action(struct replay *r, char *line)
{
    char *word[WORDS];
    unsigned words = 0;
    char *arrow = strstr(line, " -> ");
    const char *result = "";

    if (arrow != NULL) {
        *arrow = '\0';
        result = arrow + 4;
    }
    for (char *s = strtok(line, " "); s != NULL && words < WORDS; s = strtok(NULL, " ")) {
        word[words++] = s;
    }
    if (words == 0 || word[0][0] == '#') {
        return;
    }
    if (strcmp(word[0], "trace") == 0) {
        r->traces++;
        r->skipping = false;
    } else if (r->skipping || strcmp(word[0], "end") == 0) {
        return;
    } else if (strcmp(word[0], "config") == 0) {
        config(r, word, words);
    } else if (strcmp(word[0], "pe") == 0) {
        for (unsigned i = 1; i < words; i++) {
            const uint64_t value = keyed(r, word[i]);
            pe_key(r, word[i], value);
        }
    } else if (((word[0][0] == 'r' && words == 3) || (word[0][0] == 'w' && words == 4)) && word[0][1] == '\0') {
        unsigned view = 0;
        while (view < VIEWS && strcmp(word[1], views[view].name) != 0) {
            view++;
        }
        if (view < VIEWS) {
            access_through(r, view, word, result);
        } else {
            r->skipping = true;
            r->cut_short++;
        }
    } else if (strcmp(word[0], "cycles") == 0 && words >= 2) {
        cycles(r, word, words);
    } else if (strcmp(word[0], "counts") == 0 && words == 2) {
        question(r, apmu_counts(&r->p, &r->pe, (unsigned)number(r, word[1])), result);
    } else if (strcmp(word[0], "irq") == 0) {
        question(r, apmu_pmuirq(&r->p, &r->pe), result);
    } else if (strcmp(word[0], "snapshot") == 0) {
        snapshot(r);
    } else if (strcmp(word[0], "reset") == 0 && words == 2) {
        if (strcmp(word[1], "cold") == 0) {
            apmu_init(&r->p, &r->cfg);
        } else {
            apmu_warm_reset(&r->p);
        }
    } else {
        fprintf(stderr, "replay: %s:%lu: unknown action \"%s\"\n", r->path, r->line, word[0]);
        r->wrong_format = true;
    }
}

static int run(const char *path)
{
    static char line[LINE], whole[LINE];
    struct replay r = {.path = path, .text = whole};
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");

    if (in == NULL || fgets(line, LINE, in) == NULL || strcmp(line, "armpmu-trace 1\n") != 0) {
        fprintf(stderr, "replay: %s: not a trace file: its first line must be \"armpmu-trace 1\"\n", path);
        return 2;
    }
    for (r.line = 2; !r.wrong_format && fgets(line, LINE, in) != NULL; r.line++) {
        line[strcspn(line, "\r\n")] = '\0';
        memcpy(whole, line, sizeof whole);
        action(&r, line);
    }
    if (in != stdin) {
        fclose(in);
    }
    if (r.wrong_format) {
        fprintf(stderr, "replay: %s:%lu: not understood: %s\n", path, r.line - 1, whole);
        return 2;
    }
    printf("%s: %lu traces, %lu actions checked, %lu mismatches, %lu traces cut short\n", path, r.traces, r.checked,
           r.mismatches, r.cut_short);
    return r.mismatches != 0;
}

int main(int argc, char **argv)
{
    int status = 0;

    if (argc < 2) {
        fputs("usage: replay FILE...   (- is the standard input)\n", stderr);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        const int s = run(argv[i]);
        status = s > status ? s : status;
    }
    return status;
}
