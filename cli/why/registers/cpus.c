/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: several CPUs that differ, and values that differ from one moment to another. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "registers.h"

/* The registers that software sets up, and what a CPU lacks where they are 0. */
static const struct {
    enum apmu_reg reg;
    uint64_t bits; /* that have to be set on each CPU */
    const char *cure;
} set_up[] = {
    {APMU_REG_PMUSERENR_EL0, 0xF,
     "set PMUSERENR on each CPU: on_each_cpu() in the module, and again in the hotplug and "
     "CPU_PM notifiers"},
    {APMU_REG_PMCR_EL0, 1,
     "set the PMU up on each CPU: on_each_cpu(), or the code that each core runs at boot: PMCR.E = 1 there"},
    {APMU_REG_PMCNTENSET_EL0, UINT32_MAX,
     "set the PMU up on each CPU: on_each_cpu(), or the code that each core runs at "
     "boot: write PMCNTENSET there too"},
};

enum { SET_UPS = sizeof set_up / sizeof set_up[0] };

/* Returns the bits of @reg that software sets on CPU @i, as they are last seen; false if none is known. */
static bool bits_of(const struct reading *r, size_t i, unsigned row, uint64_t *bits, uint32_t *line)
{
    const struct state_cell *cell = state_cell(&r->states[i], set_up[row].reg, 0);

    *bits = cell->last & set_up[row].bits;
    *line = cell->last_line;
    return (cell->known & set_up[row].bits) != 0;
}

/* Looks for a register that is set up on some CPUs only. */
static bool compare_row(const struct reading *r, unsigned row, struct suspects *all)
{
    size_t with = SIZE_MAX, without = SIZE_MAX, lacking = 0;
    uint64_t bits;
    uint32_t line, bad_line = 0;
    char because[400], name[24];

    for (size_t i = 0; i < r->state_count; i++) {
        if (!bits_of(r, i, row, &bits, &line)) {
            continue;
        }
        if (bits != 0) {
            with = with == SIZE_MAX ? i : with;
        } else {
            lacking++;
            if (without == SIZE_MAX) {
                without = i;
                bad_line = line;
            }
        }
    }
    if (with == SIZE_MAX || without == SIZE_MAX) {
        return false;
    }
    suspect_text(because, "%s is set up on CPU %u and 0 on %s%u", apmu_reg_name(set_up[row].reg, 0, name),
                 r->cpus[with] == UINT_MAX ? (unsigned)with : r->cpus[with],
                 lacking > 1 ? "others, such as CPU " : "CPU ",
                 r->cpus[without] == UINT_MAX ? (unsigned)without : r->cpus[without]);
    suspect_add(all, WHY_enabled_on_one_cpu_only, SUSPECT_CERTAIN, bad_line, because, set_up[row].cure)->weight = 86;
    return true;
}

bool registers_cpus(const struct rules_input *in, struct suspects *all)
{
    bool found = false;

    for (unsigned row = 0; in->r->state_count > 1 && row < SET_UPS && !found; row++) {
        found = compare_row(in->r, row, all);
    }
    return found;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Moments.
 */

/* The registers that only software changes. */
static const enum apmu_reg controls[] = {APMU_REG_PMCNTENSET_EL0, APMU_REG_PMCR_EL0, APMU_REG_PMCCFILTR_EL0,
                                         APMU_REG_PMINTENSET_EL1, APMU_REG_PMUSERENR_EL0};

/* Returns true if a line of the input has @word, in any case of letters. */
static bool text_says(const struct reading *r, const char *word)
{
    for (size_t i = 0; i < r->text.count && i < 2000; i++) {
        const char *line = r->text.lines[i].text;

        for (const char *at = strcasestr(line, word); at != NULL; at = strcasestr(at + 1, word)) {
            if (!text_denies(line, (size_t)(at - line))) {
                return true;
            }
        }
    }
    return false;
}

/* A change of controls between moments. */
struct change_of_controls {
    unsigned lost;   /* registers that fell to their reset value */
    unsigned gained; /* registers that got other bits */
    unsigned kept;   /* registers that were read again and are as they were, and not 0 */
    bool grant;      /* PMUSERENR is among those that fell */
    uint32_t line;
    bool told; /* a sentence gives one of the values, as "with 0x11 it counts" */
    char what[120];
};

/* Returns true if the line with @number is a sentence. */
static bool is_sentence(const struct registers_case *c, uint32_t number)
{
    const size_t i = text_find(&c->r->text, number);

    return i < c->r->text.count && text_is_claimed(&c->r->text, i, TEXT_WORDS);
}

static void note_change(const struct registers_case *c, enum apmu_reg reg, unsigned n, uint64_t mask,
                        struct change_of_controls *changes)
{
    const struct state_cell *first = NULL;
    char name[48];

    for (size_t i = 0; i < c->r->state_count && first == NULL; i++) {
        const struct state_cell *cell = state_cell(&c->r->states[i], reg, n);

        first = cell->moved ? cell : NULL;
        changes->kept += !cell->moved && cell->times > 1 && (cell->last & cell->known & mask) != 0;
    }
    if (first == NULL || ((first->value ^ first->last) & mask) == 0 ||
        (is_sentence(c, first->line) && is_sentence(c, first->last_line))) {
        return; /* values in sentences are as well those of two attempts */
    }
    changes->told |= is_sentence(c, first->line) || is_sentence(c, first->last_line);
    const bool cleared = reg == APMU_REG_PMCR_EL0 && (first->last & ~first->value & mask) == 0;

    if ((first->last & mask) == 0 || cleared) {
        changes->lost++;
        changes->grant |= reg == APMU_REG_PMUSERENR_EL0;
    } else {
        changes->gained++;
    }
    if (changes->what[0] == '\0' || (first->last & mask) != 0) {
        changes->line = first->last_line;
        snprintf(changes->what, sizeof changes->what, "%s was 0x%" PRIx64 " and is 0x%" PRIx64,
                 registers_name(c, reg, n, name), first->value, first->last);
    }
}

/* 0 was written to a SET or CLR register, and the bits are still there. */
static void written_zero(const struct registers_case *c)
{
    static const struct {
        enum apmu_reg reg;
        const char *clear;
    } sets[] = {{APMU_REG_PMCNTENSET_EL0, "PMCNTENCLR"},
                {APMU_REG_PMINTENSET_EL1, "PMINTENCLR"},
                {APMU_REG_PMOVSSET_EL0, "PMOVSCLR"}};
    char cure[400], name[48];

    for (size_t i = 0; c->r->written != NULL && i < sizeof sets / sizeof sets[0]; i++) {
        const struct state_cell *cell = state_cell(c->r->written, sets[i].reg, 0);
        const uint64_t now = registers_value(c, sets[i].reg, 0);

        if (cell->times == 0 || (cell->last & cell->known) != 0 || now == 0) {
            continue;
        }
        suspect_text(cure, "write the bits as 1 to %s: 0x%" PRIx64 " clears what is set now", sets[i].clear, now);
        registers_suspect(c, WHY_set_register_written_zero, SUSPECT_CERTAIN, 86, sets[i].reg, 0, cure,
                          "0 is written to %s, and it still is 0x%" PRIx64 ": bits written as 0 keep their values",
                          registers_name(c, sets[i].reg, 0, name), now);
        suspect_clear(c->all, WHY_somebody_else_programs_pmu);
    }
}

/* The debugger holds the core between two reads. */
static void held(const struct registers_case *c)
{
    static const char *const words[] = {"resume", "continu", "(gdb) c", "step", "running", "break", " go", ">go"};
    static const char *const halts[] = {"halted", "monitor halt", "mon halt", "> halt", ">halt", "target interrupt"};
    bool ran = false, halted = false;

    for (size_t i = 0; i < sizeof halts / sizeof halts[0]; i++) {
        halted |= text_says(c->r, halts[i]);
    }
    if ((c->stuck & c->focus) == 0 || (c->moved & c->focus) != 0 || !halted) {
        return;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        ran |= text_says(c->r, words[i]);
    }
    if (!ran) {
        registers_suspect(c, WHY_halted_in_debug_state, SUSPECT_CERTAIN, 74, APMU_REG_PMCCNTR_EL0, 0,
                          "let the core run between the reads: resume (or continue), wait, halt, and read again",
                          "the core is halted by the debugger at both reads, and in Debug state nothing counts");
        if (registers_known(c, APMU_REG_PMCCFILTR_EL0, 0) == 0) {
            suspect_clear(c->all, WHY_filter_p_or_u_set);
        }
    }
}

/*
 * Returns the bits of counters that do not depend on who reads them: EL1 reads those from MDCR_EL2.HPMN on as 0, so a
 * dump by a hypervisor and its guest shows both.
 */
static uint64_t bits_for_all(const struct registers_case *c)
{
    const uint64_t hpmn = APMU_GET(MDCR_EL2, HPMN, registers_value(c, APMU_REG_MDCR_EL2, 0));

    if (registers_known(c, APMU_REG_MDCR_EL2, 0) == 0 || hpmn == 0 || hpmn >= APMU_CYCLE) {
        return UINT32_MAX;
    }
    return UINT64_C(1) << APMU_CYCLE | ((UINT64_C(1) << hpmn) - 1);
}

/* PMUSERENR alone fell to 0, and no other register: no core was off, and somebody wrote it. */
static void grant_lost(const struct registers_case *c, const struct change_of_controls *changes)
{
    const bool guests = text_says(c->r, "guest") || text_says(c->r, "partition") || text_says(c->r, "hypervisor");
    const enum why_cause_id cause = guests ? WHY_guest_cleared_pmuserenr : WHY_perf_takes_el0_access_away;

    if (!guests && !text_says(c->r, "perf") && !text_says(c->r, "linux")) {
        suspect_ask(c->all, 80, "who writes PMUSERENR_EL0 between the two: it alone has changed, so no core was off");
        return;
    }
    suspect_add(
        c->all, cause, SUSPECT_CERTAIN, changes->line, changes->what,
        guests ? "the hypervisor saves and restores PMUSERENR_EL0 with the guest, at each switch of context"
               : "set PMUSERENR_EL0 again after perf has run, or let perf grant the access: kernel.perf_user_access=1")
        ->weight = 85;
    suspect_clear(c->all, WHY_power_lost_reset_values);
}

void registers_moments(const struct registers_case *c)
{
    struct change_of_controls changes = {0};

    written_zero(c);
    held(c);
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        const bool by_counter = controls[i] == APMU_REG_PMCNTENSET_EL0 || controls[i] == APMU_REG_PMINTENSET_EL1;

        note_change(c, controls[i], 0,
                    controls[i] == APMU_REG_PMCR_EL0 ? 0x79 : by_counter ? bits_for_all(c) : UINT32_MAX, &changes);
    }
    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        note_change(c, APMU_REG_PMEVTYPER_EL0, n, UINT32_MAX, &changes);
    }
    if (changes.gained != 0 && changes.gained >= changes.lost) {
        struct suspect *s =
            suspect_add(c->all, WHY_somebody_else_programs_pmu, SUSPECT_LIKELY, changes.line, changes.what,
                        "find the other owner and stop it, or share: perf and its NMI "
                        "watchdog (kernel.nmi_watchdog=0), a profiler, an RTOS or firmware");
        s->confidence = changes.told ? SUSPECT_LIKELY : SUSPECT_CERTAIN;
        s->weight = 85;
    } else if (changes.lost == 1 && changes.grant && changes.kept != 0) {
        grant_lost(c, &changes);
    } else if (changes.lost != 0) {
        struct suspect *s = suspect_add(c->all, WHY_power_lost_reset_values, SUSPECT_LIKELY, changes.line, changes.what,
                                        "save the registers and restore them after the core was off (CPU_PM notifier), "
                                        "or set the PMU up again; or keep the core awake: cpuidle.off=1");
        s->confidence = changes.lost > 1 ? SUSPECT_CERTAIN : SUSPECT_LIKELY;
        s->weight = 84;
    }
}
