/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads from an ELF file where its functions begin: from the symbol table, or from the dynamic symbols and the table of
 * unwind information, which stripped files have.
 *
 * The file may hold anything.  All of it is read by pread() into memory of bounded size, and every number in it is
 * checked before it is used.
 */
#define _GNU_SOURCE
#include "functions.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES ((uint64_t)256 << 20) /* of a table */
#define MOST_SEGMENTS 64u
#define MOST_FUNCTIONS ((size_t)8 << 20)

#define EH_PE_DATAREL_SDATA4 0x3b
#define EH_PE_UDATA4 3

struct elf_segment {
    uint64_t address, offset, size;
};

/* A file that is read. */
struct file {
    int fd;
    bool wide; /* 64-bit */
    unsigned segments;
    struct elf_segment segment[MOST_SEGMENTS]; /* those that are loaded */
    struct elf_segment unwind, exceptions; /* .eh_frame_hdr, .ARM.exidx; size 0: there is none */
    uint64_t sections, section_size; /* the offset of section headers, and the bytes of one */
    unsigned section_count;
    uint64_t *found;
    size_t count, room;
};

static bool read_at(const struct file *f, void *to, size_t size, uint64_t offset)
{
    return offset <= INT64_MAX && pread(f->fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* Returns the @size bytes at @offset, which the caller frees, or NULL. */
static void *read_table(const struct file *f, uint64_t offset, uint64_t size)
{
    if (size == 0 || size > MOST_BYTES) {
        return NULL;
    }
    void *table = malloc(size);
    if (table != NULL && !read_at(f, table, size, offset)) {
        free(table);
        table = NULL;
    }
    return table;
}

/* Adds the function at @address. */
static void add(struct file *f, uint64_t address)
{
    for (unsigned i = 0; i < f->segments; i++) {
        const struct elf_segment *s = &f->segment[i];
        if (address < s->address || address - s->address >= s->size) {
            continue;
        }
        if (f->count == f->room) {
            const size_t room = f->room == 0 ? 1024 : f->room * 2;
            uint64_t *more = room <= MOST_FUNCTIONS ? realloc(f->found, room * sizeof *more) : NULL;
            if (more == NULL) {
                return;
            }
            f->found = more;
            f->room = room;
        }
        f->found[f->count++] = s->offset + (address - s->address);
        return;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Headers.
 */

static void add_segment(struct file *f, uint32_t type, const struct elf_segment *s)
{
    if (type == PT_LOAD && f->segments < MOST_SEGMENTS) {
        f->segment[f->segments++] = *s;
    } else if (type == PT_GNU_EH_FRAME) {
        f->unwind = *s;
    } else if (type == PT_ARM_EXIDX) {
        f->exceptions = *s;
    }
}

static bool read_headers_64(struct file *f)
{
    Elf64_Ehdr head;
    Elf64_Phdr p;

    if (!read_at(f, &head, sizeof head, 0) || head.e_phentsize != sizeof p) {
        return false;
    }
    for (unsigned i = 0; i < head.e_phnum && i < 4 * MOST_SEGMENTS; i++) {
        if (read_at(f, &p, sizeof p, head.e_phoff + i * sizeof p)) {
            add_segment(f, p.p_type, &(struct elf_segment){p.p_vaddr, p.p_offset, p.p_filesz});
        }
    }
    f->sections = head.e_shoff;
    f->section_size = head.e_shentsize;
    f->section_count = head.e_shentsize == sizeof(Elf64_Shdr) ? head.e_shnum : 0;
    return true;
}

static bool read_headers_32(struct file *f)
{
    Elf32_Ehdr head;
    Elf32_Phdr p;

    if (!read_at(f, &head, sizeof head, 0) || head.e_phentsize != sizeof p) {
        return false;
    }
    for (unsigned i = 0; i < head.e_phnum && i < 4 * MOST_SEGMENTS; i++) {
        if (read_at(f, &p, sizeof p, head.e_phoff + i * sizeof p)) {
            add_segment(f, p.p_type, &(struct elf_segment){p.p_vaddr, p.p_offset, p.p_filesz});
        }
    }
    f->sections = head.e_shoff;
    f->section_size = head.e_shentsize;
    f->section_count = head.e_shentsize == sizeof(Elf32_Shdr) ? head.e_shnum : 0;
    return true;
}

static bool read_headers(struct file *f)
{
    unsigned char ident[EI_NIDENT];

    if (!read_at(f, ident, sizeof ident, 0) || memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_DATA] != ELFDATA2LSB) {
        return false;
    }
    f->wide = ident[EI_CLASS] == ELFCLASS64;
    return f->wide ? read_headers_64(f) : ident[EI_CLASS] == ELFCLASS32 && read_headers_32(f);
}

/* Reads section header @n, in the 64-bit form. */
static bool read_section(const struct file *f, uint32_t n, Elf64_Shdr *to)
{
    Elf32_Shdr s;

    if (n >= f->section_count) {
        return false;
    }
    if (f->wide) {
        return read_at(f, to, sizeof *to, f->sections + n * f->section_size);
    }
    if (!read_at(f, &s, sizeof s, f->sections + n * f->section_size)) {
        return false;
    }
    *to = (Elf64_Shdr){.sh_type = s.sh_type, .sh_offset = s.sh_offset, .sh_size = s.sh_size, .sh_link = s.sh_link};
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Tables.
 */

/* Returns whether @name, in the @size bytes at @names, is that of a part of a function that a compiler moved away. */
static bool is_part(const char *names, uint64_t size, uint32_t name)
{
    if (names == NULL || name >= size) {
        return false;
    }
    const char *dot = memmem(names + name, strnlen(names + name, size - name), ".cold", 5);
    return dot != NULL && (dot[5] == '\0' || dot[5] == '.');
}

/* Adds the functions of the symbol table @s. */
static void add_symbols(struct file *f, const Elf64_Shdr *s)
{
    const size_t entry = f->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    Elf64_Shdr strings = {.sh_size = 0};
    unsigned char *table = read_table(f, s->sh_offset, s->sh_size / entry * entry);
    const bool named = read_section(f, s->sh_link, &strings) && strings.sh_type == SHT_STRTAB;
    char *names = named ? read_table(f, strings.sh_offset, strings.sh_size) : NULL;

    for (uint64_t i = 0; table != NULL && i < s->sh_size / entry; i++) {
        Elf64_Sym symbol;
        if (f->wide) {
            memcpy(&symbol, table + i * entry, sizeof symbol);
        } else {
            Elf32_Sym narrow;
            memcpy(&narrow, table + i * entry, sizeof narrow);
            symbol = (Elf64_Sym){.st_name = narrow.st_name, .st_info = narrow.st_info, .st_shndx = narrow.st_shndx,
                                 .st_value = narrow.st_value & ~(Elf32_Addr)1};
        }
        const unsigned type = ELF64_ST_TYPE(symbol.st_info);
        if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF &&
            !is_part(names, strings.sh_size, symbol.st_name)) {
            add(f, symbol.st_value);
        }
    }
    free(names);
    free(table);
}

/* Adds the functions of the file's tables of symbols.  Returns whether it has one of all symbols. */
static bool add_all_symbols(struct file *f)
{
    bool all = false;
    Elf64_Shdr s;

    for (unsigned n = 0; n < f->section_count; n++) {
        if (read_section(f, n, &s) && (s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM)) {
            add_symbols(f, &s);
            all = all || s.sh_type == SHT_SYMTAB;
        }
    }
    return all;
}

/* Adds the functions of .eh_frame_hdr. */
static void add_unwind(struct file *f)
{
    const uint64_t size = f->unwind.size;
    unsigned char *table = size >= 12 ? read_table(f, f->unwind.offset, size) : NULL;
    uint32_t count;

    if (table != NULL && table[0] == 1 && table[2] == EH_PE_UDATA4 && table[3] == EH_PE_DATAREL_SDATA4) {
        memcpy(&count, table + 8, sizeof count);
        for (uint64_t i = 0; i < count && 12 + (i + 1) * 8 <= size; i++) {
            int32_t at;
            memcpy(&at, table + 12 + i * 8, sizeof at);
            add(f, f->unwind.address + (uint64_t)(int64_t)at);
        }
    }
    free(table);
}

/* Adds the functions of .ARM.exidx. */
static void add_exceptions(struct file *f)
{
    const uint64_t size = f->exceptions.size;
    unsigned char *table = read_table(f, f->exceptions.offset, size);

    for (uint64_t i = 0; table != NULL && (i + 1) * 8 <= size; i++) {
        uint32_t word;
        memcpy(&word, table + i * 8, sizeof word);
        const uint32_t distance = (word & 0x7fffffff) | (word & 0x40000000) << 1;
        add(f, (uint32_t)(f->exceptions.address + i * 8 + distance) & ~UINT32_C(1));
    }
    free(table);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint64_t *functions_of(const char *path, size_t *count)
{
    struct file f = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};

    *count = 0;
    if (f.fd < 0) {
        return NULL;
    }
    if (read_headers(&f) && !add_all_symbols(&f)) {
        add_unwind(&f);
        add_exceptions(&f);
    }
    close(f.fd);
    if (f.count > 0) {
        qsort(f.found, f.count, sizeof f.found[0], compare);
    }
    *count = f.count;
    return f.found;
}
