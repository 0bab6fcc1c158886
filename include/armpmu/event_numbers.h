/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of the common events, as PMEVTYPER<n>_EL0.evtCount takes them: an expansion of tables/events.def, which
 * <armpmu/model.h> and <armpmu/events.h> include.
 */
#ifndef ARMPMU_EVENT_NUMBERS_H
#define ARMPMU_EVENT_NUMBERS_H

/** The number of each common event: APMU_EV_INST_RETIRED is 0x0008. */
enum apmu_event_number {
#define APMU_EVENT(number, name, kind, class_, sync, text) APMU_EV_##name = number,
#include <armpmu/tables/events.def>
    APMU_EV_END = 0x10000
};

#endif
