/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the GIC's enables and pending bits of private interrupts, which a debugger or a shell reads by address:
 *
 *     (gdb) # redistributor of cpu0, SGI frame
 *     0x80b0100:   0x4000ffff
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "registers.h"

#define LINES 2000 /* the rest of a longer text is not read */
#define WORDS 8    /* of a line of a dump */

/* The frames of a GIC that have such registers. */
enum gic_frame { GIC_NONE, GIC_DISTRIBUTOR, GIC_REDISTRIBUTOR };

/* Returns the frame that @text names. */
static enum gic_frame frame_of(const char *text)
{
    static const char *const redistributor[] = {"gicr", "redist", "sgi frame", "sgi_base", "sgi page"};

    for (size_t i = 0; i < sizeof redistributor / sizeof redistributor[0]; i++) {
        if (strcasestr(text, redistributor[i]) != NULL) {
            return GIC_REDISTRIBUTOR;
        }
    }
    return strcasestr(text, "distributor") != NULL || strcasestr(text, "gicd") != NULL ? GIC_DISTRIBUTOR : GIC_NONE;
}

/*
 * Returns true if the input is about interrupts of a core whose private memory has the distributor at 0x1000, as those
 * of ARMv7 with several cores do.  Then the distributor's words tell themselves by their addresses.
 */
static bool has_private_gic(const struct reading *r)
{
    static const char *const cores[] = {"Cortex-A5",  "Cortex-A7",  "Cortex-A9",
                                        "Cortex-A12", "Cortex-A15", "Cortex-A17"};
    const char *name = r->machine.core != NULL ? r->machine.core->name : "";

    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        if (strcmp(name, cores[i]) == 0) {
            return strcasestr(r->text.joined, "irq") != NULL || strcasestr(r->text.joined, "interrupt") != NULL ||
                   strcasestr(r->text.joined, "gic") != NULL;
        }
    }
    return false;
}

/* The distributor's words of shared interrupts. */
struct gic_shared {
    uint32_t enable[32], pending[32]; /* of ISENABLER<n> and ISPENDR<n> */
    uint32_t enables, pendings;       /* which of them are known, a bit for each */
    uint32_t line;
};

/* Notes @value if @address is that of ISENABLER<n> or ISPENDR<n>, n from 1, or of their clearing halves. */
static bool take_shared(struct gic_shared *g, uint64_t address, uint32_t value, uint32_t line)
{
    const unsigned offset = (unsigned)(address & 0xFFF), n = offset / 4 % 32;

    if (offset < 0x100 || offset >= 0x300 || n == 0) {
        return false;
    }
    (offset < 0x200 ? g->enable : g->pending)[n] = value;
    *(offset < 0x200 ? &g->enables : &g->pendings) |= UINT32_C(1) << n;
    g->line = line;
    return true;
}

/* Adds a clue for an interrupt that is pending and not enabled. */
static void find_shared_off(struct reading *r, const struct gic_shared *g)
{
    for (unsigned n = 1; n < 32; n++) {
        const uint32_t off = g->pending[n] & ~g->enable[n];

        if ((g->enables & g->pendings) >> n & 1 && off != 0) {
            reading_clue(r, CLUE_exception_gic_off, g->line, NULL)->values[0] = 32 * n + (unsigned)__builtin_ctz(off);
            return;
        }
    }
}

/* Notes @value if @address is that of ISENABLER0, ISPENDR0 or their clearing halves in @frame. */
static bool take_word(struct reading *r, enum gic_frame frame, uint64_t address, uint64_t value, uint32_t line)
{
    const uint64_t offset = address & (frame == GIC_REDISTRIBUTOR ? 0xFFFF : 0xFFF);
    const bool enable = offset == 0x100 || offset == 0x180, pending = offset == 0x200 || offset == 0x280;

    if (!enable && !pending) {
        return false;
    }
    reading_learn(&r->extras[frame == GIC_REDISTRIBUTOR ? (enable ? READING_GICR_ENABLE : READING_GICR_PENDING)
                                                        : (enable ? READING_GICD_ENABLE : READING_GICD_PENDING)],
                  value, line);
    return true;
}

/*
 * Takes the words of a line of a dump, "080b0100: 4000ffff 00000000".  @by_address: those that the private memory of
 * ARMv7 cores has where the distributor is.  Returns true if one of them is the GIC's.
 */
static bool take_dump(struct reading *r, enum gic_frame frame, bool by_address, struct gic_shared *shared,
                      const char *text, uint32_t line)
{
    char *end;
    uint64_t address = strtoull(text, &end, 16);
    bool found = false;

    if (end == text || end - text < 6 || *end != ':') {
        return false;
    }
    end++;
    for (unsigned i = 0; i < WORDS; i++, address += 4) {
        const char *word = end + strspn(end, " \t");
        const uint64_t value = strtoull(word, &end, 16);
        const size_t digits = (size_t)(end - word) - (strncmp(word, "0x", 2) == 0 ? 2 : 0);

        if (end == word || digits != 8 || strchr(" \t\r\n", *end) == NULL) {
            break; /* a word of another size, or text */
        }
        if (by_address && (address & 0x1C00) != 0x1000) {
            continue; /* of the interface of the cores, or of another block */
        }
        found |= take_word(r, frame, address, value, line) ||
                 (frame == GIC_DISTRIBUTOR && take_shared(shared, address, (uint32_t)value, line));
    }
    return found;
}

/* Reads the words of the GIC from line to line, from @frame on.  @by_address: see take_dump(). */
static void read_frames(struct reading *r, enum gic_frame frame, bool by_address)
{
    struct registers_memory commands = {0};
    struct gic_shared shared = {.line = 0};

    for (size_t i = 0; i < r->text.count && i < LINES; i++) {
        const struct text_line *line = &r->text.lines[i];
        const enum gic_frame here = line->length < 300 ? frame_of(line->text) : GIC_NONE;
        char word[64];
        bool found;

        frame = here != GIC_NONE ? here : frame;
        if (line->length == 0 || line->length > 200) {
            continue;
        }
        found = take_dump(r, frame, by_address, &shared, line->text + text_blanks(line->text), line->number);
        if (!found && registers_memory_line(&commands, line->text, line->length, word) != 0) {
            found = take_dump(r, frame, by_address, &shared, word, line->number);
        }
        if (found) {
            text_claim(&r->text, i, TEXT_REGISTERS);
        }
    }
    find_shared_off(r, &shared);
}

void registers_gic(struct reading *r)
{
    const enum gic_frame frame = r->text.joined == NULL ? GIC_NONE : frame_of(r->text.joined); /* then the last named */

    if (frame != GIC_NONE) {
        read_frames(r, frame, false);
    }
}

void read_private_gic(struct reading *r)
{
    if (r->text.joined != NULL && frame_of(r->text.joined) == GIC_NONE && has_private_gic(r)) {
        read_frames(r, GIC_DISTRIBUTOR, true);
    }
}
