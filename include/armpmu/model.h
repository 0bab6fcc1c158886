/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model of the Arm Performance Monitoring Unit.
 *
 * For authors of emulators and VMMs, and for verification engineers.  The unit is plain data: `struct apmu` holds the
 * registers that a PMU owns and no pointer, so memcpy is save, restore, fork and diff.  What the PMU borrows from the
 * PE (Exception level, Security state, MDCR_ELx ...) comes with each call in `struct apmu_pe`.  No function allocates,
 * blocks, keeps a global or calls back; all are safe in any context, for different units at the same time.
 *
 * The contract of an engine, in one sentence: flush pending events before every register access and every change of
 * `struct apmu_pe`.
 */
#ifndef ARMPMU_MODEL_H
#define ARMPMU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/event_numbers.h>
#include <armpmu/regs.h>
#include <armpmu/sized.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * What this PMU is.
 */

/**
 * The implementation: fixed at apmu_init().  Every IMPLEMENTATION DEFINED and every CONSTRAINED UNPREDICTABLE choice
 * that the counting rules consult is a named member; zero is a legal choice for each.  Members are only ever appended,
 * and a caller's structure may be smaller or larger than the library's, as <armpmu/sized.h> says.
 */
struct apmu_config {
    uint32_t size;         /**< sizeof(struct apmu_config) at the caller: see <armpmu/sized.h> */
    uint64_t features;     /**< set of APMU_FEAT(x); apmu_config_check() says what is missing from it */
    uint8_t counters;      /**< NUM_PMU_COUNTERS: event counters, 0..31 */
    bool secure_only;      /**< without EL3: the one Security state is Secure (otherwise Non-secure) */
    bool export_bus;       /**< there is a PMU event export bus: PMCR_EL0.X is RW (otherwise RAZ/WI) */
    bool multithreaded;    /**< without FEAT_MTPMU: PMEVTYPER<n>_EL0.MT is RW (otherwise RES0) */
    uint8_t imp, idcode;   /**< PMCR_EL0.{IMP, IDCODE}; read as zero from FEAT_PMUv3p7 on */
    uint64_t pmceid[2];    /**< PMCEID0_EL0 and PMCEID1_EL0: the common events that are implemented, with those that
                                apmu_events_closure() adds; or both 0, for a unit of which nobody reads them */
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
    uint8_t reserved_pmee;       /**< a reserved PMEE field behaves as this, 0..3; 2: no request at all */
    uint8_t reserved_sse;        /**< a reserved SSE field behaves as this, 0..3 */
    bool sdd_undef_priority;     /**< in Debug state with EDSCR.SDD = 1, UNDEFINED for EL3 precedes other traps */
    bool a32_long_counters;      /**< without AArch64, FEAT_PMUv3p5 gives 64-bit event counters and PMCR.LP (else none) */
    bool counts_unattributable;  /**< Unattributable events are counted where Attributable ones are prohibited */

    uint64_t unknown_fill; /**< a field that a reset leaves UNKNOWN reads as these bits of its register */

    /* The external view. */
    uint64_t mpidr;         /**< MPIDR_EL1 of the PE: PMDEVAFF */
    uint32_t iidr;          /**< PMIIDR; 0 with FEAT_PMUv3_EXT32: it is not implemented */
    uint32_t filter2;       /**< the bits that PMEVFILT2R<n> has; 0: it is not implemented */
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

/** What struct apmu_config had in 0.1, where it was first released: no smaller one is accepted. */
#define APMU_CONFIG_SIZE_FIRST sizeof(struct apmu_config)

/* ---------------------------------------------------------------------------------------------------------------
 * State.
 */

/** The registers that the PMU owns.  Set by apmu_init(), then through the functions below; else see apmu_settle(). */
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
    bool sync_overflowed;         /**< SyncCounterOverflowed: a counter in synchronous mode overflowed */
    struct apmu_derived {
        uint64_t events;     /**< bit e % 64 of each event e that is the type of an event counter */
        uint64_t registers;  /**< bit r: the enum apmu_reg r is implemented */
        uint64_t control;    /**< the bits of PMCR_EL0 that a write changes */
        uint64_t counter[3]; /**< the same of PMEVCNTR<n>_EL0, PMCCNTR_EL0 and PMICNTR_EL0: as wide as they are */
        uint64_t typer[4];   /**< of PMEVTYPER<n>_EL0, n even and odd, PMCCFILTR_EL0 and PMICFILTR_EL0 */
    } derived;               /**< follows from the members above; without it each call would work it out again */
};

/** Security states, as CurrentSecurityState() answers. */
enum apmu_ss { APMU_SS_SECURE, APMU_SS_NONSECURE, APMU_SS_ROOT, APMU_SS_REALM };

/**
 * What the PMU borrows from the PE for one call.  Where the highest implemented Exception level uses AArch32 the same
 * members carry the AArch32 register: HDCR, SDCR, HCR, SCR, SDER.
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
    bool unattributable; /**< the events of this call are not Attributable to this PE (RMMZLZ) */
    uint64_t mdcr_el2, mdcr_el3, hcr_el2, scr_el3, sder32_el3, hstr_el2;
    uint64_t hdfgrtr_el2, hdfgwtr_el2, hdfgrtr2_el2, hdfgwtr2_el2;
    uint64_t pmblimitr_el1, pmbsr_el1, pmbsr_el2, pmbsr_el3, pmscr_el2; /**< SPE, for the freeze on its events */

    bool pm, ppend;        /**< PSTATE.PM and PSTATE.PPEND, for PMU Profiling exceptions */
    bool edecr_pme;        /**< EDECR.PME: an overflow is an External Debug Request */
    bool rlpiden, rtpiden; /**< further signals of the authentication interface (FEAT_RME) */
    bool core_off;         /**< !IsCorePowered(): the Core power domain is off or in a low-power state */
    bool debug_off;        /**< the Debug power domain is off */
    struct apmu_pc_sample {
        bool valid;            /**< sampling is allowed, the PE is not in Debug state, and there is an instruction */
        bool a32;              /**< it was executed in AArch32 state */
        uint8_t el;
        enum apmu_ss ss;
        uint64_t pc;
        uint32_t contextidr_el1, contextidr_el2;
        uint16_t vmid;         /**< 0 where no VMID applied to it */
    } sample;              /**< the instruction that program counter sampling sees (FEAT_PCSRv8p2) */
};

/** What the world must know after a call: levels, except the first and the last.  The caller owns it. */
struct apmu_out {
    uint64_t overflowed; /**< counters that overflowed during the call */
    bool pmuirq;         /**< PMUIRQ */
    bool cti;            /**< the overflow trigger of the Cross-Trigger Interface: not gated by PMEE */
    bool edbgrq;         /**< an External Debug Request (FEAT_Debugv8p9, EDECR.PME) */
    bool exception;      /**< a PMU Profiling exception is enabled, unmasked and asked for (FEAT_EBEP) */
    bool synchronous;    /**< of .exception: PSTATE.PPEND asks for it (FEAT_SEBEP) */
    uint8_t exception_el; /**< of .exception: the Exception level that it goes to */
    bool brbe_freeze[2]; /**< the first range, and the second, ask BRBE to freeze; BRBCR_ELx.FZP selects */
    bool exported;       /**< the events of the call go to the event export bus (PMCR_EL0.X) */
};

/**
 * Is @cfg an implementation that the architecture allows?
 * Returns NULL if it is, else one sentence that names the member or feature, the cause and the cure.
 */
const char *apmu_config_check(const struct apmu_config *cfg);

/** @features and all that they require: APMU_FEAT(PMUv3p9) becomes all versions up to it. */
uint64_t apmu_features_closure(uint64_t features);

/**
 * Adds to @pmceid, PMCEID0_EL0 and PMCEID1_EL0, the events that a PMU with @features and with event counters must
 * implement: SW_INCR, from FEAT_PMUv3p1 STALL_FRONTEND ... (tables/required.def).  Of INST_RETIRED and INST_SPEC, of
 * which one will do, it adds INST_RETIRED.  Who announces them counts them: where nothing stalls, STALL counts 0.
 */
void apmu_events_closure(uint64_t features, uint64_t pmceid[2]);

/**
 * Do @pmceid announce every event that a PMU with @features and with event counters must implement?
 * Returns NULL if they do, else one sentence that names the feature, the event and the cure.
 */
const char *apmu_events_check(uint64_t features, const uint64_t pmceid[2]);

/** Does @gate hold for @cfg, and for copy @n of a bank: is what depends on it implemented? */
bool apmu_holds(const struct apmu_config *cfg, enum apmu_gate gate, unsigned n);

/**
 * Makes a unit with the implementation @cfg, in the state after a Cold reset.  @cfg is copied.
 * The caller has asked apmu_config_check(); a configuration that fails it gives a unit with unspecified counts, but
 * no undefined behaviour.
 */
void apmu_init(struct apmu *p, const struct apmu_config *cfg);

enum apmu_reset_kind {
    APMU_RESET_COLD, /**< every field: to its architected value, or UNKNOWN */
    APMU_RESET_WARM, /**< those that FEAT_PMUv3_EXTPMN does not keep for external agents */
    APMU_RESET_DEBUG, /**< an External debug reset: the Software Lock alone */
};

/** Resets the registers of the unit.  Those that it borrows from the PE (MDCR_ELx ...) are the caller's to reset. */
void apmu_on_reset(struct apmu *p, enum apmu_reset_kind kind);

/** Works out what follows from the members of *p, for who has set some of them without the functions below. */
void apmu_settle(struct apmu *p);

/**
 * The invariant that every function keeps, from apmu_init() on: what is not implemented is zero (bits of absent
 * counters, RES0 fields, banks and registers of absent features, upper halves of 32-bit counters), RES1 bits are set, no
 * action is pending in a write-only bit, what the unit counts with (divider, threshold conditions) is within its
 * range, and what is derived follows from the rest.  For a state that comes from elsewhere, such as a file: false means
 * that no unit can have come to it.
 */
bool apmu_check(const struct apmu *p);

/* ---------------------------------------------------------------------------------------------------------------
 * Decisions.  Pure: they read *p and *pe and change nothing.
 */

/** The Security state that @pe executes in. */
enum apmu_ss apmu_security_state(const struct apmu *p, const struct apmu_pe *pe);
/** EffectiveHPMN(): the first event counter that is not in the first range, 0..cfg.counters. */
unsigned apmu_hpmn(const struct apmu *p, const struct apmu_pe *pe);
/** EffectiveEPMN(): the first event counter of the third range, 0..cfg.counters. */
unsigned apmu_epmn(const struct apmu *p, const struct apmu_pe *pe);
/** GetPMUCounterRange(): 1, 2 or 3 for counter @n, 0..32. */
unsigned apmu_range(const struct apmu *p, const struct apmu_pe *pe, unsigned n);

/** Why a counter stands still: the bits of a set.  Text, rule and cure of each are a row of tables/reasons.def. */
enum apmu_reason {
#define APMU_REASON(id, rule, cure, text) APMU_REASON_##id,
#include <armpmu/tables/reasons.def>
#undef APMU_REASON
    APMU_REASON_COUNT
};
/** The set that holds the one reason @id, a name of tables/reasons.def. */
#define APMU_WHY(id) (UINT64_C(1) << APMU_REASON_##id)

/**
 * Everything that now keeps counter @n (0..32) from counting: a set of APMU_WHY(x), 0 if it counts (CountPMUEvents(n)).
 * Complete: no cause hides another.
 */
uint64_t apmu_why(const struct apmu *p, const struct apmu_pe *pe, unsigned n);

/** CountPMUEvents(): derived from the reasons, so that the two cannot differ. */
static inline bool apmu_counts(const struct apmu *p, const struct apmu_pe *pe, unsigned n)
{
    return apmu_why(p, pe, n) == 0;
}

/** The bits that counter @n (0..32) has: 32 or 64. */
unsigned apmu_counter_size(const struct apmu *p, unsigned n);
/** The low bits whose carry is the overflow of counter @n: 32 or 64 (PMCR_EL0.{LP, LC}, MDCR_EL2.HLP). */
unsigned apmu_overflow_width(const struct apmu *p, const struct apmu_pe *pe, unsigned n);
/** Does the cycle counter count every 64th cycle only (PMCR_EL0.{D, LC})? */
bool apmu_cycle_divides(const struct apmu *p, const struct apmu_pe *pe);
/** Does an overflow of event counter @n reach counter n+1 as a CHAIN event? */
bool apmu_chains_into(const struct apmu *p, const struct apmu_pe *pe, unsigned n);
/** Does a threshold decide what event counter @n adds (PMEVTYPER<n>_EL0.{TC, TE, TLC, TH})? */
bool apmu_threshold_active(const struct apmu *p, unsigned n);

/** PMUInterruptEnabled() and the overflow condition: the level of PMUIRQ (IVQXCB, IQKDTZ). */
bool apmu_pmuirq(const struct apmu *p, const struct apmu_pe *pe);

/** All signals at @pe.  For a caller that changed *pe: levels follow the state of the PE too. */
void apmu_levels(const struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out);

/* ---------------------------------------------------------------------------------------------------------------
 * Events and cycles.
 */

/** Event @event occurs @count times in one cycle. */
struct apmu_occurrence {
    uint16_t event;
    uint64_t count;
};

/**
 * @event occurs @each times in each of @times cycles.  Only the counters that count @event take part; for the others
 * no time passes.  INST_RETIRED advances the instruction counter too, and CPU_CYCLES does not advance the cycle counter
 * (apmu_cycles() does).  The result equals that of @times calls with times = 1, in every member of *p.
 * @out may be NULL.
 */
void apmu_event(struct apmu *p, const struct apmu_pe *pe, uint16_t event, uint64_t times, uint64_t each,
                struct apmu_out *out);

/**
 * @n processor cycles pass.  The cycle counter advances, and CPU_CYCLES occurs once in each for the event counters
 * that count it; for the others no time passes.  The result equals that of @n calls with n = 1.  @out may be NULL.
 */
void apmu_cycles(struct apmu *p, const struct apmu_pe *pe, uint64_t n, struct apmu_out *out);

/**
 * @n whole processor cycles (PMUCycle()), in each of which the @count events @ev occur, CPU_CYCLES once, and nothing
 * else: every counter that counts sees every cycle, with the value 0 where its event does not occur.  @ev does not
 * list CPU_CYCLES or CHAIN.  The result equals that of @n calls with n = 1.  @out may be NULL.
 */
void apmu_step(struct apmu *p, const struct apmu_pe *pe, uint64_t n, const struct apmu_occurrence *ev, size_t count,
               struct apmu_out *out);

/**
 * A snapshot request from outside, as by 1 written to PMSSCR_EL1.SS (FEAT_PMUv3_SS).  It captures the counters if the
 * state of @pe allows that, and PMSSCR_EL1.NC then says whether it did.  @out may be NULL.
 */
void apmu_snapshot(struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out);

/**
 * The instruction at @address retires, after its events (FEAT_SEBEP, RNZLVW).  True: it sets PSTATE.PPEND to 1, and
 * PMIAR_EL1 has its address.
 */
bool apmu_retire(struct apmu *p, const struct apmu_pe *pe, uint64_t address);

/**
 * How far an engine may run ahead: the largest `times` for which apmu_event(p, pe, event, times, each, out) changes
 * nothing but counter values, i.e. no counter overflows.  For CPU_CYCLES: the largest n of apmu_cycles().
 * UINT64_MAX if no number of them changes anything else.
 */
uint64_t apmu_until(const struct apmu *p, const struct apmu_pe *pe, uint16_t event, uint64_t each);

/* ---------------------------------------------------------------------------------------------------------------
 * Registers: AArch64 view.  Addresses are enum apmu_reg with the number of the copy (regs.h).
 */

/** What becomes of an MRS or MSR. */
enum apmu_outcome {
    APMU_ACCESS_OK,            /**< it is performed: apmu_peek(), apmu_poke() */
    APMU_ACCESS_RAZ,           /**< the read gives zero */
    APMU_ACCESS_WI,            /**< the write is ignored */
    APMU_ACCESS_UNDEFINED,     /**< the instruction is UNDEFINED */
    APMU_ACCESS_UNPREDICTABLE, /**< CONSTRAINED UNPREDICTABLE: apmu_peek() and apmu_poke() choose RAZ/WI */
    APMU_ACCESS_TRAP,          /**< an exception to .el */
    APMU_ACCESS_ERROR,         /**< external view: an error response */
};

struct apmu_access {
    enum apmu_outcome outcome;
    uint8_t el;          /**< of a trap: the Exception level that it goes to */
    bool hyp;            /**< of a trap to EL2: EL2 uses AArch32, so it is taken to Hyp mode */
    uint8_t ec;          /**< of a trap: the syndrome's EC */
    uint8_t gate;        /**< of a register that is not implemented, the enum apmu_gate that does not hold, of which
                              apmu_gate_text() is the name; otherwise APMU_GATE_ALWAYS */
    uint32_t iss;        /**< of a trap: the syndrome's ISS, with Rt = 0 (of AArch32 also Rt2 = 0, COND = 0b1110) */
    const char *control; /**< what decides, "MDCR_EL2.TPM"; "" where nothing hinders it */
};

/** The plain case of apmu_access(): true where nothing hinders the access; false: apmu_access_decided() says. */
bool apmu_access_is_plain(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n, bool write);
/** What apmu_access() gives, in every case. */
struct apmu_access apmu_access_decided(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n,
                                       bool write);

/**
 * What becomes of an MRS (or MSR if @write) of copy @n of @reg in AArch64 state at @pe.  Changes nothing.
 * Inline, so that who asks for .outcome alone pays for no more in the plain case.
 */
static inline struct apmu_access apmu_access(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg,
                                             unsigned n, bool write)
{
    const struct apmu_access plain = {APMU_ACCESS_OK, 0, false, 0, APMU_GATE_ALWAYS, 0, ""};

    return apmu_access_is_plain(p, pe, reg, n, write) ? plain : apmu_access_decided(p, pe, reg, n, write);
}

/**
 * The value that a read gives at @pe, without permission check or effect.  @n is the copy's number for a bank
 * (PMEVCNTR<n>_EL0: 0..30), 0 for others.  Write-only registers and copies that do not exist read as zero.
 */
uint64_t apmu_peek(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n);

/**
 * What a write of @value does at @pe, without permission check: fields that are not implemented ignore it, and the
 * masks of the Exception level hold (PMCNTEN*, PMINTEN*, PMOVS*, PMSWINC, PMZR, PMCR.P, PMUACR).  @out may be NULL.
 */
void apmu_poke(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n, uint64_t value,
               struct apmu_out *out);

/* ---------------------------------------------------------------------------------------------------------------
 * Registers: AArch32 view.  Addresses are enum apmu_reg32 with the number of the copy (regs.h).
 */

/**
 * What becomes of an MRC (or MCR if @write; of PMCCNTR64, of an MRRC or MCRR) in AArch32 state at @pe: as apmu_access().
 * An exception to EL1, EL2 or EL3 that use AArch64 is a trap with EC 0x03 or 0x04; to EL2 that uses AArch32, a Hyp Trap
 * exception (.hyp), with EC 0 where HCR.TGE routes an UNDEFINED exception from EL0 there.
 */
struct apmu_access apmu_access_a32(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n,
                                   bool write);

/** The value that a read gives at @pe, without permission check or effect: 32 bits, of PMCCNTR64 all 64. */
uint64_t apmu_peek_a32(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n);

/**
 * What a write of @value does at @pe, without permission check.  The bits of the AArch64 register that this view does
 * not show stay as they are.  @out may be NULL.
 */
void apmu_poke_a32(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg32 reg, unsigned n, uint64_t value,
                   struct apmu_out *out);

/* ---------------------------------------------------------------------------------------------------------------
 * Registers: external view, in the layout of FEAT_PMUv3_EXT32 or FEAT_PMUv3_EXT64 (tables/external.def).
 */

/** Physical address spaces. */
enum apmu_pas { APMU_PAS_SECURE, APMU_PAS_NONSECURE, APMU_PAS_ROOT, APMU_PAS_REALM };

/** An access to the component's 4 KiB. */
struct apmu_ext {
    uint64_t offset;   /**< in bytes */
    unsigned size;     /**< in bytes: 4 or 8; others answer an error */
    enum apmu_pas pas;
    bool debugger;     /**< not memory-mapped: by a debugger's access port, which the Software Lock does not concern */
};

/**
 * What becomes of the access @at: OK, RAZ, WI or ERROR.  Changes nothing.  Reserved locations are RAZ and WI; accesses
 * that are misaligned, or whose size does not fit the register, answer ERROR.
 */
struct apmu_access apmu_access_ext(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at,
                                   bool write);

/** The value that a read gives, without permission check or effect; 0 where there is nothing to read. */
uint64_t apmu_peek_ext(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at);

/**
 * The same with the effect of a read: that of PMPCSR, or of its lower half, takes a sample.  No other has one.
 */
uint64_t apmu_read_ext(struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at);

/**
 * What a write of @value does, without permission check.  A write of half a register leaves the other half as it is.
 * @out may be NULL.
 */
void apmu_poke_ext(struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at, uint64_t value,
                   struct apmu_out *out);

#ifdef __cplusplus
}
#endif
#endif
