/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Properties of the external view, on random implementations and states.  apmu_access_ext() and apmu_peek_ext() change
 * nothing.  An access that gets an error, or that reaches no register, changes nothing, whatever its offset and size.
 * Two halves make the whole register.  SET, CLR and image registers read the same.  Less secure accesses cannot see
 * what is in the third range.
 */
#include "any.h"

enum { ACCESSES = 24 };

static struct apmu_config ext_config(struct choices *c)
{
    struct apmu_config cfg = any_config(c);
    const bool layout64 = pick(c, 1) != 0;

    cfg.features |= pick(c, 2) == 0 ? APMU_FEAT(DoPD) : 0;
    cfg.features |= pick(c, 1) != 0 ? APMU_FEAT(PCSRv8p9) : pick(c, 1) != 0 ? APMU_FEAT(PCSRv8p2) : 0;
    cfg.features = apmu_features_closure(cfg.features | (layout64 ? APMU_FEAT(PMUv3_EXT64) : APMU_FEAT(PMUv3_EXT32)));
    cfg.mpidr = pick(c, 64);
    cfg.iidr = pick(c, 1) != 0 ? (uint32_t)pick(c, 32) : 0;
    cfg.filter2 = pick(c, 1) != 0 ? (uint32_t)pick(c, 32) : 0;
    cfg.peripheral_id = pick(c, 1) != 0;
    cfg.coresight_id = pick(c, 1) != 0;
    cfg.integration = pick(c, 1) != 0;
    cfg.external_swinc = pick(c, 1) != 0;
    cfg.software_lock = pick(c, 1) != 0;
    cfg.sample_enable = pick(c, 1) != 0;
    cfg.reserved_ext_errors = pick(c, 1) != 0;
    cfg.reserved_epmssad = pick(c, 1) != 0 ? 3 : 0;
    cfg.unknown_fill = pick(c, 64);
    return cfg;
}

static void ext_pe(struct choices *c, const struct apmu_config *cfg, struct apmu_pe *pe)
{
    any_pe(c, cfg, pe);
    pe->os_lock = pick(c, 3) == 0;
    pe->double_lock = pick(c, 4) == 0;
    pe->core_off = pick(c, 4) == 0;
    pe->debug_off = pick(c, 5) == 0;
    pe->pm = pick(c, 1) != 0;
    pe->ppend = pick(c, 1) != 0;
    pe->edecr_pme = pick(c, 1) != 0;
    pe->sample.valid = pick(c, 1) != 0;
    pe->sample.pc = pick(c, 64);
    pe->sample.contextidr_el1 = (uint32_t)pick(c, 32);
    pe->sample.ss = (enum apmu_ss)pick(c, 2);
    pe->sample.el = (uint8_t)pick(c, 2);
}

/* Makes a unit that was reset and then written at random. */
static void ext_unit(struct choices *c, struct apmu *p, struct apmu_pe *pe)
{
    const struct apmu_config cfg = ext_config(c);

    memset(p, 0, sizeof *p);
    apmu_init(p, &cfg);
    for (unsigned i = 0; i < 40; i++) {
        const struct apmu_ext at = {
            .offset = pick(c, 10) * 4,
            .size = pick(c, 1) != 0 ? 8 : 4,
            .pas = (enum apmu_pas)pick(c, 2),
            .debugger = true,
        };
        ext_pe(c, &cfg, pe);
        apmu_poke_ext(p, pe, &at, pick(c, 64), NULL);
        apmu_poke(p, pe, (enum apmu_reg)pick_of(c, APMU_REG_ALL), pick_of(c, 6), pick(c, 64), NULL);
    }
}

static bool complain(const char *what, const struct apmu *p, const struct apmu_ext *at, uint64_t value)
{
    snprintf(any_message, sizeof any_message, "%s: 0x%llx/%u, space %u: 0x%llx (features 0x%llx, counters %u)", what,
             (unsigned long long)at->offset, at->size, (unsigned)at->pas, (unsigned long long)value,
             (unsigned long long)p->cfg.features, p->cfg.counters);
    return true;
}

/* Makes one access as a bus does. */
static bool access_fails(struct choices *c, struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at)
{
    const struct apmu before = *p;
    const bool write = pick(c, 1) != 0;
    const struct apmu_access a = apmu_access_ext(p, pe, at, write);
    const uint64_t value = apmu_peek_ext(p, pe, at);
    struct apmu_out out, levels;

    if (memcmp(&before, p, sizeof before) != 0) {
        return complain("asking or peeking changed the unit", p, at, 0);
    }
    if (a.control == NULL || (a.outcome == APMU_ACCESS_OK) != (a.control[0] == '\0') ||
        (a.outcome != APMU_ACCESS_OK && a.outcome != APMU_ACCESS_ERROR &&
         a.outcome != (write ? APMU_ACCESS_WI : APMU_ACCESS_RAZ))) {
        return complain("no such outcome", p, at, (uint64_t)a.outcome);
    }
    if ((at->size != 4 && at->size != 8) || at->offset % at->size != 0 || at->offset >= 0x1000) {
        if (a.outcome != APMU_ACCESS_ERROR) {
            return complain("an access with a wrong size or offset is not an error", p, at, (uint64_t)a.outcome);
        }
    }
    if (at->size == 4 && value >> 32 != 0) {
        return complain("a word has more than 32 bits", p, at, value);
    }
    if (strcmp(a.control, "size") == 0 || strcmp(a.control, "alignment") == 0 || strcmp(a.control, "offset") == 0) {
        apmu_poke_ext(p, pe, at, pick(c, 64), &out);
        if (value != 0 || apmu_read_ext(p, pe, at) != 0 || memcmp(&before, p, sizeof before) != 0) {
            return complain("an access that reaches no register has an effect", p, at, value);
        }
        return false;
    }
    if (a.outcome != APMU_ACCESS_OK) {
        return false; /* a caller performs only accesses that are OK */
    }
    if (write) {
        apmu_poke_ext(p, pe, at, pick(c, 64), &out);
        apmu_levels(p, pe, &levels);
        if (out.pmuirq != levels.pmuirq || out.cti != levels.cti || out.edbgrq != levels.edbgrq ||
            out.exception != levels.exception || out.brbe_freeze[0] != levels.brbe_freeze[0]) {
            return complain("the signals after a write are not the levels", p, at, 0);
        }
    } else if (apmu_read_ext(p, pe, at) != value) {
        return complain("a read and a peek differ", p, at, value);
    }
    return false;
}

static bool any_access_misbehaves(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;

    ext_unit(c, &p, &pe);
    for (unsigned i = 0; i < ACCESSES; i++) {
        const struct apmu_ext at = {
            .offset = pick(c, 3) != 0 ? pick(c, 12) : pick(c, 64),
            .size = pick(c, 2) != 0 ? 4u << pick(c, 1) : (unsigned)pick(c, 32),
            .pas = (enum apmu_pas)pick(c, 2),
            .debugger = pick(c, 1) != 0,
        };
        ext_pe(c, &p.cfg, &pe);
        if (access_fails(c, &p, &pe, &at)) {
            return true;
        }
    }
    return false;
}

/* Tries every offset, size and physical address space of one unit. */
static bool somewhere_misbehaves(struct choices *c)
{
    static const unsigned sizes[5] = {1, 2, 3, 4, 8};
    struct apmu p;
    struct apmu_pe pe;

    ext_unit(c, &p, &pe);
    for (uint64_t offset = 0; offset < 0x1008; offset++) {
        for (unsigned i = 0; i < 20; i++) {
            const struct apmu_ext at = {.offset = offset, .size = sizes[i / 4], .pas = (enum apmu_pas)(i % 4)};
            if (access_fails(c, &p, &pe, &at)) {
                return true;
            }
        }
    }
    return false;
}

/*
 * Returns false for PMPCSR, where a read of the lower half takes a sample, and for PMMIR, which is twice in its
 * doubleword.
 */
static bool in_halves(uint64_t offset)
{
    return offset != 0x200 && offset != 0x220 && offset != 0xE40;
}

static bool halves_differ(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;

    ext_unit(c, &p, &pe);
    pe = (struct apmu_pe){.el = 1, .dbgen = true, .spiden = true};
    for (unsigned i = 0; i < 200; i++) {
        const struct apmu_ext whole = {pick(c, 9) * 8, 8, (enum apmu_pas)pick(c, 2), true};
        const struct apmu_ext low = {whole.offset, 4, whole.pas, true}, high = {whole.offset + 4, 4, whole.pas, true};
        if (!in_halves(whole.offset)) {
            continue;
        }
        if (apmu_access_ext(&p, &pe, &whole, false).outcome == APMU_ACCESS_OK) {
            const uint64_t both = apmu_peek_ext(&p, &pe, &low) | apmu_peek_ext(&p, &pe, &high) << 32;
            if (both != apmu_peek_ext(&p, &pe, &whole)) {
                return complain("the halves are not the whole", &p, &whole, both);
            }
        }
        if (apmu_access_ext(&p, &pe, &whole, true).outcome == APMU_ACCESS_OK) {
            struct apmu once = p, twice = p;
            const uint64_t value = pick(c, 64);
            apmu_poke_ext(&once, &pe, &whole, value, NULL);
            apmu_poke_ext(&twice, &pe, &low, value & UINT32_MAX, NULL);
            apmu_poke_ext(&twice, &pe, &high, value >> 32, NULL);
            if (whole.offset != 0xE30 && memcmp(&once, &twice, sizeof once) != 0) { /* a snapshot sets PMSSCR_EL1.NC */
                return complain("writing halves is not writing the whole", &p, &whole, value);
            }
            p = once;
        }
    }
    return false;
}

static bool pairs_differ(struct choices *c)
{
    static const uint64_t of[3][3] = {{0xC00, 0xC20, 0xC10}, {0xC40, 0xC60, 0xC50}, {0xCC0, 0xC80, 0xC90}};
    struct apmu p;
    struct apmu_pe pe;

    ext_unit(c, &p, &pe);
    for (unsigned i = 0; i < 12; i++) {
        const bool layout64 = (p.cfg.features & APMU_FEAT(PMUv3_EXT64)) != 0;
        struct apmu_ext at = {.offset = of[i / 4][0], .size = layout64 ? 8 : 4, .pas = (enum apmu_pas)(i % 4)};
        const uint64_t set = apmu_peek_ext(&p, &pe, &at);
        for (unsigned k = 1; k < (layout64 ? 3u : 2u); k++) {
            at.offset = of[i / 4][k];
            if (apmu_peek_ext(&p, &pe, &at) != set) {
                return complain("SET, CLR and image read differently", &p, &at, set);
            }
        }
    }
    return false;
}

/* Checks that two units that differ only in the third range read the same for all but the most secure accesses. */
static bool third_range_shows(struct choices *c)
{
    struct apmu p, q;
    struct apmu_pe pe;

    ext_unit(c, &p, &pe);
    if ((p.cfg.features & APMU_FEAT(PMUv3_EXTPMN)) == 0) {
        return false;
    }
    q = p;
    for (unsigned n = 0; n < p.cfg.counters; n++) {
        if (apmu_range(&p, &pe, n) == 3) {
            const uint64_t bit = UINT64_C(1) << n;
            q.cntr[n] = pick(c, 64);
            q.typer[n] = pick(c, 64);
            q.svr[n] = pick(c, 64);
            q.filter2[n] = (uint32_t)pick(c, 32);
            q.cnten ^= pick(c, 1) != 0 ? bit : 0;
            q.inten ^= pick(c, 1) != 0 ? bit : 0;
            q.ovs ^= pick(c, 1) != 0 ? bit : 0;
        }
    }
    apmu_settle(&q);
    const bool rme = (p.cfg.features & APMU_FEAT(RME)) != 0;
    const bool secure = p.cfg.secure_only || (p.cfg.features & (APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3))) != 0;
    for (uint64_t offset = 0; offset < 0x1000; offset += 4) {
        for (unsigned pas = 0; pas < 4; pas++) {
            const struct apmu_ext at = {.offset = offset, .size = 4, .pas = (enum apmu_pas)pas};
            const bool most = rme ? at.pas == APMU_PAS_ROOT : !secure || at.pas == APMU_PAS_SECURE;
            const struct apmu_access a = apmu_access_ext(&p, &pe, &at, false), b = apmu_access_ext(&q, &pe, &at, false);
            const bool alike = a.outcome == b.outcome && (a.outcome != APMU_ACCESS_OK ||
                                                          apmu_peek_ext(&p, &pe, &at) == apmu_peek_ext(&q, &pe, &at));
            if (!most && !alike) {
                return complain("the third range shows", &p, &at, apmu_peek_ext(&q, &pe, &at));
            }
        }
    }
    return false;
}

PROPERTIES(
    {"no access misbehaves", any_access_misbehaves, .rounds = 8000},
    {"no access misbehaves, at any offset", somewhere_misbehaves, .rounds = 60},
    {"halves make the whole", halves_differ, .rounds = 4000},
    {"SET, CLR and image read alike", pairs_differ, .rounds = 20000},
    {"the third range is hidden", third_range_shows, .rounds = 1500})
