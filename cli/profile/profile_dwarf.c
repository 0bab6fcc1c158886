/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads source lines and inlined functions out of debug information, of those compilation units alone in which an
 * instruction was executed.
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "profile_internal.h"

#define DEEPEST 200         /* of entries inside of entries: what is below is left out */
#define MOST_SCOPES 4194304 /* of a file */
#define MOST_RANGES 65536   /* of an entry */

/* What is read, and where it goes. */
struct unit {
    struct profile *p;
    struct profile_object *o;
    Dwarf_Files *files; /* of the unit's line table */
    size_t file_count;
    const char *folder; /* in which it was compiled */
    const char *last;   /* the path that was added last, and its index */
    uint32_t last_source;
    bool failed; /* there was no memory */
};

/*
 * Returns the path of a source file below the folder of the compilation.  libdw has put the folder in front of @path,
 * or not, or twice, by the version of the line table and by whether the folder is relative.  The caller frees it.
 */
static char *whole_path(const char *path, const char *folder)
{
    const size_t length = folder == NULL ? 0 : strlen(folder);
    char *joined, *whole;

    if (path[0] == '/' || length == 0) {
        return profile_name_path(path);
    }
    if (strncmp(path, folder, length) == 0 && path[length] == '/') {
        path += strncmp(path + length + 1, folder, length) == 0 && path[2 * length + 1] == '/' ? length + 1 : 0;
        return profile_name_path(path);
    }
    if (asprintf(&joined, "%s/%s", folder, path) < 0) {
        return NULL;
    }
    whole = profile_name_path(joined);
    free(joined);
    return whole;
}

/* Returns the index of source file @path of the unit. */
static uint32_t add_source(struct unit *u, const char *path)
{
    uint32_t source = PROFILE_NONE;
    char *whole;

    if (path != NULL && path == u->last) {
        return u->last_source;
    }
    whole = path == NULL ? NULL : whole_path(path, u->folder);
    u->last = path;
    if (whole != NULL) {
        source = profile_name_add(&u->p->sources, whole);
        u->failed |= source == PROFILE_NONE;
    } else {
        u->failed |= path != NULL;
    }
    free(whole);
    u->last_source = source;
    return source;
}

/* Adds the lines of the unit. */
static void read_lines(struct unit *u, Dwarf_Die *die)
{
    struct profile_object *o = u->o;
    Dwarf_Lines *lines;
    size_t count;

    if (dwarf_getsrclines(die, &lines, &count) != 0) {
        return;
    }
    for (size_t i = 0; i + 1 < count && !u->failed; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        Dwarf_Addr start, end;
        bool ends = false;
        int number = 0, column = 0;

        if (dwarf_lineaddr(line, &start) != 0 || dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &end) != 0 ||
            dwarf_lineendsequence(line, &ends) != 0 || ends || start >= end) {
            continue;
        }
        dwarf_lineno(line, &number);
        dwarf_linecol(line, &column);
        if (o->line_count >= PROFILE_NONE - 1 ||
            !profile_grow((void **)&o->lines, o->line_count, &o->line_room, sizeof *o->lines)) {
            u->failed = true;
            return;
        }
        o->lines[o->line_count] = (struct profile_line){add_source(u, dwarf_linesrc(line, NULL, NULL)),
                                                        number > 0 ? (uint32_t)number : 0,
                                                        column > 0 ? (uint32_t)column : 0};
        u->failed |= !profile_segment_add(&o->line_segments, start, end, (uint32_t)o->line_count++, 0);
    }
}

/* Returns the number of attribute @name of @die, or 0. */
static uint64_t number_of(Dwarf_Die *die, unsigned name, bool integrate)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;

    if ((integrate ? dwarf_attr_integrate(die, name, &attribute) : dwarf_attr(die, name, &attribute)) == NULL ||
        dwarf_formudata(&attribute, &value) != 0) {
        return 0;
    }
    return value;
}

/* Returns a place that the attributes @file, @line and @column of @die have. */
static struct profile_line place_of(struct unit *u, Dwarf_Die *die, unsigned file, unsigned line, unsigned column,
                                    bool integrate)
{
    const uint64_t index = number_of(die, file, integrate), row = number_of(die, line, integrate);
    const uint64_t at = number_of(die, column, integrate);
    struct profile_line place = {PROFILE_NONE, row <= INT32_MAX ? (uint32_t)row : 0,
                                 at <= INT32_MAX ? (uint32_t)at : 0};

    if (index < u->file_count) {
        place.source = add_source(u, dwarf_filesrc(u->files, (size_t)index, NULL, NULL));
    }
    return place;
}

/* Sets the name of @scope to that of the function which @die is or was inlined from. */
static void name_scope(struct unit *u, Dwarf_Die *die, struct profile_scope *scope)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin = *die, next;
    const char *name = NULL;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) != NULL ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute) != NULL) {
        name = dwarf_formstring(&attribute);
    }
    scope->unique = name != NULL || dwarf_hasattr_integrate(die, DW_AT_external);
    if (name == NULL && dwarf_attr_integrate(die, DW_AT_name, &attribute) != NULL) {
        name = dwarf_formstring(&attribute);
    }
    for (int i = 0; i < 8 && dwarf_attr(&origin, DW_AT_abstract_origin, &attribute) != NULL &&
         dwarf_formref_die(&attribute, &next) != NULL; i++) {
        origin = next;
    }
    scope->origin = dwarf_dieoffset(&origin);
    scope->name = profile_name_add(&u->p->names, name == NULL ? "[inlined]" : name);
    u->failed |= scope->name == PROFILE_NONE;
}

/* Adds the scope of @die, a function or an inlined one, with its addresses.  Returns its index. */
static uint32_t add_scope(struct unit *u, Dwarf_Die *die, uint32_t parent, uint32_t depth)
{
    struct profile_object *o = u->o;
    struct profile_scope scope = {.parent = parent, .start = UINT64_MAX};
    const uint32_t index = (uint32_t)o->scope_count;
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;

    name_scope(u, die, &scope);
    scope.call = place_of(u, die, DW_AT_call_file, DW_AT_call_line, DW_AT_call_column, false);
    scope.declared = place_of(u, die, DW_AT_decl_file, DW_AT_decl_line, DW_AT_decl_column, true);
    if (o->scope_count >= MOST_SCOPES) {
        return PROFILE_NONE;
    }
    if (u->failed || !profile_grow((void **)&o->scopes, o->scope_count, &o->scope_room, sizeof *o->scopes)) {
        u->failed = true;
        return PROFILE_NONE;
    }
    o->scopes[o->scope_count++] = scope;
    for (int i = 0; i < MOST_RANGES && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0; i++) {
        u->failed |= !profile_segment_add(&o->scope_segments, start, end, index, depth);
        if (start < o->scopes[index].start) {
            o->scopes[index].start = start;
        }
    }
    return index;
}

/* Returns whether entries with this tag may hold functions or what was inlined. */
static bool may_hold_code(int tag, bool in_function)
{
    switch (tag) {
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_call_site: return in_function;
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type: return true;
    default: return false;
    }
}

/*
 * Reads the functions and inlined functions in @top.  It goes through the tree with a stack of its own, as the tree may
 * be deep.
 */
static void read_scopes(struct unit *u, Dwarf_Die *top)
{
    struct {
        Dwarf_Die die;
        uint32_t scope; /* in which it is */
    } stack[DEEPEST];
    int depth = 0;

    if (dwarf_child(top, &stack[0].die) != 0) {
        return;
    }
    stack[0].scope = PROFILE_NONE;
    while (depth >= 0 && !u->failed) {
        Dwarf_Die *die = &stack[depth].die;
        const int tag = dwarf_tag(die);
        const bool function = tag == DW_TAG_subprogram, inlined = tag == DW_TAG_inlined_subroutine;
        uint32_t inner = stack[depth].scope;
        Dwarf_Die child, next;

        if (function || (inlined && inner != PROFILE_NONE)) {
            inner = add_scope(u, die, function ? PROFILE_NONE : inner, (uint32_t)depth);
        }
        if ((function || inlined || may_hold_code(tag, inner != PROFILE_NONE)) && depth + 1 < DEEPEST &&
            dwarf_child(die, &child) == 0) {
            depth++;
            stack[depth].die = child;
            stack[depth].scope = inner;
            continue;
        }
        while (depth >= 0) {
            if (dwarf_siblingof(&stack[depth].die, &next) == 0) {
                stack[depth].die = next;
                break;
            }
            depth--;
        }
    }
}

/* Returns whether one of the sorted addresses is in the unit of @die. */
static bool was_executed(Dwarf_Die *die, const uint64_t *addresses, size_t count)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    bool any = false;

    for (int i = 0; i < MOST_RANGES && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0; i++) {
        size_t low = 0, high = count;

        any = true;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;

            if (addresses[middle] < start) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low < count && addresses[low] < end) {
            return true;
        }
    }
    return !any && at >= 0; /* a unit that does not say where its code is */
}

static bool read_unit(struct profile *p, struct profile_object *o, Dwarf_Die *die, Dwarf_Die *split)
{
    struct unit u = {.p = p, .o = o};
    Dwarf_Attribute attribute;

    if (dwarf_attr(die, DW_AT_comp_dir, &attribute) != NULL) {
        u.folder = dwarf_formstring(&attribute);
    }
    if (dwarf_getsrcfiles(split, &u.files, &u.file_count) != 0 &&
        dwarf_getsrcfiles(die, &u.files, &u.file_count) != 0) {
        u.file_count = 0;
    }
    read_lines(&u, die);
    if (!p->options.no_inlines) {
        read_scopes(&u, split);
    }
    return !u.failed;
}

/* Returns whether the strings of each section @name end in a NUL: libdw reads on until it finds one. */
static bool has_whole_strings(Elf *elf, const char *name)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = profile_next_section(elf, section, name, &header)) != NULL) {
        const Elf_Data *data;

        if ((header.sh_flags & SHF_COMPRESSED) != 0 && elf_compress(section, 0, 0) < 0) {
            return false;
        }
        data = elf_getdata(section, NULL);
        if (data == NULL || (data->d_size > 0 &&
                             (data->d_buf == NULL || ((char *)data->d_buf)[data->d_size - 1] != '\0'))) {
            return false;
        }
    }
    return true;
}

bool profile_read_dwarf(struct profile *p, struct profile_object *o, Elf *elf, const uint64_t *addresses,
                        size_t count)
{
    Dwarf *dwarf = has_whole_strings(elf, ".debug_str") && has_whole_strings(elf, ".debug_line_str")
                 ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, split;
    uint8_t type;
    bool done = true;

    if (dwarf == NULL) {
        return true;
    }
    while (done && dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
        if (type != DW_UT_compile && type != DW_UT_skeleton && type != DW_UT_partial) {
            continue;
        }
        if (was_executed(&die, addresses, count)) {
            done = read_unit(p, o, &die, type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid ? &split
                                                                                                       : &die);
        }
    }
    dwarf_end(dwarf);
    return done && profile_segments_settle(&o->line_segments) && profile_segments_settle(&o->scope_segments);
}
