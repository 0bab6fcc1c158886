/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the symbols of functions of an ELF file.  Of names for one address the function is taken before the label, the
 * one with a size, the global one, then the weak one, then the one with fewer underscores at its beginning, then the
 * shorter one, then the first by the alphabet.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#include "profile_internal.h"

#define MOST_SYMBOLS 16777216 /* of a file; more than any program has */

bool profile_add_symbol(struct profile_object *o, const struct profile_elf_symbol *symbol)
{
    if (o->symbol_count >= MOST_SYMBOLS) {
        free(symbol->name);
        return true;
    }
    if (symbol->name == NULL ||
        !profile_grow((void **)&o->symbols, o->symbol_count, &o->symbol_room, sizeof *o->symbols)) {
        free(symbol->name);
        return false;
    }
    o->symbols[o->symbol_count++] = *symbol;
    return true;
}

/* Returns whether @name is a mapping symbol of Arm's, "$x" or "$d.12", or a label of a compiler's. */
static bool is_no_function(const char *name)
{
    return name[0] == '\0' || (name[0] == '$' && strchr("adtx", name[1]) != NULL &&
                               (name[1] == '\0' || name[2] == '\0' || name[2] == '.')) ||
           strncmp(name, ".L", 2) == 0;
}

/* Returns the flags and the addresses of the section with index @index, or false if it holds no code. */
static bool find_code_section(Elf *elf, size_t index, GElf_Shdr *header)
{
    Elf_Scn *section = elf_getscn(elf, index);

    return section != NULL && gelf_getshdr(section, header) != NULL && (header->sh_flags & SHF_EXECINSTR) != 0;
}

static uint8_t rank_of(const GElf_Sym *symbol)
{
    const unsigned type = GELF_ST_TYPE(symbol->st_info), bind = GELF_ST_BIND(symbol->st_info);

    return (uint8_t)((type != STT_NOTYPE) << 4 | (symbol->st_size != 0) << 3 |
                     (bind == STB_GLOBAL || bind == STB_GNU_UNIQUE ? 2 : bind == STB_WEAK ? 1 : 0));
}

/* Adds @symbol of the name @name if it is a function.  Returns false if there is no memory. */
static bool add_function(struct profile_object *o, Elf *elf, const GElf_Sym *symbol, size_t section, const char *name)
{
    const unsigned type = GELF_ST_TYPE(symbol->st_info);
    struct profile_elf_symbol s = {.start = symbol->st_value, .function = PROFILE_NONE, .rank = rank_of(symbol)};
    GElf_Shdr header;

    if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) || section == SHN_UNDEF || name == NULL ||
        is_no_function(name) || !find_code_section(elf, section, &header)) {
        return true;
    }
    if (o->a32 && type != STT_NOTYPE) {
        s.start &= ~UINT64_C(1); /* T32 */
    }
    if (s.start < header.sh_addr || s.start - header.sh_addr >= header.sh_size) {
        return true;
    }
    const uint64_t room = header.sh_size - (s.start - header.sh_addr);

    /* Without a size it reaches up to what comes next, which ends it in the segments. */
    s.end = s.start + (symbol->st_size != 0 && symbol->st_size < room ? symbol->st_size : room);
    s.ifunc = type == STT_GNU_IFUNC;
    s.name = strdup(name);
    return profile_add_symbol(o, &s);
}

/* Reads the symbols of a section.  Returns false if there is no memory. */
static bool read_table(struct profile_object *o, Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                       Elf_Data *extended)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
    const size_t count = data == NULL || size == 0 ? 0 : (size_t)(header->sh_size / size);

    for (size_t i = 1; i < count && i < MOST_SYMBOLS; i++) {
        GElf_Sym symbol;
        GElf_Word index = 0;

        if (gelf_getsymshndx(data, extended, (int)i, &symbol, &index) == NULL) {
            break;
        }
        const size_t home = symbol.st_shndx == SHN_XINDEX ? index : symbol.st_shndx;

        if ((symbol.st_shndx >= SHN_LORESERVE && symbol.st_shndx != SHN_XINDEX) || home == SHN_UNDEF) {
            continue;
        }
        if (!add_function(o, elf, &symbol, home, elf_strptr(elf, header->sh_link, symbol.st_name))) {
            return false;
        }
    }
    return true;
}

/* Returns the indexes of sections that do not fit in symbols of the table with index @table, or NULL. */
static Elf_Data *find_extended(Elf *elf, size_t table)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_SYMTAB_SHNDX && header.sh_link == table) {
            return elf_getdata(section, NULL);
        }
    }
    return NULL;
}

/* Reads all symbol tables of type @type.  Sets *@found if there is one. */
static bool read_tables(struct profile_object *o, Elf *elf, GElf_Word type, bool *found)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) == NULL || header.sh_type != type) {
            continue;
        }
        *found = true;
        if (!read_table(o, elf, section, &header, find_extended(elf, elf_ndxscn(section)))) {
            return false;
        }
    }
    return true;
}

static size_t underscores(const char *name)
{
    return strspn(name, "_");
}

int profile_compare_aliases(const struct profile_elf_symbol *x, const struct profile_elf_symbol *y)
{
    const size_t lx = strcspn(x->name, "@"), ly = strcspn(y->name, "@");

    if (x->rank != y->rank) {
        return x->rank > y->rank ? -1 : 1;
    }
    /* What is mangled begins with underscores that say nothing. */
    if (underscores(x->name) != underscores(y->name)) {
        return underscores(x->name) < underscores(y->name) ? -1 : 1;
    }
    if (lx != ly) {
        return lx < ly ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

/* Orders symbols by address, and those of one address with the one that is taken first. */
static int compare_symbols(const void *a, const void *b)
{
    const struct profile_elf_symbol *x = a, *y = b;

    return x->start != y->start ? (x->start < y->start ? -1 : 1) : profile_compare_aliases(x, y);
}

/* Keeps one symbol for each address and makes the segments. */
static bool settle(struct profile_object *o)
{
    size_t kept = 0;

    if (o->symbol_count > 0) {
        qsort(o->symbols, o->symbol_count, sizeof *o->symbols, compare_symbols);
    }
    for (size_t i = 0; i < o->symbol_count; i++) {
        if (kept > 0 && o->symbols[kept - 1].start == o->symbols[i].start) {
            free(o->symbols[i].name);
        } else {
            o->symbols[kept++] = o->symbols[i];
        }
    }
    o->symbol_count = kept;
    for (size_t i = 0; i < kept; i++) {
        struct profile_elf_symbol *s = &o->symbols[i];
        const bool sized = (s->rank & 8) != 0;

        if (!sized && i + 1 < kept && o->symbols[i + 1].start < s->end) {
            s->end = o->symbols[i + 1].start;
        }
        /* A label within a function does not cut it: what has a size counts. */
        if (!profile_segment_add(&o->covers, s->start, s->end, (uint32_t)i, sized ? 1 : 0)) {
            return false;
        }
    }
    return profile_segments_settle(&o->covers);
}

/* Finds no file: a callback of read_mini(). */
static int find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **path, Elf **elf)
{
    (void)module, (void)data, (void)name, (void)base, (void)path, (void)elf;
    return -1;
}

static int find_no_debug(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *path,
                         const char *link, GElf_Word crc, char **debug)
{
    (void)module, (void)data, (void)name, (void)base, (void)path, (void)link, (void)crc, (void)debug;
    return -1;
}

/* Reads the symbols in .gnu_debugdata, a compressed ELF file in the file.  Sets *@found if there are some. */
static bool read_mini(struct profile_object *o, const struct profile_files *files, bool *found)
{
    static const Dwfl_Callbacks none = {.find_elf = find_no_elf, .find_debuginfo = find_no_debug,
                                        .section_address = dwfl_offline_section_address};
    Dwfl *session = files->fd == -1 ? NULL : dwfl_begin(&none);
    Dwfl_Module *module = session == NULL ? NULL : dwfl_report_elf(session, "", files->path, dup(files->fd), 0, false);
    const int count = module == NULL ? 0 : dwfl_module_getsymtab(module);
    bool done = true;

    for (int i = 1; done && i < count && i < MOST_SYMBOLS; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        Elf *elf;
        Dwarf_Addr bias;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, &section, &elf, &bias);

        if (name != NULL && section != SHN_UNDEF && section < SHN_LORESERVE && elf != NULL) {
            done = add_function(o, elf, &symbol, section, name);
            *found |= elf != files->elf && GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
        }
    }
    dwfl_end(session);
    return done;
}

bool profile_read_symbols(struct profile_object *o, const struct profile_files *files)
{
    bool found = false;

    if ((files->debug != NULL && !read_tables(o, files->debug, SHT_SYMTAB, &found)) ||
        (!found && !read_tables(o, files->elf, SHT_SYMTAB, &found))) {
        return false;
    }
    if (!found && profile_has_section(files->elf, ".gnu_debugdata") && !read_mini(o, files, &found)) {
        return false;
    }
    o->exported = !found;
    return (found || read_tables(o, files->elf, SHT_DYNSYM, &found)) && profile_read_plt(o, files->elf) &&
           profile_read_frames(o, files->elf) && settle(o);
}
