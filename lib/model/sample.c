/* SPDX-License-Identifier: BSD-2-Clause */
/* Program counter sampling (FEAT_PCSRv8p2, FEAT_PCSRv8p9): Read_PMPCSR() and the sample of a Capture event. */

#include "registers.h"

/* The sample registers.  PMPCSCTL.EN says if sampling is active, also on a PMU where the field is not visible. */
struct samples {
    uint64_t pcsr, vcidsr, ccidsr, pcsctl;
};

static struct samples stored(const struct apmu *p)
{
    return (struct samples){p->pcsr, p->vcidsr, p->ccidsr, p->pcsctl};
}

static void store(struct apmu *p, const struct samples *s)
{
    p->pcsr = s->pcsr & apmu_readable(&p->cfg, APMU_REG_PMPCSR, 0);
    p->vcidsr = s->vcidsr & apmu_readable(&p->cfg, APMU_REG_PMVCIDSR, 0);
    p->ccidsr = s->ccidsr; /* it has no reserved bits */
    p->pcsctl = s->pcsctl;
}

static bool on_snapshots(const struct apmu *p)
{
    return apmu_has(p, APMU_FEAT(PCSRv8p9) | APMU_FEAT(PMUv3_SS)) && APMU_GET(PMPCSCTL, SS, p->pcsctl) != 0;
}

/* SetPCSample() */
static void take(const struct apmu *p, const struct apmu_pc_sample *sample, struct samples *s)
{
    const bool rme = apmu_has(p, APMU_FEAT(RME));
    const bool ns = rme ? sample->ss == APMU_SS_NONSECURE || sample->ss == APMU_SS_REALM
                        : sample->ss != APMU_SS_SECURE;
    const bool nse = rme && (sample->ss == APMU_SS_ROOT || sample->ss == APMU_SS_REALM);

    s->pcsr = APMU_PUT(PMPCSR, NS, ns) | APMU_PUT(PMPCSR, EL, sample->el) | APMU_PUT(PMPCSR, NSE, nse) |
              APMU_PUT(PMPCSR, PC, sample->a32 ? sample->pc & apmu_ones(32) : sample->pc);
    s->vcidsr = APMU_PUT(PMVCIDSR, VMID, sample->vmid) | sample->contextidr_el1;
    s->ccidsr = APMU_PUT(PMCCIDSR, CONTEXTIDR_EL2, sample->contextidr_el2) | sample->contextidr_el1;
}

/*
 * Read_PMPCSR(): returns the value of a read.  Fills *@after with the registers after it, which change only with
 * @effects.
 */
static uint64_t read_pmpcsr(const struct apmu *p, const struct apmu_pe *pe, bool effects, struct samples *after)
{
    const uint64_t unknown = p->cfg.unknown_fill & apmu_readable(&p->cfg, APMU_REG_PMPCSR, 0);
    bool valid = pe->sample.valid;

    *after = stored(p);
    if (on_snapshots(p)) {
        effects = false;
    } else if (effects && apmu_has(p, APMU_FEAT(PCSRv8p9)) && APMU_GET(PMPCSCTL, EN, p->pcsctl) == 0) {
        valid = false; /* sampling was suspended: this read activates it, and the next one returns a sample */
        after->pcsctl |= APMU_MASK(PMPCSCTL, EN);
    }
    if (!valid) {
        if (effects) {
            after->pcsr = unknown | apmu_ones(32);
            after->vcidsr = after->ccidsr = p->cfg.unknown_fill;
        }
        return unknown | apmu_ones(32);
    }
    if (effects) {
        take(p, &pe->sample, after);
    }
    return after->pcsr;
}

uint64_t apmu_sampled(const struct apmu *p, const struct apmu_pe *pe, bool effects)
{
    struct samples after;

    return read_pmpcsr(p, pe, effects, &after);
}

void apmu_sample_on_read(struct apmu *p, const struct apmu_pe *pe)
{
    struct samples after;

    read_pmpcsr(p, pe, true, &after);
    store(p, &after);
}

/* Takes the sample of a PMUCaptureEvent() that succeeds. */
void apmu_sample_on_capture(struct apmu *p, const struct apmu_pe *pe)
{
    struct samples s = stored(p);

    if (!on_snapshots(p)) {
        return;
    }
    if (pe->sample.valid && !pe->halted) {
        s.pcsctl |= APMU_MASK(PMPCSCTL, EN);
        take(p, &pe->sample, &s);
    } else {
        s.pcsr |= apmu_ones(32);
    }
    store(p, &s);
}

void apmu_sample_reset(struct apmu *p, enum apmu_reset_kind kind)
{
    struct samples s = stored(p);
    const bool active = !p->cfg.sample_enable && !p->cfg.sample_suspended;

    if (!apmu_has(p, APMU_FEAT(PCSRv8p2))) {
        return;
    }
    s.pcsctl = APMU_PUT(PMPCSCTL, EN, active);
    if (kind == APMU_RESET_COLD) {
        s.pcsr = s.vcidsr = s.ccidsr = p->cfg.unknown_fill;
    }
    store(p, &s);
}
