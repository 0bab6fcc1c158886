/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gathers the little-endian memory of the external view, and takes the registers in it.  The memory comes from a dump
 * of U-Boot's md, GDB's x, OpenOCD's mdw or Trace32's Data.dump, or from reads of a target.
 */
#include <stdio.h>
#include <string.h>

#include "internal.h"

#define FRAME 0x1000u /* bytes */

void state_memory_init(struct state_memory *m)
{
    memset(m->known, 0, sizeof m->known);
    memset(m->later_known, 0, sizeof m->later_known);
    m->any = false;
    m->first_line = 0;
    m->outside = false;
}

static bool byte_known(const struct state_memory *m, unsigned at)
{
    return (m->known[at / 8] >> (at % 8) & 1) != 0;
}

/* Returns the number of blanks at the beginning of @text. */
static size_t count_blanks(const char *text, size_t length)
{
    size_t n = 0;

    while (n < length && (text[n] == ' ' || text[n] == '\t')) {
        n++;
    }
    return n;
}

/*
 * Parses the address that begins a line of a dump: "fd5f9e00:", "0xfd5f9e00 <pmu+4>:", "ANSD:FD5F9E00|".  Returns the
 * number of characters, 0 if there is no address.
 */
static size_t parse_address(const char *text, size_t length, uint64_t *address)
{
    size_t at = count_blanks(text, length), digits = 0, letters = at;

    while (letters < length && letters < at + 6 && text[letters] >= 'A' && text[letters] <= 'Z') {
        letters++;
    }
    if (letters > at && letters < length && text[letters] == ':') {
        at = letters + 1;
    }
    if (at + 2 < length && text[at] == '0' && (text[at + 1] | 0x20) == 'x') {
        at += 2;
    }
    *address = 0;
    while (at < length && state_hex(text[at]) >= 0 && digits < 17) {
        *address = *address << 4 | (unsigned)state_hex(text[at++]);
        digits++;
    }
    if (digits < 4 || digits > 16) {
        return 0;
    }
    at += count_blanks(text + at, length - at);
    if (at < length && text[at] == '<') {
        const char *close = memchr(text + at, '>', length - at);

        if (close == NULL) {
            return 0;
        }
        at = (size_t)(close - text) + 1;
    }
    return at < length && (text[at] == ':' || text[at] == '|') ? at + 1 : 0;
}

bool state_is_memory_line(const char *text, size_t length)
{
    uint64_t address;

    return parse_address(text, length, &address) != 0;
}

/*
 * Parses a value of a dump, of 2, 4, 8 or 16 hexadecimal digits, and stores its size in *@bytes.  Returns the number of
 * characters, 0 if there is no value.
 */
static size_t parse_value(const char *text, size_t length, uint64_t *value, unsigned *bytes)
{
    size_t at = length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x' ? 2 : 0;
    unsigned digits = 0;

    *value = 0;
    while (at < length && state_hex(text[at]) >= 0 && digits < 17) {
        *value = *value << 4 | (unsigned)state_hex(text[at++]);
        digits++;
    }
    *bytes = digits / 2;
    if ((digits != 2 && digits != 4 && digits != 8 && digits != 16) || (at < length && state_is_word(text[at]))) {
        return 0;
    }
    return at;
}

/*
 * Stores a byte of the frame.  If the byte is known, it is one of a later moment where the state has moments; otherwise
 * keeps the first value and adds a remark if they differ.
 */
static void store_byte(struct state_memory *m, struct state *s, unsigned offset, uint8_t byte, uint32_t line)
{
    if (!byte_known(m, offset)) {
        m->known[offset / 8] |= (uint8_t)(1u << (offset % 8));
        m->bytes[offset] = byte;
        m->lines[offset / 4] = line;
    } else if (s->moments) {
        m->later_known[offset / 8] |= (uint8_t)(1u << (offset % 8));
        m->later[offset] = byte;
        m->later_lines[offset / 4] = line;
    } else if (m->bytes[offset] != byte && !s->again) {
        char name[16];
        struct state_remark *r;

        snprintf(name, sizeof name, "0x%03X", offset & ~3u);
        r = state_remark(s, STATE_CONFLICT, line, name, strlen(name), "");
        r->other = m->lines[offset / 4];
        r->value = byte;
        r->kept = m->bytes[offset];
    }
}

bool state_memory_line(struct state_memory *m, struct state *s, const char *text, size_t length, uint32_t line,
                       const struct state_frame *frame)
{
    uint64_t address, value;
    unsigned width = 0, bytes;
    size_t at = parse_address(text, length, &address), used;
    bool any = false;

    if (at == 0) {
        return false;
    }
    /* DWT and DEMCR of M-profile, where no frame is given, are no registers of the external view. */
    const bool system_space = address >> 20 == 0xE00 && (frame == NULL || !frame->given);

    for (;;) {
        size_t gap = count_blanks(text + at, length - at);

        if (any && gap >= 3) {
            break; /* what follows shows the same bytes as characters */
        }
        if (at + gap < length && (text[at + gap] == '>' || text[at + gap] == '*')) {
            gap++; /* Trace32 marks a value so */
        }
        used = parse_value(text + at + gap, length - at - gap, &value, &bytes);
        if (used == 0 || (any && bytes != width)) {
            break;
        }
        any = true;
        width = bytes;
        at += gap + used;
        for (unsigned i = 0; i < bytes; i++, address++) {
            if (frame == NULL || !frame->given || address - frame->base >= FRAME) {
                m->outside = true;
            } else {
                store_byte(m, s, (unsigned)(address - frame->base), (uint8_t)(value >> (8 * i)), line);
            }
        }
    }
    if (any && !m->any && !system_space) {
        m->any = true;
        m->first_line = line;
    }
    return any;
}

void state_memory_word(struct state_memory *m, unsigned offset, uint32_t word)
{
    m->any = true;
    m->lines[offset / 4] = STATE_LINE_LIVE;
    for (unsigned i = 0; i < 4; i++, offset++) {
        m->known[offset / 8] |= (uint8_t)(1u << (offset % 8));
        m->bytes[offset] = (uint8_t)(word >> (8 * i));
    }
}

/* Stores the word at @offset in *@value.  Returns false if a byte of it is not known. */
static bool word_known(const struct state_memory *m, unsigned offset, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (!byte_known(m, offset + i)) {
            return false;
        }
        *value |= (uint64_t)m->bytes[offset + i] << (8 * i);
    }
    return true;
}

/* Stores the word at @offset of the last moment in *@value.  Returns false if it was read once only. */
static bool later_word(const struct state_memory *m, unsigned offset, uint64_t *value)
{
    const unsigned known = (unsigned)m->later_known[offset / 8] >> (offset % 8) & 15u;

    *value = 0;
    for (unsigned i = 0; i < 4; i++) {
        *value |= (uint64_t)m->later[offset + i] << (8 * i);
    }
    return known == 15;
}

/* Finds the layout of the frame.  Returns false if neither PMDEVARCH nor --features tells it. */
static bool find_layout(const struct state_memory *m, const struct state *s, enum names_layout *layout)
{
    const uint64_t both = APMU_FEAT(PMUv3_EXT32) | APMU_FEAT(PMUv3_EXT64);
    uint64_t devarch;

    if (word_known(m, 0xFBC, &devarch) || STATE_FIELD(s, PMDEVARCH, 0, ARCHPART, &devarch)) {
        const uint64_t part = devarch & 0xFFF;

        *layout = part == 0xA26 ? NAMES_EXT64 : NAMES_EXT32;
        return part == 0xA26 || part == 0xA16;
    }
    *layout = (s->features & APMU_FEAT(PMUv3_EXT64)) != 0 ? NAMES_EXT64 : NAMES_EXT32;
    if (s->moments && word_known(m, 0xE04, &devarch) && devarch != 0 && !word_known(m, 0xE10, &devarch)) {
        return true; /* whoever reads PMCR at 0xE04 has the older layout, which nearly all parts have */
    }
    return (s->features & both) != 0;
}

/* Returns true if the frame is that of an ARMv7 core, whose PMCR has an IDCODE in the external view, too. */
static bool is_armv7(const struct state_memory *m, const struct state *s)
{
    uint64_t pmcr;

    if (s->core != NULL) {
        return s->core->pmu == APMU_CORE_PMU_V1 || s->core->pmu == APMU_CORE_PMU_V2;
    }
    return word_known(m, 0xE04, &pmcr) && state_core_by_idcode(pmcr) != NULL;
}

/*
 * Finds the register at @offset.  ARMv7 has its counters in words, PMEVCNTR<n> at 4 * n and PMCCNTR at 0x07C.  Returns
 * false if there is none.
 */
static bool find_place(unsigned offset, bool armv7, enum names_layout layout, struct names_place *place)
{
    char name[16];

    if (!armv7 || offset > 0x7C) {
        return names_by_offset(offset, layout, place);
    }
    snprintf(name, sizeof name, offset < 0x7C ? "PMEVCNTR%u" : "PMCCNTR", offset / 4);
    return names_by_name(name, strlen(name), place);
}

/*
 * Decides by PMCFGR, which can be read if the counters can.  PMCFGR is not 0 in any PMU, because PMCFGR.SIZE is not 0.
 * OpenOCD and some buses give 0 for reads that fail, so a PMCFGR of 0 says that no word is a register.
 */
const char *state_memory_denied(const struct state_memory *m, bool all_read)
{
    uint64_t pmcfgr, devarch;

    if (word_known(m, 0xE00, &pmcfgr) ? pmcfgr != 0 : !all_read) {
        return NULL;
    }
    if (word_known(m, 0xFBC, &devarch) && ((devarch & 0xFFF) == 0xA16 || (devarch & 0xFFF) == 0xA26)) {
        return "a PMU is there, but its PMCFGR (0xE00) cannot be read, nor can the counters: clear the OS Lock "
               "(OSLAR_EL1), allow external accesses in MDCR_EL3.EPMAD, power the core up";
    }
    return "PMCFGR (0xE00) is 0 or cannot be read, so no PMU is seen (OpenOCD answers 0 for what it cannot read): give "
           "the address at which this input sees the external view, and power the core up";
}

static bool same_place(const struct names_place *a, const struct names_place *b)
{
    return a->reg == b->reg && a->n == b->n && a->mask == b->mask;
}

/* Returns true if a read of the register gives 0 or whatever the bus gives, and not a value of the register. */
static bool write_only(enum apmu_reg reg)
{
    return !apmu_reg_info(reg)->readable || reg == APMU_REG_PMLAR;
}

void state_memory_finish(struct state_memory *m, struct state *s, const struct state_frame *frame)
{
    enum names_layout layout;
    unsigned ambiguous = FRAME; /* the first offset whose register depends on the layout */

    if (!m->any) {
        return;
    }
    if (frame == NULL || !frame->given) {
        state_remark(s, STATE_UNUSED, m->first_line, "memory", 6, "give the address of the frame: --base=ADDRESS");
        return;
    }
    const char *denied = state_memory_denied(m, false);

    if (denied != NULL) {
        state_remark(s, STATE_UNUSED, m->lines[0xE00 / 4], "memory", 6, denied);
        return;
    }
    if (m->outside) {
        state_remark(s, STATE_UNUSED, m->first_line, "memory", 6, "some of it is outside the 4 KiB from --base on");
    }
    const bool armv7 = is_armv7(m, s), known = find_layout(m, s, &layout) || armv7;

    s->memory = true;
    for (unsigned offset = 0; offset < FRAME; offset += 4) {
        struct names_place place, other;
        uint64_t value;
        char name[16];

        if (!word_known(m, offset, &value) || !find_place(offset, armv7, layout, &place) || write_only(place.reg) ||
            place.reg == APMU_REG_PMEVFILT2R) {
            continue;
        }
        if (!known && (!names_by_offset(offset, layout == NAMES_EXT32 ? NAMES_EXT64 : NAMES_EXT32, &other) ||
                       !same_place(&place, &other))) {
            ambiguous = ambiguous == FRAME ? offset : ambiguous;
            continue;
        }
        snprintf(name, sizeof name, "0x%03X", offset);
        state_take(s, &place, value, m->lines[offset / 4], name, strlen(name));
        if (later_word(m, offset, &value)) {
            state_take(s, &place, value, m->later_lines[offset / 4], name, strlen(name));
        }
    }
    if (ambiguous != FRAME) {
        state_remark(s, STATE_UNUSED, m->lines[ambiguous / 4], "memory", 6,
                     "some words are other registers in each layout: dump PMDEVARCH (0xFBC), which tells it, or give "
                     "--features=PMUv3_EXT32 or PMUv3_EXT64");
    }
}
