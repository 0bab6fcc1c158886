/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the core that is to be modelled, by its name or in a core file. */
#define _GNU_SOURCE
#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <armpmu/arm11_regs.h>
#include <armpmu/core_file.h>
#include <armpmu/events.h>

#define LONGEST_FILE 65536 /* bytes of a core file; one with all keys has some 2000 */
#define LONGEST_NAME 64

/* ---------------------------------------------------------------------------------------------------------------
 * Names.
 */

bool core_find(const char *name, struct apmu_core_row *row)
{
    static const char *const families[] = {"", "cortex-", "neoverse-"};
    char full[LONGEST_NAME];

    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        snprintf(full, sizeof full, "%s%.40s", families[i], name);
        for (char *blank = full; (blank = strchr(blank, ' ')) != NULL;) {
            *blank = '-'; /* "Neoverse N1" */
        }
        if (apmu_core_row_by_name(full, row)) {
            return true;
        }
    }
    return false;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Returns the number of characters that must be inserted, deleted or replaced to turn one text into the other. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[LONGEST_NAME + 1];
    const size_t length = strnlen(b, LONGEST_NAME);

    for (unsigned j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (unsigned i = 0; a[i] != '\0'; i++) {
        unsigned diagonal = row[0];

        row[0] = i + 1;
        for (unsigned j = 0; j < length; j++) {
            const unsigned above = row[j + 1], same = (a[i] | 0x20) == (b[j] | 0x20) ? 0 : 1;

            row[j + 1] = least(least(above, row[j]) + 1, diagonal + same);
            diagonal = above;
        }
    }
    return row[length];
}

/* Returns how far @name is from that of @row, with or without what stands before its last '-'. */
static unsigned distance_to(const char *name, const struct apmu_core_row *row)
{
    const char *dash = strrchr(row->name, '-');

    return least(distance(name, row->name), dash != NULL ? distance(name, dash + 1) : LONGEST_NAME);
}

int core_by_name(const struct cli_verb *verb, const char *name, struct apmu_core_row *row)
{
    char nearest[sizeof row->name] = "", all[512] = "";
    unsigned best = LONGEST_NAME;

    if (core_find(name, row)) {
        return CLI_YES;
    }
    for (size_t i = 0; apmu_core_row_at(i, row); i++) {
        const unsigned d = distance_to(name, row);
        const size_t used = strlen(all);

        if (d < best) {
            best = d;
            snprintf(nearest, sizeof nearest, "%s", row->name);
        }
        snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : ", ", row->name);
    }
    cli_complain(verb, "--core: %s: there is no model of such a core; did you mean %s? There are %s; others can be "
                       "described in a file, --core-file", name, nearest, all);
    return CLI_USAGE;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Files.
 */

/* Reads at most @room bytes of the file @path.  Returns how many, or a negative number after a complaint. */
static long read_file(const struct cli_verb *verb, const char *path, char *text, size_t room)
{
    FILE *in = fopen(path, "re");
    const size_t length = in != NULL ? fread(text, 1, room, in) : 0;
    const bool bad = in == NULL || ferror(in);
    const int error = errno;

    if (in != NULL) {
        fclose(in);
    }
    if (bad) {
        cli_complain(verb, "--core-file: %s: %s; name a core file, which doc/core.md describes", path, strerror(error));
        return -1;
    }
    return (long)length;
}

int core_by_file(const struct cli_verb *verb, const char *path, struct apmu_core_row *row)
{
    struct apmu_core_file_fault fault;
    char *text = cli_allocate(NULL, LONGEST_FILE + 1, 1);
    const long length = read_file(verb, path, text, LONGEST_FILE + 1);
    int status = length < 0 ? CLI_CANNOT : CLI_YES;

    if (length > LONGEST_FILE) {
        cli_complain(verb, "--core-file: %s: it is longer than %d bytes, so it is no core file; doc/core.md describes "
                           "them", path, LONGEST_FILE);
        status = CLI_USAGE;
    } else if (status == CLI_YES && !apmu_core_file_parse(text, (size_t)length, row, &fault)) {
        if (fault.line != 0) {
            cli_complain(verb, "--core-file: %s, line %u: %s", path, fault.line, fault.text);
        } else {
            cli_complain(verb, "--core-file: %s: %s", path, fault.text);
        }
        status = CLI_USAGE;
    }
    free(text);
    return status;
}

int core_choose(const struct cli_verb *verb, const char *name, bool is_file, struct selection *s,
                struct apmu_core_row *row)
{
    if (s->core != NULL) {
        cli_complain(verb, "--core, --core-file: more than one core is given; give one of them, once");
        return CLI_USAGE;
    }
    const int status = is_file ? core_by_file(verb, name, row) : core_by_name(verb, name, row);

    s->core = row;
    snprintf(s->core_mark, sizeof s->core_mark, "modelled:%s", status == CLI_YES ? row->name : "");
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Events.
 */

bool core_is_arm11(const struct apmu_core_row *row)
{
    return row != NULL && row->value[APMU_CORE_KEY_EVENTS] == APMU_CORE_EVENTS_ARM11;
}

int core_event_number(const struct apmu_core_row *row, const char *text)
{
    const struct apmu_arm11_event_info *info;
    int number;

    if (!core_is_arm11(row)) {
        return apmu_event_parse(text);
    }
    info = apmu_arm11_event_by_name(text);
    if (info != NULL) {
        return (int)info->number;
    }
    number = text[0] == '0' || (text[0] | 0x20) == 'r' ? apmu_event_parse(text) : -1;
    return number >= 0 && apmu_arm11_event_by_number((uint32_t)number) != NULL ? number : -1;
}

const char *core_event_name(const struct apmu_core_row *row, uint16_t number)
{
    return core_is_arm11(row) ? apmu_arm11_event_by_number(number)->name : apmu_event_by_number(number)->name;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Trust.
 */

const char *core_leaves_out(const struct apmu_core_row *row, uint16_t number)
{
    const uint32_t parts = apmu_core_parts(row, &number, 1);

    if ((parts & APMU_CORE_TIMING) != 0) {
        return "an estimate: an interval model with one number for dependencies and busy units; write-backs and "
               "prefetches take no time, and no other core takes bandwidth";
    }
    if ((parts & APMU_CORE_BRANCH) != 0) {
        return "exact for a predictor with the row's parameters, which for most cores are estimated; nothing is "
               "executed on the wrong path";
    }
    if ((parts & (APMU_CORE_L2 | APMU_CORE_LAST)) != 0) {
        return "exact for caches with the row's parameters; left out: prefetchers that the row lacks, the wrong path, "
               "coherence with other cores, traffic of the kernel and of other programs, physical addresses";
    }
    if ((parts & (APMU_CORE_L1I | APMU_CORE_L1D)) != 0) {
        return "exact for a cache with the row's parameters; left out: prefetchers that the row lacks, the wrong path, "
               "coherence with other cores, what the kernel displaces";
    }
    if (parts != 0) {
        return "exact for TLBs with the row's parameters; left out: large pages, what the kernel displaces";
    }
    return "a sum of what the core is told: exact for a core that never misspeculates";
}
