/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver through the external view of the model, in both layouts. */
#include <armpmu/events.h>

#include "../lib/errors.h"
#include "../lib/frame.h"

static const struct version {
    uint64_t features;
    uint8_t pmuver, least; /* PMUVer, and the version that the view alone reveals */
} versions[] = {
    {APMU_FEAT(PMUv3), 1, 1},   {APMU_FEAT(PMUv3p1), 4, 4}, {APMU_FEAT(PMUv3p4), 5, 5},
    {APMU_FEAT(PMUv3p5), 6, 5}, {APMU_FEAT(PMUv3p7), 7, 7}, {APMU_FEAT(PMUv3p8), 8, 7},
    {APMU_FEAT(PMUv3p9), 9, 7}, {APMU_FEAT(PMUv3_ICNTR), 9, 9}, {APMU_FEAT(PMUv3_SS), 9, 9},
    {APMU_FEAT(PMUv3_SS) | APMU_FEAT(PMUv3_ICNTR), 9, 9},
};
#define VERSIONS (sizeof versions / sizeof versions[0])

static const uint64_t announced[2] = {
    UINT64_C(1) << APMU_EV_INST_RETIRED | UINT64_C(1) << APMU_EV_CPU_CYCLES,
    UINT64_C(1) << (APMU_EV_BR_RETIRED - 0x20),
};

static struct apmu_mmio mmio;
static const struct apmu_dev dev = {.ops = &apmu_mmio_ops, .ctx = &mmio};
static struct apmu_pmu unit_seen;
static struct apmu_session session;
static struct apmu_reading out[3];

/* Makes a PMU that counts the measured code at EL0, and a context to access it. */
static void component(const struct version *v, bool layout64, unsigned counters, bool lock)
{
    const bool p4 = (apmu_features_closure(v->features) & APMU_FEAT(PMUv3p4)) != 0;

    configure((lock ? EL1_ONLY : EL1_ONLY | P4) | v->features | (layout64 ? EXT64 : EXT32));
    cfg.counters = (uint8_t)counters;
    cfg.pmceid[0] = announced[0] | (v->pmuver >= 4 ? UINT64_C(1) << 32 : 0);
    cfg.pmceid[1] = announced[1];
    apmu_events_closure(cfg.features, cfg.pmceid);
    cfg.software_lock = lock && !layout64;
    cfg.slots = p4 ? 4 : 0;
    cfg.unknown_fill = UINT64_C(0xA5A5A5A5A5A5A5A5);
    start();
    MUST(apmu_config_check(&cfg) == NULL, "the PMU of the test: %s", apmu_config_check(&cfg));
    pe.el = 0;
    mmio = through_frame();
    mmio.pmceid[0] = layout64 ? cfg.pmceid[0] : 0;
    mmio.pmceid[1] = layout64 ? cfg.pmceid[1] : 0;
}

static bool nothing_counts(void)
{
    bool none = true;

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        none &= !apmu_counts(&p, &pe, n);
    }
    return none;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Discovery.
 */

static void each_component_is_found(void)
{
    for (size_t v = 0; v < VERSIONS; v++) {
        for (unsigned counters = 1; counters <= 31; counters++) {
            for (unsigned how = 0; how < 4; how++) {
                const bool layout64 = (how & 1) != 0, told = (how & 2) != 0;
                const bool instr = (versions[v].features & APMU_FEAT(PMUv3_ICNTR)) != 0;

                component(&versions[v], layout64, counters, false);
                mmio.eddfr = told ? (uint64_t)versions[v].pmuver << 8 | 6 : 0;
                MUST_GIVE(apmu_mmio_open(&mmio), APMU_OK, "open");
                MUST_EQ(mmio.layout64, layout64, "layout");
                MUST_EQ(frame.writes, 0, "writes of open");
                MUST_GIVE(apmu_pmu_discover(&dev, NULL, &unit_seen), APMU_OK, "discover");
                const unsigned pmuver = told ? versions[v].pmuver : versions[v].least;
                MUST_EQ(mmio.version, pmuver, "PMUVer of row %u", (unsigned)v);
                MUST_EQ(unit_seen.version, pmuver == 1 ? 3 : pmuver, "version of row %u", (unsigned)v);
                MUST_EQ(unit_seen.counters, counters, "counters");
                MUST_EQ(unit_seen.instr, instr, "PMICNTR_EL0");
                MUST_EQ(mmio.snapshots, (versions[v].features & APMU_FEAT(PMUv3_SS)) != 0, "PMSSCR_EL1");
                MUST_EQ(unit_seen.pmceid[0], cfg.pmceid[0], "PMCEID0_EL0");
                MUST_EQ(unit_seen.pmceid[1], cfg.pmceid[1], "PMCEID1_EL0");
            }
        }
    }
}

/* A frame of plain memory, for components that are not a PMU, and to find the words of each register. */
static uint32_t memory[1024];

#define AT(offset) memory[(offset) / 4]

static void blank(uint32_t devarch, uint32_t devtype, uint32_t pmcfgr)
{
    memset(memory, 0, sizeof memory);
    AT(0xFBC) = devarch;
    AT(0xFCC) = devtype;
    AT(0xE00) = pmcfgr;
    mmio = (struct apmu_mmio){.base = memory};
}

static void what_is_no_pmuv3_is_refused(void)
{
    static const struct { uint32_t devarch, devtype, pmcfgr; enum apmu_error error; } cases[] = {
        {0x47702A16, 0x16, 0x00007F06, APMU_OK},          {0x47702A16, 0x00, 0x00007F06, APMU_OK},
        {0x47732A16, 0x16, 0x00007F06, APMU_OK},          {0x47702A26, 0x16, 0x10007F07, APMU_OK},
        {0x47702A16, 0x16, 0x00007F1F, APMU_OK},          {0x47702A16, 0x16, 0x10007F20, APMU_OK},
        {0, 0, 0, APMU_E_COMPONENT},                      {~0u, ~0u, ~0u, APMU_E_COMPONENT},
        {0x47700A06, 0x16, 0x00007F06, APMU_E_COMPONENT}, /* the PMU of an M-profile PE */
        {0x47704A13, 0x13, 0x00007F06, APMU_E_COMPONENT}, /* an ETM */
        {0x47602A16, 0x16, 0x00007F06, APMU_E_COMPONENT}, /* not PRESENT */
        {0x49702A16, 0x16, 0x00007F06, APMU_E_COMPONENT}, /* not Arm's */
        {0x47702A16, 0x15, 0x00007F06, APMU_E_COMPONENT}, /* debug logic */
        {0x47702A16, 0x16, 0x00005F06, APMU_E_COMPONENT}, /* counters of 32 bits, 4 bytes apart */
        {0x47702A16, 0x16, 0x00003F06, APMU_E_COMPONENT}, /* no cycle counter */
        {0x47702A16, 0x16, 0x00007F20, APMU_E_COMPONENT}, /* 32 event counters */
        {0x47702A16, 0x16, 0x10007F21, APMU_E_COMPONENT},
        {0x47702A16, 0x16, 0x10007F00, APMU_E_COMPONENT}, /* an instruction counter, but no cycle counter */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        blank(cases[i].devarch, cases[i].devtype, cases[i].pmcfgr);
        MUST_GIVE(apmu_mmio_open(&mmio), cases[i].error, "case %u", (unsigned)i);
    }
    blank(0x47702A26, 0x16, 0x10007F07);
    MUST_GIVE(apmu_mmio_open(&mmio), APMU_OK, "open");
    MUST(mmio.layout64 && mmio.instr && mmio.counters == 6, "PMCFGR.N = 7 with PMICNTR_EL0 is 6 event counters");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Registers.
 */

static const char *const not_in_view[] = {
    "PMSELR_EL0", "PMXEVTYPER_EL0", "PMXEVCNTR_EL0", "PMUSERENR_EL0", "PMUACR_EL1", "PMECR_EL1", "PMIAR_EL1",
    "PMSWINC_EL0",
};

static bool view_has(enum apmu_reg reg)
{
    for (size_t i = 0; i < sizeof not_in_view / sizeof not_in_view[0]; i++) {
        if (strcmp(apmu_reg_info(reg)->name, not_in_view[i]) == 0) {
            return false;
        }
    }
    return reg < APMU_REG_BORROWED || reg == APMU_REG_ID_AA64DFR0_EL1 || reg == APMU_REG_ID_AA64DFR1_EL1;
}

/* Returns whether the register exists for reads, or for writes, in this component's layout. */
static bool has(enum apmu_reg reg, bool write)
{
    const struct apmu_reg_info *info = apmu_reg_info(reg);
    const bool whole = reg == APMU_REG_PMCNTEN || reg == APMU_REG_PMINTEN || reg == APMU_REG_PMOVS;
    const bool other = reg == APMU_REG_PMCCR || reg == APMU_REG_PMEVFILT2R || reg == APMU_REG_PMPCSCTL ||
                       reg == APMU_REG_PMITCTRL || reg == APMU_REG_PMLAR;

    if (!view_has(reg) || (whole && !mmio.layout64)) {
        return false;
    }
    if (reg < APMU_REG_COUNT) {
        return write ? info->writable : info->readable;
    }
    return write ? whole || other : reg != APMU_REG_PMLAR;
}

/*
 * Checks that every register of the view holds what the AArch64 view of the same PMU holds, and that all other
 * registers are refused.
 */
static void each_register_is_where_it_is(void)
{
    static const struct version all = {APMU_FEAT(PMUv3_SS) | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(PMUv3_TH) |
                                       APMU_FEAT(PCSRv8p9) | P4, 9, 9};
    struct apmu_pe el1;
    unsigned compared = 0;

    for (unsigned layout64 = 0; layout64 < 2; layout64++) {
        component(&all, layout64 != 0, 31, false);
        el1 = pe;
        el1.el = 1;
        MUST_GIVE(apmu_mmio_open(&mmio), APMU_OK, "open");
        for (unsigned r = 0; r < APMU_REG_ALL; r++) {
            const enum apmu_reg reg = (enum apmu_reg)r;
            const struct apmu_reg_info *info = apmu_reg_info(reg);

            for (unsigned n = 0; n < info->copies; n++) {
                const uint64_t pattern = UINT64_C(0x9E3779B97F4A7C15) * (r * 32 + n + 1);
                uint64_t value = 1;

                if (reg < APMU_REG_COUNT && info->writable && has(reg, true)) {
                    MUST_GIVE(apmu_mmio_ops.write(&mmio, reg, n, pattern), APMU_OK, "write %s %u", info->name, n);
                    if (info->readable && reg != APMU_REG_PMSSCR_EL1) {
                        struct apmu twin = p;

                        apmu_poke(&twin, &el1, reg, n, pattern, NULL);
                        MUST_EQ(apmu_peek(&p, &el1, reg, n), apmu_peek(&twin, &el1, reg, n), "%s %u", info->name, n);
                    }
                }
                const enum apmu_error error = apmu_mmio_ops.read(&mmio, reg, n, &value);

                if (!has(reg, false)) {
                    MUST_GIVE(error, APMU_E_VIEW, "read %s", info->name);
                    MUST_EQ(value, 0, "%s", info->name);
                } else {
                    MUST_GIVE(error, APMU_OK, "read %s %u", info->name, n);
                    if (reg < APMU_REG_COUNT) {
                        const uint64_t imp = APMU_MASK(PMCR_EL0, IMP) | APMU_MASK(PMCR_EL0, IDCODE);

                        MUST_EQ(value, apmu_peek(&p, &el1, reg, n) & ~(reg == APMU_REG_PMCR_EL0 ? imp : 0),
                                "%s %u", info->name, n);
                        compared++;
                    }
                }
                if (!has(reg, true)) {
                    MUST_GIVE(apmu_mmio_ops.write(&mmio, reg, n, 0), APMU_E_VIEW, "write %s",
                            info->name);
                }
            }
        }
        MUST_GIVE(apmu_mmio_ops.read(&mmio, APMU_REG_ALL, 0, &(uint64_t){0}), APMU_E_NO_REGISTER,
                "beyond the last register");
    }
    MUST(compared > 2 * (3 * 31), "only %u registers were compared", compared);
}

static void what_the_component_lacks_is_refused(void)
{
    uint64_t value;

    component(&versions[0], false, 5, false);
    MUST_GIVE(apmu_mmio_open(&mmio), APMU_OK, "open");
    const struct { enum apmu_reg reg; unsigned n; bool there; } cases[] = {
        {APMU_REG_PMEVCNTR_EL0, 4, true},    {APMU_REG_PMEVCNTR_EL0, 5, false}, {APMU_REG_PMEVTYPER_EL0, 31, false},
        {APMU_REG_PMICNTR_EL0, 0, false},    {APMU_REG_PMSSCR_EL1, 0, false},   {APMU_REG_PMICNTSVR_EL1, 0, false},
        {APMU_REG_PMEVFILT2R, 4, true},      {APMU_REG_PMEVFILT2R, 5, false},   {APMU_REG_PMEVFILT2R, 31, true},
        {APMU_REG_PMEVFILT2R, 32, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const enum apmu_error want = cases[i].there ? APMU_OK : APMU_E_NO_REGISTER;

        MUST_GIVE(apmu_mmio_ops.read(&mmio, cases[i].reg, cases[i].n, &value), want, "%s %u",
                apmu_reg_info(cases[i].reg)->name, cases[i].n);
    }
    MUST_GIVE(apmu_mmio_ops.write(&mmio, APMU_REG_PMZR_EL0, 0, 1), APMU_E_NO_REGISTER,
            "PMZR_EL0 before FEAT_PMUv3p9, where PMSWINC_EL0 may be in its place");
}

/* Checks that an access through .base reaches the same words as one through the functions. */
static void base_is_a_frame(void)
{
    struct apmu_mmio mapped;

    for (unsigned layout64 = 0; layout64 < 2; layout64++) {
        component(&versions[VERSIONS - 1], layout64 != 0, 31, false);
        MUST_GIVE(apmu_mmio_open(&mmio), APMU_OK, "open");
        mapped = mmio;
        mapped.base = memory;
        for (unsigned r = 0; r < APMU_REG_BORROWED; r++) {
            const enum apmu_reg reg = (enum apmu_reg)r;

            for (unsigned n = 0; n < apmu_reg_info(reg)->copies; n++) {
                uint64_t value = 0;

                memset(memory, 0, sizeof memory);
                frame.offset = 0xFFFF; /* none yet */
                if (has(reg, true)) {
                    (void)apmu_mmio_ops.write(&mmio, reg, n, 0); /* sets frame.offset to its last word */
                    (void)apmu_mmio_ops.write(&mapped, reg, n, 0x13579BDF);
                    apmu_mmio_ops.sync(&mapped);
                    MUST_EQ(AT(frame.offset), 0x13579BDF, "%s %u at 0x%x", apmu_reg_info(reg)->name, n, frame.offset);
                }
                if (has(reg, false) && apmu_mmio_ops.read(&mmio, reg, n, &value) == APMU_OK && frame.offset != 0xFFFF) {
                    memset(memory, 0xEE, sizeof memory);
                    AT(frame.offset) = 0x2468ACE0;
                    (void)apmu_mmio_ops.read(&mapped, reg, n, &value);
                    value = reg == APMU_REG_PMCR_EL0 ? 0x2468ACE0 : value; /* N does not come from memory */
                    MUST((uint32_t)value == 0x2468ACE0 || value >> 32 == 0x2468ACE0, "%s %u at 0x%x",
                         apmu_reg_info(reg)->name, n, frame.offset);
                }
            }
        }
    }
}

static uint64_t lowest, highest; /* the values of the counter when a read began and when it ended */

static void carry(void)
{
    p.cntr[APMU_CYCLE] += UINT64_C(0x80000000);
    highest = p.cntr[APMU_CYCLE];
    frame.between = p.cntr[APMU_CYCLE] >> 33 != 0 ? NULL : frame.between; /* stop after some carries */
}

static void no_counter_is_torn(void)
{
    for (unsigned layout64 = 0; layout64 < 2; layout64++) {
        for (uint64_t from = 0; from < 8; from++) {
            uint64_t value;

            component(&versions[4], layout64 != 0, 6, false);
            MUST_GIVE(apmu_mmio_open(&mmio), APMU_OK, "open");
            lowest = p.cntr[APMU_CYCLE] = from << 30 | 1;
            highest = lowest;
            frame.between = carry;
            MUST_GIVE(apmu_mmio_ops.read(&mmio, APMU_REG_PMCCNTR_EL0, 0, &value), APMU_OK, "read");
            MUST(value >= lowest && value <= highest && (value - lowest) % UINT64_C(0x80000000) == 0,
                 "0x%llx was never its value: 0x%llx to 0x%llx", (unsigned long long)value, (unsigned long long)lowest,
                 (unsigned long long)highest);
        }
    }
}

static void moves_on(void)
{
    pe.sample.pc += UINT64_C(0x100000000) + 4;
}

static void a_sample_is_one_sample(void)
{
    static const struct version sampling = {APMU_FEAT(PMUv3p4) | APMU_FEAT(PCSRv8p2) | P4, 5, 5};
    uint64_t value;

    component(&sampling, false, 6, false);
    MUST_GIVE(apmu_mmio_open(&mmio), APMU_OK, "open");
    pe.sample.valid = true;
    pe.sample.pc = UINT64_C(0x0000123400005678);
    pe.sample.el = 0;
    frame.between = moves_on;
    MUST_GIVE(apmu_mmio_ops.read(&mmio, APMU_REG_PMPCSR, 0, &value), APMU_OK, "read");
    MUST_EQ(value & UINT64_C(0x00FFFFFFFFFFFFFF), UINT64_C(0x0000123400005678), "PMPCSR");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Sessions.
 */

static const struct apmu_wish wishes[3] = {
    {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY, .filter = APMU_FILTER(P), .period = 4,
     .interrupt = true},
    {.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE},
    {.event = APMU_EV_INST_RETIRED, .counter = APMU_INSTR},
};

/* Runs a whole session: 10 instructions and 25 cycles at EL0.  Stops at the first error. */
static enum apmu_error whole_session(void)
{
    enum apmu_error error = apmu_mmio_open(&mmio);

    session.state = APMU_SESSION_CLOSED;
    if (error == APMU_OK) {
        error = apmu_pmu_discover(&dev, NULL, &unit_seen);
    }
    if (error == APMU_OK) {
        error = apmu_session_open(&session, &dev, &unit_seen, wishes, unit_seen.instr ? 3 : 2, NULL);
    }
    if (error == APMU_OK) {
        error = apmu_session_start(&session);
        MUST(error == APMU_OK || nothing_counts(), "a start that failed left something counting");
    }
    apmu_event(&p, &pe, APMU_EV_INST_RETIRED, 10, 1, NULL);
    apmu_cycles(&p, &pe, 25, NULL);
    if (error == APMU_OK) {
        error = apmu_session_stop(&session);
    }
    return error == APMU_OK ? apmu_session_read(&session, out) : error;
}

static void judge(const char *what)
{
    static const uint64_t want[3] = {10, 25, 10};

    for (size_t i = 0; i < session.count; i++) {
        MUST(out[i].valid, "%s: reading %u is not valid", what, (unsigned)i);
        MUST_EQ(out[i].count, want[i], "%s: reading %u", what, (unsigned)i);
        MUST_EQ(out[i].overflowed, i == 0, "%s: overflow %u", what, (unsigned)i);
    }
}

static void sessions_count(void)
{
    for (size_t v = 0; v < VERSIONS; v++) {
        for (unsigned counters = 1; counters <= 31; counters++) {
            for (unsigned how = 0; how < 8; how++) {
                component(&versions[v], (how & 1) != 0, counters, (how & 2) != 0);
                mmio.eddfr = (how & 4) != 0 ? (uint64_t)versions[v].pmuver << 8 : 0;
                MUST_GIVE(whole_session(), APMU_OK, "version %u, %u counters, way %u", (unsigned)v, counters, how);
                judge("a session");
                MUST_GIVE(apmu_session_allow_user(&session, APMU_USER_READ), APMU_E_UNSUPPORTED, "EL0");
                MUST_GIVE(apmu_session_close(&session), APMU_OK, "close");
                MUST(nothing_counts() && p.ovs == 0 && p.inten == 0, "close left something behind");
                MUST_GIVE(apmu_mmio_close(&mmio), APMU_OK, "close");
                MUST_EQ(p.locked, cfg.software_lock, "the lock");
            }
        }
    }
}

static void keep_line(void *ctx, const char *line)
{
    snprintf(ctx, 160, "%s", line);
}

static void refusals_name_the_register(void)
{
    char seen[160] = "";
    struct apmu_trace trace = {.inner = dev, .sink = keep_line, .sink_ctx = seen};

    component(&versions[6], true, 6, false);
    MUST_GIVE(apmu_mmio_open(&mmio), APMU_OK, "open");
    MUST_GIVE(apmu_trace_ops.write(&trace, APMU_REG_PMUSERENR_EL0, 0, 1), APMU_E_VIEW, "PMUSERENR_EL0");
    MUST(strcmp(seen, "write PMUSERENR_EL0 0x1: the external view lacks this register, or does not allow this kind of "
                      "access to it") == 0, "\"%s\"", seen);
}

static void the_lock(void)
{
    component(&versions[0], false, 6, true);
    MUST(p.locked, "the lock is closed after reset");
    MUST_GIVE(whole_session(), APMU_OK, "a session on a locked PMU");
    judge("locked");
    MUST(!p.locked && mmio.relock, "open opens the lock");
    (void)apmu_session_close(&session);
    MUST_GIVE(apmu_mmio_close(&mmio), APMU_OK, "close");
    MUST(p.locked, "close closes it again");
    p.locked = false;
    MUST_GIVE(apmu_mmio_close(&mmio), APMU_OK, "close twice");
    MUST(!p.locked, "a second close does nothing");

    component(&versions[0], false, 6, true);
    p.locked = false;
    MUST_GIVE(whole_session(), APMU_OK, "a session on an unlocked PMU");
    judge("unlocked");
    (void)apmu_session_close(&session);
    MUST_GIVE(apmu_mmio_close(&mmio), APMU_OK, "close");
    MUST(!p.locked, "a lock that was open stays open");

    component(&versions[0], false, 6, true);
    frame.debugger = true;
    MUST_GIVE(whole_session(), APMU_OK, "a debugger's session");
    judge("debugger");
    MUST(!mmio.relock && p.locked, "a debugger leaves the lock alone");

    blank(0x47702A16, 0x16, 0x00007F06);
    AT(0xFB4) = 3; /* memory: the key has no effect */
    MUST_GIVE(apmu_mmio_open(&mmio), APMU_E_LOCK, "a lock that stays closed");
    MUST_EQ(AT(0xFB0), 0, "the last word to PMLAR is not the key");
}

static void without_power(void)
{
    for (unsigned layout64 = 0; layout64 < 2; layout64++) {
        component(&versions[0], layout64 != 0, 6, true);
        pe.core_off = true;
        MUST_GIVE(apmu_mmio_open(&mmio), FRAME_ERROR, "open without the Core power domain");
        MUST(p.locked == cfg.software_lock, "the lock is as it was");
        pe.debug_off = true;
        MUST_GIVE(apmu_mmio_open(&mmio), FRAME_ERROR, "open without the Debug power domain");
        pe.core_off = pe.debug_off = false;
        MUST_GIVE(whole_session(), APMU_OK, "with power");
        judge("power");
        pe.core_off = true;
        MUST_GIVE(apmu_session_read(&session, out), FRAME_ERROR, "a read without power");
        MUST(!out[0].valid && !out[1].valid, "no reading is valid");
        pe.core_off = false;
        pe.os_lock = true;
        MUST_GIVE(apmu_session_read(&session, out), FRAME_ERROR, "a read behind the OS Lock");
        pe.os_lock = false;
        MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "with power again");
        MUST_EQ(out[0].count, 10, "the count");
    }
}

/*
 * Makes each access to the component fail once.  Checks that its error is returned, that no reading is invented, and
 * that nothing is left counting.
 */
static void every_access_fails(void)
{
    for (unsigned how = 0; how < 4; how++) {
        unsigned long at_call = 0;
        bool failed = true;

        while (failed) {
            at_call++;
            component(&versions[VERSIONS - 1], (how & 1) != 0, 6, (how & 2) != 0);
            frame.fail_at = at_call;
            memset(out, 0x5A, sizeof out);
            const enum apmu_error error = whole_session();
            const bool closed = session.state == APMU_SESSION_CLOSED;

            failed = frame.calls >= at_call;
            MUST_GIVE(error, failed ? FRAME_ERROR : APMU_OK, "access %lu", at_call);
            MUST(!failed || closed || session.state != APMU_SESSION_STOPPED || nothing_counts(),
                 "access %lu: a stopped session counts", at_call);
            frame.fail_at = 0;
            if (!closed) {
                if (session.state == APMU_SESSION_STOPPED) {
                    MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "access %lu: the next read", at_call);
                    const uint64_t ran = out[1].count;
                    MUST(ran == 25 || ran == 0, "access %lu: %llu cycles", at_call, (unsigned long long)ran);
                    MUST_EQ(out[0].count, ran == 25 ? 10 : 0, "access %lu: instructions", at_call);
                }
                MUST_GIVE(apmu_session_close(&session), APMU_OK, "access %lu: close", at_call);
            }
            MUST_GIVE(apmu_mmio_close(&mmio), APMU_OK, "access %lu: close", at_call);
            MUST(nothing_counts(), "access %lu: something counts at the end", at_call);
            MUST_EQ(p.locked, cfg.software_lock, "access %lu: the lock", at_call);
        }
        MUST(at_call > 40, "only %lu accesses", at_call);
    }
}

int main(void)
{
    RUN(each_component_is_found);
    RUN(what_is_no_pmuv3_is_refused);
    RUN(each_register_is_where_it_is);
    RUN(what_the_component_lacks_is_refused);
    RUN(base_is_a_frame);
    RUN(no_counter_is_torn);
    RUN(a_sample_is_one_sample);
    RUN(sessions_count);
    RUN(refusals_name_the_register);
    RUN(the_lock);
    RUN(without_power);
    RUN(every_access_fails);
    return tap_status;
}
