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

/* Returns the numbers of entries that branches had last, by address. */
static uint16_t *hints_of(struct apmu_core *core)
{
    return APMU_CORE_AT(uint16_t, &core->predictor, core->predictor.hints);
}

/* Returns the key of a branch at @pc in the BTB. */
static inline uint64_t key_of(uint64_t pc)
{
    return pc + 1;
}

/* Returns where it is noted which entry of the BTB, which exists, a branch at @pc had last. */
static inline uint16_t *hint_of(struct apmu_core *core, uint64_t pc)
{
    return hints_of(core) + (pc >> 2 & (apmu_core_value(core, APMU_CORE_KEY_BTB_ENTRIES) - 1));
}

/*
 * Searches the set of @pc in the BTB, which exists.  Returns its entry; if there is none, the one behind the BTB that
 * says so.  It is noted.
 */
static struct apmu_core_target *search_target(struct apmu_core *core, uint64_t pc)
{
    const uint32_t entries = apmu_core_value(core, APMU_CORE_KEY_BTB_ENTRIES);
    struct apmu_core_target *set = set_of(core, pc), *entry = targets_of(core) + entries + (pc >> 2 & (entries - 1));

    *entry = (struct apmu_core_target){key_of(pc), 0, 0, 0};
    for (uint32_t way = 0; way < apmu_core_value(core, APMU_CORE_KEY_BTB_WAYS); way++) {
        entry = set[way].key == key_of(pc) ? &set[way] : entry;
    }
    *hint_of(core, pc) = (uint16_t)(entry - targets_of(core));
    return entry;
}

/* Returns the entry of @pc in the BTB, which becomes the one used last, or NULL. */
static inline struct apmu_core_target *find_target(struct apmu_core *core, uint64_t pc)
{
    const uint32_t entries = apmu_core_value(core, APMU_CORE_KEY_BTB_ENTRIES);

    if (entries == 0) {
        return NULL;
    }
    struct apmu_core_target *entry = targets_of(core) + *hint_of(core, pc);

    if (entry->key != key_of(pc)) {
        entry = search_target(core, pc);
    }
    entry->used = ++core->predictor.clock;
    return entry < targets_of(core) + entries ? entry : NULL;
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
    *oldest = (struct apmu_core_target){key_of(pc), target, ++core->predictor.clock, 2};
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

/* Predicts the direction of a conditional branch without tagged tables, and learns it.  @entry: of the BTB, or NULL. */
static bool predict_direction(struct apmu_core *core, uint64_t pc, uint64_t target, bool taken,
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

/* Returns the address behind a branch. */
static inline uint64_t address_behind(const struct apmu_core_outcome *b)
{
    return b->pc + (b->kind & APMU_CORE_NARROW ? 2 : 4);
}

/* Returns the kind of a branch without what is added to it. */
static inline unsigned kind_of(unsigned kind)
{
    return (kind & 7) < APMU_CORE_KINDS ? kind & 7 : APMU_CORE_JUMP;
}

/*
 * Executes a branch in all but time, but does not predict its direction.  @entry: of the BTB, or NULL.  @wrong: its
 * direction is known to be mispredicted.  Returns what it costs.
 */
static uint8_t predict_rest(struct apmu_core *core, const struct apmu_core_outcome *b, struct apmu_core_target *entry,
                            bool wrong)
{
    const bool conditional = (b->kind & APMU_CORE_CONDITIONAL) != 0, taken = b->taken || !conditional;
    const unsigned what = kind_of(b->kind);
    bool bubble = false;

    core->tally.branches[what][conditional][taken]++;
    if (taken && !predict_target(core, what, b->pc, b->target, entry, &bubble)) {
        wrong = true;
    }
    if (taken && (what == APMU_CORE_CALL || what == APMU_CORE_INDIRECT_CALL)) {
        push_return(core, address_behind(b));
    }
    if (wrong) {
        core->tally.mispredicted[what][conditional][taken]++;
    }
    return wrong ? APMU_CORE_COST_MISPREDICTED : bubble ? APMU_CORE_COST_BUBBLE : 0;
}

/* Returns the entry of @b in the BTB, which becomes the one used last, or NULL.  Returns are not looked up. */
static struct apmu_core_target *entry_of(struct apmu_core *core, const struct apmu_core_outcome *b)
{
    return kind_of(b->kind) != APMU_CORE_RETURN ? find_target(core, b->pc) : NULL;
}

/* Executes branches in all but time, where directions are predicted without tagged tables. */
static void predict_untagged(struct apmu_core *core, struct apmu_core_outcome *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct apmu_core_target *entry = entry_of(core, &b[i]);
        const bool conditional = (b[i].kind & APMU_CORE_CONDITIONAL) != 0;
        const bool wrong =
            conditional && predict_direction(core, b[i].pc, b[i].target, b[i].taken, entry) != b[i].taken;

        b[i].cost = predict_rest(core, &b[i], entry, wrong);
    }
}

/* Notes that the direction of @b was mispredicted, too. */
static void mispredict(struct apmu_core *core, struct apmu_core_outcome *b)
{
    if (b->cost != APMU_CORE_COST_MISPREDICTED) {
        b->cost = APMU_CORE_COST_MISPREDICTED;
        core->tally.mispredicted[kind_of(b->kind)][1][b->taken]++;
    }
}

/*
 * Executes @count branches in all but time and directions, and gives the conditional ones to @block.  A jump or a call
 * for which the BTB has the target, or which is not taken, is quick.
 */
static void predict_targets(struct apmu_core *core, struct apmu_core_outcome *branch, uint32_t count,
                            struct tage_block *block)
{
    const uint32_t entries = apmu_core_value(core, APMU_CORE_KEY_BTB_ENTRIES), mask = entries != 0 ? entries - 1 : 0;
    const uint32_t bits = core->predictor.of_index.bits;
    struct apmu_core_target none = {0};
    const uint16_t no_hint = 0;
    struct apmu_core_target *targets = entries != 0 ? targets_of(core) : &none, *end = targets + entries;
    const uint16_t *hints = entries != 0 ? hints_of(core) : &no_hint;
    uint64_t clock = core->predictor.clock;
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct apmu_core_outcome *b = &branch[i];
        const uint64_t at = b->pc >> 2;
        const uint32_t kind = b->kind, conditional = kind / APMU_CORE_CONDITIONAL & 1;
        const uint64_t taken = b->taken | (conditional ^ 1);
        struct apmu_core_target *entry = targets + hints[at & mask];
        const uint64_t other = (entry->target ^ b->target) | (entry >= end); /* 0: the BTB has its target */

        block->low[n] = (uint16_t)at;
        block->high[n] = (uint16_t)(at >> bits);
        block->outcome[n] = (uint8_t)(b->taken << TAGE_OUTCOME_AT);
        block->number[n] = (uint8_t)i;
        n += conditional;
        if (((entry->key ^ key_of(b->pc)) | (kind & 6) | (other & (0 - taken))) == 0) {
            entry->used = ++clock;
            core->tally.branches[kind & 1][conditional][taken]++;
            b->cost = APMU_CORE_COST_NONE;
            if ((kind & taken) == APMU_CORE_CALL) {
                push_return(core, address_behind(b));
            }
        } else {
            core->predictor.clock = clock;
            b->cost = predict_rest(core, b, entry_of(core, b), false);
            clock = core->predictor.clock;
        }
    }
    core->predictor.clock = clock;
    block->count = n;
}

/* Executes branches in all but time, where directions are predicted by @tables tagged tables. */
static APMU_CORE_FOLDED void predict_all(struct apmu_core *core, struct apmu_core_outcome *b, size_t count,
                                         uint32_t tables)
{
    struct apmu_core_predictor *p = &core->predictor;
    struct tage_block block;

    for (uint32_t some; count != 0; b += some, count -= some) {
        some = count < APMU_CORE_AHEAD ? (uint32_t)count : APMU_CORE_AHEAD;
        predict_targets(core, b, some, &block);
        tage_look_ahead(p, &block);
        const struct tage_cells cells = {APMU_CORE_AT(uint32_t, p, p->tagged), counters_of(core), p->counter_mask};
        const uint32_t conditional = block.count;

        for (uint32_t n = 0; n < conditional; n++) {
            if (tage_learn(p, &block, n, &cells, tables)) {
                mispredict(core, &b[block.number[n]]);
            }
        }
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
        predict_untagged(core, branches, count);
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
    const bool tage = apmu_core_value(core, APMU_CORE_KEY_BRANCH_DIRECTION) == APMU_CORE_TAGE;

    memset(counters_of(core), tage ? TAGE_BIMODAL | 1 << 1 : 1,
           (size_t)1 << apmu_core_value(core, APMU_CORE_KEY_BRANCH_BITS));
    if (tage) {
        apmu_core_tage_init(core);
    }
}
