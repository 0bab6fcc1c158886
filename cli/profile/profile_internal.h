/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of a profile share.  A file of the recording becomes a struct profile_object: its symbols, source
 * lines and inlined functions, each as segments of addresses that do not overlap.
 */
#ifndef ARMPMU_CLI_PROFILE_INTERNAL_H
#define ARMPMU_CLI_PROFILE_INTERNAL_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include "profile.h"

/* ---- profile_segment.c ---- */

/** The addresses from start to end - 1, to which @value belongs. */
struct profile_segment {
    uint64_t start, end;
    uint32_t value;
    uint32_t depth; /**< where two segments overlap, the deeper one counts, then the one that begins later */
};

struct profile_segments {
    struct profile_segment *data;
    size_t count, room;
};

/** Adds a segment.  An empty one is left out.  Returns false if there is no memory. */
bool profile_segment_add(struct profile_segments *s, uint64_t start, uint64_t end, uint32_t value, uint32_t depth);
/** Sorts @s and cuts it so that nothing overlaps.  Returns false if there is no memory. */
bool profile_segments_settle(struct profile_segments *s);
/** Returns the segment of @s, which is settled, that has @address, or NULL. */
const struct profile_segment *profile_segment_at(const struct profile_segments *s, uint64_t address);

/**
 * Makes room in an array at *@data of elements of @size bytes for element @count.  Returns false if there is no memory.
 */
bool profile_grow(void **data, size_t count, size_t *room, size_t size);

/* ---- profile_name.c ---- */

/** Texts, each kept once, and a number for each. */
struct profile_names {
    char **data;
    size_t count, room;
    uint32_t *slots; /* a hash table of indexes plus 1 */
    size_t slot_count;
};

/** Returns the index of @text, which is added if it is new, or PROFILE_NONE if there is no memory. */
uint32_t profile_name_add(struct profile_names *n, const char *text);
void profile_names_free(struct profile_names *n);
/**
 * Returns the name for people of @symbol: without a version, and demangled unless @keep.  The caller frees it.  Returns
 * NULL if there is no memory.
 */
char *profile_name_demangle(const char *symbol, bool keep);
/** Returns @path without "." and ".." where they can go.  The caller frees it.  Returns NULL if there is no memory. */
char *profile_name_path(const char *path);

/** A hash table from two numbers to a third. */
struct profile_pairs {
    struct profile_pair {
        uint64_t a, b;
        uint32_t value;
        bool used;
    } *slots;
    size_t count, room;
};

/** Returns where the value of (@a, @b) is kept, PROFILE_NONE if it is new, or NULL if there is no memory. */
uint32_t *profile_pair_at(struct profile_pairs *t, uint64_t a, uint64_t b);

/* ---- what a file has ---- */

/** A symbol of a function, or a PLT stub. */
struct profile_elf_symbol {
    uint64_t start, end;
    char *name;
    uint32_t function; /**< of the profile; PROFILE_NONE until an instruction of it was seen */
    uint8_t rank;      /**< which of two aliases is taken: the higher one */
    bool ifunc;        /**< it chooses the function of this name when the program starts */
};

struct profile_line {
    uint32_t source; /**< PROFILE_NONE: not known */
    uint32_t line, column;
};

/** A function that was inlined, or a function that has inlined ones. */
struct profile_scope {
    uint32_t parent; /**< the scope in which it was inlined; PROFILE_NONE: it is a function itself */
    uint32_t name;   /**< of the profile's names: its linkage name, or its name */
    uint64_t origin; /**< the debug information entry that describes it */
    bool unique;     /**< no other function of the file has this name */
    struct profile_line call; /**< where it was inlined */
    struct profile_line declared;
    uint64_t start;  /**< its lowest address; UINT64_MAX: it has no code */
};

/** Part of a file that a program header describes. */
struct profile_load {
    uint64_t offset, size, address;
};

struct profile_object {
    bool opened;   /* there is something to read */
    bool exported; /* only the names of exported functions are known */
    bool a32;
    struct profile_load *loads;
    size_t load_count;
    struct profile_elf_symbol *symbols;
    size_t symbol_count, symbol_room;
    struct profile_segments covers; /* indexes of symbols */
    struct profile_line *lines;
    size_t line_count, line_room;
    struct profile_segments line_segments; /* indexes of lines */
    struct profile_scope *scopes;
    size_t scope_count, scope_room;
    struct profile_segments scope_segments; /* indexes of scopes */
    uint32_t unknown; /* the function that stands for code without a symbol; PROFILE_NONE: not needed yet */
};

struct profile {
    const struct recording *r;
    struct profile_options options;
    char *remarks;
    bool failed; /* there was no memory */
    struct profile_object *objects; /* for each file of the recording */
    struct profile_function *functions;
    size_t function_count, function_room;
    struct profile_place *places; /* for each row of code */
    struct profile_segments *generated; /* for each image: its symbols, as indexes of the recording's */
    struct profile_names names;   /* of functions */
    struct profile_names sources;
    struct profile_pairs concrete; /* (file, name) or (file, origin) of a scope to the symbol of its own code */
    struct profile_pairs named;    /* the same to the function */
    uint32_t *entries;             /* for each node, the function that it enters */
    uint32_t unmapped; /* the function that stands for code outside of all maps */
    struct profile_node *tree;
    uint64_t *tree_self, *tree_total;
    size_t tree_count, tree_room;
};

/** Adds the line "PATH: TEXT" to the remarks. */
__attribute__((format(printf, 3, 4)))
void profile_remark(struct profile *p, const char *path, const char *format, ...);

/* ---- profile_open.c ---- */

/** The ELF files of a file of the recording. */
struct profile_files {
    int fd, debug_fd; /* -1: it is not open */
    Elf *elf;
    Elf *debug; /* with debug information; NULL: there is none but what @elf has */
    char *path; /* of elf */
};

/**
 * Opens file @file of the recording, which must have the build id of the recording, and its debug information.  Returns
 * false after a remark if there is none.
 */
bool profile_open(struct profile *p, uint32_t file, struct profile_files *files);
void profile_close(struct profile_files *files);
/**
 * Returns the first section called @want with content that follows @after, or is the first of all if @after is NULL,
 * and fills @header.  Returns NULL if there is none.
 */
Elf_Scn *profile_next_section(Elf *elf, Elf_Scn *after, const char *want, GElf_Shdr *header);
/** Returns whether the file has a section called @want with content. */
bool profile_has_section(Elf *elf, const char *want);

/* ---- profile_symbol.c, profile_plt.c, profile_dwarf.c ---- */

/** Reads the symbols of functions.  Returns false if there is no memory. */
bool profile_read_symbols(struct profile_object *o, const struct profile_files *files);
#define PROFILE_NAMELESS "[" /* what the name of a function begins with that has no symbol: "[0x34ac0]" */

/** Adds functions without a symbol, which the information for unwinding tells.  Returns false without memory. */
bool profile_read_frames(struct profile_object *o, Elf *elf);
/** Adds symbols "NAME@plt" for the stubs that call functions of other files. */
bool profile_read_plt(struct profile_object *o, Elf *elf);
/** Orders the symbols of an address: below 0 if @x is taken before @y. */
int profile_compare_aliases(const struct profile_elf_symbol *x, const struct profile_elf_symbol *y);
/** Adds a symbol, whose name becomes the object's. */
bool profile_add_symbol(struct profile_object *o, const struct profile_elf_symbol *symbol);
/**
 * Reads lines and inlined functions where one of the @count sorted @addresses is.  Returns false if there is no memory.
 */
bool profile_read_dwarf(struct profile *p, struct profile_object *o, Elf *elf, const uint64_t *addresses,
                        size_t count);

#endif
