/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds functions without a symbol by the information for unwinding: a stripped file still says in .eh_frame where each
 * of its functions begins and ends.  Such a function is called by its address, "[0x34ac0]", so that the functions of a
 * file without symbols are told apart.
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile_internal.h"

#define RANK_OF_FRAME 8 /* a size, and nothing else: any symbol of a function is taken before it */

/* The section .eh_frame. */
struct frames {
    Elf_Data *data;
    uint64_t address;
    unsigned char ident[EI_NIDENT];
};

/* Finds the section.  Returns false if there is none. */
static bool find_frames(Elf *elf, struct frames *f)
{
    size_t size;
    GElf_Shdr header;
    Elf_Scn *section = profile_next_section(elf, NULL, ".eh_frame", &header);
    const char *ident = elf_getident(elf, &size);

    if (section == NULL || ident == NULL || size < EI_NIDENT) {
        return false;
    }
    memcpy(f->ident, ident, EI_NIDENT);
    f->address = header.sh_addr;
    f->data = elf_rawdata(section, NULL);
    return f->data != NULL && f->data->d_buf != NULL;
}

/* Returns how the addresses of the entries of @cie are encoded: a value of DW_EH_PE_x. */
static uint8_t encoding_of(const Dwarf_CIE *cie)
{
    const char *letter = cie->augmentation;
    const uint8_t *value = cie->augmentation_data, *end = value + cie->augmentation_data_size;

    if (letter == NULL || *letter != 'z') {
        return DW_EH_PE_absptr;
    }
    for (letter++; *letter != '\0' && value != NULL && value < end; letter++) {
        if (*letter == 'R') {
            return *value;
        }
        if (*letter == 'L') {
            value++;
        } else if (*letter != 'S' && *letter != 'B') {
            return DW_EH_PE_omit; /* a personality: its length depends on its own encoding */
        }
    }
    return letter[0] == '\0' ? DW_EH_PE_absptr : DW_EH_PE_omit;
}

/* Returns the encoding where a personality comes first, whose encoding is @value[0]. */
static uint8_t encoding_after_personality(const Dwarf_CIE *cie)
{
    const char *letter = cie->augmentation != NULL ? strchr(cie->augmentation, 'P') : NULL;
    const uint8_t *value = cie->augmentation_data, *end = value + cie->augmentation_data_size;
    size_t size;

    if (letter == NULL || letter != cie->augmentation + 1 || value >= end) {
        return DW_EH_PE_omit;
    }
    switch (*value & 0x0f) {
    case DW_EH_PE_sdata4: case DW_EH_PE_udata4: size = 4; break;
    case DW_EH_PE_absptr: case DW_EH_PE_sdata8: case DW_EH_PE_udata8: size = 8; break;
    default: return DW_EH_PE_omit;
    }
    value += 1 + size;
    for (letter++; *letter == 'L' || *letter == 'R'; letter++, value++) {
        if (value >= end) {
            return DW_EH_PE_omit;
        }
        if (*letter == 'R') {
            return *value;
        }
    }
    return DW_EH_PE_omit;
}

/* Reads the range of the entry @fde.  Returns false if it is encoded in a way that compilers do not use. */
static bool read_range(const struct frames *f, const Dwarf_FDE *fde, uint8_t encoding, uint64_t *start, uint64_t *end)
{
    const uint8_t *at = fde->start;
    const bool wide = (encoding & 0x0f) == DW_EH_PE_absptr || (encoding & 0x07) == DW_EH_PE_udata8;
    const size_t size = wide ? 8 : 4;
    uint64_t length;

    if ((!wide && (encoding & 0x07) != DW_EH_PE_udata4) || encoding == DW_EH_PE_omit ||
        f->ident[EI_DATA] != ELFDATA2LSB || f->ident[EI_CLASS] != ELFCLASS64 || at == NULL || fde->end < at ||
        (size_t)(fde->end - at) < 2 * size) {
        return false;
    }
    if (wide) {
        memcpy(start, at, 8);
        memcpy(&length, at + 8, 8);
    } else {
        int32_t relative;
        uint32_t size32;

        memcpy(&relative, at, 4);
        memcpy(&size32, at + 4, 4);
        *start = (encoding & DW_EH_PE_signed) != 0 ? (uint64_t)(int64_t)relative : (uint32_t)relative;
        length = size32;
    }
    switch (encoding & 0x70) {
    case DW_EH_PE_absptr: break;
    case DW_EH_PE_pcrel: *start += f->address + (uint64_t)(at - (const uint8_t *)f->data->d_buf); break;
    default: return false;
    }
    *end = *start + length;
    return length != 0 && *end > *start;
}

static int by_start(const void *a, const void *b)
{
    const struct profile_elf_symbol *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

/*
 * Returns whether one of the @count symbols @sorted begins in the range, or one with a size covers its beginning.  A
 * procedure linkage table is one entry and has a symbol for each stub.
 */
static bool is_named(const struct profile_elf_symbol *sorted, size_t count, uint64_t start, uint64_t end)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = (low + high) / 2;

        if (sorted[middle].start < start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (low < count && sorted[low].start < end) ||
           (low > 0 && (sorted[low - 1].rank & RANK_OF_FRAME) != 0 && start < sorted[low - 1].end);
}

/* Adds the function of an entry, unless it has a symbol.  Returns false if there is no memory. */
static bool add_range(struct profile_object *o, size_t named, uint64_t start, uint64_t end)
{
    struct profile_elf_symbol s = {.start = start, .end = end, .function = PROFILE_NONE, .rank = RANK_OF_FRAME};

    if (is_named(o->symbols, named, start, end)) {
        return true;
    }
    if (asprintf(&s.name, PROFILE_NAMELESS "0x%" PRIx64 "]", start) < 0) {
        return false;
    }
    return profile_add_symbol(o, &s);
}

/* Returns how addresses are encoded in the entries of the CIE at @offset. */
static uint8_t encoding_at(const struct frames *f, Dwarf_Off offset)
{
    Dwarf_CFI_Entry entry;
    Dwarf_Off next;
    uint8_t encoding;

    if (dwarf_next_cfi(f->ident, f->data, true, offset, &next, &entry) != 0 || !dwarf_cfi_cie_p(&entry)) {
        return DW_EH_PE_omit;
    }
    encoding = encoding_of(&entry.cie);
    return encoding != DW_EH_PE_omit ? encoding : encoding_after_personality(&entry.cie);
}

bool profile_read_frames(struct profile_object *o, Elf *elf)
{
    const size_t named = o->symbol_count;
    struct frames f;
    Dwarf_Off offset = 0, next = 0;
    Dwarf_CFI_Entry entry;
    uint8_t encoding = DW_EH_PE_omit;
    Dwarf_Off cie = (Dwarf_Off)-1; /* the one that `encoding` is of */

    if (!find_frames(elf, &f)) {
        return true;
    }
    if (named > 0) {
        qsort(o->symbols, named, sizeof *o->symbols, by_start);
    }
    /* Each entry ends after it begins, so the loop ends with the section. */
    for (; dwarf_next_cfi(f.ident, f.data, true, offset, &next, &entry) == 0 && next > offset; offset = next) {
        uint64_t start, end;

        if (dwarf_cfi_cie_p(&entry)) {
            continue;
        }
        if (entry.fde.CIE_pointer != cie) {
            cie = entry.fde.CIE_pointer;
            encoding = encoding_at(&f, cie);
        }
        if (read_range(&f, &entry.fde, encoding, &start, &end) && !add_range(o, named, start, end)) {
            return false;
        }
    }
    return true;
}
