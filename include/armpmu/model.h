/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model of the Arm Performance Monitoring Unit.
 *
 * This header is for authors of emulators and VMMs, and for verification engineers.  A PMU is plain data: `struct apmu`
 * holds the registers that a PMU owns and no pointer, so memcpy() forks it; <armpmu/saved.h> saves it for another
 * program.  What the PMU borrows from the PE (Exception level, Security state, MDCR_ELx ...) comes with each call in
 * `struct apmu_pe`.  No function allocates, blocks, keeps a global or calls back.  All are safe in any context, and for
 * different PMUs at the same time.
 *
 * The caller has one duty: it reports all pending events before each register access and before each change of
 * `struct apmu_pe`.
 *
 * The instruction that accesses a register has events of its own, such as INST_RETIRED, and the architecture does not
 * say whether they are counted before the access.  Two conventions are in use; a caller chooses one and keeps to it.
 *
 *   in order     An MRS reads before its own events are reported.  An MSR writes after its own events were reported, so
 *                they count under the old state.  The emulators of armpmu do this.
 *   access first Both access first; their own events are reported afterwards, and those of an MSR count under the new
 *                state.
 *
 * Between two reads, and between an MSR that starts a counter and one that stops it, both count the same.  They differ
 * by one where an MSR starts a counter that an MRS reads while it runs: "access first" counts the starting MSR.
 *
 * @code
 * #include <armpmu/model.h>
 *
 * int main(void)
 * {
 *     const uint64_t features = APMU_FEAT(PMUv3p5) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1);
 *     const struct apmu_config cfg = {.size = sizeof cfg, .features = apmu_features_closure(features), .counters = 4};
 *     const struct apmu_pe el1 = {.el = 1};
 *     struct apmu pmu;
 *
 *     if (apmu_config_check(&cfg) != NULL) {
 *         return 1;
 *     }
 *     apmu_init(&pmu, &cfg);
 *     apmu_poke(&pmu, &el1, APMU_REG_PMEVTYPER_EL0, 0, APMU_EV_INST_RETIRED, NULL);
 *     apmu_poke(&pmu, &el1, APMU_REG_PMCNTENSET_EL0, 0, 1, NULL);
 *     apmu_poke(&pmu, &el1, APMU_REG_PMCR_EL0, 0, APMU_MASK(PMCR_EL0, E), NULL);
 *     apmu_event(&pmu, &el1, APMU_EV_INST_RETIRED, 100, 1, NULL);
 *     return apmu_peek(&pmu, &el1, APMU_REG_PMEVCNTR_EL0, 0) == 100 ? 0 : 1;
 * }
 * @endcode
 *
 * Costs in instructions, as `make bench` counts them on x86-64 (gcc 12, -O2) for a PMU with every feature of AArch64.
 * It prints times as well.
 *
 *   call                                                          instructions
 *   apmu_access() and apmu_peek()                                 120 .. 200
 *   apmu_access() and apmu_poke()                                 170 .. 250
 *   apmu_access_ext() and apmu_read_ext() or apmu_poke_ext()      260 .. 310
 *   apmu_event() that no counter counts; that one, 6, 31 count    25; 180; 270; 690, whatever `times` is
 *   apmu_cycles() that the cycle counter counts                   80, whatever `n` is
 *   apmu_step() of two events, with 6 counters                    550, whatever `n` is
 *   apmu_levels(), without and with an overflow flag              20; 175, which calls with an @out pay as well
 *   apmu_why(), apmu_counts()                                     190
 *   apmu_until() and apmu_until_all(), with 6 counters            3,000; 2,800
 *   apmu_init()                                                   11,000
 *
 * A batch in which a counter overflows, has a threshold or a filter by VS, or is divided, is worked out by the
 * definition of a cycle: 3,300 instructions with 6 counters and 14,000 with 31, for each overflow in it.  So a caller
 * that reports a whole block, or all up to the next overflow (apmu_until_all()), pays little for each instruction.
 *
 * The first part has the structures, the second the calls of the example and apmu_why(), which most callers need; the
 * rest follows by subject.
 */
#ifndef ARMPMU_MODEL_H
#define ARMPMU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/event_numbers.h>
#include <armpmu/inline.h>
#include <armpmu/regs.h>
#include <armpmu/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * Structures.
 */

/**
 * Describes the implementation, which apmu_init() fixes.  Each IMPLEMENTATION DEFINED or CONSTRAINED UNPREDICTABLE
 * choice that the counting rules consult is a member, and zero is a legal choice for each.  Members are only ever
 * appended, and a caller's structure may be smaller or larger than the library's, as <armpmu/sized.h> says.
 */
struct apmu_config {
    uint32_t size;         /**< sizeof(struct apmu_config) at the caller: see <armpmu/sized.h> */
    uint64_t features;     /**< set of APMU_FEAT(x); apmu_config_check() says what it lacks */
    uint8_t counters;      /**< NUM_PMU_COUNTERS: event counters, 0..31 */
    bool secure_only;      /**< without EL3: the only Security state is Secure (otherwise Non-secure) */
    bool export_bus;       /**< there is a PMU event export bus: PMCR_EL0.X is RW (otherwise RAZ/WI) */
    bool multithreaded;    /**< without FEAT_MTPMU: PMEVTYPER<n>_EL0.MT is RW (otherwise RES0) */
    uint8_t imp, idcode;   /**< PMCR_EL0.{IMP, IDCODE}; read as zero from FEAT_PMUv3p7 on */
    uint64_t pmceid[2];    /**< PMCEID0_EL0 and PMCEID1_EL0: the common events that are implemented, with those that
                                apmu_events_closure() adds; or both 0, if nobody reads them */
    uint8_t slots;         /**< PMMIR_EL1.SLOTS */
    uint8_t bus_slots;     /**< PMMIR_EL1.BUS_SLOTS */
    uint8_t bus_width;     /**< PMMIR_EL1.BUS_WIDTH, 0..15 */
    uint8_t thwidth;       /**< PMMIR_EL1.THWIDTH, 1..12 with FEAT_PMUv3_TH, otherwise 0 */

    /** Events that support synchronous mode (FEAT_SEBEP, IsSupportingPMUSynchronousMode()). */
    uint16_t sync_events[14];
    uint8_t sync_event_count; /**< entries of sync_events in use, 0..14 */

    /* CONSTRAINED UNPREDICTABLE and IMPLEMENTATION DEFINED behaviour. */
    uint8_t reserved_hpmn;       /**< MDCR_EL2.HPMN with a reserved value behaves as this, 0..31 */
    uint8_t reserved_epmn;       /**< PMCCR.EPMN with a reserved value behaves as this, 0..31 */
    bool reserved_vs_filters;    /**< PMEVTYPER<n>_EL0.VS = 0b11 stops the counter (otherwise it filters nothing) */
    bool chain_crosses_ranges;   /**< CHAIN is counted by n+1 although n is in another range */
    bool reserved_threshold_off; /**< a reserved TC/TE/TLC disables the threshold (otherwise: reserved_threshold) */
    uint8_t reserved_threshold;  /**< a reserved TC/TE/TLC behaves as this TC:TE:TLC, six bits */
    uint8_t reserved_pmee;       /**< a reserved PMEE field behaves as this, 0..3; 2: as no request */
    uint8_t reserved_sse;        /**< a reserved SSE field behaves as this, 0..3 */
    bool sdd_undef_priority;     /**< in Debug state with EDSCR.SDD = 1, UNDEFINED for EL3 precedes other traps */
    bool a32_long_counters;      /**< without AArch64: FEAT_PMUv3p5 gives 64-bit event counters and PMCR.LP */
    bool counts_unattributable;  /**< Unattributable events are counted where Attributable ones are prohibited */

    uint64_t unknown_fill; /**< a field that a reset leaves UNKNOWN has the bits that this has at its position */

    /* The external view. */
    uint64_t mpidr;         /**< MPIDR_EL1 of the PE: PMDEVAFF */
    uint32_t iidr;          /**< PMIIDR; 0 with FEAT_PMUv3_EXT32: it is not implemented */
    uint32_t filter2;       /**< the bits that PMEVFILT2R<n> implements; 0: it is not implemented */
    uint16_t part;          /**< PMPIDR: part number, twelve bits */
    uint16_t designer;      /**< PMPIDR: JEP106 continuation code 10:7, JEP106 code 6:0 */
    uint8_t revision[3];    /**< PMPIDR: REVISION, REVAND, CMOD, 0..15 each */
    bool peripheral_id;     /**< PMPIDR<n> are implemented */
    bool coresight_id;      /**< PMCIDR<n> and PMDEVTYPE are implemented */
    bool integration;       /**< PMITCTRL is implemented */
    bool external_swinc;    /**< before FEAT_PMUv3p9, with FEAT_PMUv3_EXT32: PMSWINC_EL0 is in the external view */
    bool software_lock;     /**< the Software Lock is implemented: PMLAR, PMLSR.SLK */
    bool sample_enable;     /**< PMPCSCTL.IMP: PMPCSCTL.EN suspends program counter sampling */
    bool sample_suspended;  /**< without PMPCSCTL.EN: program counter sampling is suspended */
    bool reserved_ext_errors; /**< a reserved location answers an error where a counter would (otherwise RES0) */
    uint8_t reserved_epmssad; /**< without FEAT_RME, a reserved MDCR_EL3.EPMSSAD behaves as this, 0 or 3 */
};

/** The size of struct apmu_config in 0.1, its first release.  A smaller structure is refused. */
#define APMU_CONFIG_SIZE_FIRST sizeof(struct apmu_config)

/**
 * Holds the registers that a PMU owns.  The caller allocates it, and apmu_init() sets all of it.  Every member may be
 * read.  The functions below change members; a caller that writes some itself calls apmu_settle() afterwards.
 */
struct apmu {
    struct apmu_config cfg;
    uint64_t pmcr;                /**< PMCR_EL0: the writable fields; N, IMP and IDCODE come from cfg */
    uint64_t cnten, inten, ovs;   /**< PMCNTENSET/CLR, PMINTENSET/CLR and PMOVSSET/CLR: bit n is counter n */
    uint64_t selr;                /**< PMSELR_EL0 */
    uint64_t userenr;             /**< PMUSERENR_EL0 */
    uint64_t uacr;                /**< PMUACR_EL1 */
    uint64_t ecr;                 /**< PMECR_EL1 */
    uint64_t iar;                 /**< PMIAR_EL1 */
    uint64_t sscr;                /**< PMSSCR_EL1 */
    uint64_t ccr;                 /**< PMCCR (external view): EPMN, EPME, OSLO */
    uint64_t cntr[APMU_COUNTERS]; /**< PMEVCNTR<n>_EL0, [31] PMCCNTR_EL0, [32] PMICNTR_EL0 */
    uint64_t typer[APMU_COUNTERS]; /**< PMEVTYPER<n>_EL0, [31] PMCCFILTR_EL0, [32] PMICFILTR_EL0 */
    uint64_t svr[APMU_COUNTERS];   /**< PMEVCNTSVR<n>_EL1, [31] PMCCNTSVR_EL1, [32] PMICNTSVR_EL1 */
    uint64_t pcsr;                 /**< PMPCSR */
    uint64_t vcidsr;               /**< PMVCIDSR; PMVIDSR is its upper half */
    uint64_t ccidsr;               /**< PMCCIDSR: PMCID2SR and PMCID1SR */
    uint64_t pcsctl;               /**< PMPCSCTL: SS and EN */
    uint64_t itctrl;               /**< PMITCTRL */
    uint32_t filter2[APMU_COUNTERS]; /**< PMEVFILT2R<n> */
    bool locked;                   /**< PMLSR.SLK: the Software Lock */
    uint32_t last_threshold;      /**< PMULastThresholdValue[n]: the threshold condition in the cycle before */
    uint8_t divider;              /**< cycles since the divide-by-64 (PMCR_EL0.D) last ticked, 0..63 */
    bool sync_overflowed;         /**< SyncCounterOverflowed: the counter of a synchronous event overflowed */

    /* Internal: follows from the members above.  apmu_settle() computes it, so that not every call has to. */
    struct apmu_derived {
        uint64_t events;     /**< bit e % 64 of each event e that is the type of an event counter */
        uint64_t registers;  /**< bit r: the enum apmu_reg r is implemented */

        /* The bits that a write changes: */
        uint64_t control;    /**< of PMCR_EL0 */
        uint64_t counter[3]; /**< of PMEVCNTR<n>_EL0, PMCCNTR_EL0 and PMICNTR_EL0: the width of each counter */
        uint64_t typer[4];   /**< of PMEVTYPER<n>_EL0, n even and odd, PMCCFILTR_EL0 and PMICFILTR_EL0 */
    } derived;
};

/** Security states: the values of CurrentSecurityState(). */
enum apmu_ss { APMU_SS_SECURE, APMU_SS_NONSECURE, APMU_SS_ROOT, APMU_SS_REALM };

/**
 * Holds what the PMU borrows from the PE for one call.  The caller owns it and keeps it up to date.  Where the highest
 * implemented Exception level uses AArch32, the same members hold the AArch32 registers: HDCR, SDCR, HCR, SCR, SDER.
 */
struct apmu_pe {
    uint8_t el;          /**< PSTATE.EL, 0..3 */
    bool a32;            /**< PSTATE.nRW: executing in AArch32 state */
    bool sm;             /**< PSTATE.SM: in Streaming SVE mode */
    bool halted;         /**< in Debug state */
    bool sdd;            /**< EDSCR.SDD */
    bool os_lock;        /**< OSLSR_EL1.OSLK */
    bool double_lock;    /**< DoubleLockStatus() */
    bool dbgen, niden, spiden, spniden; /**< the authentication interface's signals */
    bool unattributable; /**< the events of this call are Unattributable to this PE (RMMZLZ) */
    uint64_t mdcr_el2, mdcr_el3, hcr_el2, scr_el3, sder32_el3, hstr_el2;
    uint64_t hdfgrtr_el2, hdfgwtr_el2, hdfgrtr2_el2, hdfgwtr2_el2;
    uint64_t pmblimitr_el1, pmbsr_el1, pmbsr_el2, pmbsr_el3, pmscr_el2; /**< SPE, for the freeze on its events */

    bool pm, ppend;        /**< PSTATE.PM and PSTATE.PPEND, for PMU Profiling exceptions */
    bool edecr_pme;        /**< EDECR.PME: an overflow is an External Debug Request */
    bool rlpiden, rtpiden; /**< further signals of the authentication interface (FEAT_RME) */
    bool core_off;         /**< !IsCorePowered(): the Core power domain is off or in a low-power state */
    bool debug_off;        /**< the Debug power domain is off */
    struct apmu_pc_sample {
        bool valid;            /**< there is an instruction, sampling is allowed, and the PE is not in Debug state */
        bool a32;              /**< it was executed in AArch32 state */
        uint8_t el;            /**< its Exception level, 0..3 */
        enum apmu_ss ss;       /**< its Security state */
        uint64_t pc;           /**< its address */
        uint32_t contextidr_el1, contextidr_el2;
        uint16_t vmid;         /**< 0 where no VMID applied to it */
    } sample;              /**< the instruction that program counter sampling would sample (FEAT_PCSRv8p2) */
};

/**
 * Reports the outputs of a PMU after a call.  All are levels of signals, except .overflowed and .exported, which are
 * about the call.  The caller owns it, and a function that takes one fills all of it.
 */
struct apmu_out {
    uint64_t overflowed; /**< the counters that overflowed during the call */
    bool pmuirq;         /**< PMUIRQ */
    bool cti;            /**< the overflow trigger of the Cross-Trigger Interface: not gated by PMEE */
    bool edbgrq;         /**< an External Debug Request (FEAT_Debugv8p9, EDECR.PME) */
    bool exception;      /**< a PMU Profiling exception is requested, enabled and not masked (FEAT_EBEP) */
    bool synchronous;    /**< with .exception: PSTATE.PPEND requests it (FEAT_SEBEP) */
    uint8_t exception_el; /**< with .exception: its target Exception level; otherwise 0 */
    bool brbe_freeze[2]; /**< the first and the second range request that BRBE freezes; BRBCR_ELx.FZP selects */
    bool exported;       /**< the events of the call go to the event export bus (PMCR_EL0.X) */
};

/**
 * Reasons why a counter does not count, as bits of a set.  Their texts, rules and cures are rows of tables/reasons.def.
 */
enum apmu_reason {
#define APMU_REASON(id, rule, cure, text) APMU_REASON_##id,
#include <armpmu/tables/reasons.def>
#undef APMU_REASON
    APMU_REASON_COUNT
};
/** The set with the one reason @id, a name of tables/reasons.def. */
#define APMU_WHY(id) (UINT64_C(1) << APMU_REASON_##id)

/** Outcomes of an access to a register. */
enum apmu_outcome {
    APMU_ACCESS_OK,            /**< it is performed: call apmu_peek() or apmu_poke() */
    APMU_ACCESS_RAZ,           /**< the read returns zero */
    APMU_ACCESS_WI,            /**< the write is ignored */
    APMU_ACCESS_UNDEFINED,     /**< the instruction is UNDEFINED */
    APMU_ACCESS_UNPREDICTABLE, /**< CONSTRAINED UNPREDICTABLE: apmu_peek() and apmu_poke() choose RAZ/WI */
    APMU_ACCESS_TRAP,          /**< an exception is taken to .el */
    APMU_ACCESS_ERROR,         /**< external view: the response is an error */
};

/** Describes the outcome of an access.  The texts are constants. */
struct apmu_access {
    enum apmu_outcome outcome;
    uint8_t el;          /**< of a trap: the Exception level that it is taken to */
    bool hyp;            /**< of a trap to EL2: EL2 uses AArch32, so it is taken to Hyp mode */
    uint8_t ec;          /**< of a trap: the syndrome's EC */
    uint8_t gate;        /**< of a register that is not implemented, the enum apmu_gate that does not hold, which
                              apmu_gate_text() describes; otherwise APMU_GATE_ALWAYS */
    uint32_t iss;        /**< of a trap: the syndrome's ISS, with Rt = 0 (in AArch32 also Rt2 = 0, COND = 0b1110);
                              apmu_access_esr() has the rest */
    const char *control; /**< what decides the outcome: "MDCR_EL2.TPM"; "" if the access is performed */
};

/** Describes the instruction that made an access, for the syndrome of the exception that it raises. */
struct apmu_transfer {
    uint8_t rt;   /**< the general-purpose register: its number in AArch64 state, 31 for XZR and for R15 of an MRC; of a
                       trap to Hyp mode (.hyp), its number in AArch32 state */
    uint8_t rt2;  /**< of MRRC and MCRR, the second register */
    uint8_t cond; /**< of an MRC, MCR, MRRC or MCRR: its condition, 14 if it has none; AArch64 state ignores it */
    bool write;   /**< of the external view: a store */
    bool lower;   /**< of the external view: the abort is taken from a lower Exception level */
};

/* ---------------------------------------------------------------------------------------------------------------
 * The simple calls: an AArch64 PMU that counts.
 *
 * A copy @n of a register is its number in a bank (PMEVCNTR<n>_EL0: 0..30), and 0 for a register of which there is one.
 * A counter @n is 0..32, as in regs.h.  @out may be NULL in every function that takes one.
 */

/**
 * Checks that @cfg is an implementation that the architecture allows.
 * Returns NULL if it is, else one sentence, a constant, that names the member or feature, the cause and the cure.
 */
const char *apmu_config_check(const struct apmu_config *cfg);

/**
 * Makes *@p a PMU with the implementation @cfg, in the state after a Cold reset.  @cfg is copied.
 * The caller has called apmu_config_check().  A configuration that fails it gives unspecified counts, but no undefined
 * behaviour.
 */
void apmu_init(struct apmu *p, const struct apmu_config *cfg);

/**
 * Counts @event, which occurs @each times in each of @times cycles.  Only the counters of @event take part; no time
 * passes for the others.  INST_RETIRED also advances the instruction counter.  CPU_CYCLES does not advance the cycle
 * counter: apmu_cycles() does.  The result equals that of @times calls with times = 1, in every member of *@p.
 */
void apmu_event(struct apmu *p, const struct apmu_pe *pe, uint16_t event, uint64_t times, uint64_t each,
                struct apmu_out *out);

/**
 * Lets @n processor cycles pass.  The cycle counter advances, and CPU_CYCLES occurs once in each cycle for the event
 * counters of that event.  No time passes for the others.  The result equals that of @n calls with n = 1.
 */
void apmu_cycles(struct apmu *p, const struct apmu_pe *pe, uint64_t n, struct apmu_out *out);

/** Returns true if nothing hinders the access.  If false, apmu_access_decided() tells the outcome. */
bool apmu_access_is_plain(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n, bool write);
/** Returns what apmu_access() returns, without its short path for the plain case. */
struct apmu_access apmu_access_decided(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n,
                                       bool write);

/**
 * Returns the outcome of an MRS, or MSR if @write, of copy @n of @reg in AArch64 state at @pe.  Changes nothing.
 * It is inline so that a caller that reads only .outcome pays for nothing else in the plain case.
 */
APMU_INLINE struct apmu_access apmu_access(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg,
                                           unsigned n, bool write)
{
    const struct apmu_access plain = {APMU_ACCESS_OK, 0, false, 0, APMU_GATE_ALWAYS, 0, ""};

    return apmu_access_is_plain(p, pe, reg, n, write) ? plain : apmu_access_decided(p, pe, reg, n, write);
}

/**
 * Returns the ESR_ELx, or the HSR, of the exception that an access with the outcome @access raises: EC, IL and ISS of a
 * trap, those of an UNDEFINED instruction (EC 0), or, of an error in the external view, those of a Data Abort for a
 * synchronous External abort.  An implementation may report that error as an SError instead.  Returns 0 if the outcome
 * is no exception.  @access comes from apmu_access(), apmu_access_a32() or apmu_access_ext().  LDC and STC access no
 * register of the PMU, so they have no syndrome of it.  Source: DDI 0487 M.a.a, ESR_EL1 in D24.2.
 */
uint64_t apmu_access_esr(const struct apmu_access *access, const struct apmu_transfer *by);

/**
 * Returns the value that a read of copy @n of @reg at @pe gives, without permission check or effect.  Write-only
 * registers and copies that do not exist read as zero.
 */
uint64_t apmu_peek(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n);

/**
 * Writes @value to copy @n of @reg as at @pe, without permission check.  Fields that are not implemented ignore it, and
 * the masks of the Exception level apply (PMCNTEN*, PMINTEN*, PMOVS*, PMSWINC, PMZR, PMCR.P, PMUACR).
 */
void apmu_poke(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n, uint64_t value,
               struct apmu_out *out);

/**
 * Returns everything that now keeps counter @n from counting: a set of APMU_WHY(x), 0 if it counts (CountPMUEvents(n)).
 * The set is complete: no cause hides another.
 */
uint64_t apmu_why(const struct apmu *p, const struct apmu_pe *pe, unsigned n);

/** Returns true if counter @n counts: CountPMUEvents(@n).  It follows from apmu_why(), so the two cannot differ. */
APMU_INLINE bool apmu_counts(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    return apmu_why(p, pe, n) == 0;
}

/** Describes a reason: a row of tables/reasons.def.  The texts are constants. */
struct apmu_reason_info {
    const char *name, *rule, *cure, *text;
};

/** Returns the row of @reason, which is below APMU_REASON_COUNT. */
const struct apmu_reason_info *apmu_reason_info(enum apmu_reason reason);

/**
 * Writes @why, a result of apmu_why(), in words to the @room bytes at @text: the text of each reason, joined by "; ",
 * or "it counts" for the empty set.  Bits that are no reason are left out.  The text is cut where it does not fit, and
 * always ends in a zero; with @room 0 nothing is written, and @text may be NULL.  Returns the length of the whole text,
 * without the zero.
 */
size_t apmu_why_text(uint64_t why, char *text, size_t room);

/* ---------------------------------------------------------------------------------------------------------------
 * What the PMU borrows from the PE, by register.
 */

/**
 * Sets @reg in *@pe to @value, where *@pe holds the whole register: MDCR_EL2, MDCR_EL3, HCR_EL2, SCR_EL3, SDER32_EL3,
 * HSTR_EL2, HDFG{R,W}TR{,2}_EL2, PMBLIMITR_EL1, PMBSR_ELx and PMSCR_EL2.  The value is taken as it is: the caller, who
 * owns the register, has applied its RES0 bits.  Returns false, with nothing changed, for another register; those of
 * which *@pe holds a field (CurrentEL, SVCR ...) are members of it.
 */
bool apmu_pe_set(struct apmu_pe *pe, enum apmu_reg reg, uint64_t value);

/** Reads @reg from *@pe into *@value.  Returns false, with *@value unchanged, where apmu_pe_set() does. */
bool apmu_pe_get(const struct apmu_pe *pe, enum apmu_reg reg, uint64_t *value);

/* ---------------------------------------------------------------------------------------------------------------
 * More about configurations.
 */

/**
 * Adds to @pmceid, PMCEID0_EL0 and PMCEID1_EL0, the events that a PMU with @features and with event counters must
 * implement: SW_INCR, from FEAT_PMUv3p1 STALL_FRONTEND ... (tables/required.def).  Where INST_RETIRED or INST_SPEC is
 * enough, it adds INST_RETIRED.  An emulator that announces an event counts it: where nothing stalls, STALL counts 0.
 */
void apmu_events_closure(uint64_t features, uint64_t pmceid[2]);

/**
 * Checks that @pmceid announce every event that a PMU with @features and with event counters must implement.
 * Returns NULL if they do, else one sentence, a constant, that names the feature, the event and the cure.
 */
const char *apmu_events_check(uint64_t features, const uint64_t pmceid[2]);

/** Returns true if @gate holds for @cfg and for copy @n of a bank: what depends on it is implemented. */
bool apmu_holds(const struct apmu_config *cfg, enum apmu_gate gate, unsigned n);

/* ---------------------------------------------------------------------------------------------------------------
 * Reset, and state that comes from elsewhere.
 */

/** Kinds of reset. */
enum apmu_reset_kind {
    APMU_RESET_COLD, /**< every field: to its architected value, or UNKNOWN */
    APMU_RESET_WARM, /**< every field but those that FEAT_PMUv3_EXTPMN keeps for external agents */
    APMU_RESET_DEBUG, /**< an External debug reset: only the Software Lock */
};

/** Resets the registers of *@p.  The caller resets those of the PE (MDCR_ELx ...). */
void apmu_on_reset(struct apmu *p, enum apmu_reset_kind kind);

/** Recomputes p->derived.  Call it after writing other members of *@p directly. */
void apmu_settle(struct apmu *p);

/**
 * Returns true if *@p keeps the invariant that apmu_init() establishes and every function keeps; false: no PMU can
 * reach this state.  It is for a state that comes from elsewhere, such as a file.  The invariant:
 *   - .cfg passes apmu_config_check().
 *   - What is not implemented is zero: bits of absent counters, RES0 fields, banks and registers of absent features,
 *     upper halves of 32-bit counters.
 *   - RES1 bits are set, and no action is pending in a write-only bit.
 *   - .divider, .last_threshold and .sync_overflowed have values that the features allow.
 *   - .derived follows from the rest.
 */
bool apmu_check(const struct apmu *p);

/* ---------------------------------------------------------------------------------------------------------------
 * Decisions.  They read *p and *pe and change nothing.
 */

/** Returns the Security state that @pe executes in. */
enum apmu_ss apmu_security_state(const struct apmu *p, const struct apmu_pe *pe);
/** Returns EffectiveHPMN(): the first event counter that is not in the first range, 0..cfg.counters. */
unsigned apmu_hpmn(const struct apmu *p, const struct apmu_pe *pe);
/** Returns EffectiveEPMN(): the first event counter of the third range, 0..cfg.counters. */
unsigned apmu_epmn(const struct apmu *p, const struct apmu_pe *pe);
/** Returns GetPMUCounterRange(): 1, 2 or 3 for counter @n. */
unsigned apmu_range(const struct apmu *p, const struct apmu_pe *pe, unsigned n);
/** Returns the number of bits of counter @n: 32 or 64. */
unsigned apmu_counter_size(const struct apmu *p, unsigned n);
/**
 * Returns the number of low bits whose carry is the overflow of counter @n: 32 or 64 (PMCR_EL0.{LP, LC}, MDCR_EL2.HLP).
 */
unsigned apmu_overflow_width(const struct apmu *p, const struct apmu_pe *pe, unsigned n);
/** Returns true if the cycle counter counts every 64th cycle only (PMCR_EL0.{D, LC}). */
bool apmu_cycle_divides(const struct apmu *p, const struct apmu_pe *pe);
/** Returns true if an overflow of event counter @n reaches counter n+1 as a CHAIN event. */
bool apmu_chains_into(const struct apmu *p, const struct apmu_pe *pe, unsigned n);
/** Returns true if a threshold decides what event counter @n adds (PMEVTYPER<n>_EL0.{TC, TE, TLC, TH}). */
bool apmu_threshold_active(const struct apmu *p, unsigned n);

/** Returns the level of PMUIRQ: PMUInterruptEnabled() and the overflow condition (IVQXCB, IQKDTZ). */
bool apmu_pmuirq(const struct apmu *p, const struct apmu_pe *pe);

/** Fills *@out with the levels at @pe.  Call it after a change of *@pe, which levels depend on too. */
void apmu_levels(const struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out);

/* ---------------------------------------------------------------------------------------------------------------
 * More about events and cycles.
 */

/** Says that event @event occurs @count times in one cycle. */
struct apmu_occurrence {
    uint16_t event;
    uint64_t count;
};

/**
 * Lets @n whole processor cycles pass (PMUCycle()).  In each, the @count events @ev occur, CPU_CYCLES once, and nothing
 * else.  Every counter that counts sees every cycle, with the value 0 where its event does not occur.  @ev lists
 * neither CPU_CYCLES nor CHAIN.  The result equals that of @n calls with n = 1.
 */
void apmu_step(struct apmu *p, const struct apmu_pe *pe, uint64_t n, const struct apmu_occurrence *ev, size_t count,
               struct apmu_out *out);

/**
 * Returns how far a caller may run ahead: the largest `times` for which apmu_event(p, pe, event, times, each, out)
 * overflows no counter.  For CPU_CYCLES it is the largest n of apmu_cycles().  Returns UINT64_MAX if no number of them
 * overflows a counter.
 */
uint64_t apmu_until(const struct apmu *p, const struct apmu_pe *pe, uint16_t event, uint64_t each);

/**
 * Returns how far a caller may run ahead whatever occurs: no counter overflows before some event has occurred more
 * often than this, or more cycles than this have passed, however apmu_event(), apmu_cycles() and apmu_step() report it.
 * (The @times of apmu_event() are cycles for the counters of its event.)  It is the least apmu_until() of all events
 * that counters count, and half of that where a threshold decides what a counter adds.  Returns UINT64_MAX if nothing
 * can overflow a counter.
 */
uint64_t apmu_until_all(const struct apmu *p, const struct apmu_pe *pe);

/**
 * Takes a snapshot request from outside, like 1 written to PMSSCR_EL1.SS (FEAT_PMUv3_SS).  It captures the counters if
 * the state of @pe allows that, and PMSSCR_EL1.NC then tells whether it did.
 */
void apmu_snapshot(struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out);

/**
 * Tells the PMU that the instruction at @address retires (FEAT_SEBEP, RNZLVW).  Call it after the instruction's events
 * were counted.  Returns true if this sets PSTATE.PPEND to 1; PMIAR_EL1 then has the address.
 */
bool apmu_retire(struct apmu *p, const struct apmu_pe *pe, uint64_t address);

/* ---------------------------------------------------------------------------------------------------------------
 * Registers: AArch32 view.  A register is an enum apmu_reg32 with the number of its copy (regs.h).
 */

/**
 * Returns the outcome of an MRC or, if @write, MCR in AArch32 state at @pe; for PMCCNTR64, of an MRRC or MCRR.  An
 * exception to an EL1, EL2 or EL3 that uses AArch64 is a trap with EC 0x03 or 0x04.  An exception to an EL2 that uses
 * AArch32 is a Hyp Trap exception (.hyp), with EC 0 where HCR.TGE routes an UNDEFINED exception from EL0 there.
 */
struct apmu_access apmu_access_a32(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n,
                                   bool write);

/** Returns the value that a read at @pe gives, without permission check or effect: 32 bits, of PMCCNTR64 64. */
uint64_t apmu_peek_a32(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n);

/**
 * Writes @value as at @pe, without permission check.  The bits of the AArch64 register that this view does not show
 * keep their values.
 */
void apmu_poke_a32(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n, uint64_t value,
                   struct apmu_out *out);

/* ---------------------------------------------------------------------------------------------------------------
 * Registers: external view, in the layout of FEAT_PMUv3_EXT32 or FEAT_PMUv3_EXT64 (tables/external.def).
 */

/** Physical address spaces. */
enum apmu_pas { APMU_PAS_SECURE, APMU_PAS_NONSECURE, APMU_PAS_ROOT, APMU_PAS_REALM };

/** Describes an access to the component's 4 KiB. */
struct apmu_ext {
    uint64_t offset;   /**< in bytes */
    unsigned size;     /**< in bytes: 4 or 8; another size is an error */
    enum apmu_pas pas;
    bool debugger;     /**< by a debugger's access port, which the Software Lock does not affect */
};

/**
 * Returns the outcome of the access @at: OK, RAZ, WI or ERROR.  Changes nothing.  Reserved locations are RAZ and WI.
 * Accesses that are misaligned, or whose size does not fit the register, are errors.
 */
struct apmu_access apmu_access_ext(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at,
                                   bool write);

/** Returns the value that a read gives, without permission check or effect; 0 where there is nothing to read. */
uint64_t apmu_peek_ext(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at);

/**
 * Reads as apmu_peek_ext() does, with the effect of a read: a read of PMPCSR, or of its lower half, takes a sample.  No
 * other read has an effect.
 */
uint64_t apmu_read_ext(struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at);

/** Writes @value, without permission check.  A write of half a register leaves the other half as it is. */
void apmu_poke_ext(struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at, uint64_t value,
                   struct apmu_out *out);

#ifdef __cplusplus
}
#endif
#endif
