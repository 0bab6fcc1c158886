/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a profile: gives each instruction of a recording its function, line and inlined functions. */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "profile_internal.h"

#define UNKNOWN "[unknown]"
#define STRIPPED_NAMED 4u /* files without a symbol table that a remark names */

/* An offset in a file of which the profile wants to know something. */
struct wanted {
    uint32_t file;
    uint64_t offset;
};

/* Where an address of a recording is. */
struct spot {
    uint32_t image; /* PROFILE_NONE: no map has it */
    uint32_t file;
    uint64_t address; /* in the program */
    uint64_t offset;  /* as the symbol table of the file counts */
};

static int compare_wanted(const void *a, const void *b)
{
    const struct wanted *x = a, *y = b;

    if (x->file != y->file) {
        return x->file < y->file ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static uint64_t file_offset(const struct recording_map *m, uint64_t address)
{
    return address - m->start + m->offset;
}

/* Returns the address, as symbols count, of @offset in the file; @offset itself if no program header has it. */
static uint64_t address_in_file(const struct profile_object *o, uint64_t offset)
{
    for (size_t i = 0; i < o->load_count; i++) {
        if (offset >= o->loads[i].offset && offset - o->loads[i].offset < o->loads[i].size) {
            return o->loads[i].address + (offset - o->loads[i].offset);
        }
    }
    return offset;
}

static struct spot find_spot(const struct profile *p, uint32_t map, uint64_t address)
{
    struct spot spot = {PROFILE_NONE, PROFILE_NONE, address, address};

    if (map != RECORDING_NONE) {
        const struct recording_map *m = &p->r->maps[map];

        spot.image = m->image;
        spot.file = m->file;
        if (p->objects[m->file].opened) {
            spot.offset = address_in_file(&p->objects[m->file], file_offset(m, address));
        } else if (p->r->files[m->file].kind == RECORDING_FILE_ELF) {
            spot.offset = file_offset(m, address);
        }
    }
    return spot;
}

/* ---- functions ---- */

/* Adds a function named by @symbol.  Returns its index, or PROFILE_NONE if there is no memory. */
static uint32_t add_function(struct profile *p, uint32_t file, const char *symbol, uint64_t start, uint64_t end)
{
    struct profile_function f = {.file = file, .symbol = symbol, .start = start, .end = end, .source = ""};

    f.name = profile_name_demangle(symbol, p->options.keep_mangled);
    if (f.name == NULL || p->function_count >= PROFILE_NONE - 1 ||
        !profile_grow((void **)&p->functions, p->function_count, &p->function_room, sizeof f)) {
        free((char *)(uintptr_t)f.name);
        p->failed = true;
        return PROFILE_NONE;
    }
    p->functions[p->function_count] = f;
    return (uint32_t)p->function_count++;
}

/* Sets where function @function begins in the source. */
static void set_source(struct profile *p, uint32_t function, const struct profile_line *line)
{
    if (function != PROFILE_NONE && line->source != PROFILE_NONE) {
        p->functions[function].source = p->sources.data[line->source];
        p->functions[function].line = line->line;
    }
}

/* Returns the function of symbol @index of the file, which is added when it is first asked for. */
static uint32_t function_of_symbol(struct profile *p, uint32_t file, uint32_t index)
{
    struct profile_object *o = &p->objects[file];
    struct profile_elf_symbol *s = &o->symbols[index];

    if (s->function == PROFILE_NONE) {
        const struct profile_segment *line = profile_segment_at(&o->line_segments, s->start);
        const struct profile_segment *scope = profile_segment_at(&o->scope_segments, s->start);
        uint32_t outer = scope == NULL ? PROFILE_NONE : scope->value;

        while (outer != PROFILE_NONE && o->scopes[outer].parent != PROFILE_NONE) {
            outer = o->scopes[outer].parent;
        }
        s->function = add_function(p, file, s->name, s->start, s->end);
        if (line != NULL) {
            set_source(p, s->function, &o->lines[line->value]);
        }
        if (outer != PROFILE_NONE) {
            set_source(p, s->function, &o->scopes[outer].declared);
        }
    }
    return s->function;
}

/* Returns the function of symbol @index of the recording.  Functions of one name and file are one. */
static uint32_t function_of_generated(struct profile *p, const struct spot *spot, uint32_t index)
{
    const struct recording_symbol *s = &p->r->symbols[index];
    const uint32_t name = profile_name_add(&p->names, s->name);
    uint32_t *place = name == PROFILE_NONE ? NULL : profile_pair_at(&p->named, (uint64_t)spot->file << 1 | 1, name);

    if (place == NULL) {
        p->failed = true;
        return PROFILE_NONE;
    }
    if (*place == PROFILE_NONE) {
        *place = add_function(p, spot->file, s->name, s->start, s->start + s->size);
    }
    return *place;
}

/* Returns the function that has @spot. */
static uint32_t function_at(struct profile *p, const struct spot *spot)
{
    struct profile_object *o = spot->file == PROFILE_NONE ? NULL : &p->objects[spot->file];
    const struct profile_segment *s = o == NULL ? NULL : profile_segment_at(&o->covers, spot->offset);
    uint32_t *unknown = o == NULL ? &p->unmapped : &o->unknown;

    if (s != NULL) {
        return function_of_symbol(p, spot->file, s->value);
    }
    s = spot->image == PROFILE_NONE ? NULL : profile_segment_at(&p->generated[spot->image], spot->address);
    if (s != NULL) {
        return function_of_generated(p, spot, s->value);
    }
    if (*unknown == PROFILE_NONE) {
        *unknown = add_function(p, spot->file, UNKNOWN, 0, 0);
    }
    return *unknown;
}

/* Returns the two numbers that name the function of @scope in profile_pair_at(). */
static void key_of_scope(uint32_t file, const struct profile_scope *scope, uint64_t *a, uint64_t *b)
{
    *a = (uint64_t)file << 1 | scope->unique;
    *b = scope->unique ? scope->name : scope->origin;
}

/* Returns the function of a scope that was inlined: the function of the symbol if it has code of its own, too. */
static uint32_t function_of_scope(struct profile *p, uint32_t file, const struct profile_scope *scope)
{
    uint64_t a, b;
    uint32_t *place, *symbol;

    key_of_scope(file, scope, &a, &b);
    symbol = profile_pair_at(&p->concrete, a, b);
    if (symbol != NULL && *symbol != PROFILE_NONE) {
        return function_of_symbol(p, file, *symbol);
    }
    place = profile_pair_at(&p->named, a, b);
    if (place == NULL || symbol == NULL) {
        p->failed = true;
        return PROFILE_NONE;
    }
    if (*place == PROFILE_NONE) {
        *place = add_function(p, file, p->names.data[scope->name], 0, 0);
        set_source(p, *place, &scope->declared);
    }
    return *place;
}

/* Notes for each scope with code of its own which symbol that is. */
static bool note_concrete(struct profile *p, uint32_t file)
{
    const struct profile_object *o = &p->objects[file];

    for (size_t i = 0; i < o->scope_count; i++) {
        const struct profile_scope *scope = &o->scopes[i];
        const struct profile_segment *s = scope->parent != PROFILE_NONE || scope->start == UINT64_MAX ? NULL
                                        : profile_segment_at(&o->covers, scope->start);
        uint64_t a, b;
        uint32_t *place;

        if (s == NULL || o->symbols[s->value].start != scope->start) {
            continue;
        }
        key_of_scope(file, scope, &a, &b);
        place = profile_pair_at(&p->concrete, a, b);
        if (place == NULL) {
            return false;
        }
        *place = s->value;
    }
    return true;
}

/* Returns where @spot comes from. */
static struct profile_place locate(struct profile *p, const struct spot *spot)
{
    struct profile_object *o = spot->file == PROFILE_NONE ? NULL : &p->objects[spot->file];
    struct profile_place place = {.function = function_at(p, spot), .source = PROFILE_NONE, .offset = spot->offset};
    const struct profile_segment *line = o == NULL ? NULL : profile_segment_at(&o->line_segments, spot->offset);
    const struct profile_segment *scope = o == NULL ? NULL : profile_segment_at(&o->scope_segments, spot->offset);

    place.inlined = place.function;
    if (line != NULL) {
        const struct profile_line *l = &o->lines[line->value];

        place.source = l->source;
        place.line = l->line;
        place.column = l->column;
    }
    if (scope != NULL && o->scopes[scope->value].parent != PROFILE_NONE) {
        place.inlined = function_of_scope(p, spot->file, &o->scopes[scope->value]);
    }
    return place;
}

/* ---- files ---- */

/* Reads the parts of the file that are mapped. */
static bool read_loads(struct profile_object *o, Elf *elf)
{
    size_t count;
    GElf_Ehdr header;

    if (gelf_getehdr(elf, &header) == NULL || elf_getphdrnum(elf, &count) != 0 || count > 4096) {
        return true;
    }
    o->a32 = header.e_machine == EM_ARM;
    o->loads = calloc(count + 1, sizeof *o->loads);
    for (size_t i = 0; o->loads != NULL && i < count; i++) {
        GElf_Phdr part;

        if (gelf_getphdr(elf, (int)i, &part) != NULL && part.p_type == PT_LOAD) {
            o->loads[o->load_count++] = (struct profile_load){part.p_offset, part.p_filesz, part.p_vaddr};
        }
    }
    return o->loads != NULL;
}

/* Reads file @file, of which @wanted has @count offsets. */
static bool read_file(struct profile *p, uint32_t file, const struct wanted *wanted, size_t count)
{
    struct profile_object *o = &p->objects[file];
    struct profile_files files;
    uint64_t *addresses;
    bool done;

    if (!profile_open(p, file, &files)) {
        profile_close(&files);
        return !p->failed;
    }
    addresses = calloc(count, sizeof *addresses);
    done = addresses != NULL && read_loads(o, files.elf) && profile_read_symbols(o, &files);
    o->opened = true;
    for (size_t i = 0; done && i < count; i++) { /* program headers are ordered, and so stay the addresses */
        addresses[i] = address_in_file(o, wanted[i].offset);
    }
    if (done && !p->options.no_lines) {
        done = profile_read_dwarf(p, o, files.debug != NULL ? files.debug : files.elf, addresses, count) &&
               note_concrete(p, file);
    }
    free(addresses);
    profile_close(&files);
    return done;
}

/* Reads every file that has one of the @count offsets. */
static bool read_files(struct profile *p, struct wanted *wanted, size_t count)
{
    if (count > 0) {
        qsort(wanted, count, sizeof *wanted, compare_wanted);
    }
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && wanted[end].file == wanted[first].file; end++) {
        }
        if (!read_file(p, wanted[first].file, wanted + first, end - first)) {
            return false;
        }
    }
    return true;
}

/* Adds a remark that names the files without a symbol table. */
static void remark_stripped(struct profile *p)
{
    char names[256] = "";
    size_t count = 0, used = 0;

    for (size_t i = 0; i < p->r->file_count; i++) {
        const char *path = p->r->files[i].path, *slash = strrchr(path, '/');

        if (!p->objects[i].opened || !p->objects[i].exported) {
            continue;
        }
        if (count++ < STRIPPED_NAMED && used < sizeof names) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used == 0 ? "" : ", ",
                                     slash != NULL ? slash + 1 : path);
        }
    }
    if (count > STRIPPED_NAMED && used < sizeof names) {
        snprintf(names + used, sizeof names - used, " and %zu more", count - STRIPPED_NAMED);
    }
    if (count != 0) {
        profile_remark(p, names, "%s no symbol table, so functions that %s not export are called by their addresses; "
                       "install the debug information, or give its folder by --debug",
                       count == 1 ? "it has" : "they have", count == 1 ? "it does" : "they do");
    }
}

static void want(const struct recording *r, struct wanted *wanted, size_t *count, uint32_t map, uint64_t address)
{
    if (map != RECORDING_NONE) {
        wanted[(*count)++] = (struct wanted){r->maps[map].file, file_offset(&r->maps[map], address)};
    }
}

/* Reads the files in which an instruction was executed or a function was called. */
static bool read_symbols(struct profile *p)
{
    const struct recording *r = p->r;
    struct wanted *wanted = calloc(r->code_count + 2 * r->node_count + 1, sizeof *wanted);
    size_t count = 0;
    bool done;

    if (wanted == NULL) {
        return false;
    }
    for (size_t i = 0; i < r->code_count; i++) {
        want(r, wanted, &count, r->code[i].map, r->code[i].address);
    }
    for (size_t i = 0; i < r->node_count; i++) {
        want(r, wanted, &count, r->nodes[i].entry_map, r->nodes[i].entry);
        want(r, wanted, &count, r->nodes[i].site_map, r->nodes[i].site);
    }
    done = read_files(p, wanted, count);
    free(wanted);
    remark_stripped(p);
    for (size_t i = 0; done && i < r->symbol_count; i++) {
        const struct recording_symbol *s = &r->symbols[i];

        done = profile_segment_add(&p->generated[s->image], s->start, s->start + s->size, (uint32_t)i, 0);
    }
    for (size_t i = 0; done && i < r->image_count; i++) {
        done = profile_segments_settle(&p->generated[i]);
    }
    return done;
}

/* ---- the profile ---- */

static bool fill(struct profile *p)
{
    const struct recording *r = p->r;

    p->objects = calloc(r->file_count + 1, sizeof *p->objects);
    p->places = calloc(r->code_count + 1, sizeof *p->places);
    p->entries = calloc(r->node_count + 1, sizeof *p->entries);
    p->generated = calloc(r->image_count + 1, sizeof *p->generated);
    if (p->objects == NULL || p->places == NULL || p->entries == NULL || p->generated == NULL) {
        return false;
    }
    for (size_t i = 0; i < r->file_count; i++) {
        p->objects[i].unknown = PROFILE_NONE;
    }
    p->unmapped = PROFILE_NONE;
    if (!read_symbols(p)) {
        return false;
    }
    for (size_t i = 0; i < r->code_count; i++) {
        const struct spot spot = find_spot(p, r->code[i].map, r->code[i].address);

        /* Rows of one instruction in several threads are next to each other. */
        if (i > 0 && r->code[i].map == r->code[i - 1].map && r->code[i].address == r->code[i - 1].address) {
            p->places[i] = p->places[i - 1];
        } else {
            p->places[i] = locate(p, &spot);
        }
    }
    for (size_t i = 0; i < r->node_count; i++) {
        const struct spot spot = find_spot(p, r->nodes[i].entry_map, r->nodes[i].entry);

        p->entries[i] = function_at(p, &spot);
        (void)profile_site(p, i);
    }
    for (size_t i = 0; i < r->code_count; i++) {
        (void)profile_inlines(p, i, NULL, 0);
    }
    return !p->failed;
}

struct profile *profile_new(const struct recording *r, const struct profile_options *options)
{
    struct profile *p = calloc(1, sizeof *p);

    if (p == NULL) {
        return NULL;
    }
    p->r = r;
    p->options = options != NULL ? *options : (struct profile_options){0};
    elf_version(EV_CURRENT);
    if (!fill(p)) {
        profile_free(p);
        return NULL;
    }
    return p;
}

static void free_object(struct profile_object *o)
{
    for (size_t i = 0; i < o->symbol_count; i++) {
        free(o->symbols[i].name);
    }
    free(o->loads);
    free(o->symbols);
    free(o->covers.data);
    free(o->lines);
    free(o->line_segments.data);
    free(o->scopes);
    free(o->scope_segments.data);
}

void profile_free(struct profile *p)
{
    if (p == NULL) {
        return;
    }
    for (size_t i = 0; p->objects != NULL && i < p->r->file_count; i++) {
        free_object(&p->objects[i]);
    }
    for (size_t i = 0; p->generated != NULL && i < p->r->image_count; i++) {
        free(p->generated[i].data);
    }
    for (size_t i = 0; i < p->function_count; i++) {
        free((char *)(uintptr_t)p->functions[i].name);
    }
    free(p->objects);
    free(p->places);
    free(p->entries);
    free(p->generated);
    free(p->functions);
    free(p->remarks);
    free(p->concrete.slots);
    free(p->named.slots);
    profile_names_free(&p->names);
    profile_names_free(&p->sources);
    free(p->tree);
    free(p->tree_self);
    free(p->tree_total);
    free(p);
}

const struct recording *profile_recording(const struct profile *p)
{
    return p->r;
}

const char *profile_remarks(const struct profile *p)
{
    return p->remarks != NULL ? p->remarks : "";
}

size_t profile_function_count(const struct profile *p)
{
    return p->function_count;
}

const struct profile_function *profile_function(const struct profile *p, uint32_t function)
{
    return &p->functions[function];
}

const struct profile_place *profile_place(const struct profile *p, size_t code)
{
    return &p->places[code];
}

uint32_t profile_entry(const struct profile *p, size_t node)
{
    return p->entries[node];
}

size_t profile_source_count(const struct profile *p)
{
    return p->sources.count;
}

const char *profile_source(const struct profile *p, uint32_t source)
{
    return p->sources.data[source];
}

/* Returns @p for functions that add functions: profile_new() has added all, so that they change nothing. */
static struct profile *whole(const struct profile *p)
{
    return (struct profile *)(uintptr_t)p;
}

struct profile_place profile_site(const struct profile *p, size_t node)
{
    const struct recording_node *n = &p->r->nodes[node];
    const struct spot spot = find_spot(p, n->site_map, n->site);

    if (n->site_map == RECORDING_NONE) {
        return (struct profile_place){PROFILE_NONE, PROFILE_NONE, PROFILE_NONE, 0, 0, 0};
    }
    return locate(whole(p), &spot);
}

size_t profile_inlines(const struct profile *p, size_t code, struct profile_place *places, size_t room)
{
    const struct profile_place *place = &p->places[code];
    const uint32_t map = p->r->code[code].map;
    const uint32_t file = map == RECORDING_NONE ? PROFILE_NONE : p->r->maps[map].file;
    const struct profile_object *o = file == PROFILE_NONE ? NULL : &p->objects[file];
    const struct profile_segment *s = o == NULL ? NULL : profile_segment_at(&o->scope_segments, place->offset);
    struct profile_place next = *place;
    size_t count = 0;

    for (uint32_t at = s == NULL ? PROFILE_NONE : s->value; at != PROFILE_NONE && o->scopes[at].parent != PROFILE_NONE;
         at = o->scopes[at].parent) {
        const struct profile_scope *scope = &o->scopes[at];

        next.function = next.inlined = function_of_scope(whole(p), file, scope);
        if (count < room) {
            places[count] = next;
        }
        count++;
        next.source = scope->call.source;
        next.line = scope->call.line;
        next.column = scope->call.column;
    }
    next.function = next.inlined = place->function;
    if (count < room) {
        places[count] = next;
    }
    return count + 1;
}
