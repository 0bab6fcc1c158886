/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clues of Linux' texts, as the rules of rules_linux*.c look at them: counted, with the commands that printed them,
 * and the events of perf table by table.
 */
#ifndef ARMPMU_CLI_WHY_LINUX_H
#define ARMPMU_CLI_WHY_LINUX_H

#include "../../read/linux.h"
#include "../rules.h"

#define LINUX_TABLES 32 /* tables of perf stat that are looked at; later ones are left out */

/** A table of perf stat: the counts of one run. */
struct linux_table {
    uint32_t command_line;                   /**< of the command that printed it; 0: not known */
    const char *command;                     /**< in lower case; "": not known */
    unsigned counted, zero;                  /**< events of hardware with a count above 0, and with the count 0 */
    unsigned unsupported, uncounted, shared; /**< <not supported>; <not counted>; counted for a part of the time */
    unsigned software;                       /**< events of the kernel with a count */
    unsigned named;                          /**< events that name a PMU: armv8_cortex_a72/cycles/ */
    uint64_t share_sum;                      /**< of the hundredths of a per cent of events that name different PMUs */
    const struct clue *first_zero, *first_unsupported, *first_uncounted, *first_shared, *first_counted;
    const struct clue *cycles, *instructions; /**< rows of these events, of any kind */
    uint64_t least_share;                     /**< hundredths of a per cent */
};

struct linux_view {
    const struct rules_input *in;
    const struct reading *r;
    struct suspects *all;
    char *lower; /**< the beginning of the text in lower case */
    const struct clue *first[CLUE_KINDS], *last[CLUE_KINDS];
    unsigned counts[CLUE_KINDS];
    struct linux_table tables[LINUX_TABLES];
    unsigned table_count;
    bool inside;                      /**< some commands are of a guest or container: those of the host are left out */
    const struct clue *works_outside; /**< an event that counts on the host */
    const struct clue *here;          /**< what says that the machine is virtual; NULL: nothing */
    bool emulated;                    /**< QEMU's TCG */
    bool physical;                    /**< the input says that the machine is not virtual */
    bool reads;                       /**< a program read the counters directly, again and again */
    bool container, android, apple, kernel32;
    const struct clue *paranoid; /**< the last perf_event_paranoid that was read */
    int64_t level;               /**< its value; 100: not known */
};

/** Makes the view of @in. */
void linux_view_init(struct linux_view *v, const struct rules_input *in, struct suspects *all);

/** Returns the line of @c, or 0. */
uint32_t linux_line_of(const struct clue *c);
/** Returns true if @event is one that the kernel counts itself, such as page-faults. */
bool linux_is_software(const char *event);
/** Adds a suspect because of @c's line, with @weight. */
struct suspect *linux_suspect(struct linux_view *v, enum why_cause_id cause, enum suspect_confidence confidence,
                              unsigned weight, const struct clue *c, const char *cure);
/** Returns true if the writer sees something that is wrong. */
bool linux_complains(const struct linux_view *v);
/** Returns true if an event of hardware has a count above 0 in a table. */
bool linux_counts(const struct linux_view *v);
/** Returns how many of the words of @text have letters only, up to 8.  A sentence has five and more. */
unsigned linux_count_words(const char *text);
/** Returns true if the writer complains, asks or wonders. */
bool linux_wonders(const struct linux_view *v);
/** Returns true if the beginning of the text has @word, which is in lower case, in any case of letters. */
bool linux_text_has(const struct linux_view *v, const char *word);

/**
 * Writes the events that the core has in place of @event, a generic name of perf or a common event's, as options of
 * perf to @buf: "-e r17 (L2D_CACHE_REFILL)".  Returns NULL if the core is not known or lists none.
 */
const char *linux_events_instead(const struct linux_view *v, const char *event, char buf[200]);

/** Returns the number of a raw event, "r1b" or ".../event=0x1b/"; -1: it has none. */
int linux_raw_number(const char *event);
/** Writes what to count in place of the event of @c, which has a generic name, to @cure.  Returns @cure. */
const char *linux_cure_unmapped(const struct linux_view *v, const struct clue *c, char cure[400]);

/* What a command of perf or simpleperf asks for.  Commands are in lower case. */

/** Returns the CPUs on which the task of @command may run; 0: not known. */
uint64_t linux_task_cpus(const struct linux_view *v, const char *command);
/** Returns the CPUs that @command counts on; 0: those where the task runs. */
uint64_t linux_counted_cpus(const char *command);
/**
 * Returns how many events the largest group in braces of @command has, 0 for none; *@cycles: one of them is cycles,
 * which needs no event counter.
 */
unsigned linux_largest_group(const char *command, bool *cycles);

/** Returns how many counters there are, with the cycle counter; *@known: the input or its core says so. */
unsigned linux_counters_there(const struct linux_view *v, bool *known);
/** Adds the group in braces that is larger than the PMU where a line tells of EINVAL. */
void linux_add_refused_group(struct linux_view *v);

/** Returns true if the machine has two kinds of core. */
bool linux_is_big_little(const struct linux_view *v);
/** Adds the task that ran on the other kind of core.  @row is the event that did not count. */
void linux_add_other_core(struct linux_view *v, const struct linux_table *t, const struct clue *row);
/**
 * Adds the event of a PMU whose CPUs are not those on which the command counts or the task runs.  Returns true if @row
 * is such an event.
 */
bool linux_add_disjoint(struct linux_view *v, const struct linux_table *t, const struct clue *row);
/** Returns true if a trace shows that the last read of the event @opened, a CLUE_linux_opened or NULL, gave 0. */
bool linux_reads_zero(const struct linux_view *v, const struct clue *opened);
/** Adds the event of a plain type that a trace shows to be opened, and to read 0, on a machine with several PMUs. */
void linux_add_plain_type(struct linux_view *v);

/* The rules, by topic. */
void linux_rules_absent(struct linux_view *v);    /**< no PMU: hypervisors, drivers, device trees, configs */
void linux_rules_interrupt(struct linux_view *v); /**< interrupts, affinity */
void linux_rules_counters(struct linux_view *v);  /**< fewer counters than the core has */
void linux_rules_events(struct linux_view *v);    /**< tables of perf */
void linux_rules_counts(struct linux_view *v);    /**< counts that look odd */
void linux_rules_refused(struct linux_view *v);   /**< refusals: paranoid levels, containers, Android, SELinux */
void linux_rules_manifest(struct linux_view *v);  /**< a container of Kubernetes or Compose that grants nothing */
void linux_rules_user(struct linux_view *v);      /**< direct reads, undefined instructions */
void linux_rules_story(struct linux_view *v);     /**< what worked before, and what came between */
void linux_rules_clear(struct linux_view *v);     /**< causes that the input shows not to hold */
void linux_rules_fine(struct linux_view *v);      /**< all is well, or what to ask */
/* Returns true if the NMI watchdog is on at the line of @row: the value that is printed last before it is 1. */
bool linux_watchdog_before(const struct linux_view *v, const struct clue *row);

#endif
