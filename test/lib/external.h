/* SPDX-License-Identifier: BSD-2-Clause */
/* A unit with six counters, and accesses to its external view, for the tests of that view. */
#ifndef ARMPMU_TEST_EXTERNAL_H
#define ARMPMU_TEST_EXTERNAL_H

#include <string.h>

#include <armpmu/model.h>

#include "tap.h"

#define EL1_ONLY (APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(PMUv3))
#define ALL_ELS (EL1_ONLY | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3))
#define EXT32 APMU_FEAT(PMUv3_EXT32)
#define EXT64 APMU_FEAT(PMUv3_EXT64)
#define P4 APMU_FEAT(Debugv8p4)
#define EXTPMN (ALL_ELS | P4 | APMU_FEAT(PMUv3_EXTPMN) | APMU_FEAT(PMUv3p5) | APMU_FEAT(HPMN0))
#define LOCK_KEY 0xC5ACCE55u

static struct apmu p;
static struct apmu_pe pe;
static struct apmu_config cfg;

enum { READ = false, WRITE = true };
enum { S = APMU_PAS_SECURE, NS = APMU_PAS_NONSECURE, ROOT = APMU_PAS_ROOT };

/*
 * configure() and start() make a unit with six counters from cfg, with debug enabled.  Tests change members of cfg in
 * between.
 */
static inline void configure(uint64_t features)
{
    cfg = (struct apmu_config){
        .size = sizeof cfg,
        .features = apmu_features_closure(features),
        .counters = 6,
        .thwidth = (apmu_features_closure(features) & APMU_FEAT(PMUv3_TH)) != 0 ? 5 : 0,
    };
}

static inline void start(void)
{
    apmu_init(&p, &cfg);
    pe = (struct apmu_pe){.el = 3, .dbgen = true, .niden = true, .spiden = true, .spniden = true};
}

static inline void unit(uint64_t features)
{
    configure(features);
    start();
    MUST(apmu_config_check(&cfg) == NULL, "the unit of the test: %s", apmu_config_check(&cfg));
}

static inline struct apmu_ext at(uint64_t offset, unsigned size, unsigned pas)
{
    return (struct apmu_ext){.offset = offset, .size = size, .pas = (enum apmu_pas)pas};
}

static inline uint64_t rd(uint64_t offset, unsigned size, unsigned pas)
{
    const struct apmu_ext a = at(offset, size, pas);
    return apmu_read_ext(&p, &pe, &a);
}

static inline void wr(uint64_t offset, unsigned size, unsigned pas, uint64_t value)
{
    const struct apmu_ext a = at(offset, size, pas);
    apmu_poke_ext(&p, &pe, &a, value, NULL);
}

/* Returns the result of an access as text: "ok", "error OSLSR_EL1.OSLK", "raz PMCCR.EPMN" ... */
static inline const char *said(uint64_t offset, unsigned size, unsigned pas, bool write)
{
    static char text[96];
    const struct apmu_ext a = at(offset, size, pas);
    const struct apmu_access access = apmu_access_ext(&p, &pe, &a, write);
    const char *word = access.outcome == APMU_ACCESS_OK    ? "ok"
                       : access.outcome == APMU_ACCESS_RAZ ? "raz"
                       : access.outcome == APMU_ACCESS_WI  ? "wi"
                                                           : "error";

    snprintf(text, sizeof text, access.control[0] != '\0' ? "%s %s" : "%s", word, access.control);
    return text;
}

#define SAYS(offset, size, pas, write, want) \
    MUST(strcmp(said(offset, size, pas, write), want) == 0, "%s 0x%x/%u: \"%s\", not \"%s\"", \
         write ? "write" : "read", (unsigned)(offset), (unsigned)(size), said(offset, size, pas, write), want)

#endif
