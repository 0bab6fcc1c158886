/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that the common case takes the fast path in lib/model/batch.c.  A state that takes the slow path needlessly
 * gets the same counts, so only the number of instructions shows it.  A child process makes the call, and its parent
 * counts the instructions by single-stepping.
 */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../lib/model/internal.h"
#include "../../lib/tap.h"

#define EL1_ONLY (APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(PMUv3))
#define ALL_ELS (EL1_ONLY | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3))
#define EVENT 0x0024u
#define OTHER 0x0011u
#define CYCLE (UINT64_C(1) << APMU_CYCLE)
#define FILTERED APMU_MASK(PMEVTYPER_EL0, P) /* does not count at EL1 */
#define MUCH_LESS 2                          /* least ratio of the definition's instructions to the fast path's */
#define MANY 100000

static struct apmu p;
static struct apmu_pe pe;
static struct apmu_out out;
static long around; /* the instructions of a measurement without a call */

/*
 * Makes counters 0 and 1 count EVENT at Non-secure EL1.  Counter 2 is filtered; counter 3 has another event, and a
 * threshold with FEAT_PMUv3_TH.
 */
static void unit(uint64_t features)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg, .features = apmu_features_closure(features), .counters = 6, .thwidth = 12};

    apmu_init(&p, &cfg);
    pe = (struct apmu_pe){
        .el = 1,
        .scr_el3 = APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW),
        .hcr_el2 = APMU_MASK(HCR_EL2, RW),
        .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 6) | APMU_MASK(MDCR_EL2, HPME) | APMU_MASK(MDCR_EL2, HLP),
    };
    p.pmcr = APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, LC) | APMU_MASK(PMCR_EL0, LP);
    p.cnten = CYCLE | 0xF;
    p.typer[0] = p.typer[1] = EVENT;
    p.typer[2] = EVENT | FILTERED;
    p.typer[3] = OTHER | ((features & APMU_FEAT(PMUv3_TH)) != 0 ? APMU_PUT(PMEVTYPER_EL0, TC, 1) : 0);
    apmu_settle(&p);
}

/* The measured call: apmu_event() or apmu_cycles(), or the definition of either.  A NULL pointer means no call. */
struct plain_call {
    bool definition;
    uint32_t event;
    uint64_t times, each;
};

static void make(const struct plain_call *call)
{
    if (call == NULL) {
        return;
    }
    if (call->definition) {
        apmu_count(&p, &pe, call->event, call->times, call->each, &out);
    } else if (call->event == APMU_CLOCK) {
        apmu_cycles(&p, &pe, call->times, &out);
    } else {
        apmu_event(&p, &pe, (uint16_t)call->event, call->times, call->each, &out);
    }
}

/*
 * Returns the instructions of a call and of the code around it, at most @enough + 1, or -1 where processes cannot be
 * traced.
 */
static long steps(const struct plain_call *call, long enough)
{
    const pid_t child = fork();
    long count = 0;
    int status;

    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) {
            _exit(1);
        }
        (void)raise(SIGSTOP);
        make(call);
        (void)raise(SIGSTOP);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
        return -1;
    }
    do {
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 || waitpid(child, &status, 0) != child) {
            count = -1;
            break;
        }
        count++;
    } while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP && count <= enough);
    (void)ptrace(PTRACE_KILL, child, NULL, NULL);
    (void)waitpid(child, &status, 0);
    return count;
}

/*
 * Returns the instructions of a call.  Makes the call once before it counts, so that the dynamic linker has nothing
 * left to do.
 */
static long cost(bool definition, uint32_t event, uint64_t times, uint64_t each, long enough)
{
    const struct plain_call call = {definition, event, times, each};
    const struct apmu before = p;

    make(&call);
    p = before;
    return steps(&call, around + enough) - around;
}

/* Checks that the call costs far less than its definition. */
static void is_plain(const char *what, uint32_t event, uint64_t times, uint64_t each)
{
    const long is = cost(false, event, times, each, MANY), definition = cost(true, event, times, each, MUCH_LESS * is);

    MUST(MUCH_LESS * is < definition, "%s: %ld instructions, and by the definition %ld", what, is, definition);
}

static void events_are_plain(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3p5) | APMU_FEAT(PMUv3_TH));
    is_plain("one event", EVENT, 1, 1);
    is_plain("none of them", EVENT, 3, 0);
    p.cntr[0] = UINT32_MAX;
    is_plain("a carry that is not an overflow, because LP is 1", EVENT, 1, 1);
    p.pmcr &= ~APMU_MASK(PMCR_EL0, LP);
    p.cntr[0] = 0;
    is_plain("LP is 0", EVENT, UINT32_MAX, 1);
    p.pmcr |= APMU_MASK(PMCR_EL0, LP);
    is_plain("2^33 events", EVENT, UINT64_C(1) << 33, 1);
    is_plain("2^31 times two events", EVENT, UINT64_C(1) << 31, 2);
    is_plain("two times 2^31 events", EVENT, 2, UINT64_C(1) << 31);
    unit(EL1_ONLY);
    is_plain("without EL3", EVENT, 1, 1);
}

/* Flags with which SyncCounterOverflowed cannot change. */
static void events_with_flags_are_plain(void)
{
    unit(ALL_ELS | APMU_FEAT(SEBEP));
    p.cfg.sync_event_count = 1;
    is_plain("no flag is set", EVENT, 1, 1);
    p.ovs = 1;
    is_plain("the flag is set, and its interrupt disabled", EVENT, 1, 1);
    p.inten = 1;
    p.ovs = 2;
    is_plain("the interrupt is enabled, and the flag clear", EVENT, 1, 1);
    p.inten = p.ovs = 0x20;
    is_plain("the counter with the flag is disabled", EVENT, 1, 1);
    unit(ALL_ELS);
    p.inten = p.ovs = 1;
    is_plain("no synchronous events", EVENT, 1, 1);
}

static void cycles_are_plain(void)
{
    unit(ALL_ELS);
    p.cntr[APMU_CYCLE] = UINT32_MAX;
    is_plain("a carry that is not an overflow, because LC is 1", APMU_CLOCK, 1, 1);
    p.typer[APMU_CYCLE] = APMU_MASK(PMCCFILTR_EL0, U);
    is_plain("a filter that lets it count", APMU_CLOCK, 1, 1);
    p.typer[3] = APMU_EV_CPU_CYCLES;
    apmu_settle(&p);
    is_plain("event counters that count them too", APMU_CLOCK, 1, 1);
    unit(ALL_ELS | APMU_FEAT(AA32) | APMU_FEAT(AA32EL0));
    p.pmcr &= ~APMU_MASK(PMCR_EL0, LC);
    is_plain("LC is 0", APMU_CLOCK, 1, 1);
}

static void instructions_are_plain(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR));
    p.cnten |= UINT64_C(1) << APMU_INSTR;
    p.pmcr &= ~APMU_MASK(PMCR_EL0, LC);
    p.cntr[APMU_INSTR] = UINT32_MAX;
    is_plain("PMICNTR_EL0 has 64 bits, whatever LC is", APMU_EV_INST_RETIRED, 1, 1);
    p.pmcr |= APMU_MASK(PMCR_EL0, D);
    is_plain("and D does not divide it", APMU_EV_INST_RETIRED, 1, 1);
}

/*
 * If nothing stops the first range, the fast path does not call apmu_unstopped().  A counter in the second range makes
 * that call necessary.
 */
static void nothing_is_asked_of_the_first_range(void)
{
    static const uint8_t els[] = {0, 1};

    for (unsigned i = 0; i < 4; i++) {
        const uint32_t event = i < 2 ? EVENT : APMU_CLOCK;
        unit(ALL_ELS);
        pe.el = els[i & 1];
        p.typer[4] = APMU_EV_CPU_CYCLES;
        p.cnten |= 0x10;
        apmu_settle(&p);
        const long plain = cost(false, event, 1, 1, MANY);
        pe.mdcr_el2 = (pe.mdcr_el2 & ~APMU_MASK(MDCR_EL2, HPMN)) | 1;
        const long asked = cost(false, event, 1, 1, MANY);
        MUST(plain * 5 < asked * 4, "EL%u, event 0x%x: %ld instructions, and %ld if asked", pe.el, event, plain, asked);
    }
}

int main(void)
{
    around = steps(NULL, MANY);
    if (around < 0) {
        printf("skip plain: processes cannot be traced here\n");
        return 0;
    }
    RUN(events_are_plain);
    RUN(events_with_flags_are_plain);
    RUN(cycles_are_plain);
    RUN(instructions_are_plain);
    RUN(nothing_is_asked_of_the_first_range);
    return tap_status;
}
