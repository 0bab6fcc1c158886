/* SPDX-License-Identifier: BSD-2-Clause */
/* Functional coverage: reasons, accesses, and the rules of cover.def. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* The four rows of a register. */
enum { READ_PERFORMED, READ_REFUSED, WRITE_PERFORMED, WRITE_REFUSED };

static const struct cover_row {
    const char *rule, *text;
    enum apmu_gate gate;
} cover_rows[] = {
#define APMU_TB_COVER(id, rule, gate, text, when) {rule, text, APMU_GATE_##gate},
#include "cover.def"
};

uint64_t tb_cover_reasons(const struct apmu_config *cfg, unsigned n, int event)
{
    const unsigned states = apmu_explain_states(cfg);
    uint64_t reasons = 0;

    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        struct apmu_facts facts;
        struct apmu_verdict verdict;

        if ((states >> s & 1) == 0) {
            continue;
        }
        apmu_facts_init(&facts, cfg);
        facts.known.pe.halted = false;
        facts.known.p.ccr = (cfg->features & APMU_FEAT(PMUv3_EXTPMN)) != 0 ? 0 : UINT64_MAX;
        if (event >= 0) {
            facts.is.p.typer[n] = (unsigned)event;
            facts.known.p.typer[n] = APMU_MASK(PMEVTYPER_EL0, evtCount);
        }
        apmu_facts_at(&facts, (enum apmu_state)s);
        apmu_verdict(&facts, n, &verdict);
        reasons |= verdict.always | verdict.maybe;
    }
    return reasons;
}

uint64_t tb_cover_any_reasons(const struct apmu_config *cfg)
{
    return tb_cover_reasons(cfg, 0, -1) | tb_cover_reasons(cfg, cfg->counters == 0 ? 0 : cfg->counters - 1u, -1) |
           tb_cover_reasons(cfg, APMU_CYCLE, -1) | tb_cover_reasons(cfg, APMU_INSTR, -1) | APMU_WHY(NO_COUNTER);
}

static bool counter_exists(const struct apmu_config *cfg, unsigned n)
{
    return n < cfg->counters || n == APMU_CYCLE || (n == APMU_INSTR && (cfg->features & APMU_FEAT(PMUv3_ICNTR)) != 0);
}

/* A reason is reached where it is the only one that stops a counter whose event occurs. */
static void cover_reasons(struct apmu_tb *tb, const uint32_t *counts)
{
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const unsigned reason = tb_cross_single(apmu_why(&tb->p, &tb->pe, n));

        if (reason < APMU_REASON_COUNT && counter_exists(&tb->p.cfg, n) && tb_step_amount(tb, n, counts) != 0) {
            tb->hits[reason]++;
        }
    }
}

/* Returns the even counters above which a counter counts CHAIN. */
static uint64_t tb_chained(const struct apmu *p, const struct apmu_pe *pe)
{
    uint64_t set = 0;

    for (unsigned n = 0; n + 1 < p->cfg.counters; n++) {
        set |= apmu_chains_into(p, pe, n) && apmu_counts(p, pe, n + 1) ? UINT64_C(1) << n : 0;
    }
    return set;
}

static void cover_rules(struct apmu_tb *tb)
{
    const struct apmu *p = &tb->p;
    const struct apmu_pe *pe = &tb->pe;
    const uint64_t over = tb->overflowed, events = (UINT64_C(1) << p->cfg.counters) - 1;
    const uint64_t R1 = events & ((UINT64_C(1) << apmu_hpmn(p, pe)) - 1);
    const uint64_t R2 = events & ~R1 & ((UINT64_C(1) << apmu_epmn(p, pe)) - 1);

#define APMU_TB_COVER(id, rule, gate, text, when) tb->hits[TB_COVER_RULES + TB_COVER_##id] += (when);
#include "cover.def"
}

/* With @counts it is before a step, without them after it. */
void tb_cover_step(struct apmu_tb *tb, const uint32_t *counts)
{
    if (counts != NULL) {
        cover_reasons(tb, counts);
    } else {
        cover_rules(tb);
        tb_cross_note_step(tb);
    }
}

void tb_cover_access(struct apmu_tb *tb, const struct tb_access *access)
{
    const bool performed = access->result.outcome == APMU_ACCESS_OK;
    enum apmu_reg reg;
    unsigned n;

    if (!tb_access_register(access, &reg, &n)) {
        return;
    }
    const int kind = access->write ? (performed ? WRITE_PERFORMED : WRITE_REFUSED)
                                   : (performed ? READ_PERFORMED : READ_REFUSED);
    tb->hits[TB_COVER_ACCESS + 4 * (int)reg + kind]++;
    if (reg == APMU_REG_PMXEVCNTR_EL0) {
        n = (unsigned)APMU_GET(PMSELR_EL0, SEL, tb->p.selr);
    }
    if ((apmu_reg_info(reg)->copies > 1 || reg == APMU_REG_PMXEVCNTR_EL0) && n >= tb->p.cfg.counters) {
        tb->hits[APMU_REASON_NO_COUNTER]++;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Rows.
 */

int apmu_tb_cover_count(void)
{
    return TB_COVER_ROWS;
}

const char *apmu_tb_cover_name(struct apmu_tb *tb, int i)
{
    static const char *const kinds[] = {"read %s performed", "read %s refused", "write %s performed",
                                        "write %s refused"};
    static const char *const crosses[TB_CROSS_COUNT] = {"the cycle counter", "a counter of CHAIN",
                                                        "a counter of SW_INCR"};
    const int access = i - TB_COVER_ACCESS, cross = i - TB_COVER_CROSS;

    if (i < 0 || i >= TB_COVER_ROWS) {
        tb->text[0] = '\0';
    } else if (i < TB_COVER_CROSS) {
        snprintf(tb->text, sizeof tb->text, "reason %s", apmu_reason_info((enum apmu_reason)i)->name);
    } else if (i < TB_COVER_ACCESS) {
        const char *name = apmu_reason_info((enum apmu_reason)(cross % APMU_REASON_COUNT))->name;
        snprintf(tb->text, sizeof tb->text, "reason %s stops %s", name, crosses[cross / APMU_REASON_COUNT]);
    } else if (i >= TB_COVER_RULES) {
        snprintf(tb->text, sizeof tb->text, "%s", cover_rows[i - TB_COVER_RULES].text);
    } else {
        const char *name = apmu_reg_info((enum apmu_reg)(access / 4))->name, *kind = kinds[access % 4];
        const char *gap = strstr(kind, "%s");
        snprintf(tb->text, sizeof tb->text, "%.*s%s%s", (int)(gap - kind), kind, name, gap + 2);
    }
    return tb->text;
}

const char *apmu_tb_cover_rule(const struct apmu_tb *tb, int i)
{
    (void)tb;
    if (i < 0 || i >= TB_COVER_ROWS) {
        return "";
    }
    if (i < TB_COVER_ACCESS) {
        return apmu_reason_info((enum apmu_reason)(i % APMU_REASON_COUNT))->rule;
    }
    return i >= TB_COVER_RULES ? cover_rows[i - TB_COVER_RULES].rule : "D24.5";
}

/* Returns whether EL0 is refused an access if PMUSERENR_EL0 is 0, or EL2 or EL3 may trap it. */
static bool can_refuse(const struct apmu_tb *tb, enum apmu_reg reg, bool write)
{
    struct apmu fresh;
    struct apmu_pe el0 = {.el = 0};

    apmu_init(&fresh, &tb->p.cfg);
    fresh.userenr = 0;
    return apmu_holds(&tb->p.cfg, APMU_GATE_EL2, 0) || apmu_holds(&tb->p.cfg, APMU_GATE_EL3, 0) ||
           apmu_access(&fresh, &el0, reg, 0, write).outcome != APMU_ACCESS_OK;
}

/* Returns whether an instruction of the views in use accesses the register itself; ARMv7 has no PMEVCNTR<n>. */
static bool has_instruction(const struct apmu_tb *tb, enum apmu_reg reg)
{
    if ((tb->stimulus.views >> APMU_TB_A64 & 1) != 0) {
        return true;
    }
    for (unsigned r = 0; (tb->stimulus.views >> APMU_TB_A32 & 1) != 0 && r < APMU_REG32_COUNT; r++) {
        const struct apmu_reg32_info *info = apmu_reg32_info((enum apmu_reg32)r);

        if (info->of == reg && apmu_holds(&tb->p.cfg, info->gate, 0)) {
            return true;
        }
    }
    return false;
}

int apmu_tb_cover_possible(struct apmu_tb *tb, int i)
{
    if (i < 0 || i >= TB_COVER_ROWS) {
        return 0;
    }
    if (i < TB_COVER_CROSS) {
        return (int)(tb->stimulus.reachable >> i & 1);
    }
    if (i < TB_COVER_ACCESS) {
        const int cross = i - TB_COVER_CROSS;

        return (int)(tb->stimulus.crossed[cross / APMU_REASON_COUNT] >> cross % APMU_REASON_COUNT & 1);
    }
    if (i >= TB_COVER_RULES) {
        return apmu_holds(&tb->p.cfg, cover_rows[i - TB_COVER_RULES].gate, 0);
    }
    const enum apmu_reg reg = (enum apmu_reg)((i - TB_COVER_ACCESS) / 4);
    const struct apmu_reg_info *info = apmu_reg_info(reg);
    const int kind = (i - TB_COVER_ACCESS) % 4;
    const bool write = kind >= WRITE_PERFORMED;

    if (tb->stimulus.left_out[reg] || !has_instruction(tb, reg) || !apmu_holds(&tb->p.cfg, info->gate, 0) ||
        !(write ? info->writable : info->readable) ||
        (tb->p.cfg.counters == 0 && info->copies > 1)) {
        return 0;
    }
    return kind == READ_PERFORMED || kind == WRITE_PERFORMED || can_refuse(tb, reg, write);
}

uint64_t apmu_tb_cover_hits(const struct apmu_tb *tb, int i)
{
    return i < 0 || i >= TB_COVER_ROWS ? 0 : tb->hits[i];
}

void apmu_tb_cover_add(struct apmu_tb *tb, const struct apmu_tb *from)
{
    for (unsigned i = 0; i < TB_COVER_ROWS; i++) {
        tb->hits[i] += from->hits[i];
    }
}
