/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names the stubs of a procedure linkage table: a stub loads the address of a function from a slot, and a relocation
 * says which function the slot is for.  The instructions of the stub tell the slot, so that every linker's tables are
 * understood.
 *
 *      A64:  [bti c]   adrp x16, slot   ldr x17, [x16, #slot]   ...
 *      A32:  add ip, pc, #a   add ip, ip, #b   ldr pc, [ip, #c]!
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "profile_internal.h"

#define MOST_LOCAL 4096 /* IFUNCs of a file; more than any program has */

/* A slot and the name of the function whose address it gets. */
struct slot {
    uint64_t address;
    const char *name; /* NULL: the function at @target of this file */
    uint64_t target;
};

struct slots {
    struct slot *data;
    size_t count, room;
    size_t local; /* those of IFUNCs, which take a search each */
};

static int compare_slots(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;

    return x->address < y->address ? -1 : x->address > y->address;
}

/* Returns whether relocation @type fills a slot with the address of a function; *@local: of this file, an IFUNC. */
static bool fills_slot(GElf_Half machine, uint64_t type, bool *local)
{
    *local = machine == EM_AARCH64 ? type == R_AARCH64_IRELATIVE : type == R_ARM_IRELATIVE;
    return *local || (machine == EM_AARCH64 ? type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT
                                            : type == R_ARM_JUMP_SLOT || type == R_ARM_GLOB_DAT);
}

/* Returns the name of symbol @index of the symbol table @table. */
static const char *symbol_name(Elf *elf, size_t table, size_t index)
{
    Elf_Scn *section = elf_getscn(elf, table);
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Data *data = section == NULL || gelf_getshdr(section, &header) == NULL ? NULL : elf_getdata(section, NULL);

    if (data == NULL || index > INT32_MAX || gelf_getsym(data, (int)index, &symbol) == NULL) {
        return NULL;
    }
    return elf_strptr(elf, header.sh_link, symbol.st_name);
}

/* Adds the slots that the relocations of a section fill.  Returns false if there is no memory. */
static bool add_slots(struct slots *slots, Elf *elf, GElf_Half machine, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const size_t size = gelf_fsize(elf, header->sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
    const size_t count = data == NULL || size == 0 ? 0 : (size_t)(header->sh_size / size);

    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Rela r = {0};
        GElf_Rel plain;
        bool local;

        if (header->sh_type == SHT_RELA) {
            if (gelf_getrela(data, (int)i, &r) == NULL) {
                break;
            }
        } else if (gelf_getrel(data, (int)i, &plain) == NULL) {
            break;
        } else {
            r.r_offset = plain.r_offset;
            r.r_info = plain.r_info;
        }
        if (!fills_slot(machine, GELF_R_TYPE(r.r_info), &local)) {
            continue;
        }
        if (!profile_grow((void **)&slots->data, slots->count, &slots->room, sizeof *slots->data)) {
            return false;
        }
        slots->local += local;
        slots->data[slots->count++] = (struct slot){
            r.r_offset, local ? NULL : symbol_name(elf, header->sh_link, (size_t)GELF_R_SYM(r.r_info)),
            (uint64_t)r.r_addend};
    }
    return true;
}

static bool find_slots(struct slots *slots, Elf *elf, GElf_Half machine)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) != NULL && (header.sh_type == SHT_RELA || header.sh_type == SHT_REL) &&
            (header.sh_flags & SHF_ALLOC) != 0 && !add_slots(slots, elf, machine, section, &header)) {
            return false;
        }
    }
    if (slots->count > 0) {
        qsort(slots->data, slots->count, sizeof *slots->data, compare_slots);
    }
    return true;
}

static uint32_t word_at(const uint8_t *code)
{
    return (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

/* Returns the slot of the A64 stub whose ADRP is at @pc, in the @left bytes at @code; 0: this is none. */
static uint64_t slot_of_a64(const uint8_t *code, size_t left, uint64_t pc)
{
    const uint32_t adrp = word_at(code), ldr = left < 8 ? 0 : word_at(code + 4);

    if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211) { /* X16, then X17 from it */
        return 0;
    }
    const uint64_t pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
    const uint64_t page = (pages ^ 0x100000) - 0x100000; /* 21 bits with a sign */

    return (pc & ~UINT64_C(0xfff)) + (page << 12) + ((uint64_t)(ldr >> 10 & 0xfff) << 3);
}

/* Returns the value of an A32 immediate: 8 bits, rotated. */
static uint32_t immediate_of(uint32_t word)
{
    const uint32_t value = word & 0xff, by = word >> 7 & 30;

    return by == 0 ? value : value >> by | value << (32 - by);
}

/* The same for the A32 stub that begins at @pc. */
static uint64_t slot_of_a32(const uint8_t *code, size_t left, uint64_t pc)
{
    if (left < 12 || (word_at(code) & 0xfffff000) != 0xe28fc000 || (word_at(code + 4) & 0xfffff000) != 0xe28cc000 ||
        (word_at(code + 8) & 0xfffff000) != 0xe5bcf000) {
        return 0;
    }
    return (uint32_t)(pc + 8 + immediate_of(word_at(code)) + immediate_of(word_at(code + 4)) +
                      (word_at(code + 8) & 0xfff));
}

/* Returns the name of the IFUNC, or of another function, at @address of this file; NULL: there is none. */
static const char *function_at(const struct profile_object *o, size_t count, uint64_t address)
{
    const struct profile_elf_symbol *best = NULL;

    for (size_t i = 0; i < count; i++) {
        const struct profile_elf_symbol *s = &o->symbols[i];

        if (s->start == address && (best == NULL || s->ifunc > best->ifunc ||
                                    (s->ifunc == best->ifunc && profile_compare_aliases(s, best) < 0))) {
            best = s;
        }
    }
    return best == NULL ? NULL : best->name;
}

/* Adds the stub from @start to @end, which goes through the slot at @address. */
static bool add_stub(struct profile_object *o, const struct slots *slots, size_t before, uint64_t start, uint64_t end,
                     uint64_t address)
{
    const struct slot key = {.address = address};
    const struct slot *slot = slots->count == 0 ? NULL
        : bsearch(&key, slots->data, slots->count, sizeof key, compare_slots);
    const char *name = slot == NULL ? NULL : slot->name != NULL ? slot->name : function_at(o, before, slot->target);
    struct profile_elf_symbol s = {.start = start, .end = end, .function = PROFILE_NONE, .rank = 8};

    if (name == NULL || name[0] == '\0') {
        return true;
    }
    if (asprintf(&s.name, "%.*s@plt", (int)strcspn(name, "@"), name) < 0) {
        return false;
    }
    return profile_add_symbol(o, &s);
}

/* Adds the stubs of a section of code.  @before symbols were there before. */
static bool add_stubs(struct profile_object *o, const struct slots *slots, size_t before, Elf_Scn *section,
                      const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const uint8_t *code = data == NULL ? NULL : data->d_buf;
    const size_t size = code == NULL ? 0 : data->d_size;

    for (size_t at = 0; at + 4 <= size; at += 4) {
        const uint64_t pc = header->sh_addr + at;
        const uint64_t slot = o->a32 ? slot_of_a32(code + at, size - at, pc) : slot_of_a64(code + at, size - at, pc);
        /* BTI C and, in A32, BX PC with its NOP for T32 callers are in front. */
        const bool bti = !o->a32 && at >= 4 && word_at(code + at - 4) == 0xd503245f;
        const bool thumb = o->a32 && at >= 4 && word_at(code + at - 4) == 0x46c04778;
        const uint64_t start = bti || thumb ? pc - 4 : pc;
        uint64_t length = o->a32 ? 12 : 16;

        if (slot == 0) {
            continue;
        }
        if (at + length > size) {
            length = size - at;
        }
        if (!add_stub(o, slots, before, start, pc + length, slot)) {
            return false;
        }
    }
    return true;
}

bool profile_read_plt(struct profile_object *o, Elf *elf)
{
    struct slots slots = {0};
    const size_t before = o->symbol_count;
    GElf_Ehdr file;
    size_t names;
    Elf_Scn *section = NULL;
    bool done = true;

    if (gelf_getehdr(elf, &file) == NULL || elf_getshdrstrndx(elf, &names) != 0 ||
        (file.e_machine != EM_AARCH64 && file.e_machine != EM_ARM)) {
        return true;
    }
    done = find_slots(&slots, elf, file.e_machine);
    while (done && slots.local <= MOST_LOCAL && (section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) == NULL ? NULL : elf_strptr(elf, names, header.sh_name);

        if (name != NULL && header.sh_type == SHT_PROGBITS &&
            (strncmp(name, ".plt", 4) == 0 || strcmp(name, ".iplt") == 0)) {
            done = add_stubs(o, &slots, before, section, &header);
        }
    }
    free(slots.data);
    return done;
}
