/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the readers of Linux' texts share.  linux.c takes the text line by line, tells commands from what they print,
 * and gives each line to linux_lines.def (messages), linux_perf.c, linux_files.c, linux_machine.c and linux_guest.c.
 * linux_tree.c reads device trees, which need more than a line.
 */
#ifndef ARMPMU_CLI_READ_LINUX_H
#define ARMPMU_CLI_READ_LINUX_H

#include "reading.h"

#define LINUX_LINE     1024 /* bytes of a line that patterns look at */
#define LINUX_MOST     512  /* clues of one kind that are kept: more of the same tell nothing new */

/** Where a command was typed, as its prompt or the commands before it say. */
enum linux_where { LINUX_ANYWHERE, LINUX_IN_GUEST, LINUX_ON_HOST, LINUX_IN_CONTAINER, LINUX_ON_ANDROID };

/** The events of clues: what .values[1] of CLUE_linux_counted says. */
#define LINUX_WHOLE 10000 /* hundredths of a per cent */

#define LINUX_MUCH_BYTES ((size_t)1 << 18) /* of a text in which each line is looked at; of later ones */
#define LINUX_MUCH_LINES 8192              /* only those for which linux_quick_look() returns true, */
#define LINUX_ALIKE      64                /* and so many of one shape: text_shape() */
#define LINUX_SHAPES     4096
#define LINUX_THREES     32768             /* three characters in a row, hashed */

/** What tells the lines that are worth a look. */
struct linux_quick {
    bool prepared, all;
    uint8_t folded[256];               /* a character in lower case; a blank for a tab */
    uint64_t threes[LINUX_THREES / 64]; /* a bit for each hash */
};

/** Lines of one shape that were read. */
struct linux_shape {
    uint32_t shape;
    uint16_t count;
    bool claimed; /**< the last one was claimed */
};

/** What linux.c knows while it reads. */
struct linux_input {
    struct reading *r;
    size_t i;                               /**< the index of the line */
    uint32_t number;                        /**< its number */
    const char *line;                       /**< the line behind a time stamp or prompt */
    char lower[LINUX_LINE];                 /**< its beginning in lower case */
    bool stamped;                           /**< it has a time stamp of the kernel's */
    uint64_t pairs;                         /**< the pairs of letters in .lower, hashed */
    const uint64_t *pattern_pairs;          /**< the pairs of the patterns of linux_lines.def */
    char command[LINUX_LINE];               /**< the last command in lower case; "": none is known */
    uint32_t command_line;
    enum linux_where where;
    enum linux_where nest;               /**< where a command such as docker run or ssh led to */
    unsigned outputs;                    /**< lines of output since the command that were numbers alone */
    bool interrupts;                     /**< the lines are those of /proc/interrupts */
    unsigned columns;                    /**< its columns of CPUs */
    bool statistics;                     /**< the lines are a table of perf stat or simpleperf */
    bool listing;                        /**< the lines list /sys/bus/event_source/devices */
    bool events;                         /**< the lines list the events of a PMU */
    bool part;                           /**< and only those that the command chose */
    unsigned times[2];                   /**< columns of times enabled and running, from the right; 0: none */
    bool times_by_comma;                 /**< its columns have commas between them */
    uint64_t implementer;                /**< of /proc/cpuinfo; 0: not read */
    uint64_t first_core;                 /**< implementer << 12 | part of the first core that was found; 0: none */
    uint64_t last_core;                  /**< of the last one */
    bool heeds_all;                      /**< what the last command prints may be of any form */
    struct linux_quick quick;
    struct linux_shape shapes[LINUX_SHAPES]; /**< of a large text, by .shape % LINUX_SHAPES; the last one of several */
    unsigned kinds[CLUE_KINDS];          /**< how many clues of each kind there are */
};

/** What a pattern matched. */
struct linux_match {
    uint64_t numbers[3];
    unsigned count; /**< of .numbers */
    char word[96];  /**< "" if the pattern has no "@" */
};

/**
 * Returns true if @pattern occurs in @lower, which is in lower case.  In a pattern " " is one blank or more, "#" a
 * number,
 * "@" a word, "*" any text, and "^" at its beginning is that of the line.  At most LINUX_LINE bytes are looked at.
 */
bool linux_match(const char *pattern, const char *lower, struct linux_match *m);
/** Returns the pairs of letters in @text, hashed: a pattern may match a text only if the text has all of its pairs. */
uint64_t linux_pairs(const char *text);
/** Returns the number at @text, decimal (perhaps negative) or 0x..., and stores its end in *@end. */
uint64_t linux_number(const char *text, const char **end);
/** Returns the first occurrence of @words in the line, in->lower, or NULL. */
const char *linux_find(const struct linux_input *in, const char *words);
/** Returns @text behind @word and blanks if it begins with @word as a whole word, else NULL. */
const char *linux_after(const char *text, const char *word);
/** Returns true if @word occurs in @text between characters that are no letters, digits or "_". */
bool linux_has_word(const char *text, const char *word);
/** Copies the word at @text, up to a blank or one of @ends, to @word.  Returns its length. */
size_t linux_word(const char *text, const char *ends, char *word, size_t size);

/** Adds a clue to the line and claims it, unless there are enough of its kind.  Returns NULL then. */
struct clue *linux_clue(struct linux_input *in, enum clue_kind kind, const char *words, uint64_t first,
                        uint64_t second);

/** Reads settings such as perf_event_paranoid in @text.  @command: it is a command, which sets them. */
void linux_read_settings(struct linux_input *in, const char *text, bool command);

/** Does the same, and leaves the line open to the reader of words. */
struct clue *linux_note(struct linux_input *in, enum clue_kind kind, const char *words, uint64_t first,
                        uint64_t second);

void linux_quick_prepare(struct linux_quick *q);
/** Returns false if no reader of a line finds anything in @text, whatever was before, unless a command printed it. */
bool linux_quick_look(const struct linux_quick *q, const char *text, size_t length);

/** Returns true if @command prints values without their names, which the readers then expect. */
bool linux_expects_values(const char *command);

/** Finds the prompt and the command of the line.  Returns true if it is a command. */
bool linux_read_command(struct linux_input *in);

/** Notes a line that says where the next commands are typed. */
void linux_read_place(struct linux_input *in);

/* The readers of a line.  Each looks whether the line is of its kind. */
void linux_read_message(struct linux_input *in); /**< linux_lines.def */
void linux_read_perf(struct linux_input *in);
void linux_read_file(struct linux_input *in); /**< sysctl values, listings of /sys, /proc/interrupts, kernel configs */
void linux_read_machine(struct linux_input *in); /**< cores, versions, hypervisors */
void linux_read_host(struct linux_input *in);    /**< hypervisors alone */
void linux_read_instance(struct linux_input *in); /**< types of clouds' instances alone */
void linux_read_names(struct linux_input *in);   /**< names of PMUs alone, for commands */
void linux_read_guest(struct linux_input *in);   /**< command lines and XML of virtual machines */
/** Reads the device trees in the text. */
void linux_read_tree(struct reading *r);

#endif
