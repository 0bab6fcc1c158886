/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording: what `armpmu record` found out about one run of a program, as plain tables.  Each engine fills them, the
 * file holds them (recording_file.c), and everything that shows a profile reads them.
 *
 *      an engine  -->  struct recording  -->  recording_write()  -->  armpmu.data
 *                                                                         |
 *      report, annotate, diff, --html, export formats  <--  profile.h  <--  recording_read()
 *
 * Rows refer to rows of other tables by index.  A reference to nothing is RECORDING_NONE.  Tables only grow, and a row
 * is complete when it is added.  recording_read() checks every index and length, so users of a recording need not.
 *
 * An image is one program that one process executed: exec begins another image, fork a new process with an image of its
 * own.  A map is a range of addresses of one image, with the file that lies there.  A place where another file is
 * mapped later, by dlopen() after dlclose(), is another map; a file that is mapped again as it was is the same one.  So
 * a map, an address and a word name one instruction: code that the program generates may change in its place.
 *
 * Counts are those of the events in the table `events`, in its order: row i of a table with counts has its counts at
 * counts[i * event_count].  In an exact recording the sum over all rows of `code` is what `armpmu stat` counts, and the
 * sum over the `self` counts of all nodes is the same if there is a call graph.
 */
#ifndef ARMPMU_CLI_RECORDING_H
#define ARMPMU_CLI_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define RECORDING_NONE UINT32_MAX
#define RECORDING_MAGIC "\x89" "APMU\r\n\x1a" /* the first bytes of the file */
#define RECORDING_BUILD_ID 20u /* the most bytes of a build id that are kept */

/** An event that was recorded. */
struct recording_event {
    char *name;      /**< as Arm spells it: "INST_RETIRED"; or the name that the kernel has for it */
    char *mark;      /**< "": exact; "modelled:cortex-a72"; "retired for speculated"; ... as stat prints it */
    uint64_t period; /**< 0: every occurrence was recorded; otherwise a sample was taken after this many (mean) */
    uint64_t frequency; /**< the samples in a second to which the period adapted; 0: it was the same all the time */
};

/** An event's name with its mark, as it is printed: "CPU_CYCLES (modelled:cortex-a72)". */
struct recording_title {
    char text[256];
};

/** Returns the title of @event, which is its name if it has no mark.  What is too long is cut. */
struct recording_title recording_title(const struct recording_event *event);

/** What a mapped file is. */
enum recording_file_kind {
    RECORDING_FILE_ELF,
    RECORDING_FILE_VDSO,    /**< the code that the kernel or the emulator maps */
    RECORDING_FILE_CODE,    /**< memory without a file: code that the program generated */
    RECORDING_FILE_KERNEL,
    RECORDING_FILE_UNKNOWN, /**< addresses that no map covers */
};

struct recording_file {
    enum recording_file_kind kind;
    char *path;           /**< as the tool opens it, with the sysroot; "[vdso]" and the like for what is no file */
    uint32_t build_id_length; /**< 0: it has none */
    uint8_t build_id[RECORDING_BUILD_ID];
};

struct recording_image {
    int32_t pid;
    uint32_t parent;  /**< the image that forked or executed this one; RECORDING_NONE: the first */
    bool forked;      /**< it began by fork; otherwise by exec, or it is the first */
    bool a32;         /**< a 32-bit program */
    uint64_t start_ns; /**< when it began, since the start of the recording */
    char *name;       /**< the last part of the program's path */
    char *command;    /**< the command line, arguments separated by blanks */
};

struct recording_thread {
    uint32_t image;
    int32_t tid;
    char *name; /**< "" if it is the image's */
};

struct recording_map {
    uint32_t image;
    uint32_t file;
    uint64_t start, end; /**< addresses in the program */
    uint64_t offset;     /**< of the first byte in the file */
};

/** A name of generated code, from the file perf-PID.map that the program wrote. */
struct recording_symbol {
    uint32_t image;
    uint64_t start, size;
    char *name;
};

/** An instruction that a thread executed, or at which samples of it were taken. */
struct recording_code {
    uint32_t thread;
    uint32_t map;     /**< RECORDING_NONE: no map has the address */
    uint64_t address; /**< in the program */
    uint32_t word;    /**< its encoding; T32 with the first halfword in the upper half if it has two */
    uint8_t length;   /**< 2 or 4 bytes; 0: the encoding is not known */
};

/**
 * A node of a call tree: a function as it was called from one place of its caller's node.  The root of a thread has no
 * parent and no site.  A parent comes before its children.
 */
struct recording_node {
    uint32_t thread;
    uint32_t parent;           /**< RECORDING_NONE: a root */
    uint32_t entry_map;        /**< RECORDING_NONE: not known */
    uint32_t site_map;         /**< RECORDING_NONE: not known */
    uint64_t entry;            /**< the address of the function's first instruction */
    uint64_t site;             /**< the address of the instruction that called it; 0: a signal or the beginning */
    uint64_t calls;            /**< how often; 0 in sampled recordings */
    uint8_t kind;              /**< enum recording_call */
};

enum recording_call {
    RECORDING_CALL,      /**< BL, BLR and the like */
    RECORDING_CALL_TAIL, /**< a branch to another function's beginning, which returns to its caller's caller */
    RECORDING_CALL_SIGNAL,
    RECORDING_CALL_ROOT,
};

/** A sample, if samples were taken; or several of a thread at one instruction, if their times are not known. */
struct recording_sample {
    uint32_t thread;
    uint32_t event;
    uint32_t node;      /**< where its call chain ends; RECORDING_NONE: there is no call graph */
    uint32_t map;
    uint64_t address;   /**< PC */
    uint64_t time_ns;   /**< since the start; 0: not known */
    uint64_t period;    /**< the occurrences for which it stands */
    uint32_t cpu;       /**< RECORDING_NONE: not known */
};

/** The counts of a stretch of time, for a timeline. */
struct recording_interval {
    uint64_t start_ns, end_ns;
};

struct recording {
    char *tool;     /**< "armpmu 0.4.0" */
    char *engine;   /**< "qemu-user", "perf" */
    char *emulator; /**< its path and release, or "" */
    char *command;  /**< what was recorded: arguments separated by blanks */
    char *sysroot;  /**< "" if there was none */
    char *core;     /**< the modelled core, or "" */
    char *remarks;  /**< what the counts leave out, and why: lines with '\n' between; or "" */
    bool complete;  /**< the run ended and everything is here; otherwise this is a state in its middle */
    bool sampled;   /**< `samples` has what `code` sums up; otherwise `code` is exact */
    bool call_graph; /**< `nodes` is filled */
    int32_t wait_status;   /**< the program's, as waitpid() gives it, if complete */
    uint64_t begun_unix;   /**< seconds since 1970; 0: left out, to have recordings of equal runs equal */
    uint64_t elapsed_ns;

    struct recording_event *events;
    size_t event_count;
    struct recording_file *files;
    size_t file_count;
    struct recording_image *images;
    size_t image_count;
    struct recording_thread *threads;
    size_t thread_count;
    struct recording_map *maps;
    size_t map_count;
    struct recording_symbol *symbols;
    size_t symbol_count;
    struct recording_code *code; /* ordered by map, address, thread */
    uint64_t *code_counts;
    size_t code_count;
    struct recording_node *nodes;
    uint64_t *node_counts; /* of the node itself, without its children */
    size_t node_count;
    struct recording_sample *samples;
    size_t sample_count;
    struct recording_interval *intervals;
    uint64_t *interval_counts;
    size_t interval_count;
};

/** Returns an empty recording, or NULL if there is no memory.  The caller frees it with recording_free(). */
struct recording *recording_new(void);

/** Frees @r and everything in it.  @r may be NULL. */
void recording_free(struct recording *r);

/*
 * Each of these adds a row, copying the texts, and returns its index, or RECORDING_NONE if there is no memory.  Events
 * come before everything that has counts.  @counts has event_count elements.
 */
uint32_t recording_add_event(struct recording *r, const char *name, const char *mark, uint64_t period);
uint32_t recording_add_file(struct recording *r, enum recording_file_kind kind, const char *path,
                            const uint8_t *build_id, size_t build_id_length);
uint32_t recording_add_image(struct recording *r, const struct recording_image *image);
uint32_t recording_add_thread(struct recording *r, const struct recording_thread *thread);
uint32_t recording_add_map(struct recording *r, const struct recording_map *map);
uint32_t recording_add_symbol(struct recording *r, const struct recording_symbol *symbol);
uint32_t recording_add_code(struct recording *r, const struct recording_code *code, const uint64_t *counts);
uint32_t recording_add_node(struct recording *r, const struct recording_node *node, const uint64_t *counts);
uint32_t recording_add_sample(struct recording *r, const struct recording_sample *sample);
uint32_t recording_add_interval(struct recording *r, const struct recording_interval *interval, const uint64_t *counts);

/** Returns the sum of event @event, a row of the table of events, over all rows of code. */
uint64_t recording_sum(const struct recording *r, uint32_t event);

/** Replaces the text at @member, one of @r's, by a copy of @text.  Returns false if there is no memory. */
bool recording_set_text(char **member, const char *text);

/** Sorts `code`, with its counts.  Call it before writing or showing a recording that was built. */
void recording_sort(struct recording *r);

/** Why a file cannot be read or written: one line that names the file, the place in it, and the cure. */
struct recording_refusal {
    char text[512];
};

/**
 * Writes @r to the file @path: to a new file beside it, which then takes its name, so @path always holds a whole
 * recording.  Returns false and fills @no if that fails.
 */
bool recording_write(const struct recording *r, const char *path, struct recording_refusal *no);

/**
 * Reads the file @path.  Returns NULL and fills @no if it is no recording, is of a newer version, is cut short or
 * damaged, or needs more memory than there is.  The caller frees the recording.
 */
struct recording *recording_read(const char *path, struct recording_refusal *no);

/** Reads a recording from the @size bytes at @bytes, as recording_read() does; @name is what refusals call it. */
struct recording *recording_parse(const uint8_t *bytes, size_t size, const char *name, struct recording_refusal *no);

#endif
