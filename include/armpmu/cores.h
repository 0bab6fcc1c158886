/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cores: the PMU that a core has according to its vendor, and the events that its manual lists, common ones and its
 * own.  They are rows of tables/cores.def and tables/core_events.def.
 *
 * This header is for tools, and for users of the driver who name events as the core's manual does.  Prefer what the PMU
 * itself tells (PMCR_EL0.N, PMCEID<n>_EL0: apmu_pmu_discover()) to these lists.  All data is constant; every function
 * is safe in any context.  A program that calls none of them does not link the lists, which are about 150 KB.
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/cores.h>
 *
 * int main(void)
 * {
 *     const struct apmu_core_info *core = apmu_core_by_midr(0x410FD034);
 *
 *     if (core == NULL) {
 *         return 1;
 *     }
 *     printf("%s: %u event counters\n", core->name, (unsigned)core->counters);
 *     return apmu_core_lists_event(core, APMU_EV_CPU_CYCLES) ? 0 : 1;
 * }
 * @endcode
 */
#ifndef ARMPMU_CORES_H
#define ARMPMU_CORES_H

#include <armpmu/events.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The PMU that a core has. */
enum apmu_core_pmu {
    APMU_CORE_PMU_NONE,  /**< none that Arm specifies */
    APMU_CORE_PMU_ARM11, /**< that of ARM1136, ARM1156 and ARM1176: <armpmu/arm11_regs.h> */
    APMU_CORE_PMU_V1,    /**< PMUv1 of ARMv7 */
    APMU_CORE_PMU_V2,    /**< PMUv2 of ARMv7 */
    APMU_CORE_PMU_V3     /**< PMUv3 */
};

/** In place of the number of event counters. */
enum apmu_core_counters {
    APMU_CORE_COUNTERS_UNKNOWN = 255 /**< it is configurable, or not published */
};

/** Describes a core. */
struct apmu_core_info {
    const char *name;    /**< the vendor's: "Cortex-A53" */
    uint8_t implementer; /**< MIDR_EL1.Implementer */
    uint16_t part;       /**< MIDR_EL1.PartNum */
    uint8_t counters;    /**< event counters, 0..31, or APMU_CORE_COUNTERS_UNKNOWN */
    enum apmu_core_pmu pmu;
    uint8_t version;     /**< with APMU_CORE_PMU_V3, ID_AA64DFR0_EL1.PMUVer; 0: not known */
    const char *note;    /**< a remark, or "" */
};

/** Returns the number of cores. */
size_t apmu_core_count(void);

/** Returns core @i, 0..apmu_core_count()-1; NULL past the last one. */
const struct apmu_core_info *apmu_core_at(size_t i);

/** Returns the core with the Implementer and PartNum of @midr (MIDR or MIDR_EL1); NULL if there is none. */
const struct apmu_core_info *apmu_core_by_midr(uint32_t midr);

/** Returns the core that its vendor calls @name; NULL if there is none.  Case is ignored. */
const struct apmu_core_info *apmu_core_by_name(const char *name);

/** An event under the name that a core gives it. */
struct apmu_core_event {
    uint16_t number;
    const char *name;
};

/**
 * Returns event @i, from 0, of those that @core names itself, in ascending order of number; NULL past the last one.
 * Some may be common events under other names.
 */
const struct apmu_core_event *apmu_core_event_at(const struct apmu_core_info *core, size_t i);

/**
 * Returns true if the manual of @core lists event @number.  Returns false for ARM1136, ARM1156 and ARM1176, whose
 * events are in <armpmu/arm11_regs.h>.
 */
bool apmu_core_lists_event(const struct apmu_core_info *core, uint32_t number);

/**
 * Returns the name of event @number: the one that @core gives it, else the common event's; NULL if it has none.  From
 * 0x40 on, some cores of ARMv7, such as Cortex-A9, have other events than the common ones.
 */
const char *apmu_core_event_name(const struct apmu_core_info *core, uint32_t number);

/** Does what apmu_event_parse() does, with @core's own names first.  @core may be NULL. */
int apmu_core_event_parse(const struct apmu_core_info *core, const char *text);

/** Does what apmu_wish_parse() does, with the events of apmu_core_event_parse(). */
enum apmu_error apmu_core_wish_parse(const struct apmu_core_info *core, const char *text, struct apmu_wish *wish);

#ifdef __cplusplus
}
#endif
#endif
