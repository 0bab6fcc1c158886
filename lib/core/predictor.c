/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch predictor: directions, targets, returns. */
#include "internal.h"

static uint8_t *counters_of(struct apmu_core *core)
{
    return APMU_CORE_AT(uint8_t, &core->predictor, core->predictor.counters);
}

/* Returns the set of @pc in the BTB; NULL if there is no BTB. */
static inline struct apmu_core_target *targets_of(struct apmu_core *core, uint64_t pc, uint32_t ways)
{
    const uint32_t entries = apmu_core_value(core, APMU_CORE_KEY_BTB_ENTRIES);

    return entries == 0 ? NULL
                        : APMU_CORE_AT(struct apmu_core_target, &core->predictor, core->predictor.targets) +
                              ((pc >> 2) * ways & (entries - 1));
}

/* Moves way @way of the set to the front, as @target. */
static void put_first(struct apmu_core_target *set, uint32_t way, struct apmu_core_target target)
{
    for (; way > 0; way--) {
        set[way] = set[way - 1];
    }
    set[0] = target;
}

/* Returns the entry of @pc in the BTB, which becomes the first of its set, or NULL. */
static inline struct apmu_core_target *find_target(struct apmu_core *core, uint64_t pc)
{
    const uint32_t ways = apmu_core_value(core, APMU_CORE_KEY_BTB_WAYS);
    struct apmu_core_target *set = targets_of(core, pc, ways);

    if (set == NULL || set[0].key == (pc >> 1) + 1) {
        return set;
    }
    for (uint32_t way = 1; way < ways; way++) {
        if (set[way].key == (pc >> 1) + 1) {
            put_first(set, way, set[way]);
            return set;
        }
    }
    return NULL;
}

/* Puts a taken branch into the BTB. */
static void add_target(struct apmu_core *core, uint64_t pc, uint64_t target)
{
    const uint32_t ways = apmu_core_value(core, APMU_CORE_KEY_BTB_WAYS);
    struct apmu_core_target *set = targets_of(core, pc, ways);

    if (set != NULL) {
        put_first(set, ways - 1, (struct apmu_core_target){(pc >> 1) + 1, target, 2});
    }
}

/* Predicts by the counter at @index, and lets it learn. */
static bool by_counter(struct apmu_core *core, uint64_t index, bool taken)
{
    uint8_t *counter =
        counters_of(core) + (index & ((UINT64_C(1) << apmu_core_value(core, APMU_CORE_KEY_BRANCH_BITS)) - 1));
    const bool predicted = *counter >= 2;

    *counter = apmu_core_count_to(*counter, taken, 3);
    return predicted;
}

/* Predicts the direction of a conditional branch, and lets the predictor learn.  @entry: of the BTB, or NULL. */
static inline bool predict_direction(struct apmu_core *core, uint64_t pc, uint64_t target, bool taken,
                              struct apmu_core_target *entry)
{
    const uint64_t recent = (UINT64_C(1) << apmu_core_value(core, APMU_CORE_KEY_BRANCH_HISTORY)) - 1;
    bool predicted = target <= pc;

    switch (apmu_core_value(core, APMU_CORE_KEY_BRANCH_DIRECTION)) {
    case APMU_CORE_BTAC:
        if (entry != NULL) {
            predicted = entry->counter >= 2;
            entry->counter = apmu_core_count_to((uint8_t)entry->counter, taken, 3);
        }
        break;
    case APMU_CORE_BIMODAL:
        predicted = by_counter(core, pc >> 2, taken);
        break;
    case APMU_CORE_GSHARE:
        predicted = by_counter(core, pc >> 2 ^ (core->predictor.history & recent), taken);
        break;
    case APMU_CORE_TAGE:
        predicted = apmu_core_tage(core, pc, taken);
        break;
    default:
        break;
    }
    core->predictor.history = core->predictor.history << 1 | taken;
    return predicted;
}

/* Pops the return stack.  Returns whether @target was on top. */
static bool predict_return(struct apmu_core *core, uint64_t target)
{
    struct apmu_core_predictor *p = &core->predictor;
    const uint32_t entries = apmu_core_value(core, APMU_CORE_KEY_RETURNS_ENTRIES);

    if (p->return_count == 0) {
        return false;
    }
    p->return_count--;
    p->return_top = (p->return_top == 0 ? entries : p->return_top) - 1;
    return APMU_CORE_AT(uint64_t, p, p->returns)[p->return_top] == target;
}

static void push_return(struct apmu_core *core, uint64_t address)
{
    struct apmu_core_predictor *p = &core->predictor;
    const uint32_t entries = apmu_core_value(core, APMU_CORE_KEY_RETURNS_ENTRIES);

    if (entries == 0) {
        return;
    }
    APMU_CORE_AT(uint64_t, p, p->returns)[p->return_top] = address;
    p->return_top = p->return_top + 1 == entries ? 0 : p->return_top + 1;
    p->return_count += p->return_count < entries;
}

/* Returns whether the target of a taken indirect branch was predicted, and learns it. */
static bool predict_indirect(struct apmu_core *core, uint64_t pc, uint64_t target, const struct apmu_core_target *entry)
{
    struct apmu_core_predictor *p = &core->predictor;
    const uint32_t bits = apmu_core_value(core, APMU_CORE_KEY_INDIRECT_BITS);
    const uint64_t mask = (UINT64_C(1) << bits) - 1;

    if (bits == 0) {
        return entry != NULL && entry->target == target;
    }
    uint64_t *cell = APMU_CORE_AT(uint64_t, p, p->indirect) + ((pc >> 2 ^ p->path) & mask);
    const bool right = *cell == target;

    *cell = target;
    p->path = (p->path << 3 ^ target >> 2) & mask;
    return right;
}

/* Predicts the target of a taken branch, and learns it.  Returns whether it was right; *@bubble: known only late. */
static bool predict_target(struct apmu_core *core, unsigned kind, uint64_t pc, uint64_t target,
                           struct apmu_core_target *entry, bool *bubble)
{
    bool right = true;

    switch (kind) {
    case APMU_CORE_RETURN:
        return predict_return(core, target);
    case APMU_CORE_INDIRECT:
    case APMU_CORE_INDIRECT_CALL:
        right = predict_indirect(core, pc, target, entry);
        break;
    default:
        *bubble = entry == NULL || entry->target != target;
        break;
    }
    if (entry != NULL) {
        entry->target = target;
    } else {
        add_target(core, pc, target);
    }
    return right;
}

bool apmu_core_branch(struct apmu_core *core, unsigned kind, uint64_t pc, uint64_t target, bool taken)
{
    const bool conditional = (kind & APMU_CORE_CONDITIONAL) != 0, narrow = (kind & APMU_CORE_NARROW) != 0;
    const unsigned what = (kind & 7) < APMU_CORE_KINDS ? kind & 7 : APMU_CORE_JUMP;
    bool wrong = false, bubble = false;

    taken = taken || !conditional;
    core->tally.branches[what][conditional][taken]++;
    if ((core->parts & APMU_CORE_BRANCH) == 0) {
        return false;
    }
    struct apmu_core_target *entry = what != APMU_CORE_RETURN ? find_target(core, pc) : NULL;

    if (conditional) {
        wrong = predict_direction(core, pc, target, taken, entry) != taken;
    }
    if (taken && !predict_target(core, what, pc, target, entry, &bubble)) {
        wrong = true;
    }
    if (taken && (what == APMU_CORE_CALL || what == APMU_CORE_INDIRECT_CALL)) {
        push_return(core, pc + (narrow ? 2 : 4));
    }
    if (wrong) {
        core->tally.mispredicted[what][conditional][taken]++;
    }
    if ((wrong || bubble) && (core->parts & APMU_CORE_TIMING) != 0) {
        const uint64_t width = apmu_core_value(core, APMU_CORE_KEY_TIMING_WIDTH);
        const uint64_t refill = apmu_core_value(core, APMU_CORE_KEY_TIMING_REFILL);

        if (wrong) {
            apmu_core_lose(core, APMU_CORE_LOSS_WRONG_PATH,
                           (apmu_core_value(core, APMU_CORE_KEY_TIMING_MISPREDICT) - refill) * width);
            apmu_core_lose(core, APMU_CORE_LOSS_FLUSH, refill * width);
        } else {
            apmu_core_lose(core, APMU_CORE_LOSS_FLOW, apmu_core_value(core, APMU_CORE_KEY_TIMING_BUBBLE) * width);
        }
    }
    return wrong;
}

void apmu_core_predictor_init(struct apmu_core *core)
{
    memset(counters_of(core), 1, (size_t)1 << apmu_core_value(core, APMU_CORE_KEY_BRANCH_BITS));
    if (apmu_core_value(core, APMU_CORE_KEY_BRANCH_DIRECTION) == APMU_CORE_TAGE) {
        apmu_core_tage_init(core);
    }
}
