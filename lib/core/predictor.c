/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch predictor: directions, targets, returns. */
#include "tage.h"

static uint8_t *counters_of(struct apmu_core *core)
{
    return APMU_CORE_AT(uint8_t, &core->predictor, core->predictor.counters);
}

static struct apmu_core_target *targets_of(struct apmu_core *core)
{
    return APMU_CORE_AT(struct apmu_core_target, &core->predictor, core->predictor.targets);
}

/* Returns the first entry of the set of @pc in the BTB, which exists. */
static struct apmu_core_target *set_of(struct apmu_core *core, uint64_t pc)
{
    const uint32_t entries = apmu_core_value(core, APMU_CORE_KEY_BTB_ENTRIES);

    return targets_of(core) + ((pc >> 2) * apmu_core_value(core, APMU_CORE_KEY_BTB_WAYS) & (entries - 1));
}

/* Returns where it is noted which entry of the BTB, which exists, a branch at @pc had last. */
static inline uint16_t *hint_of(struct apmu_core *core, uint64_t pc)
{
    const uint32_t entries = apmu_core_value(core, APMU_CORE_KEY_BTB_ENTRIES);

    return APMU_CORE_AT(uint16_t, &core->predictor, core->predictor.hints) + (pc >> 2 & (entries - 1));
}

/* Searches the set of @pc in the BTB, which exists.  Returns its entry, which is noted, or NULL. */
static struct apmu_core_target *search_target(struct apmu_core *core, uint64_t pc)
{
    struct apmu_core_target *set = set_of(core, pc);

    for (uint32_t way = 0; way < apmu_core_value(core, APMU_CORE_KEY_BTB_WAYS); way++) {
        if (set[way].key == (pc >> 1) + 1) {
            *hint_of(core, pc) = (uint16_t)(&set[way] - targets_of(core));
            return &set[way];
        }
    }
    return NULL;
}

/* Returns the entry of @pc in the BTB, which becomes the one used last, or NULL. */
static inline struct apmu_core_target *find_target(struct apmu_core *core, uint64_t pc)
{
    if (apmu_core_value(core, APMU_CORE_KEY_BTB_ENTRIES) == 0) {
        return NULL;
    }
    struct apmu_core_target *entry = targets_of(core) + *hint_of(core, pc);

    if (entry->key != (pc >> 1) + 1) {
        entry = search_target(core, pc);
    }
    if (entry != NULL) {
        entry->used = ++core->predictor.clock;
    }
    return entry;
}

/* Puts a taken branch that the BTB lacks into it. */
static void add_target(struct apmu_core *core, uint64_t pc, uint64_t target)
{
    if (apmu_core_value(core, APMU_CORE_KEY_BTB_ENTRIES) == 0) {
        return;
    }
    struct apmu_core_target *set = set_of(core, pc), *oldest = set;

    for (uint32_t way = 1; way < apmu_core_value(core, APMU_CORE_KEY_BTB_WAYS); way++) {
        oldest = set[way].used < oldest->used ? &set[way] : oldest;
    }
    *oldest = (struct apmu_core_target){(pc >> 1) + 1, target, ++core->predictor.clock, 2};
    *hint_of(core, pc) = (uint16_t)(oldest - targets_of(core));
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

/*
 * Predicts the direction of a conditional branch, and lets the predictor learn.  @entry: of the BTB, or NULL.  @tables:
 * the tagged tables; 0: another predictor.
 */
static APMU_CORE_FOLDED bool predict_direction(struct apmu_core *core, uint64_t pc, uint64_t target, bool taken,
                                               struct apmu_core_target *entry, uint32_t tables)
{
    if (tables != 0) {
        return tage_predict(&core->predictor, pc, taken, tables);
    }
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

/* Executes a branch in all but time.  Returns what it costs, a set of enum apmu_core_cost. */
static APMU_CORE_FOLDED uint8_t predict(struct apmu_core *core, const struct apmu_core_outcome *b, uint32_t tables)
{
    const bool conditional = (b->kind & APMU_CORE_CONDITIONAL) != 0, taken = b->taken || !conditional;
    const unsigned what = (b->kind & 7) < APMU_CORE_KINDS ? b->kind & 7 : APMU_CORE_JUMP;
    bool wrong = false, bubble = false;

    core->tally.branches[what][conditional][taken]++;
    struct apmu_core_target *entry = what != APMU_CORE_RETURN ? find_target(core, b->pc) : NULL;

    if (conditional) {
        wrong = predict_direction(core, b->pc, b->target, taken, entry, tables) != taken;
    }
    if (taken && !predict_target(core, what, b->pc, b->target, entry, &bubble)) {
        wrong = true;
    }
    if (taken && (what == APMU_CORE_CALL || what == APMU_CORE_INDIRECT_CALL)) {
        push_return(core, b->pc + (b->kind & APMU_CORE_NARROW ? 2 : 4));
    }
    if (wrong) {
        core->tally.mispredicted[what][conditional][taken]++;
    }
    return wrong ? APMU_CORE_COST_MISPREDICTED : bubble ? APMU_CORE_COST_BUBBLE : 0;
}

static APMU_CORE_FOLDED void predict_all(struct apmu_core *core, struct apmu_core_outcome *b, size_t count,
                                         uint32_t tables)
{
    for (size_t i = 0; i < count; i++) {
        b[i].cost = predict(core, &b[i], tables);
    }
}

/* Executes branches of a core with tagged tables. */
static void predict_tagged(struct apmu_core *core, struct apmu_core_outcome *b, size_t count)
{
    switch (core->predictor.tables) {
    case 1:
        predict_all(core, b, count, 1);
        break;
    case 2:
        predict_all(core, b, count, 2);
        break;
    case 3:
        predict_all(core, b, count, 3);
        break;
    case 4:
        predict_all(core, b, count, 4);
        break;
    case 5:
        predict_all(core, b, count, 5);
        break;
    case 6:
        predict_all(core, b, count, 6);
        break;
    case 7:
        predict_all(core, b, count, 7);
        break;
    default:
        predict_all(core, b, count, 8);
        break;
    }
}

void apmu_core_predict(struct apmu_core *core, struct apmu_core_outcome *branches, size_t count)
{
    if ((core->parts & APMU_CORE_BRANCH) == 0) {
        for (size_t i = 0; i < count; i++) {
            const unsigned kind = branches[i].kind & 7;
            const bool conditional = (branches[i].kind & APMU_CORE_CONDITIONAL) != 0;

            core->tally.branches[kind < APMU_CORE_KINDS ? kind : APMU_CORE_JUMP][conditional]
                                [branches[i].taken || !conditional]++;
            branches[i].cost = 0;
        }
    } else if (apmu_core_value(core, APMU_CORE_KEY_BRANCH_DIRECTION) == APMU_CORE_TAGE) {
        predict_tagged(core, branches, count);
    } else {
        predict_all(core, branches, count, 0);
    }
}

bool apmu_core_branch(struct apmu_core *core, unsigned kind, uint64_t pc, uint64_t target, bool taken)
{
    struct apmu_core_outcome b = {pc, target, (uint8_t)kind, taken, 0, 0, 0};

    apmu_core_predict(core, &b, 1);
    if ((core->parts & APMU_CORE_TIMING) != 0) {
        apmu_core_time_branch(core, b.cost);
    }
    return b.cost == APMU_CORE_COST_MISPREDICTED;
}

void apmu_core_predictor_init(struct apmu_core *core)
{
    memset(counters_of(core), 1, (size_t)1 << apmu_core_value(core, APMU_CORE_KEY_BRANCH_BITS));
    if (apmu_core_value(core, APMU_CORE_KEY_BRANCH_DIRECTION) == APMU_CORE_TAGE) {
        apmu_core_tage_init(core);
    }
}
