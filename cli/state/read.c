/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the input that a command line names, and prints warnings about it. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "boards.h"
#include "internal.h"
#include "live.h"
#include "read.h"

#define TEXT_MAX ((size_t)64 << 20) /* bytes; a longer text is not a dump of registers */

/* ---------------------------------------------------------------------------------------------------------------
 * Options.
 */

/* Finds a feature by its name, with or without FEAT_. */
static bool feature_bit(const char *name, size_t length, unsigned *bit)
{
    for (*bit = 0; *bit < APMU_FEAT_END; ++*bit) {
        const char *full = apmu_feature_name(*bit);
        const char *plain = full + strlen("FEAT_");

        if ((strlen(plain) == length && strncasecmp(name, plain, length) == 0) ||
            (strlen(full) == length && strncasecmp(name, full, length) == 0)) {
            return true;
        }
    }
    return false;
}

/*
 * Parses a --features list.  Adds the features that it gives to *@has and those that it excludes to *@lacks, and
 * removes them from the other set.  Returns false after it complained.
 */
static bool features_option(const struct cli_verb *verb, const char *list, uint64_t *has, uint64_t *lacks)
{
    while (*list != '\0') {
        const bool excludes = *list == '-';
        const char *name = list + (*list == '-' || *list == '+');
        const size_t length = strcspn(name, ",");
        unsigned bit;
        uint64_t set = 0;

        if (length == 3 && strncasecmp(name, "EL", 2) == 0 && (name[2] == '2' || name[2] == '3')) {
            const unsigned el = (unsigned)(name[2] - '0');

            set = excludes ? APMU_FEAT(AA64EL0) << el | APMU_FEAT(AA32EL0) << el : APMU_FEAT(AA64EL0) << el;
        } else if (feature_bit(name, length, &bit)) {
            set = UINT64_C(1) << bit;
        } else {
            cli_complain(verb, "--features: %.*s: no such feature of the PMU; give Arm's name without FEAT_, such as "
                         "PMUv3p5", (int)length, name);
            return false;
        }
        *(excludes ? lacks : has) |= set;
        *(excludes ? has : lacks) &= ~set;
        list = name + length + (name[length] == ',');
    }
    return true;
}

/* Parses the value of an option, an address in hexadecimal.  Returns false after it complained. */
static bool number_option(const struct cli_verb *verb, const char *option, const char *text, uint64_t *value)
{
    size_t used;

    if (state_number(text, strlen(text), value, &used) != STATE_NUMBER || text[used] != '\0') {
        cli_complain(verb, "--%s: %s: not a hexadecimal number; write it with 0x", option, text);
        return false;
    }
    return true;
}

/* Writes the letters and digits of a core's name to @buf, without the family: "a53" for Cortex-A53 and cortex_a53. */
static const char *plain_name(const char *text, char buf[32])
{
    static const char *const families[] = {"armcortex", "cortex", "neoverse", "qualcomm", "nvidia", "phytium", "apple"};
    size_t used = 0;

    for (; *text != '\0' && used + 1 < 32; text++) {
        if ((*text >= '0' && *text <= '9') || ((*text | 0x20) >= 'a' && (*text | 0x20) <= 'z') || *text == '+') {
            buf[used++] = *text >= 'A' && *text <= 'Z' ? (char)(*text | 0x20) : *text;
        }
    }
    buf[used] = '\0';
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        const size_t length = strlen(families[i]);

        if (strncmp(buf, families[i], length) == 0 && used > length) {
            memmove(buf, buf + length, used - length + 1);
            break;
        }
    }
    return buf;
}

/* Finds a core by a short name, "A72" or "neoverse-n1".  Returns NULL if none has it, or several. */
static const struct apmu_core_info *find_short_name(const char *text)
{
    const struct apmu_core_info *found = NULL;
    char wanted[32], name[32];

    plain_name(text, wanted);
    for (size_t i = 0; i < apmu_core_count(); i++) {
        if (strcmp(plain_name(apmu_core_at(i)->name, name), wanted) == 0) {
            if (found != NULL) {
                return NULL;
            }
            found = apmu_core_at(i);
        }
    }
    return found;
}

/* Returns how many letters at the beginning and the end of two names are the same. */
static size_t alike(const char *a, const char *b)
{
    const size_t length = strlen(a), other = strlen(b);
    size_t first = 0, last = 0;

    while (first < length && first < other && a[first] == b[first]) {
        first++;
    }
    while (last < length - first && last < other - first && a[length - 1 - last] == b[other - 1 - last]) {
        last++;
    }
    return first + last;
}

/* Returns the core whose name differs from @text by a letter or two; NULL if there is none. */
static const struct apmu_core_info *find_near_name(const char *text)
{
    const struct apmu_core_info *found = NULL;
    char wanted[32], name[32];
    size_t best = 0;

    plain_name(text, wanted);
    for (size_t i = 0; i < apmu_core_count(); i++) {
        const size_t same = alike(plain_name(apmu_core_at(i)->name, name), wanted);
        const size_t longer = strlen(name) > strlen(wanted) ? strlen(name) : strlen(wanted);

        if (same > best && same + 2 >= longer && same >= 2) {
            best = same;
            found = apmu_core_at(i);
        }
    }
    return found;
}

/* Finds a core by its name, or by its MIDR in hexadecimal.  Returns NULL if it is not in the list. */
static const struct apmu_core_info *find_core(const char *text)
{
    const struct apmu_core_info *core;
    uint64_t midr;
    size_t used;

    if (state_number(text, strlen(text), &midr, &used) == STATE_NUMBER && text[used] == '\0' && midr <= UINT32_MAX) {
        return apmu_core_by_midr((uint32_t)midr);
    }
    core = apmu_core_by_name(text);
    return core != NULL ? core : find_short_name(text);
}

/* Complains that @value is no core, and sets *@bad. */
static void complain_of_core(const struct cli_verb *verb, const char *value, bool *bad)
{
    const struct apmu_core_info *near = find_near_name(value);

    *bad = true;
    if (strncasecmp(value, "Cortex-M", 8) == 0) {
        cli_complain(verb, "--core: %s: the lists have no M-profile cores; leave --core out: armpmu why knows DEMCR, "
                     "DWT_CTRL and the like by name", value);
    } else {
        cli_complain(verb, "--core: %s: not in the list of cores%s%s%s; armpmu decode --cores prints it", value,
                     near != NULL ? "; did you mean " : "", near != NULL ? near->name : "", near != NULL ? "?" : "");
    }
}

/* Returns the core of the board @value, which it names on stderr.  Complains and sets *@bad if there is none. */
static const struct apmu_core_info *find_core_of_board(const struct cli_verb *verb, const char *value, bool *bad)
{
    const struct apmu_core_info *core;
    const char *name, *cores;

    if (strncasecmp(value, "Cortex-M", 8) == 0 || !state_find_board(value, &name, &cores)) {
        complain_of_core(verb, value, bad);
        return NULL;
    }
    core = find_core(cores);
    if (core != NULL) {
        cli_complain(verb, "--core: %s: taken as the core of %s, %s", value, name, core->name);
        return core;
    }
    *bad = true;
    if (strstr(cores, " + ") != NULL) {
        cli_complain(verb, "--core: %s: %s has several kinds of core, %s; give the one that is meant", value, name,
                     cores);
    } else {
        cli_complain(verb, "--core: %s: the core of %s is %s, which is not in the list of cores; leave --core out",
                     value, name, cores);
    }
    return NULL;
}

const char *state_m_core(const char *value)
{
    const char *name, *cores;
    char full[24];

    if (find_core(value) != NULL) {
        return NULL;
    }
    if (toupper((unsigned char)value[0]) == 'M' && isdigit((unsigned char)value[1]) && strlen(value) < 6) {
        snprintf(full, sizeof full, "Cortex-%s", value);
        value = full;
    }
    return state_find_board(value, &name, &cores) && strncmp(cores, "Cortex-M", 8) == 0 ? cores : NULL;
}

bool state_option(const struct cli_args *args, size_t i, struct state *s, struct state_frame *frame, bool *bad)
{
    const char *value = args->given[i].value;

    *bad = false;
    switch (args->given[i].id) {
    case CLI_CORE:
        s->core = find_core(value);
        if (s->core == NULL) {
            s->core = find_core_of_board(args->verb, value, bad);
        }
        return true;
    case CLI_FEATURES:
        *bad = !features_option(args->verb, value, &s->features, &s->no_features);
        return true;
    case CLI_BASE:
        frame->given = true;
        *bad = !number_option(args->verb, "base", value, &frame->base);
        return true;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Texts.
 */

/* Reads the file to its end.  Returns its contents, which the caller frees, or NULL after it complained. */
static char *read_all(const struct cli_verb *verb, FILE *in, const char *path, size_t *length)
{
    char *text = NULL;
    size_t size = 0;

    *length = 0;
    do {
        if (*length == size) {
            size = size == 0 ? 65536 : 2 * size;
            text = cli_allocate(text, size, 1);
        }
        *length += fread(text + *length, 1, size - *length, in);
    } while (!feof(in) && !ferror(in) && *length <= TEXT_MAX);
    if (ferror(in)) {
        cli_complain(verb, "%s: cannot be read: %s; give a text file", path, strerror(errno));
    } else if (*length > TEXT_MAX) {
        cli_complain(verb, "%s: longer than 64 MiB; give the lines with the registers", path);
    } else {
        return text;
    }
    free(text);
    return NULL;
}

char *state_read_text(const struct cli_verb *verb, const char *path, size_t *length)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "re");
    char *text;

    if (in == NULL) {
        cli_complain(verb, "%s: cannot be opened: %s; give a text file, or - for stdin", path, strerror(errno));
        return NULL;
    }
    text = read_all(verb, in, standard ? "stdin" : path, length);
    if (!standard) {
        fclose(in);
    }
    return text;
}

/* Takes the registers in a file.  Returns false after it complained. */
static bool read_file(const struct cli_verb *verb, const char *path, struct state *s, const struct state_frame *frame)
{
    size_t length;
    char *text = state_read_text(verb, path, &length);

    if (text == NULL) {
        return false;
    }
    state_parse(s, text, length, frame);
    free(text);
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Remarks.
 */

/* Prints the names that are not known, the first eight of them, in one line. */
static void complain_of_unknown(const struct cli_verb *verb, const struct state *s)
{
    enum { SHOWN = 8 };
    unsigned count = 0;
    char names[SHOWN * (sizeof s->remarks[0].name + 2) + 1] = "";

    for (unsigned i = 0; i < s->remark_count && i < STATE_REMARKS; i++) {
        if (s->remarks[i].kind == STATE_UNKNOWN_NAME && count++ < SHOWN) {
            strcat(strcat(names, count == 1 ? "" : ", "), s->remarks[i].name);
        }
    }
    if (count > 0) {
        cli_complain(verb, "%s: not registers of the PMU: %s%s; they are left out", s->input, names,
                     count > SHOWN ? ", ..." : "");
    }
}

/* Prints a conflict.  @at is the line as ":3", or "" for a live input, which may have changed between two reads. */
static void complain_of_conflict(const struct cli_verb *verb, const struct state *s, const struct state_remark *r,
                                 const char *at)
{
    if (at[0] == '\0') {
        cli_complain(verb, "%s: %s is 0x%" PRIx64 ", but an earlier read gave 0x%" PRIx64 ", which is taken", s->input,
                     r->name, r->value, r->kept);
    } else {
        cli_complain(verb, "%s%s: %s is 0x%" PRIx64 " here and 0x%" PRIx64 " in line %" PRIu32
                     "; the first is taken: remove one", s->input, at, r->name, r->value, r->kept, r->other);
    }
}

void state_complain(const struct cli_verb *verb, const struct state *s)
{
    char at[32];

    complain_of_unknown(verb, s);
    for (unsigned i = 0; i < s->remark_count && i < STATE_REMARKS; i++) {
        const struct state_remark *r = &s->remarks[i];

        at[0] = '\0';
        if (r->line != STATE_LINE_LIVE && r->line != STATE_LINE_CORE) {
            snprintf(at, sizeof at, ":%" PRIu32, r->line);
        }
        switch (r->kind) {
        case STATE_UNKNOWN_NAME:
            break;
        case STATE_CONFLICT:
            if (s->moments) {
                break;
            }
            complain_of_conflict(verb, s, r, at);
            break;
        case STATE_BAD_VALUE:
            cli_complain(verb, "%s%s: %s: %s; it is left out", s->input, at, r->name, r->why);
            break;
        case STATE_UNUSED:
            cli_complain(verb, "%s%s: %s: it is left out: %s", s->input, at, r->name, r->why);
            break;
        case STATE_MISTYPED:
            cli_complain(verb, "%s%s: %s: did you mean %s? It is taken so", s->input, at, r->name, r->why);
            break;
        case STATE_BAD_FORMAT:
            cli_complain(verb, "%s%s: %s: %s", s->input, at, r->name, r->why);
            break;
        }
    }
    if (s->remark_count > STATE_REMARKS) {
        cli_complain(verb, "%s: %u further remarks are left out", s->input, s->remark_count - STATE_REMARKS);
    }
}

/* Complains that the input has no register, and prints examples of what it may have. */
static void complain_of_nothing(const struct cli_verb *verb, const struct state *s)
{
    cli_complain(verb, "%s: no register found; give a text with registers of the PMU, one or more on a line, in any of "
                 "these forms",
                 s->input);
    fprintf(stderr, "    PMCR_EL0=0x41023001                       PMCR: 0x41023001\n"
                    "    PMCNTENSET_EL0  0x8000001f  2147483679    (GDB's info registers)\n"
                    "    (81) pmevtyper0_el0 (/64): 0x08000008     (OpenOCD's reg)\n"
                    "    S3_4_C1_C1_1 0x6                          p15, 0, c9, c12, 0 = 0x41023001\n"
                    "    {\"MDCR_EL3\": \"0x20000\"}                  (JSON)\n"
                    "    fd5f9c00: 8000001f 00000000               (U-Boot's md, with --base=0xfd5f9000)\n"
                    "armpmu decode --registers lists the registers.\n");
}

bool state_read_input(const struct cli_args *args, const char *path, struct state *s, int *status)
{
    struct state_frame frame = {0};
    const char *gdb = NULL;
    bool live = false, bad;

    *status = CLI_USAGE;
    state_init(s, "");
    for (size_t i = 0; i < args->given_count; i++) {
        if (state_option(args, i, s, &frame, &bad)) {
            if (bad) {
                return false;
            }
        } else if (args->given[i].id == CLI_GDB) {
            gdb = args->given[i].value;
        } else if (args->given[i].id == CLI_LIVE) {
            live = true;
        }
    }
    if ((path != NULL) + (gdb != NULL) + live != 1) {
        cli_complain(args->verb, "INPUT: give one: a file, - for stdin, --gdb=HOST:PORT, or --live");
        return false;
    }
    if (live && frame.given) {
        cli_complain(args->verb, "--live, --base: a program cannot read the PMU's external view; remove --base");
        return false;
    }
    *status = CLI_CANNOT;
    if (gdb != NULL) {
        s->input = gdb;
        if (!state_read_target(args->verb, gdb, s, &frame)) {
            return false;
        }
    } else if (live) {
        s->input = "this machine";
        if (!state_read_host(args->verb, s)) {
            return false;
        }
    } else {
        s->input = strcmp(path, "-") == 0 ? "stdin" : path;
        if (!read_file(args->verb, path, s, &frame)) {
            return false;
        }
    }
    if (s->facts == 0 && !s->host.known) {
        state_complain(args->verb, s);
        complain_of_nothing(args->verb, s);
        return false;
    }
    state_finish(s);
    return true;
}

bool state_read(const struct cli_args *args, struct state *s, int *status)
{
    if (args->operands[0] != NULL && args->operands[1] != NULL) {
        cli_complain(args->verb, "%s: %s", args->operands[1],
                     args->operands[1][0] == '-' ? "options come before INPUT" : "INPUT is one file, or - for stdin");
        *status = CLI_USAGE;
        return false;
    }
    return state_read_input(args, args->operands[0], s, status);
}
