/* SPDX-License-Identifier: BSD-2-Clause */
/* External registers that have no storage: what this PMU is, and what the debug interfaces of the PE allow. */

#include "registers.h"

/* Returns the number of event counters that an access sees.  Only the most secure ones see the third range (IWYJGF). */
static unsigned counters_seen(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at)
{
    return apmu_is_most_secure(p, at->pas) ? p->cfg.counters : apmu_epmn(p, pe);
}

static uint64_t pmcfgr(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at)
{
    const unsigned instr = apmu_has(p, APMU_FEAT(PMUv3_ICNTR));

    return APMU_PUT(PMCFGR, NCG, instr) | APMU_PUT(PMCFGR, SS, apmu_has(p, APMU_FEAT(PMUv3_SS))) |
           APMU_PUT(PMCFGR, FZO, apmu_has(p, APMU_FEAT(PMUv3p7))) | APMU_PUT(PMCFGR, EX, p->cfg.export_bus) |
           APMU_PUT(PMCFGR, CCD, apmu_has(p, APMU_FEAT(AA32))) | APMU_PUT(PMCFGR, CC, 1) |
           APMU_PUT(PMCFGR, SIZE, 63) | APMU_PUT(PMCFGR, N, counters_seen(p, pe, at) + instr);
}

enum { NOT_IMPLEMENTED = 0, DISABLED = 2, ENABLED = 3 };

static unsigned authentication(bool implemented, bool enabled)
{
    return !implemented ? NOT_IMPLEMENTED : enabled ? ENABLED : DISABLED;
}

/* DBGAUTHSTATUS_EL1 */
static uint64_t pmauthstatus(const struct apmu *p, const struct apmu_pe *pe)
{
    const bool p4 = apmu_has(p, APMU_FEAT(Debugv8p4)), rme = apmu_has(p, APMU_FEAT(RME));
    const bool secure = apmu_have_el(&p->cfg, 3) || p->cfg.secure_only;
    const bool nonsecure = apmu_have_el(&p->cfg, 3) || !p->cfg.secure_only;
    const bool secure_debug = secure && pe->dbgen && pe->spiden;
    const bool realm_debug = pe->dbgen && pe->rlpiden;
    const bool root_debug = realm_debug && pe->rtpiden && (!apmu_has(p, APMU_FEAT(SEL2)) || secure_debug);
    const unsigned rl = authentication(rme, realm_debug), rt = authentication(rme, root_debug);

    return APMU_PUT(PMAUTHSTATUS, NSID, authentication(nonsecure, pe->dbgen)) |
           APMU_PUT(PMAUTHSTATUS, NSNID, authentication(nonsecure, p4 || pe->dbgen || pe->niden)) |
           APMU_PUT(PMAUTHSTATUS, SID, authentication(secure, secure_debug)) |
           APMU_PUT(PMAUTHSTATUS, SNID,
                    authentication(secure, p4 ? secure_debug : apmu_secure_noninvasive_debug(p, pe))) |
           APMU_PUT(PMAUTHSTATUS, RLID, rl) | APMU_PUT(PMAUTHSTATUS, RLNID, rl) |
           APMU_PUT(PMAUTHSTATUS, RTID, rt) | APMU_PUT(PMAUTHSTATUS, RTNID, rt);
}

static uint64_t pmdevarch(const struct apmu *p)
{
    return APMU_PUT(PMDEVARCH, ARCHITECT, 0x23B) | APMU_PUT(PMDEVARCH, PRESENT, 1) | APMU_PUT(PMDEVARCH, ARCHVER, 2) |
           APMU_PUT(PMDEVARCH, ARCHPART, apmu_has(p, APMU_FEAT(PMUv3_EXT64)) ? 0xA26 : 0xA16);
}

static uint64_t pmdevid(const struct apmu *p)
{
    const unsigned sampling = apmu_has(p, APMU_FEAT(PCSRv8p9)) ? 2 : apmu_has(p, APMU_FEAT(PCSRv8p2));

    return APMU_PUT(PMDEVID, EXTPMN, apmu_has(p, APMU_FEAT(PMUv3_EXTPMN))) |
           APMU_PUT(PMDEVID, PMSS, apmu_has(p, APMU_FEAT(PMUv3_SS))) | APMU_PUT(PMDEVID, PCSample, sampling);
}

/* Returns PMPIDR<n> or PMCIDR<n>, the identification that CoreSight defines for each component. */
static uint64_t component_id(const struct apmu_config *cfg, enum apmu_reg reg)
{
    switch (reg) {
    case APMU_REG_PMPIDR0:
        return APMU_PUT(PMPIDR0, PART_0, cfg->part);
    case APMU_REG_PMPIDR1:
        return APMU_PUT(PMPIDR1, PART_1, cfg->part >> 8) | APMU_PUT(PMPIDR1, DES_0, cfg->designer);
    case APMU_REG_PMPIDR2:
        return APMU_PUT(PMPIDR2, DES_1, cfg->designer >> 4) | APMU_PUT(PMPIDR2, JEDEC, 1) |
               APMU_PUT(PMPIDR2, REVISION, cfg->revision[0]);
    case APMU_REG_PMPIDR3:
        return APMU_PUT(PMPIDR3, REVAND, cfg->revision[1]) | APMU_PUT(PMPIDR3, CMOD, cfg->revision[2]);
    case APMU_REG_PMPIDR4:
        return APMU_PUT(PMPIDR4, DES_2, cfg->designer >> 7);
    case APMU_REG_PMCIDR0:
        return APMU_PUT(PMCIDR0, PRMBL_0, 0x0D);
    case APMU_REG_PMCIDR1:
        return APMU_PUT(PMCIDR1, CLASS, 9);
    case APMU_REG_PMCIDR2:
        return APMU_PUT(PMCIDR2, PRMBL_2, 0x05);
    default: /* PMCIDR3 */
        return APMU_PUT(PMCIDR3, PRMBL_3, 0xB1);
    }
}

uint64_t apmu_identity(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, const struct apmu_ext *at)
{
    const struct apmu_config *cfg = &p->cfg;
    uint64_t value;

    switch (reg) {
    case APMU_REG_PMCFGR:
        value = pmcfgr(p, pe, at);
        break;
    case APMU_REG_PMCGCR0:
        value = APMU_PUT(PMCGCR0, CG1NC, 1) | APMU_PUT(PMCGCR0, CG0NC, counters_seen(p, pe, at) + 1);
        break;
    case APMU_REG_PMIIDR:
        value = cfg->iidr;
        break;
    case APMU_REG_PMDEVAFF:
        value = cfg->mpidr | APMU_MASK(PMDEVAFF, RES1_31);
        break;
    case APMU_REG_PMLSR: /* a debugger does not see the lock, which does not concern it */
        value = at->debugger ? 0 : APMU_PUT(PMLSR, SLK, p->locked) | APMU_PUT(PMLSR, SLI, 1);
        break;
    case APMU_REG_PMAUTHSTATUS:
        value = pmauthstatus(p, pe);
        break;
    case APMU_REG_PMDEVARCH:
        value = pmdevarch(p);
        break;
    case APMU_REG_PMDEVID:
        value = pmdevid(p);
        break;
    case APMU_REG_PMDEVTYPE:
        value = APMU_PUT(PMDEVTYPE, SUB, 1) | APMU_PUT(PMDEVTYPE, MAJOR, 6);
        break;
    default:
        value = component_id(cfg, reg);
        break;
    }
    return value & apmu_readable(cfg, reg, 0);
}
