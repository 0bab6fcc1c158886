/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads device trees: sources, what dtc and fdtdump print, and pieces of them.  The parser knows nodes and properties,
 * and no more of the grammar; what it cannot read it skips.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "linux.h"

#define DEPTH  32        /* nodes within nodes; deeper ones are skipped */
#define CELLS  96        /* cells of a property that are kept */
#define OPAQUE 0x1000000 /* a cell that is no number: a macro or a reference; the next ones differ by 1 */

/* A node. */
struct tree_node {
    char name[64];
    char compatible[200]; /* strings, with a blank between them */
    char status[16];
    bool is_cpu;
    bool has_interrupts, has_affinity;
    unsigned groups; /* of cells in interrupts: <...>, <...> */
    unsigned cells;  /* of interrupts */
    uint64_t interrupts[CELLS];
    unsigned affinities;
    uint64_t affinity[CELLS];
    uint32_t line, interrupts_line, status_line, compatible_line, affinity_line;
};

/* What the parser knows. */
struct tree_parser {
    struct reading *r;
    const char *at, *end;
    size_t i;             /* the index of the line of .at */
    char statement[1024]; /* what was read since the last ";", "{" or "}" */
    size_t length;
    uint32_t line;           /* of its first character */
    struct tree_node *nodes; /* the open ones */
    unsigned depth;
    unsigned opened;     /* nodes with braces that were seen */
    unsigned properties; /* properties that only device trees have */
    unsigned cpus, pmus, parent_cells;
    bool whole; /* it has "/dts-v1/" or a root node */
    bool has_cpus_node;
    uint32_t first_line;
    unsigned kinds[CLUE_KINDS]; /* how many clues of each kind there are */
};

static void claim(struct tree_parser *p, uint32_t line)
{
    const size_t i = text_find(&p->r->text, line);

    if (i < p->r->text.count) {
        text_claim(&p->r->text, i, TEXT_LINUX);
    }
}

/* Adds a clue of the tree. */
static void add(struct tree_parser *p, enum clue_kind kind, uint32_t line, const char *words, uint64_t first,
                uint64_t second)
{
    struct clue *c;

    if (p->kinds[kind]++ >= LINUX_MOST) {
        return;
    }
    c = reading_clue(p->r, kind, line, words);
    c->values[0] = first;
    c->values[1] = second;
    claim(p, line);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Properties.
 */

/* Copies the strings of @value to @out, with a blank between them. */
static void copy_strings(const char *value, char *out, size_t size)
{
    bool inside = false;
    size_t used = 0;

    for (; *value != '\0' && used + 2 < size; value++) {
        if (*value == '"') {
            inside = !inside;
            if (!inside) {
                out[used++] = ' ';
            }
        } else if (inside && value[0] == '\\' && value[1] == '0') {
            out[used++] = ' ';
            value++;
        } else if (inside) {
            out[used++] = (char)tolower((unsigned char)*value);
        }
    }
    while (used > 0 && out[used - 1] == ' ') {
        used--;
    }
    out[used] = '\0';
}

/* Reads the cell at @at: a number, a macro, a reference, or an expression in parentheses.  Returns its end. */
static const char *read_cell(const char *at, uint64_t *cell)
{
    const char *end;
    unsigned depth = 0;
    uint64_t hash = 5381;

    *cell = linux_number(at, &end);
    if (end != at && !isalnum((unsigned char)*end) && *end != '_') {
        return end;
    }
    if (strncmp(at, "GIC_SPI", 7) == 0 || strncmp(at, "GIC_PPI", 7) == 0) {
        *cell = at[4] == 'P';
        return at + 7;
    }
    for (end = at; *end != '\0' && (depth > 0 || (!isspace((unsigned char)*end) && *end != '>' && *end != ','));
         end++) {
        depth += *end == '(';
        depth -= *end == ')' && depth > 0;
        hash = hash * 33 + (unsigned char)*end;
    }
    *cell = OPAQUE + hash % OPAQUE;
    return end;
}

/* Reads "<1 7 4>, <...>".  Returns the number of cells, at most CELLS. */
static unsigned read_cells(const char *value, uint64_t cells[CELLS], unsigned *groups)
{
    unsigned count = 0;
    bool inside = false;

    *groups = 0;
    for (const char *at = value; *at != '\0' && count < CELLS;) {
        if (*at == '<') {
            inside = true;
            (*groups)++;
            at++;
        } else if (*at == '>') {
            inside = false;
            at++;
        } else if (!inside || isspace((unsigned char)*at) || *at == ',') {
            at++;
        } else {
            const char *end = read_cell(at, &cells[count++]);

            at = end == at ? at + 1 : end;
        }
    }
    return count;
}

static void take_property(struct tree_parser *p, struct tree_node *node, const char *name, const char *value)
{
    unsigned groups;
    bool known = true;

    if (strcmp(name, "compatible") == 0) {
        copy_strings(value, node->compatible, sizeof node->compatible);
        node->compatible_line = p->line;
    } else if (strcmp(name, "status") == 0) {
        copy_strings(value, node->status, sizeof node->status);
        node->status_line = p->line;
    } else if (strcmp(name, "device_type") == 0) {
        node->is_cpu = node->is_cpu || strstr(value, "\"cpu\"") != NULL;
    } else if (strcmp(name, "interrupts") == 0 || strcmp(name, "interrupts-extended") == 0) {
        node->has_interrupts = *value != '\0';
        node->interrupts_line = p->line;
        node->cells = read_cells(value, node->interrupts, &node->groups);
        if (name[10] == '-') {
            node->cells = 0; /* its cells depend on each controller */
        }
    } else if (strcmp(name, "interrupt-affinity") == 0) {
        node->has_affinity = true;
        node->affinity_line = p->line;
        node->affinities = read_cells(value, node->affinity, &groups);
    } else if (strcmp(name, "#interrupt-cells") == 0) {
        uint64_t cells[CELLS];

        p->parent_cells =
            read_cells(value, cells, &groups) != 0 && cells[0] <= 4 ? (unsigned)cells[0] : p->parent_cells;
    } else {
        known = name[0] == '#' || strcmp(name, "reg") == 0 || strcmp(name, "phandle") == 0;
    }
    if (known && *value != '\0') {
        p->properties++;
        claim(p, p->line);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Nodes.
 */

/* Returns true if @string is the compatible of a PMU of cores, perhaps mistyped. */
static bool is_pmu_string(const char *string)
{
    static const char *const others[] = {
        "dsu",  "cmn",    "ccn",   "cci",    "smmu", "ddr", "dmc", "rockchip", "samsung,exynos",
        "mali", "syscon", "maxim", "qcom,pm"};

    if (strstr(string, "pmu") == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strstr(string, others[i]) != NULL) {
            return false;
        }
    }
    return strncmp(string, "arm,", 4) == 0 || strstr(string, "armv") != NULL || strstr(string, "cortex") != NULL ||
           strstr(string, "krait") != NULL || strstr(string, "kryo") != NULL || strncmp(string, "apple,", 6) == 0 ||
           strstr(string, "denver") != NULL || strstr(string, "carmel") != NULL || strstr(string, "thunder") != NULL ||
           strstr(string, "vulcan") != NULL || strstr(string, "scorpion") != NULL;
}

/* Returns true if a driver of Linux knows @string. */
static bool is_known_string(const char *string)
{
    static const char *const known[] = {
        "arm,armv8-pmuv3",     "arm,arm1136-pmu",      "arm,arm1176-pmu",      "arm,arm11mpcore-pmu",
        "qcom,krait-pmu",      "qcom,scorpion-pmu",    "qcom,scorpion-mp-pmu", "cavium,thunder-pmu",
        "brcm,vulcan-pmu",     "nvidia,carmel-pmu",    "nvidia,denver-pmu",    "apple,icestorm-pmu",
        "apple,firestorm-pmu", "apple,blizzard-pmu",   "apple,avalanche-pmu",  "arm,cortex-a12-pmu",
        "arm,rainier-pmu",     "samsung,mongoose-pmu", "qcom,kryo-pmu",        "apple,cyclone-pmu",
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(string, known[i]) == 0) {
            return true;
        }
    }
    if (strncmp(string, "arm,", 4) != 0 || strlen(string) > 60) {
        return false;
    }
    char name[64];
    const size_t length = strlen(string);

    if (length < 9 || strcmp(string + length - 4, "-pmu") != 0) {
        return false;
    }
    snprintf(name, sizeof name, "%.*s", (int)(length - 8), string + 4);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '-' && strncmp(name, "neoverse", 8) == 0 ? ' ' : *c;
    }
    return apmu_core_by_name(name) != NULL;
}

/* Returns how many cells an interrupt of @node takes. */
static unsigned cells_of(const struct tree_parser *p, const struct tree_node *node)
{
    if (node->groups > 1 && node->cells % node->groups == 0) {
        return node->cells / node->groups;
    }
    if (p->parent_cells > 1 && node->cells % p->parent_cells == 0) {
        return p->parent_cells;
    }
    return node->cells % 3 == 0 ? 3 : node->cells % 4 == 0 && node->cells > 4 ? 4 : node->cells;
}

/* Says what is wrong with the interrupts of a pmu node that has some.  Returns how many there are. */
static unsigned check_interrupts(struct tree_parser *p, const struct tree_node *node)
{
    const unsigned size = cells_of(p, node), count = size == 0 ? 0 : node->cells / size;
    bool ppi = false, spi = false;

    for (unsigned i = 0; i < count && size >= 3; i++) {
        const uint64_t type = node->interrupts[i * size], number = node->interrupts[i * size + 1];

        ppi = ppi || type == 1;
        spi = spi || type == 0;
        if (type == 1 && number < OPAQUE && (number > 15 || (number >= 10 && number <= 14))) {
            add(p, CLUE_linux_tree_odd_ppi, node->interrupts_line, "", number, 0);
        }
        for (unsigned k = 0; k < i && type == 0; k++) {
            if (node->interrupts[k * size] == 0 && node->interrupts[k * size + 1] == number) {
                add(p, CLUE_linux_tree_same_spi, node->interrupts_line, "", number, 0);
                break;
            }
        }
    }
    if (ppi) {
        add(p, CLUE_linux_tree_ppi, node->interrupts_line, "", node->interrupts[1], 0);
    }
    if (spi) {
        add(p, CLUE_linux_tree_spi, node->interrupts_line, "", node->interrupts[1], count);
    }
    return count;
}

/* Returns how many entries of interrupt-affinity differ. */
static unsigned count_affinities(const struct tree_node *node)
{
    unsigned different = 0;

    for (unsigned i = 0; i < node->affinities; i++) {
        bool seen = false;

        for (unsigned k = 0; k < i; k++) {
            seen = seen || node->affinity[k] == node->affinity[i];
        }
        different += !seen;
    }
    return different;
}

static void finish_pmu(struct tree_parser *p, const struct tree_node *node)
{
    const uint32_t line = node->compatible_line != 0 ? node->compatible_line : node->line;
    char string[200], *next = string;
    bool known = node->compatible[0] == '\0';
    unsigned count = 0;

    p->pmus++;
    if (node->has_interrupts) {
        count = check_interrupts(p, node);
    } else if (node->name[0] != '&') {
        add(p, CLUE_linux_tree_no_irqs, line, "", 0, 0);
    }
    add(p, CLUE_linux_tree_pmu, line, node->compatible, count, node->has_affinity ? node->affinities : 0);
    if (strcmp(node->status, "disabled") == 0 || strcmp(node->status, "fail") == 0) {
        add(p, CLUE_linux_tree_disabled, node->status_line, node->name, 0, 0);
    }
    if (node->has_affinity && (count_affinities(node) < node->affinities || (count > 1 && node->affinities < count))) {
        add(p, CLUE_linux_tree_affinity, node->affinity_line, "", count_affinities(node), count);
    }
    memcpy(string, node->compatible, sizeof string);
    for (char *word = strtok_r(string, " ", &next); word != NULL; word = strtok_r(NULL, " ", &next)) {
        known = known || is_known_string(word);
    }
    if (!known) {
        add(p, CLUE_linux_tree_unknown, line, node->compatible, 0, 0);
    }
}

static void finish_node(struct tree_parser *p)
{
    const struct tree_node *node = &p->nodes[p->depth];
    char string[200], *next = string;
    bool pmu = node->name[0] == '&' && strstr(node->name, "pmu") != NULL && node->status[0] != '\0' &&
               strstr(node->name, "pmugrf") == NULL && strstr(node->name, "pmucru") == NULL;

    /* A node that is called so, has interrupts, and has the compatible of a core. */
    pmu = pmu || (node->has_interrupts && strstr(node->compatible, "arm,cortex-") != NULL &&
                  (strncmp(node->name, "pmu", 3) == 0 || strncmp(node->name, "arm-pmu", 7) == 0 ||
                   strncmp(node->name, "arm_pmu", 7) == 0));
    memcpy(string, node->compatible, sizeof string);
    for (char *word = strtok_r(string, " ", &next); word != NULL; word = strtok_r(NULL, " ", &next)) {
        pmu = pmu || is_pmu_string(word);
        if (node->is_cpu && strncmp(word, "arm,", 4) == 0) {
            char name[64];

            snprintf(name, sizeof name, "%.60s", word + 4);
            for (char *c = name; *c != '\0'; c++) {
                *c = *c == '-' && strncmp(name, "neoverse", 8) == 0 ? ' ' : *c;
            }
            const struct apmu_core_info *core = apmu_core_by_name(name);

            if (core != NULL && p->r->machine.core != NULL && p->r->machine.core != core) {
                reading_learn(&p->r->machine.big_little, 1, node->line);
            }
            reading_learn_core(p->r, core);
        }
    }
    p->cpus += node->is_cpu;
    if (pmu) {
        finish_pmu(p, node);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The grammar.
 */

/* Opens the node that the statement names: "label: name@address", "&label", "/". */
static void open_node(struct tree_parser *p)
{
    const char *name = p->statement, *colon = strchr(p->statement, ':');
    struct tree_node *node;

    if (colon != NULL) {
        name = colon + 1 + text_blanks(colon + 1);
    }
    p->opened++;
    p->depth++;
    if (p->depth >= DEPTH) {
        return;
    }
    node = &p->nodes[p->depth];
    memset(node, 0, sizeof *node);
    linux_word(name, "{", node->name, sizeof node->name);
    node->line = p->line;
    node->is_cpu = strncmp(node->name, "cpu@", 4) == 0;
    p->whole = p->whole || strcmp(node->name, "/") == 0;
    p->has_cpus_node = p->has_cpus_node || strcmp(node->name, "cpus") == 0;
    p->first_line = p->first_line == 0 ? p->line : p->first_line;
}

static void close_node(struct tree_parser *p)
{
    if (p->depth > 0 && p->depth < DEPTH) {
        finish_node(p);
    }
    p->depth -= p->depth > 0;
}

/* Takes the statement that ended with ";": a property. */
static void end_statement(struct tree_parser *p)
{
    char name[48];
    const char *at = p->statement + text_blanks(p->statement);
    const size_t length = linux_word(at, "=;", name, sizeof name);
    const char *value = at + length + text_blanks(at + length);

    if (strncmp(at, "/dts-v1/", 8) == 0) {
        p->whole = true;
        p->properties++;
        claim(p, p->line);
    }
    value += *value == '=';
    value += text_blanks(value);
    if (p->depth > 0 && p->depth < DEPTH && length > 0) {
        take_property(p, &p->nodes[p->depth], name, value);
    }
}

/* Skips a comment at p->at.  Returns false if there is none. */
static bool skip_comment(struct tree_parser *p)
{
    if (p->at[0] == '/' && p->at[1] == '/') {
        while (p->at < p->end && *p->at != '\n') {
            p->at++;
        }
        return true;
    }
    if (p->at[0] == '/' && p->at[1] == '*') {
        for (p->at += 2; p->at < p->end && !(p->at[0] == '*' && p->at[1] == '/'); p->at++) {
            p->i += *p->at == '\n';
        }
        p->at += p->at < p->end ? 2 : 0;
        return true;
    }
    return false;
}

static void parse(struct tree_parser *p)
{
    while (p->at < p->end) {
        if (skip_comment(p)) {
            continue;
        }
        const char c = *p->at++;

        if (c == '{' || c == '}' || c == ';') {
            p->statement[p->length] = '\0';
            if (c == '{') {
                open_node(p);
            } else if (c == '}') {
                close_node(p);
            } else {
                end_statement(p);
            }
            p->length = 0;
        } else if (p->length != 0 || !isspace((unsigned char)c)) {
            if (p->length == 0) {
                p->line = p->i < p->r->text.count ? p->r->text.lines[p->i].number : 0;
            }
            if (p->length + 1 < sizeof p->statement) {
                p->statement[p->length++] = c == '\n' ? ' ' : c;
            }
            if (c == '\n' && (p->statement[0] == '#' || p->statement[0] == '$') && strchr(p->statement, '=') == NULL) {
                p->length = 0; /* a line of the preprocessor, or a command */
            }
        }
        p->i += c == '\n';
    }
    while (p->depth > 0) {
        close_node(p);
    }
}

void linux_read_tree(struct reading *r)
{
    struct tree_parser *p;

    if (r->text.count == 0 ||
        (strstr(r->text.joined, "compatible") == NULL && strstr(r->text.joined, "/dts-v1/") == NULL &&
         strstr(r->text.joined, "&pmu") == NULL && strstr(r->text.joined, "interrupts = <") == NULL)) {
        return;
    }
    p = cli_allocate(NULL, 1, sizeof *p);
    p->nodes = cli_allocate(NULL, DEPTH, sizeof *p->nodes);
    p->r = r;
    p->at = r->text.joined;
    p->end = p->at + r->text.length;
    parse(p);
    if (p->opened > 0 && p->properties > 0) {
        const bool whole = p->whole && p->cpus > 0;

        add(p, CLUE_linux_tree, p->first_line, "", p->cpus, whole);
        if (whole && p->pmus == 0) {
            add(p, CLUE_linux_tree_no_node, p->first_line, "", p->cpus, 0);
        }
    }
    free(p->nodes);
    free(p);
}
