/* SPDX-License-Identifier: BSD-2-Clause */
/* The external view: which accesses are refused, and by which control. */

#include "../../lib/external.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Errors.
 */

enum { COUNTER = 0x0F8, SAMPLE = 0x200, SNAPSHOT = 0x6F8, CONFIG = 0xE58, MANAGEMENT = 0xFBC, RESERVED = 0xD00 };

/* Checks each cause of a refusal for a register of each kind. */
static void each_cause_is_named(void)
{
    unit(EXTPMN | EXT64 | APMU_FEAT(PMUv3_SS) | APMU_FEAT(PCSRv8p9));
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, EPMSSAD);
    SAYS(COUNTER, 8, NS, READ, "ok");
    SAYS(SAMPLE, 8, NS, READ, "ok");
    SAYS(SNAPSHOT, 8, NS, READ, "ok");
    SAYS(CONFIG, 8, S, READ, "ok");
    SAYS(MANAGEMENT, 4, NS, READ, "ok");
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, EPMAD);
    SAYS(COUNTER, 8, NS, READ, "error MDCR_EL3.EPMAD");
    SAYS(COUNTER, 8, S, READ, "ok");
    SAYS(SAMPLE, 8, NS, READ, "ok");
    SAYS(SNAPSHOT, 8, NS, READ, "error MDCR_EL3.EPMSSAD");
    SAYS(SNAPSHOT, 8, S, READ, "ok");
    SAYS(CONFIG, 8, NS, READ, "raz IsMostSecureAccess()");
    SAYS(CONFIG, 8, NS, WRITE, "wi IsMostSecureAccess()");
    SAYS(RESERVED, 8, NS, READ, "raz reserved");
    pe.os_lock = true;
    SAYS(COUNTER, 8, NS, WRITE, "error OSLSR_EL1.OSLK");
    SAYS(SAMPLE, 8, NS, READ, "error OSLSR_EL1.OSLK");
    SAYS(SNAPSHOT, 8, S, READ, "ok");
    SAYS(CONFIG, 8, S, WRITE, "ok");
    SAYS(MANAGEMENT, 4, NS, READ, "ok");
    pe.double_lock = true;
    SAYS(COUNTER, 8, S, READ, "error DoubleLockStatus()");
    SAYS(SAMPLE, 8, S, READ, "error DoubleLockStatus()");
    SAYS(SNAPSHOT, 8, S, READ, "error DoubleLockStatus()");
    SAYS(CONFIG, 8, S, READ, "error DoubleLockStatus()");
    SAYS(MANAGEMENT, 4, S, READ, "ok");
    pe.core_off = true;
    SAYS(COUNTER, 8, S, READ, "error the Core power domain is off");
    SAYS(SNAPSHOT, 8, S, READ, "error the Core power domain is off");
    SAYS(CONFIG, 8, S, READ, "error the Core power domain is off");
    SAYS(MANAGEMENT, 4, NS, READ, "ok");
    SAYS(RESERVED, 8, NS, READ, "raz reserved");
    p.cfg.features |= APMU_FEAT(DoPD);
    apmu_settle(&p);
    SAYS(MANAGEMENT, 4, NS, READ, "error the Core power domain is off");
    SAYS(RESERVED, 8, NS, READ, "error the Core power domain is off");
    pe.debug_off = true;
    SAYS(MANAGEMENT, 4, NS, READ, "error the Debug power domain is off");
    SAYS(COUNTER, 8, S, WRITE, "error the Debug power domain is off");
}

/* IYWTNH */
static void oslo_lifts_the_os_lock_for_the_most_secure(void)
{
    unit(EXTPMN | EXT32);
    pe.os_lock = true;
    SAYS(COUNTER, 4, S, READ, "error OSLSR_EL1.OSLK");
    wr(CONFIG, 4, S, APMU_MASK(PMCCR, OSLO) | 6);
    SAYS(COUNTER, 4, S, READ, "ok");
    SAYS(COUNTER, 4, NS, READ, "error OSLSR_EL1.OSLK");
}

static void non_secure_is_the_most_secure_where_it_is_all(void)
{
    unit(EL1_ONLY | P4 | APMU_FEAT(PMUv3_EXTPMN) | EXT32);
    SAYS(CONFIG, 4, NS, READ, "ok");
    p.cfg.secure_only = true;
    SAYS(CONFIG, 4, NS, READ, "raz IsMostSecureAccess()");
    SAYS(CONFIG, 4, S, READ, "ok");
    unit(EXTPMN | APMU_FEAT(RME) | APMU_FEAT(PMUv3p7) | EXT32);
    SAYS(CONFIG, 4, S, READ, "raz IsMostSecureAccess()");
    SAYS(CONFIG, 4, ROOT, READ, "ok");
}

static void allowed_spaces(const char *what, uint64_t offset, const char *want)
{
    static const char names[] = "SNRL"; /* Secure, Non-secure, Root, Realm */
    char got[5] = "";
    unsigned used = 0;

    for (unsigned pas = 0; pas < 4; pas++) {
        if (strcmp(said(offset, 4, pas, READ), "ok") == 0) {
            got[used++] = names[pas];
        }
    }
    MUST(strcmp(got, want) == 0, "%s: \"%s\" may, not \"%s\"", what, got, want);
}

static void epmad_decides_by_physical_address_space(void)
{
    unit(ALL_ELS | P4 | EXT32 | APMU_FEAT(RME) | APMU_FEAT(PMUv3p7));
    allowed_spaces("RME, {EPMADE, EPMAD} = 0", COUNTER, "SNRL");
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, EPMAD);
    allowed_spaces("RME, 1", COUNTER, "SR");
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, EPMADE);
    allowed_spaces("RME, 2", COUNTER, "RL");
    pe.mdcr_el3 |= APMU_MASK(MDCR_EL3, EPMAD);
    allowed_spaces("RME, 3", COUNTER, "R");

    unit(ALL_ELS | P4 | EXT32);
    pe.dbgen = false;
    allowed_spaces("p4, EPMAD = 0", COUNTER, "SNRL");
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, EPMAD);
    allowed_spaces("p4, EPMAD = 1", COUNTER, "S");

    configure(EL1_ONLY | P4 | EXT32);
    start();
    allowed_spaces("p4, Non-secure only", COUNTER, "SNRL");
    cfg.secure_only = true;
    start();
    allowed_spaces("p4, Secure only", COUNTER, "S");

    unit(ALL_ELS | EXT32);
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, EPMAD);
    allowed_spaces("before p4, Secure debug enabled", COUNTER, "SNRL");
    pe.spiden = false;
    allowed_spaces("before p4, EPMAD = 1", COUNTER, "");
    SAYS(COUNTER, 4, S, READ, "error MDCR_EL3.EPMAD");
    pe.mdcr_el3 = 0;
    allowed_spaces("before p4, EPMAD = 0", COUNTER, "SNRL");
    pe.dbgen = false;
    allowed_spaces("before p4, debug disabled", COUNTER, "");
    SAYS(COUNTER, 4, NS, READ, "error DBGEN");

    unit(EL1_ONLY | APMU_FEAT(AA64EL3) | EXT32);
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, EPMAD);
    allowed_spaces("before p4, without EL2, Secure debug enabled", COUNTER, "SNRL");

    configure(EL1_ONLY | EXT32);
    cfg.secure_only = true;
    start();
    pe.spiden = false;
    SAYS(COUNTER, 4, S, READ, "error the PE is Secure only");
}

static void epmssad_decides_by_physical_address_space(void)
{
    static const char *const rme[4] = {"R", "RL", "SR", "SNRL"};
    static const char *const plain[2][4] = {{"S", "S", "S", "SNRL"}, {"S", "SNRL", "SNRL", "SNRL"}};

    unit(ALL_ELS | P4 | EXT32 | APMU_FEAT(RME) | APMU_FEAT(PMUv3_SS));
    for (unsigned i = 0; i < 4; i++) {
        pe.mdcr_el3 = APMU_PUT(MDCR_EL3, EPMSSAD, i);
        allowed_spaces("EPMSSAD with RME", SNAPSHOT, rme[i]);
    }
    unit(ALL_ELS | P4 | EXT32 | APMU_FEAT(PMUv3_SS));
    for (unsigned i = 0; i < 8; i++) {
        p.cfg.reserved_epmssad = i < 4 ? 0 : 3;
        pe.mdcr_el3 = APMU_PUT(MDCR_EL3, EPMSSAD, i % 4);
        allowed_spaces("EPMSSAD", SNAPSHOT, plain[i / 4][i % 4]);
    }
    unit(EL1_ONLY | P4 | EXT32 | APMU_FEAT(PMUv3_SS));
    allowed_spaces("without EL3", SNAPSHOT, "SNRL");
}

static void sizes_and_alignment(void)
{
    unit(ALL_ELS | EXT32 | APMU_FEAT(PMUv3p5) | APMU_FEAT(PMUv3p1));
    SAYS(COUNTER, 4, S, READ, "ok");
    SAYS(COUNTER, 8, S, READ, "ok");
    SAYS(COUNTER + 4, 8, S, READ, "error alignment");
    SAYS(COUNTER + 2, 4, S, READ, "error alignment");
    SAYS(COUNTER, 2, S, READ, "error size");
    SAYS(COUNTER, 1, S, WRITE, "error size");
    SAYS(COUNTER, 0, S, WRITE, "error size");
    SAYS(COUNTER, 16, S, READ, "error size");
    SAYS(0x1000, 4, S, READ, "error offset");
    SAYS(~UINT64_C(7), 8, S, READ, "error offset");
    SAYS(0x400, 8, S, READ, "error size"); /* PMEVTYPER0 and PMEVTYPER1 */
    SAYS(0xE00, 8, S, READ, "error size"); /* PMCFGR and PMCR */
    SAYS(0xE28, 8, S, READ, "error size"); /* PMCEID2 and PMCEID3 */
    SAYS(0xFA8, 8, S, READ, "error size"); /* PMDEVAFF0 and PMDEVAFF1 */
    SAYS(0xFB0, 8, S, READ, "error size"); /* PMLAR, which is not there, and PMLSR */
    SAYS(0xC00, 8, S, READ, "error size"); /* PMCNTENSET_EL0 has 32 bits */
    SAYS(0xC04, 4, S, READ, "raz reserved");
    SAYS(0xD00, 8, S, READ, "raz reserved");
    unit(ALL_ELS | EXT32 | APMU_FEAT(PMUv3p9));
    SAYS(0xC00, 8, S, READ, "ok");
    SAYS(0xC04, 4, S, READ, "ok");
    unit(ALL_ELS | EXT32);
    SAYS(0x004, 4, S, READ, "raz reserved"); /* event counters have 32 bits */
    SAYS(0xA00, 4, S, READ, "raz reserved"); /* and no upper half of PMEVTYPER<n>_EL0 */
    unit(ALL_ELS | EXT64);
    SAYS(0x400, 8, S, READ, "ok");
    SAYS(0x404, 4, S, READ, "ok");
    SAYS(0xFA8, 8, S, READ, "ok");
    SAYS(0xFB8, 8, S, READ, "error size"); /* PMAUTHSTATUS and PMDEVARCH */
    unit(ALL_ELS);
    SAYS(COUNTER, 4, S, READ, "error FEAT_PMUv3_EXT is not implemented");
}

static void reserved_locations(void)
{
    unit(ALL_ELS | P4 | EXT64);
    pe.os_lock = true;
    SAYS(RESERVED, 4, S, READ, "raz reserved");
    SAYS(RESERVED, 8, S, WRITE, "wi reserved");
    SAYS(6 * 8, 8, S, READ, "raz reserved"); /* PMEVCNTR6 of six */
    SAYS(0xE00, 8, S, WRITE, "wi reserved"); /* PMCFGR is read-only */
    SAYS(0xE30, 8, S, READ, "raz reserved"); /* no snapshots */
    SAYS(0xFD8, 4, S, READ, "raz reserved");
    p.cfg.reserved_ext_errors = true;
    SAYS(RESERVED, 4, S, READ, "error OSLSR_EL1.OSLK");
    SAYS(0xEFC, 4, S, READ, "error OSLSR_EL1.OSLK");
    SAYS(0xF00, 4, S, READ, "raz reserved");
    SAYS(0xFD8, 4, S, READ, "raz reserved");
    pe.os_lock = false;
    SAYS(RESERVED, 4, S, READ, "raz reserved");
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, EPMAD);
    SAYS(RESERVED, 4, NS, READ, "error MDCR_EL3.EPMAD");
    unit(ALL_ELS | EXT32 | APMU_FEAT(PMUv3p9));
    SAYS(0xCA0, 4, S, READ, "raz reserved"); /* PMZR_EL0 is write-only */
}

/* A write overwrites *out, even at an offset without a register. */
static void a_write_answers_anew(void)
{
    static const uint64_t offsets[] = {COUNTER, RESERVED};

    unit(ALL_ELS | P4 | EXT64);
    for (unsigned i = 0; i < 2; i++) {
        const struct apmu_ext a = at(offsets[i], 4, S);
        struct apmu_out out = {.overflowed = 5, .exported = true};
        apmu_poke_ext(&p, &pe, &a, 1, &out);
        MUST_EQ(out.overflowed, 0, "a write at 0x%x makes no counter overflow", (unsigned)offsets[i]);
        MUST(!out.exported, "a write at 0x%x is no event", (unsigned)offsets[i]);
    }
}

/* Checks every version, because PMSWINC_EL0, which has no place in the 64-bit layout, once hid PMEVCNTR0_EL0 there. */
static void each_counter_is_in_both_layouts(void)
{
    static const uint64_t versions[] = {APMU_FEAT(PMUv3), APMU_FEAT(PMUv3p5), APMU_FEAT(PMUv3p7), APMU_FEAT(PMUv3p9)};

    for (unsigned v = 0; v < 4; v++) {
        for (unsigned layout64 = 0; layout64 < 2; layout64++) {
            unit(ALL_ELS | versions[v] | (layout64 != 0 ? EXT64 : EXT32));
            for (unsigned n = 0; n < 6; n++) {
                SAYS(8 * n, 4, S, WRITE, "ok");
                wr(8 * n, 4, S, 0x1000 + n);
                MUST_EQ(rd(8 * n, 4, S), 0x1000 + n, "PMEVCNTR%u_EL0, version %u", n, v);
                MUST_EQ(p.cntr[n], 0x1000 + n, "PMEVCNTR%u_EL0, version %u", n, v);
            }
        }
    }
}

/*
 * With EPMN = 0, less secure accesses reach no event counter, but still reach the registers that are not event
 * counters.
 */
static void no_counter_may_be_left_for_the_less_secure(void)
{
    unit(EXTPMN | EXT64);
    wr(0xE58, 8, S, 0);
    p.cnten = 0x3F;
    MUST_EQ(rd(0xC00, 8, NS), 0, "PMCNTENSET_EL0, less secure");
    SAYS(0, 8, NS, READ, "raz PMCCR.EPMN");
    SAYS(0x0F8, 8, NS, READ, "ok");
    SAYS(0xC00, 8, NS, READ, "ok");
}

static void a_software_increment_reaches_what_the_access_does(void)
{
    configure((EXTPMN & ~APMU_FEAT(AA64EL2)) | EXT32);
    cfg.external_swinc = true;
    start();
    pe.el = 1;
    pe.scr_el3 = APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW);
    wr(0xE58, 4, S, APMU_PUT(PMCCR, EPMN, 2) | APMU_MASK(PMCCR, EPME));
    wr(0xE04, 4, S, 1);
    wr(0xC00, 4, S, 0x3F);
    wr(0xCA0, 4, NS, 0x3F);
    MUST(p.cntr[1] == 1 && p.cntr[2] == 0, "less secure: the third range is out of reach");
    wr(0xCA0, 4, S, 0x3F);
    MUST(p.cntr[1] == 2 && p.cntr[2] == 1, "most secure");
}

/* ---------------------------------------------------------------------------------------------------------------
 * The Software Lock.
 */

static void the_software_lock_ignores_memory_mapped_writes(void)
{
    configure(ALL_ELS | EXT32);
    cfg.software_lock = cfg.integration = true;
    start();
    const struct apmu_ext debugger = {.offset = COUNTER, .size = 4, .debugger = true};
    const struct apmu_ext debugger_lsr = {.offset = 0xFB4, .size = 4, .debugger = true};
    const struct apmu_ext debugger_lar = {.offset = 0xFB0, .size = 4, .debugger = true};

    MUST_EQ(rd(0xFB4, 4, S), 3, "PMLSR after reset: locked");
    SAYS(COUNTER, 4, S, WRITE, "wi PMLSR.SLK");
    SAYS(COUNTER, 4, S, READ, "ok");
    SAYS(0xF00, 4, S, WRITE, "wi PMLSR.SLK"); /* PMITCTRL */
    SAYS(0xFB0, 4, S, WRITE, "ok");
    MUST_EQ(apmu_access_ext(&p, &pe, &debugger, WRITE).outcome, APMU_ACCESS_OK, "a debugger's write");
    MUST_EQ(apmu_read_ext(&p, &pe, &debugger_lsr), 0, "PMLSR for a debugger");
    apmu_poke_ext(&p, &pe, &debugger_lar, LOCK_KEY, NULL);
    MUST_EQ(rd(0xFB4, 4, S), 3, "the debugger's key does nothing");
    wr(0xFB0, 4, S, 0xC5ACCE54);
    MUST_EQ(rd(0xFB4, 4, S), 3, "a wrong key");
    wr(0xFB0, 4, S, LOCK_KEY);
    MUST_EQ(rd(0xFB4, 4, S), 1, "the key");
    SAYS(COUNTER, 4, S, WRITE, "ok");
    apmu_on_reset(&p, APMU_RESET_COLD);
    apmu_on_reset(&p, APMU_RESET_WARM);
    MUST_EQ(rd(0xFB4, 4, S), 1, "after a Cold and a Warm reset");
    wr(0xFB0, 4, S, 0);
    MUST_EQ(rd(0xFB4, 4, S), 3, "any other value locks");
    wr(0xFB0, 4, S, LOCK_KEY);
    apmu_on_reset(&p, APMU_RESET_DEBUG);
    MUST_EQ(rd(0xFB4, 4, S), 3, "an External debug reset locks");
    unit(ALL_ELS | EXT32);
    SAYS(0xFB0, 4, S, WRITE, "wi reserved");
    MUST_EQ(rd(0xFB4, 4, S), 0, "PMLSR without the lock");
    SAYS(COUNTER, 4, S, WRITE, "ok");
}

int main(void)
{
    RUN(each_cause_is_named);
    RUN(oslo_lifts_the_os_lock_for_the_most_secure);
    RUN(non_secure_is_the_most_secure_where_it_is_all);
    RUN(epmad_decides_by_physical_address_space);
    RUN(epmssad_decides_by_physical_address_space);
    RUN(sizes_and_alignment);
    RUN(reserved_locations);
    RUN(a_write_answers_anew);
    RUN(each_counter_is_in_both_layouts);
    RUN(no_counter_may_be_left_for_the_less_secure);
    RUN(a_software_increment_reaches_what_the_access_does);
    RUN(the_software_lock_ignores_memory_mapped_writes);
    return tap_status;
}
