/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants that kernels, firmware and CMSIS define, and events' names. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

static const struct constant {
    const char *name;
    uint64_t value;
} constants[] = {
#define CONSTANT(name, value) {name, UINT64_C(value)},
#include "constants.def"
};

/* The names of kernels for common events, without their prefix, where they differ from Arm's. */
static const struct constant perf_names[] = {
    {"PC_WRITE", 0x0C},       {"BR_MIS_PRED", 0x10},   {"CPU_CYCLES", 0x11},    {"CLOCK_CYCLES", 0x11},
    {"INSTR_EXECUTED", 0x08}, {"L1_DCACHE_REFILL", 3}, {"L1_DCACHE_ACCESS", 4}, {"DCACHE_REFILL", 3},
    {"L1_ICACHE_REFILL", 1},  {"DTLB_REFILL", 5},      {"ITLB_REFILL", 2},      {"PC_BRANCH_MIS_PRED", 0x10},
    {"PC_BRANCH_PRED", 0x12}, {"MEM_READ", 6},         {"MEM_WRITE", 7},        {"INSTR", 8},
};

static bool is_name(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(name, text, length) == 0;
}

/* Finds the event in a name such as ARMV8_PMUV3_PERFCTR_INST_RETIRED. */
static bool find_event(const char *text, size_t length, uint64_t *value)
{
    static const char *const prefixes[] = {"ARMV8_PMUV3_PERFCTR_",
                                           "ARMV7_PERFCTR_",
                                           "ARMV8_IMPDEF_PERFCTR_",
                                           "ARM_PMU_",
                                           "PMU_EVENT_",
                                           "EVT_",
                                           "EVENT_",
                                           "PMU_EVT_",
                                           "EV_"};
    char name[64];

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t prefix = strlen(prefixes[i]);
        const struct apmu_event_info *info;

        if (length <= prefix || length - prefix >= sizeof name || strncmp(text, prefixes[i], prefix) != 0) {
            continue;
        }
        memcpy(name, text + prefix, length - prefix);
        name[length - prefix] = '\0';
        info = apmu_event_by_name(name);
        if (info != NULL) {
            *value = info->number;
            return true;
        }
        for (size_t k = 0; k < sizeof perf_names / sizeof perf_names[0]; k++) {
            if (strcasecmp(name, perf_names[k].name) == 0) {
                *value = perf_names[k].value;
                return true;
            }
        }
    }
    return false;
}

/*
 * Finds the bit of a counter in a name of CMSIS: PMU_CNTENSET_CNT3_ENABLE_Msk, PMU_OVSCLR_CYCCNT_STATUS_Pos.  The names
 * of all registers with a bit for each counter have this form.
 */
static bool find_counter_bit(const char *text, size_t length, uint64_t *value)
{
    static const char *const cycles[] = {"_CCNTR_", "_CYCCNT_", "_CCYCNT_"};
    const char *event;
    unsigned n = 31;

    if (length > 4 && strncmp(text, "ARM_", 4) == 0) {
        text += 4;
        length -= 4;
    }
    if (length < 12 || strncmp(text, "PMU_", 4) != 0 || strncmp(text, "PMU_CTRL", 8) == 0 ||
        (strncmp(text + length - 4, "_Msk", 4) != 0 && strncmp(text + length - 4, "_Pos", 4) != 0)) {
        return false;
    }
    event = memmem(text, length, "_CNT", 4);
    while (event != NULL && !isdigit((unsigned char)event[4])) {
        event = memmem(event + 4, length - (size_t)(event + 4 - text), "_CNT", 4);
    }
    if (event != NULL) {
        n = (unsigned)strtoul(event + 4, NULL, 10);
    } else if (memmem(text, length, cycles[0], 7) == NULL && memmem(text, length, cycles[1], 8) == NULL &&
               memmem(text, length, cycles[2], 8) == NULL) {
        return false;
    }
    *value = n > 31 ? 0 : text[length - 1] == 'k' ? UINT64_C(1) << n : n;
    return n < 32;
}

/*
 * Finds the bit of a field of an M-profile core in a name that ends in it, whatever library it is of:
 * ARM_DEMCR_TRCENA, SCS_DEMCR_TRCENA_MASK, DWT_CTRL_CYCCNTENA_SHIFT.
 */
static bool find_m_field(const char *text, size_t length, uint64_t *value)
{
    static const struct {
        const char *name;
        unsigned bit;
    } fields[] = {
        {"TRCENA", 24},     {"CYCCNTENA", 0},  {"NOCYCCNT", 25},   {"CYCDISS", 23},    {"CYCEVTENA", 22},
        {"FOLDEVTENA", 21}, {"LSUEVTENA", 20}, {"SLEEPEVTENA", 19}, {"EXCEVTENA", 18}, {"CPIEVTENA", 17},
        {"EXCTRCENA", 16},  {"PCSAMPLENA", 12}, {"CYCTAP", 9},      {"DEMCR_MON_EN", 16},
    };
    static const struct {
        const char *name;
        bool number;
    } ends[] = {{"", false},     {"_MSK", false},  {"_MASK", false}, {"_BIT", false}, {"_POS", true},
                {"_SHIFT", true}, {"_OFFSET", true}, {"_LSB", true}};
    char name[24];

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
            const size_t n = (size_t)snprintf(name, sizeof name, "%s%s", fields[i].name, ends[k].name);

            if (length > n && text[length - n - 1] == '_' && is_name(text + length - n, n, name)) {
                *value = ends[k].number ? fields[i].bit : UINT64_C(1) << fields[i].bit;
                return true;
            }
        }
    }
    return false;
}

bool code_constant(const char *text, size_t length, uint64_t *value)
{
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (constants[i].name[0] == text[0] && is_name(text, length, constants[i].name)) {
            *value = constants[i].value;
            return true;
        }
    }
    return find_counter_bit(text, length, value) || find_m_field(text, length, value) ||
           find_event(text, length, value);
}
