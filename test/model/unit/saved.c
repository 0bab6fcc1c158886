/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a saved state.  The cases write the place of each member in numbers, because a state outlives the
 * version that saved it.
 */
#include <string.h>

#include <armpmu/saved.h>

#include "../../lib/tap.h"

static struct apmu unit_to_save(void)
{
    const struct apmu_pe el1 = {.el = 1};
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(APMU_FEAT(PMUv3p7) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1)),
        .counters = 4,
    };
    struct apmu p;

    apmu_init(&p, &cfg);
    apmu_poke(&p, &el1, APMU_REG_PMCNTENSET_EL0, 0, 0x80000005, NULL);
    apmu_poke(&p, &el1, APMU_REG_PMEVCNTR_EL0, 2, UINT64_C(0x1122334455667788), NULL);
    return p;
}

static void is_at(const struct apmu *p, const char *name, size_t offset, size_t width, uint64_t value)
{
    uint8_t bytes[APMU_SAVED_SIZE], want[APMU_SAVED_SIZE] = {0};

    MUST_EQ(apmu_save(p, bytes, sizeof bytes), sizeof bytes, "%s: size", name);
    for (size_t i = 0; i < width; i++) {
        want[offset + i] = (uint8_t)(value >> 8 * i);
    }
    MUST(memcmp(bytes + APMU_SAVED_HEAD, want + APMU_SAVED_HEAD, sizeof bytes - APMU_SAVED_HEAD) == 0,
         "%s is not at %zu alone", name, offset);
}

/*
 * Checks that @member, with all else 0, is saved as @value at @offset, and that no other byte shows it.
 *
 * IS_AT(134, cnten, 5) sets p_.cnten to 5 and looks for it in the eight bytes from 134 on.
 */
#define IS_AT(offset, member, value) \
    do { \
        struct apmu p_; \
        memset(&p_, 0, sizeof p_); \
        p_.member = (value); \
        is_at(&p_, #member, offset, sizeof p_.member, value); \
    } while (0)

static void the_configuration_keeps_its_place(void)
{
    IS_AT(12, cfg.features, 0xF8E7D6C5B4A39281);
    IS_AT(20, cfg.counters, 0xF1);
    IS_AT(21, cfg.secure_only, true);
    IS_AT(22, cfg.export_bus, true);
    IS_AT(23, cfg.multithreaded, true);
    IS_AT(24, cfg.imp, 0xF1);
    IS_AT(25, cfg.idcode, 0xF1);
    IS_AT(26, cfg.pmceid[0], 0xF8E7D6C5B4A39281);
    IS_AT(34, cfg.pmceid[1], 0xF8E7D6C5B4A39281);
    IS_AT(42, cfg.slots, 0xF1);
    IS_AT(43, cfg.bus_slots, 0xF1);
    IS_AT(44, cfg.bus_width, 0xF1);
    IS_AT(45, cfg.thwidth, 0xF1);
    IS_AT(46, cfg.sync_events[0], 0xF2E1);
    IS_AT(72, cfg.sync_events[13], 0xF2E1);
    IS_AT(74, cfg.sync_event_count, 0xF1);
    IS_AT(75, cfg.reserved_hpmn, 0xF1);
    IS_AT(76, cfg.reserved_epmn, 0xF1);
    IS_AT(77, cfg.reserved_vs_filters, true);
    IS_AT(78, cfg.chain_crosses_ranges, true);
    IS_AT(79, cfg.reserved_threshold_off, true);
    IS_AT(80, cfg.reserved_threshold, 0xF1);
    IS_AT(81, cfg.reserved_pmee, 0xF1);
    IS_AT(82, cfg.reserved_sse, 0xF1);
    IS_AT(83, cfg.sdd_undef_priority, true);
    IS_AT(84, cfg.a32_long_counters, true);
    IS_AT(85, cfg.counts_unattributable, true);
    IS_AT(86, cfg.unknown_fill, 0xF8E7D6C5B4A39281);
    IS_AT(94, cfg.mpidr, 0xF8E7D6C5B4A39281);
    IS_AT(102, cfg.iidr, 0xF4E3D2C1);
    IS_AT(106, cfg.filter2, 0xF4E3D2C1);
    IS_AT(110, cfg.part, 0xF2E1);
    IS_AT(112, cfg.designer, 0xF2E1);
    IS_AT(114, cfg.revision[0], 0xF1);
    IS_AT(116, cfg.revision[2], 0xF1);
    IS_AT(117, cfg.peripheral_id, true);
    IS_AT(118, cfg.coresight_id, true);
    IS_AT(119, cfg.integration, true);
    IS_AT(120, cfg.external_swinc, true);
    IS_AT(121, cfg.software_lock, true);
    IS_AT(122, cfg.sample_enable, true);
    IS_AT(123, cfg.sample_suspended, true);
    IS_AT(124, cfg.reserved_ext_errors, true);
    IS_AT(125, cfg.reserved_epmssad, 0xF1);
}

static void the_state_keeps_its_place(void)
{
    IS_AT(126, pmcr, 0xF8E7D6C5B4A39281);
    IS_AT(134, cnten, 0xF8E7D6C5B4A39281);
    IS_AT(142, inten, 0xF8E7D6C5B4A39281);
    IS_AT(150, ovs, 0xF8E7D6C5B4A39281);
    IS_AT(158, selr, 0xF8E7D6C5B4A39281);
    IS_AT(166, userenr, 0xF8E7D6C5B4A39281);
    IS_AT(174, uacr, 0xF8E7D6C5B4A39281);
    IS_AT(182, ecr, 0xF8E7D6C5B4A39281);
    IS_AT(190, iar, 0xF8E7D6C5B4A39281);
    IS_AT(198, sscr, 0xF8E7D6C5B4A39281);
    IS_AT(206, ccr, 0xF8E7D6C5B4A39281);
    IS_AT(214, cntr[0], 0xF8E7D6C5B4A39281);
    IS_AT(470, cntr[32], 0xF8E7D6C5B4A39281);
    IS_AT(478, typer[0], 0xF8E7D6C5B4A39281);
    IS_AT(734, typer[32], 0xF8E7D6C5B4A39281);
    IS_AT(742, svr[0], 0xF8E7D6C5B4A39281);
    IS_AT(998, svr[32], 0xF8E7D6C5B4A39281);
    IS_AT(1006, pcsr, 0xF8E7D6C5B4A39281);
    IS_AT(1014, vcidsr, 0xF8E7D6C5B4A39281);
    IS_AT(1022, ccidsr, 0xF8E7D6C5B4A39281);
    IS_AT(1030, pcsctl, 0xF8E7D6C5B4A39281);
    IS_AT(1038, itctrl, 0xF8E7D6C5B4A39281);
    IS_AT(1046, filter2[0], 0xF4E3D2C1);
    IS_AT(1174, filter2[32], 0xF4E3D2C1);
    IS_AT(1178, locked, true);
    IS_AT(1179, last_threshold, 0xF4E3D2C1);
    IS_AT(1183, divider, 0xF1);
    IS_AT(1184, sync_overflowed, true);
}

static void the_head(void)
{
    static const uint8_t want[APMU_SAVED_HEAD] = {'A', 'P', 'M', 'U', 1, 0, 0, 0, 0xA1, 0x04, 0, 0}; /* 1185 bytes */
    const struct apmu p = unit_to_save();
    uint8_t bytes[APMU_SAVED_SIZE];

    MUST_EQ(apmu_save(&p, bytes, sizeof bytes), 1185, "size");
    MUST(memcmp(bytes, want, sizeof want) == 0, "other bytes at the head");
}

static void no_byte_is_written_beyond_the_room(void)
{
    const struct apmu p = unit_to_save();
    uint8_t whole[APMU_SAVED_SIZE], bytes[APMU_SAVED_SIZE];

    MUST_EQ(apmu_save(&p, NULL, 0), sizeof whole, "without room");
    (void)apmu_save(&p, whole, sizeof whole);
    for (size_t room = 0; room < sizeof bytes; room++) {
        memset(bytes, 0xEE, sizeof bytes);
        MUST_EQ(apmu_save(&p, bytes, room), sizeof whole, "room for %zu", room);
        MUST(memcmp(bytes, whole, room) == 0 && bytes[room] == 0xEE && bytes[sizeof bytes - 1] == 0xEE,
             "room for %zu: other bytes", room);
    }
}

/* Checks that the @count bytes are refused with a sentence that has the words @say, and that the unit stays. */
static void refused(const uint8_t *bytes, size_t count, const char *say)
{
    struct apmu p, before;

    memset(&p, 0x5A, sizeof p);
    before = p;
    const char *wrong = apmu_load(&p, bytes, count);
    MUST(wrong != NULL && strstr(wrong, say) != NULL, "%s: %s", say, wrong == NULL ? "taken" : wrong);
    MUST(memcmp(&p, &before, sizeof p) == 0, "%s: the unit changed", say);
}

static void taken(const uint8_t *bytes, size_t count, const struct apmu *want)
{
    uint8_t a[APMU_SAVED_SIZE], b[APMU_SAVED_SIZE];
    struct apmu p;
    const char *wrong = apmu_load(&p, bytes, count);

    MUST(wrong == NULL, "%s", wrong);
    if (wrong == NULL) {
        (void)apmu_save(&p, a, sizeof a);
        (void)apmu_save(want, b, sizeof b);
        MUST(memcmp(a, b, sizeof a) == 0, "another state");
        MUST(memcmp(&p.derived, &want->derived, sizeof p.derived) == 0, "what follows from the state is another");
        MUST(p.cfg.size == sizeof p.cfg, "another size");
    }
}

static void a_cut_state(void)
{
    const struct apmu p = unit_to_save();
    uint8_t bytes[APMU_SAVED_SIZE];

    (void)apmu_save(&p, bytes, sizeof bytes);
    for (size_t count = 0; count < sizeof bytes; count++) {
        refused(bytes, count, count < APMU_SAVED_HEAD ? "end within the head" : "end before the state does");
    }
    taken(bytes, sizeof bytes, &p);
}

static void what_is_no_state(void)
{
    const struct apmu p = unit_to_save();
    uint8_t bytes[APMU_SAVED_SIZE];

    for (unsigned i = 0; i < 4; i++) {
        (void)apmu_save(&p, bytes, sizeof bytes);
        bytes[i] ^= 0x20;
        refused(bytes, sizeof bytes, "do not begin with APMU");
        refused(bytes, i + 1, "do not begin with APMU");
    }
    (void)apmu_save(&p, bytes, sizeof bytes);
    bytes[4] = 2;
    refused(bytes, sizeof bytes, "format: is not 1");
    bytes[4] = 1;
    bytes[8]--;
    refused(bytes, sizeof bytes, "smaller than a state of 0.1");
}

static void a_damaged_state(void)
{
    const struct apmu p = unit_to_save();
    uint8_t bytes[APMU_SAVED_SIZE];

    (void)apmu_save(&p, bytes, sizeof bytes);
    bytes[20] = 32; /* .cfg.counters */
    refused(bytes, sizeof bytes, "counters: a PMU has at most 31 event counters");
    bytes[20] = 4;
    bytes[22] = 2; /* .cfg.export_bus */
    refused(bytes, sizeof bytes, "a Boolean member is neither 0 nor 1");
    bytes[22] = 0;
    bytes[1184] = 2; /* .sync_overflowed */
    refused(bytes, sizeof bytes, "a Boolean member is neither 0 nor 1");
    bytes[1184] = 1;
    refused(bytes, sizeof bytes, "no PMU with this configuration can be in their state");
    bytes[1184] = 0;
    bytes[150] = 0x10; /* .ovs of counter 4, which is not there */
    refused(bytes, sizeof bytes, "no PMU with this configuration can be in their state");
}

static void a_newer_state(void)
{
    const struct apmu p = unit_to_save();
    uint8_t bytes[APMU_SAVED_SIZE + 8] = {0};

    (void)apmu_save(&p, bytes, sizeof bytes);
    taken(bytes, sizeof bytes, &p);
    bytes[sizeof bytes - 1] = 1; /* not of the state: its size says so */
    taken(bytes, sizeof bytes, &p);
    bytes[8] = (uint8_t)(bytes[8] + 8);
    refused(bytes, sizeof bytes, "a member that it does not know is not 0");
    bytes[sizeof bytes - 1] = 0;
    taken(bytes, sizeof bytes, &p);
    refused(bytes, sizeof bytes - 1, "end before the state does");
}

int main(void)
{
    RUN(the_configuration_keeps_its_place);
    RUN(the_state_keeps_its_place);
    RUN(the_head);
    RUN(no_byte_is_written_beyond_the_room);
    RUN(a_cut_state);
    RUN(what_is_no_state);
    RUN(a_damaged_state);
    RUN(a_newer_state);
    return tap_status;
}
