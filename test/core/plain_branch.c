/* SPDX-License-Identifier: BSD-2-Clause */
/* The plain core model: branches. */
#include <stdlib.h>
#include <string.h>

#include "plain_state.h"

void plain_branch_init(struct plain *p, struct plain_core *c)
{
    const size_t counters = (size_t)1 << plain_value(p, APMU_CORE_KEY_BRANCH_BITS);

    c->two_bits = plain_memory(counters, sizeof c->two_bits[0]);
    for (size_t i = 0; i < counters; i++) {
        c->two_bits[i] = 1;
    }
    for (unsigned i = 0; i < 8; i++) {
        c->tagged[i] = plain_memory((size_t)1 << plain_value(p, APMU_CORE_KEY_TAGE_BITS), sizeof c->tagged[0][0]);
    }
    c->targets = plain_memory(plain_value(p, APMU_CORE_KEY_BTB_ENTRIES) + 1, sizeof c->targets[0]);
    c->indirect = plain_memory((size_t)1 << plain_value(p, APMU_CORE_KEY_INDIRECT_BITS), sizeof c->indirect[0]);
}

void plain_branch_free(struct plain_core *c)
{
    free(c->two_bits);
    for (unsigned i = 0; i < 8; i++) {
        free(c->tagged[i]);
    }
    free(c->targets);
    free(c->indirect);
}

/* Moves a counter of 0..@most. */
static void move(unsigned *counter, bool up, unsigned most)
{
    if (up && *counter < most) {
        ++*counter;
    } else if (!up && *counter > 0) {
        --*counter;
    }
}

/* fold(l, n) of the contract. */
static uint64_t fold(const struct plain_core *c, unsigned l, unsigned n)
{
    uint64_t sum = 0;

    for (unsigned j = 0; j < l; j++) {
        sum ^= (uint64_t)c->outcomes[j] << j % n;
    }
    return sum;
}

/* Predicts by a counter of two bits. */
static bool by_two_bits(struct plain *p, struct plain_core *c, uint64_t index, bool taken)
{
    unsigned *counter = &c->two_bits[index % (UINT64_C(1) << plain_value(p, APMU_CORE_KEY_BRANCH_BITS))];
    const bool predicted = *counter >= 2;

    move(counter, taken, 3);
    return predicted;
}

static bool by_tage(struct plain *p, struct plain_core *c, uint64_t pc, bool taken)
{
    const unsigned tables = plain_value(p, APMU_CORE_KEY_TAGE_TABLES), bits = plain_value(p, APMU_CORE_KEY_TAGE_BITS);
    const unsigned tag_bits = plain_value(p, APMU_CORE_KEY_TAGE_TAG);
    unsigned *bimodal = &c->two_bits[(pc >> 2) % (UINT64_C(1) << plain_value(p, APMU_CORE_KEY_BRANCH_BITS))];
    struct plain_tagged *cells[8];
    unsigned tags[8];
    int longest = -1, next = -1;
    bool predicted = *bimodal >= 2;

    for (unsigned i = 0; i < tables; i++) {
        const unsigned l = plain_value(p, APMU_CORE_KEY_TAGE_SHORTEST) << i;

        cells[i] = &c->tagged[i][((pc >> 2) ^ (pc >> (2 + bits)) ^ fold(c, l, bits)) % (UINT64_C(1) << bits)];
        tags[i] = (unsigned)(((pc >> 2) ^ fold(c, l, tag_bits) ^ (fold(c, l, tag_bits - 1) << 1)) %
                             (UINT64_C(1) << tag_bits));
        if (cells[i]->tag == tags[i]) {
            next = longest;
            longest = (int)i;
        }
    }
    if (longest < 0) {
        move(bimodal, taken, 3);
    } else {
        const bool alternative = next >= 0 ? cells[next]->counter >= 4 : predicted;

        predicted = cells[longest]->counter >= 4;
        move(&cells[longest]->counter, taken, 7);
        if (alternative != predicted) {
            move(&cells[longest]->useful, predicted == taken, 3);
        }
    }
    if (predicted != taken) {
        unsigned i = (unsigned)(longest + 1);

        while (i < tables && cells[i]->useful != 0) {
            i++;
        }
        if (i < tables) {
            *cells[i] = (struct plain_tagged){tags[i], taken ? 4 : 3, 0};
        }
        for (unsigned k = (unsigned)(longest + 1); i == tables && k < tables; k++) {
            cells[k]->useful--;
        }
    }
    return predicted;
}

/* Returns the BTB entry of the branch, or NULL. */
static struct plain_target *find(struct plain *p, struct plain_core *c, uint64_t pc)
{
    for (uint32_t i = 0; i < plain_value(p, APMU_CORE_KEY_BTB_ENTRIES); i++) {
        if (c->targets[i].there && c->targets[i].pc == pc) {
            c->targets[i].used = ++c->target_time;
            return &c->targets[i];
        }
    }
    return NULL;
}

/* Puts a taken branch into its set of the BTB. */
static void put(struct plain *p, struct plain_core *c, uint64_t pc, uint64_t target)
{
    const uint32_t entries = plain_value(p, APMU_CORE_KEY_BTB_ENTRIES), ways = plain_value(p, APMU_CORE_KEY_BTB_WAYS);

    if (entries == 0) {
        return;
    }
    struct plain_target *set = c->targets + (pc >> 2) % (entries / ways) * ways, *victim = set;

    for (uint32_t i = 0; i < ways; i++) {
        if (!set[i].there) {
            victim = &set[i];
            break;
        }
        victim = set[i].used < victim->used ? &set[i] : victim;
    }
    *victim = (struct plain_target){true, pc, target, ++c->target_time, 2};
}

static bool direction(struct plain *p, struct plain_core *c, uint64_t pc, uint64_t target, bool taken,
                      struct plain_target *entry)
{
    bool predicted = target <= pc;
    uint64_t recent = 0;

    switch (plain_value(p, APMU_CORE_KEY_BRANCH_DIRECTION)) {
    case APMU_CORE_BTAC:
        if (entry != NULL) {
            predicted = entry->counter >= 2;
            move(&entry->counter, taken, 3);
        }
        break;
    case APMU_CORE_BIMODAL:
        predicted = by_two_bits(p, c, pc >> 2, taken);
        break;
    case APMU_CORE_GSHARE:
        for (uint32_t j = 0; j < plain_value(p, APMU_CORE_KEY_BRANCH_HISTORY); j++) {
            recent |= (uint64_t)c->outcomes[j] << j;
        }
        predicted = by_two_bits(p, c, (pc >> 2) ^ recent, taken);
        break;
    case APMU_CORE_TAGE:
        predicted = by_tage(p, c, pc, taken);
        break;
    default:
        break;
    }
    memmove(c->outcomes + 1, c->outcomes, sizeof c->outcomes - 1);
    c->outcomes[0] = taken;
    return predicted;
}

/* Returns whether the target of a taken branch was predicted; *@late: a jump's that only its decoding gave. */
static bool aims_right(struct plain *p, struct plain_core *c, unsigned kind, uint64_t pc, uint64_t target,
                       struct plain_target *entry, bool *late)
{
    const unsigned bits = plain_value(p, APMU_CORE_KEY_INDIRECT_BITS);
    bool right = entry != NULL && entry->target == target;

    if (kind == APMU_CORE_RETURN) {
        return c->return_count > 0 && c->returns[--c->return_count] == target;
    }
    if (entry != NULL) {
        entry->target = target;
    } else {
        put(p, c, pc, target);
    }
    if (kind == APMU_CORE_JUMP || kind == APMU_CORE_CALL) {
        *late = !right;
        return true;
    }
    if (bits != 0) {
        uint64_t *cell = &c->indirect[((pc >> 2) ^ c->path) % (UINT64_C(1) << bits)];

        right = *cell == target;
        *cell = target;
        c->path = (c->path << 3 ^ target >> 2) % (UINT64_C(1) << bits);
    }
    return right;
}

/* Pushes a return address; the oldest falls off a full stack. */
static void push(struct plain *p, struct plain_core *c, uint64_t address)
{
    const uint32_t entries = plain_value(p, APMU_CORE_KEY_RETURNS_ENTRIES);

    if (entries == 0) {
        return;
    }
    if (c->return_count == entries) {
        memmove(c->returns, c->returns + 1, (entries - 1) * sizeof c->returns[0]);
        c->return_count--;
    }
    c->returns[c->return_count++] = address;
}

/* Counts a branch and its prediction. */
static void count_branch(struct plain_core *c, unsigned kind, bool conditional, bool taken, bool wrong)
{
    const bool immediate = kind == APMU_CORE_JUMP || kind == APMU_CORE_CALL, returns = kind == APMU_CORE_RETURN;

    HAPPEN(c, APMU_EV_BR_RETIRED, APMU_EV_BR_PRED, taken ? APMU_EV_PC_WRITE_RETIRED : APMU_EV_BR_SKIP_RETIRED,
           conditional ? APMU_EV_BR_COND_RETIRED : APMU_EV_BR_UNCOND_RETIRED);
    c->counts[APMU_EV_BR_COND_TAKEN_RETIRED] += conditional && taken;
    if (wrong) {
        HAPPEN(c, APMU_EV_BR_MIS_PRED, APMU_EV_BR_MIS_PRED_RETIRED,
               taken ? APMU_EV_BR_TAKEN_MIS_PRED_RETIRED : APMU_EV_BR_SKIP_MIS_PRED_RETIRED,
               immediate ? APMU_EV_BR_IMMED_MIS_PRED_RETIRED : APMU_EV_BR_IND_MIS_PRED_RETIRED);
    } else {
        HAPPEN(c, APMU_EV_BR_PRED_RETIRED, taken ? APMU_EV_BR_TAKEN_PRED_RETIRED : APMU_EV_BR_SKIP_PRED_RETIRED,
               immediate ? APMU_EV_BR_IMMED_PRED_RETIRED : APMU_EV_BR_IND_PRED_RETIRED);
    }
    if (immediate) {
        HAPPEN(c, APMU_EV_BR_IMMED_RETIRED, taken ? APMU_EV_BR_IMMED_TAKEN_RETIRED : APMU_EV_BR_IMMED_SKIP_RETIRED);
        return;
    }
    HAPPEN(c, APMU_EV_BR_IND_RETIRED, taken ? APMU_EV_BR_IND_TAKEN_RETIRED : APMU_EV_BR_IND_SKIP_RETIRED);
    if (returns) {
        HAPPEN(c, APMU_EV_BR_RETURN_ANY_RETIRED, taken ? APMU_EV_BR_RETURN_RETIRED : APMU_EV_BR_RETURN_SKIP_RETIRED,
               wrong ? APMU_EV_BR_RETURN_MIS_PRED_RETIRED : APMU_EV_BR_RETURN_PRED_RETIRED);
    } else {
        HAPPEN(c, APMU_EV_BR_INDNR_RETIRED, taken ? APMU_EV_BR_INDNR_TAKEN_RETIRED : APMU_EV_BR_INDNR_SKIP_RETIRED,
               wrong ? APMU_EV_BR_INDNR_MIS_PRED_RETIRED : APMU_EV_BR_INDNR_PRED_RETIRED);
    }
}

/* Counts a taken branch by whether it links. */
static void count_link(struct plain_core *c, unsigned kind)
{
    switch (kind) {
    case APMU_CORE_CALL:
        HAPPEN(c, APMU_EV_BL_TAKEN_RETIRED, APMU_EV_BL_IMMED_TAKEN_RETIRED);
        break;
    case APMU_CORE_INDIRECT_CALL:
        HAPPEN(c, APMU_EV_BL_TAKEN_RETIRED, APMU_EV_BL_IND_TAKEN_RETIRED);
        break;
    case APMU_CORE_JUMP:
        HAPPEN(c, APMU_EV_BRNL_TAKEN_RETIRED, APMU_EV_BRNL_IMMED_TAKEN_RETIRED);
        break;
    case APMU_CORE_INDIRECT:
        HAPPEN(c, APMU_EV_BRNL_INDNR_TAKEN_RETIRED); /* fall through */
    default:
        HAPPEN(c, APMU_EV_BRNL_TAKEN_RETIRED, APMU_EV_BRNL_IND_TAKEN_RETIRED);
        break;
    }
}

static void count_arm11(struct plain_core *c, unsigned kind, bool taken, bool wrong)
{
    const bool calls = kind == APMU_CORE_CALL || kind == APMU_CORE_INDIRECT_CALL;

    c->arm11[APMU_ARM11_EV_BR_EXEC]++;
    c->arm11[APMU_ARM11_EV_BR_MISPREDICT] += wrong;
    c->arm11[APMU_ARM11_EV_SW_PC_CHANGE] += taken;
    c->arm11[APMU_ARM11_EV_PROC_CALL_EXEC] += taken && calls;
    if (taken && kind == APMU_CORE_RETURN) {
        c->arm11[APMU_ARM11_EV_PROC_RET_EXEC]++;
        c->arm11[wrong ? APMU_ARM11_EV_PROC_RET_EXEC_PRED_INCORRECT : APMU_ARM11_EV_PROC_RET_EXEC_PRED]++;
    }
}

bool plain_branch(struct plain *p, unsigned n, unsigned kind, uint64_t pc, uint64_t target, bool taken)
{
    struct plain_core *c = &p->core[n];
    const bool conditional = (kind & APMU_CORE_CONDITIONAL) != 0, narrow = (kind & APMU_CORE_NARROW) != 0;
    const uint64_t refill = plain_value(p, APMU_CORE_KEY_TIMING_REFILL);
    bool wrong = false, late = false;

    kind %= 8;
    taken |= !conditional;
    struct plain_target *entry = kind == APMU_CORE_RETURN ? NULL : find(p, c, pc);

    if (conditional) {
        wrong = direction(p, c, pc, target, taken, entry) != taken;
    }
    if (taken) {
        wrong |= !aims_right(p, c, kind, pc, target, entry, &late);
    }
    if (taken && (kind == APMU_CORE_CALL || kind == APMU_CORE_INDIRECT_CALL)) {
        push(p, c, pc + (narrow ? 2 : 4));
    }
    count_branch(c, kind, conditional, taken, wrong);
    count_arm11(c, kind, taken, wrong);
    if (taken) {
        count_link(c, kind);
    }
    if (wrong) {
        plain_stall(p, c, WRONG_PATH, plain_value(p, APMU_CORE_KEY_TIMING_MISPREDICT) - refill);
        plain_stall(p, c, FLUSH, refill);
    } else if (late) {
        plain_stall(p, c, FLOW, plain_value(p, APMU_CORE_KEY_TIMING_BUBBLE));
    }
    return wrong;
}
