/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: the PMU's ID, the power of the core, and the external view. */
#include "registers.h"

/* The external view is closed, so that values of it say nothing and writes to it do nothing. */
static void external_view(const struct registers_case *c)
{
    static const char cure[] =
        "write 0xC5ACCE55 to PMLAR (offset 0xFB0) to open the software lock; clear the OS Lock: write "
        "0 to OSLAR_EL1; power the core up (EDPRSR.PU)";
    const uint64_t edprsr = registers_value(c, APMU_REG_EDPRSR, 0);

    if (!c->external && registers_known(c, APMU_REG_EDPRSR, 0) == 0 && !registers_say(c->r, "external") &&
        !registers_say(c->r, "memory-mapped")) {
        return;
    }
    if ((registers_value(c, APMU_REG_PMLSR, 0) & 2) != 0) {
        registers_suspect(c, WHY_external_view_locked, SUSPECT_CERTAIN, 89, APMU_REG_PMLSR, 0, cure,
                          "PMLSR.SLK (bit 1) = 1: the software lock is closed, and writes are ignored");
        suspect_clear(c->all, WHY_pmcr_e_clear);
        suspect_clear(c->all, WHY_counter_not_enabled);
        suspect_clear(c->all, WHY_register_emulated_as_zero);
    } else if (registers_known(c, APMU_REG_EDPRSR, 0) != 0) {
        registers_suspect(c, WHY_external_view_locked, SUSPECT_CERTAIN, 81, APMU_REG_EDPRSR, 0, cure,
                          (edprsr & 1) == 0 ? "EDPRSR.PU (bit 0) = 0: the core has no power"
                                            : "EDPRSR shows that a lock is closed: DLK (bit 6) or OSLK (bit 5) is 1");
    } else if (registers_known(c, APMU_REG_OSLSR_EL1, 0) != 0) {
        registers_suspect(c, WHY_external_view_locked, SUSPECT_CERTAIN, 81, APMU_REG_OSLSR_EL1, 0, cure,
                          "OSLSR_EL1.OSLK (bit 1) = 1: the OS Lock is closed");
    } else {
        registers_suspect(c, WHY_external_view_locked, SUSPECT_CERTAIN, 81, APMU_REG_PMDEVARCH, 0,
                          "the address is not that of a PMU: look it up in the SoC's memory map or its ROM table",
                          "PMDEVARCH.ARCHPART is not that of a PMU");
    }
}

/* PMUVer is 0 or 15. */
static void pmuver(const struct registers_case *c)
{
    const bool none = APMU_GET(ID_AA64DFR0_EL1, PMUVer, registers_value(c, APMU_REG_ID_AA64DFR0_EL1, 0)) == 0;

    registers_suspect(c, WHY_pmuver_none_or_impdef, SUSPECT_CERTAIN, 87, APMU_REG_ID_AA64DFR0_EL1, 0,
                      none ? "none on this part; in a virtual machine, give it a vPMU: QEMU -cpu host,pmu=on"
                           : "PMUVer 15 tells of an IMPLEMENTATION DEFINED PMU: none of Arm's registers is there, as "
                             "with 0; test for both, and use the PMU that the manual of the part describes",
                      none ? "ID_AA64DFR0_EL1.PMUVer (bits 11:8) = 0: there is no PMU, or a hypervisor hides it"
                           : "ID_AA64DFR0_EL1.PMUVer (bits 11:8) = 15: the PMU is not Arm's");
}

/* Returns true if the words say that a program of the user read the registers, and no virtual machine is named. */
static bool reads_at_el0(const struct registers_case *c)
{
    return (reading_find(c->r, CLUE_words_user) != NULL || c->r->machine.place.value == READING_PLACE_USER) &&
           reading_value(&c->r->machine.guest, 0) == 0 && reading_find(c->r, CLUE_words_vm) == NULL &&
           reading_find(c->r, CLUE_words_kernel) == NULL;
}

/* Returns true if the code runs where no hypervisor is below it: at EL3, or on hardware that nobody calls virtual. */
static bool is_on_hardware(const struct registers_case *c)
{
    const struct reading_machine *m = &c->r->machine;
    const uint64_t place = reading_value(&m->place, READING_PLACE_UNKNOWN);

    return reading_value(&m->el, 9) == 3 || place == READING_PLACE_FIRMWARE ||
           (place == READING_PLACE_BARE && reading_value(&m->guest, 0) == 0 &&
            reading_find(c->r, CLUE_words_vm) == NULL && reading_find(c->r, CLUE_words_el2) == NULL);
}

void registers_surroundings(const struct registers_case *c)
{
    struct why_cause_list found;

    why_find_causes(c->w, NULL, &found);
    for (size_t i = 0; i < found.count; i++) {
        const enum why_cause_id id = (enum why_cause_id)(found.causes[i] - why_causes);
        const char *sign = found.causes[i]->sign;

        if (id == WHY_power_lost_reset_values) {
            registers_suspect(c, id, SUSPECT_CERTAIN, 88, APMU_REG_EDPRSR, 0,
                              "save the registers and restore them after the "
                              "core was off (CPU_PM notifier), or set the PMU up again; or keep the core awake",
                              "%s", sign);
        } else if (id == WHY_pmuver_none_or_impdef) {
            pmuver(c);
        } else if (id == WHY_hypervisor_gives_no_pmu && reads_at_el0(c)) {
            registers_suspect(c, WHY_id_register_hidden_from_el0, SUSPECT_CERTAIN, 88, APMU_REG_ID_AA64DFR0_EL1, 0,
                              NULL, "a program reads the ID register as Linux shows it to EL0, without PMUVer");
            suspect_clear(c->all, id);
        } else if (id == WHY_hypervisor_gives_no_pmu && is_on_hardware(c)) {
            pmuver(c);
        } else if (id == WHY_hypervisor_gives_no_pmu) {
            registers_suspect(c, id, SUSPECT_CERTAIN, 87, APMU_REG_ID_AA64DFR0_EL1, 0, NULL, "%s", sign);
        } else if (id == WHY_id_register_hidden_from_el0) {
            registers_suspect(c, id, SUSPECT_LIKELY, 60, APMU_REG_ID_AA64DFR0_EL1, 0, NULL, "%s", sign);
        } else if (id == WHY_external_view_locked) {
            external_view(c);
        } else if (id == WHY_hypervisor_filters_events && registers_sees(c, READING_few_events) &&
                   !registers_emulator(c)) {
            registers_suspect(c, id, SUSPECT_CERTAIN, 70, APMU_REG_PMCEID0_EL0, 0, NULL, "%s", sign);
        }
    }
}
