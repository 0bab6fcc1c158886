/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads trace files ("armpmu-trace 1").  A trace is a sequence of actions on one unit, each with the result that a
 * correct PMU gives.  `armpmu run --trace` writes such files.  The tests compare the results (test/model/replay/), and
 * `armpmu why`, `audit` and `decode` use the state to which the actions lead (cli/state/replay.c).
 *
 *     armpmu-trace 1                               the first line of the file
 *     trace example                                a file has any number of traces
 *     config feat=0x800061f0f n=4 pmmir=0x4        makes the unit: a set of APMU_FEAT(x), and four event counters
 *     pe el=3 scr_el3=0x401 mdcr_el2=0x44          sets members of struct apmu_pe
 *     w a64 PMCNTENSET_EL0 0x1 -> ok               writes a register by its name in a view: a64, a32, ext or arm11
 *     w a64 PMCR_EL0 0x41 -> ok
 *     pe el=1
 *     cycles 2 0x8*1                               lets two cycles pass, with one event 8 in each
 *     events 0x8*3                                 lets three events 8 occur, in cycles that are not known
 *     counts 0 -> 1                                asks if counter 0 counts; `irq` and `fiq` ask for interrupts
 *     r a64 PMSELR_EL0 -> trap 2 0x18              reads a register; it is trapped to EL2, class 0x18
 *     reset warm                                   or cold; `snapshot` captures the counters
 *     end
 *
 * A # begins a comment.  The reader stops at the first word or number that it does not understand, because a misread
 * trace proves nothing.
 */
#ifndef ARMPMU_TRACE_TRACE_H
#define ARMPMU_TRACE_TRACE_H

#include <armpmu/arm11.h>
#include <armpmu/model.h>

/* Limits: words of a line, events of a `cycles` action, and, with the '\0', characters of a trace's name and a line. */
enum { TRACE_WORDS = 96, TRACE_EVENTS = 32, TRACE_NAME = 64, TRACE_LINE = 8192 };

#define TRACE_FIRST_LINE "armpmu-trace 1"

/* How an access ends, as written after "->". */
enum trace_outcome {
    TRACE_OUTCOME_OK,
    TRACE_OUTCOME_WI,    /* the write is ignored */
    TRACE_OUTCOME_RAZ,   /* the register reads as zero */
    TRACE_OUTCOME_UNDEF, /* the instruction is UNDEFINED */
    TRACE_OUTCOME_TRAP,
    TRACE_OUTCOME_ERR,   /* the external access ends with an error */
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

/* The operations of one kind of unit.  .event, .counts, .fiq and .snapshot are NULL if this kind lacks the action. */
struct trace_unit {
    const struct trace_view {
        const char *name;
        /* Performs the access.  Returns false if there is no such register. */
        bool (*access)(struct trace *t, const struct trace_access *a, struct trace_reply *r);
    } *views; /* a NULL name ends the list */
    bool (*set_pe)(struct trace *t, const char *key, uint64_t value); /* returns false if there is no such key */
    /* Lets @n cycles pass, in each of which the @count events @ev occur. */
    void (*cycles)(struct trace *t, uint64_t n, const struct apmu_occurrence *ev, size_t count);
    void (*event)(struct trace *t, uint16_t event, uint64_t times); /* time passes only for counters that count it */
    bool (*counts)(struct trace *t, unsigned n); /* whether counter n counts */
    bool (*irq)(struct trace *t);                /* whether the interrupt is asserted */
    bool (*fiq)(struct trace *t);                /* the same for the fast interrupt */
    void (*snapshot)(struct trace *t);
    void (*reset)(struct trace *t, bool cold);
};

struct trace_reader;

/*
 * Receives what the reader reads.  It is called after each access with the result, after each action whose result is a
 * bit, and after each line without a result, which may be blank.
 */
struct trace_listener {
    void (*access)(struct trace_reader *reader, const struct trace_reply *got);
    void (*bit)(struct trace_reader *reader, bool got);
    void (*plain)(struct trace_reader *reader);
};

/* A reader of one file. */
struct trace_reader {
    const struct trace_listener *listener;
    bool unreadable;         /* a line was not understood; nothing more is read */
    char error[160];         /* if unreadable: the offending word, and what is wrong with it */
    bool in_trace;           /* between `trace` and `end` */
    unsigned long line;      /* the number of the line, from 1 */
    char text[TRACE_LINE];   /* the whole line, for messages */
    char *word[TRACE_WORDS]; /* the words of the action; valid during the listener's call */
    unsigned words;          /* how many are in .word */
    char *expected[4];       /* the words after "->"; valid like .word */
    unsigned expectations;   /* how many are in .expected */
    unsigned long traces, actions; /* how many were read */
    struct trace trace;      /* the current trace */
};

/* Initializes @reader.  @fill is the value that UNKNOWN fields read as. */
void trace_reader_init(struct trace_reader *reader, const struct trace_listener *listener, uint64_t fill);

/*
 * Reads the next line of the file, @length characters with or without the newline, and performs its action.  Returns
 * false if the line is not understood.  After that no line may follow.
 */
bool trace_reader_line(struct trace_reader *reader, const char *text, size_t length);

/* Ends the reading after the last line.  Returns false if the first line or the last `end` is missing. */
bool trace_reader_end(struct trace_reader *reader);

/* For listeners: refuses @word for the cause @why, and sets .unreadable. */
void trace_refuse(struct trace_reader *reader, const char *word, const char *why);
/* For listeners: parse the number @s, written as in C, of up to 64 bits or up to 255.  Refuse any other word. */
uint64_t trace_number(struct trace_reader *reader, const char *s);
unsigned trace_small_number(struct trace_reader *reader, const char *s);

/* A KEY=VALUE pair of a `config` line. */
struct trace_setting {
    const char *key;
    uint64_t value;
};

/* Make @t's unit as the settings describe it.  If a setting is wrong, store its key in *@bad and return false. */
bool trace_configure_pmuv3(struct trace *t, const struct trace_setting *settings, unsigned count, const char **bad);
bool trace_configure_arm11(struct trace *t, const struct trace_setting *settings, unsigned count, const char **bad);

/* Stores the outcome of @access in @r.  Returns true if the caller has to perform the access. */
bool trace_store_outcome(const struct apmu_access *access, struct trace_reply *r);

/*
 * ext.c: perform an access in the external view, and store a setting that only this view shows.  Return false if there
 * is no such register or setting.
 */
bool trace_access_ext(struct trace *t, const struct trace_access *a, struct trace_reply *r);
bool trace_configure_ext(struct apmu_config *cfg, const char *key, uint64_t value);

#endif
