/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trace files ("armpmu-trace 1"): sequences of actions on one unit, each with the result that a correct PMU gives.  The
 * tests compare the results.  The tool uses the state to which the actions lead.
 *
 * The reader stops at the first word or number that it does not understand, because a misread trace proves nothing.
 */
#ifndef ARMPMU_TRACE_TRACE_H
#define ARMPMU_TRACE_TRACE_H

#include <armpmu/arm11.h>
#include <armpmu/model.h>

/* Limits: the words of a line, the events of a `cycles` action, and with their '\0' a trace's name and a line. */
enum { TRACE_WORDS = 96, TRACE_EVENTS = 32, TRACE_NAME = 64, TRACE_LINE = 8192 };

#define TRACE_FIRST_LINE "armpmu-trace 1"

/* How an access ends, as written after "->". */
enum trace_outcome {
    TRACE_OUTCOME_OK,
    TRACE_OUTCOME_WI,
    TRACE_OUTCOME_RAZ,
    TRACE_OUTCOME_UNDEF,
    TRACE_OUTCOME_TRAP,
    TRACE_OUTCOME_ERR,
    TRACE_OUTCOME_UNPREDICTABLE,
};

/* The result of an access. */
struct trace_reply {
    enum trace_outcome outcome;
    unsigned el, ec;      /* for TRACE_OUTCOME_TRAP: the target Exception level and the exception class */
    bool has_value;       /* it is a read that succeeds */
    uint64_t value, mask; /* only the bits in .mask are compared */
};

/* A register access: "r VIEW REG", or "w VIEW REG VALUE". */
struct trace_access {
    bool write;
    const char *reg;
    uint64_t value;
};

/* The trace that is being read, and the unit of the model that performs its actions. */
struct trace {
    char name[TRACE_NAME];
    const struct trace_unit *unit; /* NULL before the `config` line */
    uint64_t fill;                 /* the value that UNKNOWN fields read as */
    struct apmu p;                 /* the unit, if it is a PMUv3 */
    struct apmu_pe pe;
    uint64_t mdcr_el3, pmsee;      /* keys of `pe` that share a register */
    struct apmu_arm11 arm11;       /* the unit, if it is an ARM11 */
    struct apmu_arm11_pe pe11;     /* its core; before a `pe` line, in a privileged mode in Non-secure state */
};

/* The operations of one kind of unit.  A NULL function means that this kind lacks the action. */
struct trace_unit {
    const struct trace_view {
        const char *name;
        /* Performs the access.  Returns false if there is no such register. */
        bool (*access)(struct trace *t, const struct trace_access *a, struct trace_reply *r);
    } *views; /* a NULL name ends the list */
    bool (*set_pe)(struct trace *t, const char *key, uint64_t value); /* returns false if there is no such key */
    void (*cycles)(struct trace *t, uint64_t n, const struct apmu_occurrence *ev, size_t count);
    void (*event)(struct trace *t, uint16_t event, uint64_t times); /* time passes only for counters that count it */
    bool (*counts)(struct trace *t, unsigned n);
    bool (*irq)(struct trace *t);
    bool (*fiq)(struct trace *t);
    void (*snapshot)(struct trace *t);
    void (*reset)(struct trace *t, bool cold);
};

struct trace_reader;

/*
 * Receives what the reader reads: an access with its result, an action whose result is a bit, a line without a result.
 */
struct trace_listener {
    void (*access)(struct trace_reader *r, const struct trace_reply *got);
    void (*bit)(struct trace_reader *r, bool got);
    void (*plain)(struct trace_reader *r);
};

struct trace_reader {
    const struct trace_listener *listener;
    bool unreadable;         /* a line was not understood; nothing more is read */
    char error[160];         /* if unreadable: the offending word, and what is wrong with it */
    bool in_trace;           /* between `trace` and `end` */
    unsigned long line;      /* the number of the line, from 1 */
    char text[TRACE_LINE];   /* the whole line, for messages */
    char *word[TRACE_WORDS]; /* the words of the action; valid during the listener's call */
    unsigned words;
    char *expected[4];       /* the words after "->" */
    unsigned expectations;
    unsigned long traces, actions;
    struct trace trace;
};

/* Initializes @f.  @fill is the value that UNKNOWN fields read as. */
void trace_reader_init(struct trace_reader *f, const struct trace_listener *listener, uint64_t fill);

/*
 * Reads the next line, starting with the first of the file.  Returns false if the line is not understood; the reader is
 * then at its end.
 */
bool trace_reader_line(struct trace_reader *f, const char *text, size_t length);

/* Ends the reading, after the last line.  Returns false if something is missing. */
bool trace_reader_end(struct trace_reader *f);

/* For listeners: refuses @word, which is not understood, and makes the reader unreadable. */
void trace_refuse(struct trace_reader *f, const char *word, const char *why);
/* For listeners: parse a number as traces have it, of 64 bits or up to 255, or refuse it. */
uint64_t trace_number(struct trace_reader *f, const char *s);
unsigned trace_small_number(struct trace_reader *f, const char *s);

/* A KEY=VALUE pair of a `config` line. */
struct trace_setting {
    const char *key;
    uint64_t value;
};

/* Configure @t as the unit that the settings describe.  Return false for an unknown key, which @bad then names. */
bool trace_configure_pmuv3(struct trace *t, const struct trace_setting *settings, unsigned count, const char **bad);
bool trace_configure_arm11(struct trace *t, const struct trace_setting *settings, unsigned count, const char **bad);

/* Stores the outcome of @access in @r.  Returns true if the caller has to perform the access. */
bool trace_store_outcome(const struct apmu_access *access, struct trace_reply *r);

/*
 * ext.c: performs an access in the external view; stores a setting that only this view shows.  Return false if there is
 * no such register or setting.
 */
bool trace_access_ext(struct trace *t, const struct trace_access *a, struct trace_reply *r);
bool trace_configure_ext(struct apmu_config *cfg, const char *key, uint64_t value);

#endif
