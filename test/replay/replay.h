/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replays trace files ("armpmu-trace 1"): sequences of actions on one unit, each with the result of a correct PMU.
 *
 * A word or number that is not understood ends the file: a trace that is not understood proves nothing.
 */
#ifndef ARMPMU_TEST_REPLAY_H
#define ARMPMU_TEST_REPLAY_H

#include <armpmu/arm11.h>
#include <armpmu/model.h>

enum { MAX_WORDS = 96, MAX_EVENTS = 32, NAME_LENGTH = 64 };

/* What an action gave: the words after "->". */
enum outcome { OUTCOME_OK, OUTCOME_WI, OUTCOME_RAZ, OUTCOME_UNDEF, OUTCOME_TRAP, OUTCOME_ERR, OUTCOME_UNPREDICTABLE };

struct result {
    enum outcome outcome;
    unsigned el, ec; /* of a trap */
    bool has_value;
    uint64_t value, mask; /* only the bits of the mask are compared */
};

/* A register access: "r VIEW REG", or "w VIEW REG VALUE". */
struct access {
    bool write;
    const char *reg;
    uint64_t value;
};

struct trace {
    struct file *file;
    char name[NAME_LENGTH];
    const struct unit *unit; /* NULL until `config` */
    uint64_t fill;           /* what UNKNOWN fields read as */
    struct apmu p;
    struct apmu_pe pe;
    uint64_t mdcr_el3, pmsee; /* keys of `pe` that share a register */
    struct apmu_arm11 arm11;  /* where that is the unit */
};

/* What the model has: one of these for each kind of unit.  A function that is NULL is an action that it does not have. */
struct unit {
    const struct view {
        const char *name;
        /* False if there is no such register. */
        bool (*access)(struct trace *t, const struct access *a, struct result *r);
    } *views; /* ends with a NULL name */
    bool (*set_pe)(struct trace *t, const char *key, uint64_t value); /* false: no such key */
    void (*cycles)(struct trace *t, uint64_t n, const struct apmu_occurrence *ev, size_t count);
    void (*event)(struct trace *t, uint16_t event, uint64_t times); /* no cycle passes for what does not count it */
    bool (*counts)(struct trace *t, unsigned n);
    bool (*irq)(struct trace *t);
    bool (*fiq)(struct trace *t);
    void (*snapshot)(struct trace *t);
    void (*reset)(struct trace *t, bool cold);
};

/* A key and value of `config`. */
struct setting {
    const char *key;
    uint64_t value;
};

/* Each makes the unit that the settings describe, or answers false if it does not know a key, which @bad then names. */
bool pmuv3_config(struct trace *t, const struct setting *settings, unsigned count, const char **bad);
bool arm11_config(struct trace *t, const struct setting *settings, unsigned count, const char **bad);

/* Fills the outcome; true if the access is performed, and then it is the view that does it. */
bool answered(const struct apmu_access *access, struct result *r);

/* ext.c: the external view of that unit, and the settings that it alone shows */
bool access_ext(struct trace *t, const struct access *a, struct result *r);
bool ext_configure(struct apmu_config *cfg, const char *key, uint64_t value);

#endif
