/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile: a recording whose addresses have names.  It knows the function, the source line and the inlined functions
 * of each instruction, and adds up costs by whatever a reader asks for.  Symbols come from the files of the recording
 * (elfutils), from files of debug information with the same build id, and from the program's perf-PID.map.
 *
 *      recording  -->  profile_new()  -->  profile_table()   functions, lines, instructions, files, threads: report
 *                         |                profile_function(), profile_line()        annotate
 *                         |                profile_tree()      call tree by function: flame graphs, callgrind, pprof
 */
#ifndef ARMPMU_CLI_PROFILE_H
#define ARMPMU_CLI_PROFILE_H

#include "recording.h"

#define PROFILE_NONE UINT32_MAX

struct profile_options {
    const char *sysroot;      /**< look for files below this folder, too; NULL: the recording's */
    const char *const *debug; /**< further folders with debug information, NULL-terminated; NULL: none */
    bool keep_mangled;        /**< do not demangle names of C++ and Rust */
    bool no_inlines;          /**< attribute inlined code to the function that has it */
    bool no_lines;            /**< do not read line tables, which takes most of the time */
};

/** A function of a file, or what stands for one: "[unknown]" of a file without symbols. */
struct profile_function {
    uint32_t file;        /**< of the recording; PROFILE_NONE: not known */
    const char *name;     /**< for people */
    const char *symbol;   /**< as the symbol table has it */
    uint64_t start, end;  /**< addresses in the file (as its symbol table counts them); both 0: not known */
    const char *source;   /**< the source file in which it begins; "": not known */
    uint32_t line;        /**< the line in which it begins; 0: not known */
};

/** Where an instruction comes from: one row for each row of the recording's `code`, in its order. */
struct profile_place {
    uint32_t function;     /**< the function whose symbol covers it */
    uint32_t inlined;      /**< the innermost function that was inlined there, or the same as `function` */
    uint32_t source;       /**< its source file: an index of profile_source(); PROFILE_NONE: not known */
    uint32_t line, column; /**< 0: not known */
    uint64_t offset;       /**< its address in the file, as the file's symbol table counts */
};

/**
 * A node of the call tree by function: nodes of the recording whose functions are the same and whose parents are merged
 * into one are one.  Threads of one image are merged.  The root of each image is a child of node 0, which stands for
 * all.
 * A parent comes before its children.  Without a call graph there are two levels: images and functions.
 */
struct profile_node {
    uint32_t parent;      /**< PROFILE_NONE: node 0 */
    uint32_t function;    /**< PROFILE_NONE: node 0 and images */
    uint32_t image;       /**< of the recording; PROFILE_NONE: node 0 */
    uint32_t first_child, next_sibling; /**< PROFILE_NONE: there is none */
    uint64_t calls;
};

enum profile_key {
    PROFILE_BY_FUNCTION, /**< the functions of symbols */
    PROFILE_BY_INLINED,  /**< inlined functions apart */
    PROFILE_BY_LINE,     /**< source lines */
    PROFILE_BY_ADDRESS,  /**< instructions, over all threads and images */
    PROFILE_BY_FILE,
    PROFILE_BY_THREAD,
    PROFILE_BY_IMAGE,
};

/** A row of a table, with its costs at self[row * event_count] and total[row * event_count]. */
struct profile_row {
    uint32_t function; /**< PROFILE_NONE where it does not apply; so for the members below */
    uint32_t file;
    uint32_t source;
    uint32_t line;     /**< 0 where it does not apply */
    uint32_t thread, image;
    uint64_t offset;   /**< of an instruction, in its file */
};

struct profile_table {
    struct profile_row *rows;
    uint64_t *self;  /**< costs of the row's own instructions */
    uint64_t *total; /**< with everything that they called, each occurrence once; NULL without a call graph or where a
                          key has no such costs */
    size_t count;
};

struct profile;

/**
 * Makes the profile of @r, which must last as long as the profile.  Files that cannot be read only lack names: a remark
 * for each says why (profile_remarks()).  Returns NULL if there is no memory.
 */
struct profile *profile_new(const struct recording *r, const struct profile_options *options);
void profile_free(struct profile *p);

const struct recording *profile_recording(const struct profile *p);
/** Returns lines about files whose symbols are missing or do not fit (another build id), with '\n' between; or "". */
const char *profile_remarks(const struct profile *p);
size_t profile_function_count(const struct profile *p);
const struct profile_function *profile_function(const struct profile *p, uint32_t function);
/** Returns where row @code of the recording comes from. */
const struct profile_place *profile_place(const struct profile *p, size_t code);
/** Returns the function that node @node of the recording enters. */
uint32_t profile_entry(const struct profile *p, size_t node);
size_t profile_source_count(const struct profile *p);
/** Returns the path of a source file, as the line table has it. */
const char *profile_source(const struct profile *p, uint32_t source);
/** Returns where the call site of node @node of the recording comes from; its members are PROFILE_NONE without one. */
struct profile_place profile_site(const struct profile *p, size_t node);

/**
 * Fills @places with the functions inlined at row @code, the innermost first and the function of the symbol last, each
 * with the source and line that belong to it.  Returns how many there are, which may be more than @room.
 */
size_t profile_inlines(const struct profile *p, size_t code, struct profile_place *places, size_t room);

/**
 * Reads the bytes of file @file of the recording from address @start on, as its symbol table counts, into @bytes, which
 * has @size bytes.  Returns how many there are; 0 if the file cannot be read.
 */
size_t profile_bytes(const struct profile *p, uint32_t file, uint64_t start, uint8_t *bytes, size_t size);

/** Returns the call tree by function, made at the first call, and sets *@count; node 0 is the root. */
const struct profile_node *profile_tree(struct profile *p, size_t *count);
/** Returns the counts of node @node of the tree: of itself if not @total, otherwise with all below it. */
const uint64_t *profile_tree_counts(struct profile *p, uint32_t node, bool total);

/** Fills @t with the costs by @key, sorted by event @event, the highest first.  Returns false without memory. */
bool profile_table(struct profile *p, enum profile_key key, uint32_t event, struct profile_table *t);
void profile_table_free(struct profile_table *t);

#endif
