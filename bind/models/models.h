/* SPDX-License-Identifier: BSD-2-Clause */
/* Register models of the external view: the registers of a configuration, and the formats that they are printed in. */
#ifndef ARMPMU_BIND_MODELS_H
#define ARMPMU_BIND_MODELS_H

#include "../tb/internal.h"

/* How software accesses a field. */
enum model_access { MODEL_RO, MODEL_RW, MODEL_WO, MODEL_W1S, MODEL_W1C };

struct model_field {
    char name[32];
    unsigned lsb, bits; /* in the register as it is at its offset */
    enum model_access access;
    bool has_reset; /* a Cold reset leaves no bit of it UNKNOWN */
    const char *text;
};

struct model_register {
    char name[24];
    unsigned offset, bits; /* 32 or 64 */
    bool readable, writable;
    uint64_t reset;        /* after a Cold reset */
    uint64_t unknown;      /* the bits that it leaves UNKNOWN */
    const char *text;
    unsigned field_count;
    struct model_field fields[64];
};

/* A format: .begin, .add for each register, .end.  What it prints begins with the configuration. */
struct model_format {
    const char *name;
    void (*begin)(const char *config);
    void (*add)(const struct model_register *reg);
    void (*end)(void);
};

extern const struct model_format model_ipxact, model_rdl, model_ral;

#endif
