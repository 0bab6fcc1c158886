/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains accesses that a level traps or refuses. */
#include "../fine_trap.h"
#include "exception.h"

/* Returns true if field TGE of HCR_EL2 is known to be 1. */
static bool is_host(const struct exception_view *v)
{
    uint64_t tge;

    return STATE_FIELD(&v->r->states[0], HCR_EL2, 0, TGE, &tge) && tge == 1;
}

void exception_explain_el3(struct exception_view *v)
{
    if (exception_is_newer(v)) {
        exception_say(v, WHY_el3_traps_newer_registers, SUSPECT_CERTAIN, 80,
            "the access trapped to EL3: MDCR_EL3.EnPM2 is 0",
            "newer firmware (TF-A), which sets MDCR_EL3.EnPM2 (bit 7)");
    } else {
        exception_say(v, WHY_el3_traps_pmu, SUSPECT_CERTAIN, 80, "the access trapped to EL3: MDCR_EL3.TPM is 1",
            "firmware (TF-A) clears MDCR_EL3.TPM (bit 6)");
    }
}

/* Explains a trap by the fine-grained trap of the register, if it is set.  Returns false if it is not. */
static bool explain_fine_trap(struct exception_view *v, const struct state *s)
{
    struct fine_trap_bit t;
    uint64_t tpm;
    char cure[400];

    if (v->kind != INSTRUCTION_PMU || !STATE_FIELD(s, MDCR_EL2, 0, TPM, &tpm) || tpm != 0 ||
        !fine_trap_find(s, v->place.reg, !v->i.read, &t)) {
        return false;
    }
    exception_say(v, WHY_el2_traps_pmu, SUSPECT_CERTAIN, 90,
        "the access trapped to EL2: TPM is 0, and the fine-grained trap of this register is set",
        suspect_text(cure, "the hypervisor clears %s (bit %u), or emulates the access (a vPMU)", t.name, t.bit));
    return true;
}

void exception_explain_el2(struct exception_view *v)
{
    uint64_t hpmn, tpm = 0;
    const struct state *s = &v->r->states[0];
    const bool set = STATE_FIELD(s, MDCR_EL2, 0, TPM, &tpm) && tpm == 1;

    if (v->level == 0 && is_host(v)) {
        exception_say(v, v->i.a32 ? WHY_el0_access_off_aarch32 : WHY_el0_access_off, SUSPECT_CERTAIN, 70,
            "a program of the host trapped to EL2 (HCR_EL2.TGE is 1): PMUSERENR_EL0 does not let EL0",
            "the kernel sets PMUSERENR_EL0.EN; or count with perf_event_open()");
        return;
    }
    if (exception_is_bank(v) && !set && STATE_FIELD(s, MDCR_EL2, 0, HPMN, &hpmn) && v->place.n >= hpmn && hpmn != 0) {
        char cure[400];

        exception_say(v, WHY_counter_owned_by_el2, SUSPECT_CERTAIN, 85, "the counter is not below MDCR_EL2.HPMN",
            suspect_text(cure, "use a counter below %u (PMCR_EL0.N as EL1 reads it), or raise MDCR_EL2.HPMN",
                         (unsigned)hpmn));
        return;
    }
    if (explain_fine_trap(v, s)) {
        return;
    }
    exception_say(v, WHY_el2_traps_pmu, SUSPECT_CERTAIN, 70,
        set ? "the access trapped to EL2: MDCR_EL2.TPM is 1"
            : "the access trapped to EL2: MDCR_EL2.TPM (PMCR: TPMCR) or a fine-grained trap",
        "the hypervisor emulates the access (a vPMU), or clears MDCR_EL2.TPM and TPMCR (bits 6 and 5)");
    exception_say(v, WHY_hypervisor_gives_no_pmu, SUSPECT_LIKELY, 60,
        "the hypervisor does not handle the access: it has no vPMU",
        "give the guest a vPMU: QEMU -cpu host,pmu=on, Xen vpmu=1 in the guest's configuration");
}

/* Returns true if PMUSERENR_EL0 is known to let EL0 read some registers, and write none but PMSWINC_EL0. */
static bool grants_reads_only(const struct exception_view *v)
{
    const struct state *s = &v->r->states[0];
    uint64_t en, er = 0, cr = 0, sw = 0;

    if (!STATE_FIELD(s, PMUSERENR_EL0, 0, EN, &en) || en != 0) {
        return false;
    }
    (void)STATE_FIELD(s, PMUSERENR_EL0, 0, ER, &er);
    (void)STATE_FIELD(s, PMUSERENR_EL0, 0, CR, &cr);
    (void)STATE_FIELD(s, PMUSERENR_EL0, 0, SW, &sw);
    return (er | cr | sw) != 0;
}

/* Explains what kernel.perf_user_access has to do with an access at EL0. */
static void explain_sysctl(struct exception_view *v)
{
    const struct clue *sysctl = reading_find(v->r, CLUE_linux_user_access);

    if (sysctl != NULL && sysctl->values[0] == 1) {
        exception_say(v, WHY_perf_user_access_not_requested, SUSPECT_LIKELY, 85,
            "kernel.perf_user_access is 1, and PMUSERENR_EL0 lets a task read while an event of it asks for that",
            "attr.config1 |= 2 before perf_event_open() (bit 1 asks for user access), and read only while the event is "
            "open and mapped");
        return;
    }
    exception_say(v, WHY_perf_user_access_0, SUSPECT_LIKELY, sysctl != NULL ? 85 : 55,
        "Linux lets programs read only if kernel.perf_user_access is 1",
        "sysctl kernel.perf_user_access=1, and open the event with config1 bit 1");
}

void exception_explain_el0(struct exception_view *v, enum suspect_confidence confidence)
{
    const bool reads_work = reading_find(v->r, CLUE_words_reads_work) != NULL;
    const struct clue *sysctl = reading_find(v->r, CLUE_linux_user_access);

    if (!v->i.read && v->kind != INSTRUCTION_ARM11 && v->place.reg == APMU_REG_PMUSERENR_EL0 &&
        reading_value(&v->r->machine.place, READING_PLACE_UNKNOWN) == READING_PLACE_KERNEL) {
        return; /* the module that grants the access, and not what faulted at EL0 */
    }
    if (v->pmu == READING_PMU_APPLE) {
        exception_say(v, WHY_apple_not_pmuv3, SUSPECT_LIKELY, 90, "Apple's cores lack PMUv3's registers",
            EXCEPTION_APPLE);
        return;
    }
    if (!v->i.read && grants_reads_only(v)) {
        exception_say(v, WHY_el0_write_not_allowed, SUSPECT_CERTAIN, 90,
            "ER, CR and SW of PMUSERENR_EL0 let EL0 read, and EN is 0: this write is refused",
            "set PMUSERENR_EL0.EN (bit 0) too, or let the kernel write");
        return;
    }
    if (!v->i.read && reads_work) {
        exception_say(v, WHY_el0_write_not_allowed, SUSPECT_LIKELY, 90, "reads work and this write faults: EN is 0",
            "set PMUSERENR_EL0.EN (bit 0) too, or let the kernel write");
        return;
    }
    if (!v->i.read && !v->i.a32 && sysctl != NULL && sysctl->values[0] == 1) {
        exception_say(v, WHY_el0_write_not_allowed, SUSPECT_LIKELY, 88,
            "kernel.perf_user_access lets a task read (ER, CR) and never write: PMUSERENR_EL0.EN stays 0",
            "let perf or a module write the register: ioctl(fd, PERF_EVENT_IOC_RESET, 0) and PERF_EVENT_IOC_ENABLE "
            "restart an event of perf");
        return;
    }
    if (reading_value(&v->r->machine.place, READING_PLACE_UNKNOWN) == READING_PLACE_BARE &&
        reading_value(&v->r->machine.linux_os, 0) == 0) {
        exception_say(v, v->i.a32 ? WHY_el0_access_off_aarch32 : WHY_el0_access_off, confidence, 78,
            v->i.a32 ? "PMUSERENR.EN is 0 after reset, so an access in User mode is UNDEFINED"
                     : "PMUSERENR_EL0 is 0 after reset, so an access at EL0 is refused",
            v->i.a32 ? "privileged code writes PMUSERENR = 1 on each core before the tasks run (MCR p15, 0, <1>, c9, "
                       "c14, 0); or the kernel of the RTOS reads the counter for them"
                     : "code at EL1 writes PMUSERENR_EL0 = 0xD on each core before the tasks run; or the kernel of the "
                       "RTOS reads the counter for them");
        return;
    }
    if (v->i.a32) {
        exception_say(v, WHY_el0_access_off_aarch32, confidence, 78,
            "PMUSERENR.EN is 0, so an access in User mode is UNDEFINED",
            "a kernel module writes PMUSERENR = 1 on each CPU (MCR p15, 0, <1>, c9, c14, 0); or count with "
            "perf_event_open()");
        return;
    }
    exception_say(v, WHY_el0_access_off, confidence, 76, "an access at EL0, which PMUSERENR_EL0 does not let",
        "count with perf_event_open(); or a kernel module writes PMUSERENR_EL0 = 0xD on each CPU");
    explain_sysctl(v);
}
