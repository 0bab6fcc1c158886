/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cores: what PMU a core has by its vendor's word, and the events that its manual lists, those of its own included.  Rows of
 * tables/cores.def and tables/core_events.def.
 *
 * For tools, and for users of the driver who name events as the core's manual does.  What the PMU itself tells (PMCR_EL0.N,
 * PMCEID<n>_EL0: apmu_pmu_discover()) comes before what stands here.  All data is constant; every function is safe in any
 * context.  A program that calls none of them does not link the lists, which are about 150 KB.
 */
#ifndef ARMPMU_CORES_H
#define ARMPMU_CORES_H

#include <armpmu/events.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What kind of PMU a core has. */
enum apmu_core_pmu {
    APMU_CORE_PMU_NONE,  /**< none of Arm's */
    APMU_CORE_PMU_ARM11, /**< PMNC: <armpmu/arm11_driver.h> */
    APMU_CORE_PMU_V1,    /**< PMUv1 of ARMv7 */
    APMU_CORE_PMU_V2,    /**< PMUv2 of ARMv7 */
    APMU_CORE_PMU_V3     /**< PMUv3 */
};

#define APMU_CORE_COUNTERS_UNKNOWN 255

struct apmu_core_info {
    const char *name;    /**< the vendor's: "Cortex-A53" */
    uint8_t implementer; /**< MIDR_EL1.Implementer */
    uint16_t part;       /**< MIDR_EL1.PartNum */
    uint8_t counters;    /**< event counters, or APMU_CORE_COUNTERS_UNKNOWN: the licensee chooses, or nobody says */
    enum apmu_core_pmu pmu;
    uint8_t version;     /**< of PMUv3: ID_AA64DFR0_EL1.PMUVer; 0: not known */
    const char *note;    /**< what is peculiar, or "" */
};

/** How many cores there are. */
size_t apmu_core_count(void);

/** Core @i, 0..apmu_core_count()-1.  NULL beyond. */
const struct apmu_core_info *apmu_core_at(size_t i);

/** The core with the Implementer and PartNum of @midr (MIDR or MIDR_EL1), or NULL. */
const struct apmu_core_info *apmu_core_by_midr(uint32_t midr);

/** The core of the vendor's name @name, in upper or lower case, or NULL. */
const struct apmu_core_info *apmu_core_by_name(const char *name);

/** An event of a core's own. */
struct apmu_core_event {
    uint16_t number;
    const char *name;
};

/**
 * The @i-th event that @core names itself, in the order of their numbers; NULL beyond the last.  Among them may be other
 * names for common events.
 */
const struct apmu_core_event *apmu_core_event_at(const struct apmu_core_info *core, size_t i);

/**
 * Does the manual of @core list event @number?  False also where there is no list (ARM1136, ARM1156 and ARM1176, whose events
 * <armpmu/arm11_regs.h> has).
 */
bool apmu_core_lists_event(const struct apmu_core_info *core, uint32_t number);

/** What event @number is called on @core: its own name, else that of the common event; NULL if the number has none. */
const char *apmu_core_event_name(const struct apmu_core_info *core, uint32_t number);

/** As apmu_event_parse(), but names of @core's own events come first.  @core may be NULL. */
int apmu_core_event_parse(const struct apmu_core_info *core, const char *text);

/** As apmu_wish_parse(), with the events of apmu_core_event_parse(). */
enum apmu_error apmu_core_wish_parse(const struct apmu_core_info *core, const char *text, struct apmu_wish *wish);

#ifdef __cplusplus
}
#endif
#endif
