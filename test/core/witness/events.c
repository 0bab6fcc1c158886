/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of the witness.  What an event counts follows from its name: "L2D_CACHE_REFILL_RD" is a cache, what
 * happened, and the accesses that count; "BR_IND_TAKEN_MIS_PRED_RETIRED" a kind of branch, the outcome, and whether it
 * was predicted.
 */
#include <string.h>

#include "state.h"

/* Sets of causes. */
enum cause_set {
    READS = 1 << APMU_CORE_CAUSE_LOAD | 1 << APMU_CORE_CAUSE_FETCH,
    FETCHES = 1 << APMU_CORE_CAUSE_FETCH,
    STORES = 1 << APMU_CORE_CAUSE_STORE,
    WRITES = STORES | 1 << APMU_CORE_CAUSE_WRITE,
    AHEAD = 1 << APMU_CORE_CAUSE_PREFETCH
};

static uint64_t sum_causes(const uint64_t counts[APMU_CORE_CAUSES], unsigned causes)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < APMU_CORE_CAUSES; i++) {
        sum += (causes >> i & 1) != 0 ? counts[i] : 0;
    }
    return sum;
}

/* Takes @word from the front of *@text.  Returns false if it does not begin with it. */
static bool take(const char **text, const char *word)
{
    const size_t length = strlen(word);

    if (strncmp(*text, word, length) != 0) {
        return false;
    }
    *text += length;
    return true;
}

/* Counts what is behind the name of a cache: "_REFILL_RD". */
static bool count_cache(const struct level_log *log, const char *rest, unsigned reads, unsigned writes, uint64_t *count)
{
    const bool refill = take(&rest, "_REFILL"), hit = !refill && take(&rest, "_HIT");
    const bool miss = !refill && !hit && (take(&rest, "_LMISS") || take(&rest, "_MISS"));
    unsigned causes = reads | writes;

    if (!refill && !hit && !miss &&
        (strcmp(rest, "_WB") == 0 || strcmp(rest, "_WB_VICTIM") == 0 || strcmp(rest, "_ALLOCATE") == 0)) {
        *count = rest[1] == 'W' ? log->victims : log->taken_unread;
        return true;
    }
    if (take(&rest, "_RD")) {
        causes = reads;
    } else if (take(&rest, "_WR")) {
        causes = writes;
    } else if (!take(&rest, "_RW") && (take(&rest, "_HWPRF") || take(&rest, "_PRF"))) {
        causes = AHEAD;
    }
    const bool first = hit && (take(&rest, "_FHWPRF") || take(&rest, "_FPRF"));
    /* Data written by the level above neither refill a line nor miss one that somebody needs. */
    const unsigned needed = causes & ~(1U << APMU_CORE_CAUSE_WRITE);

    *count = refill  ? sum_causes(log->refilled, needed)
             : miss  ? sum_causes(log->missed, needed)
             : first ? sum_causes(log->used_ahead, causes)
             : hit   ? sum_causes(log->looked, causes) - sum_causes(log->missed, causes)
                     : sum_causes(log->looked, causes);
    return *rest == 0;
}

static bool count_cache_event(const struct witness_core *c, const char *name, uint64_t *count)
{
    const bool l2 = witness_value(c, APMU_CORE_KEY_L2_SIZE) != 0, last = witness_value(c, APMU_CORE_KEY_LAST_SIZE) != 0;

    if (take(&name, "L1I_CACHE")) {
        return count_cache(&c->levels[APMU_CORE_LEVEL_L1I], name, FETCHES, 0, count);
    }
    if (take(&name, "L1D_CACHE")) {
        return count_cache(&c->levels[APMU_CORE_LEVEL_L1D], name, READS, STORES, count);
    }
    if (l2 && take(&name, "L2I_CACHE")) {
        return count_cache(&c->levels[APMU_CORE_LEVEL_L2], name, FETCHES, 0, count);
    }
    if (l2 && take(&name, "L2D_CACHE")) {
        return count_cache(&c->levels[APMU_CORE_LEVEL_L2], name, READS, WRITES, count);
    }
    if ((last && take(&name, "L3D_CACHE")) || ((l2 || last) && take(&name, "LL_CACHE"))) {
        return count_cache(&c->levels[last ? APMU_CORE_LEVEL_LAST : APMU_CORE_LEVEL_L2], name, READS, WRITES, count);
    }
    return false;
}

/* Counts events of TLBs and walks. */
static bool count_page_event(const struct witness_core *c, const char *name, uint64_t *count)
{
    const struct page_log *p = c->pages;
    const bool second = take(&name, "L2"), first = !second && take(&name, "L1");
    const bool data = *name == 'D', instructions = *name == 'I';
    bool cause[3] = {data, instructions || second, data}; /* load, fetch, store: L2D_TLB is unified */
    const bool refill = (data || instructions) && *name++ != 0 && take(&name, first || second ? "_TLB" : "TLB") &&
                        (first || second) && take(&name, "_REFILL");
    const bool walk = !first && !second && (take(&name, "_WALK_PERCYC") || take(&name, "_WALK"));
    const bool cycles = walk && name[-1] == 'C', step = !walk && !first && !second && take(&name, "_STEP");

    if ((!first && !second && !walk && !step) || (second && witness_value(c, APMU_CORE_KEY_TLB2_ENTRIES) == 0)) {
        return false;
    }
    if (second && instructions) {
        cause[0] = cause[2] = false;
    }
    if (take(&name, "_RD")) {
        cause[APMU_CORE_CAUSE_STORE] = false;
    } else if (take(&name, "_WR")) {
        cause[APMU_CORE_CAUSE_LOAD] = cause[APMU_CORE_CAUSE_FETCH] = false;
    } else if (!take(&name, "_RW") && walk && !take(&name, "_SMALL")) {
        take(&name, "_PAGE");
    }
    *count = 0;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t one = cycles   ? p[i].walk_cycles
                             : walk   ? p[i].walked
                             : step   ? p[i].steps
                             : second ? (refill ? p[i].walked : p[i].looked_second)
                                      : (refill ? p[i].missed : p[i].looked);

        *count += cause[i] ? one : 0;
    }
    return *name == 0;
}

/* Kinds of branches as sets. */
enum kind_set {
    IMMEDIATE = 1 << APMU_CORE_JUMP | 1 << APMU_CORE_CALL,
    RETURNS = 1 << APMU_CORE_RETURN,
    INDIRECT = 1 << APMU_CORE_INDIRECT | 1 << APMU_CORE_INDIRECT_CALL | RETURNS,
    LINKING = 1 << APMU_CORE_CALL | 1 << APMU_CORE_INDIRECT_CALL,
    ALL_KINDS = IMMEDIATE | INDIRECT
};

/* Sums branches of some kinds.  @conditions, @outcomes: bit 0 no, bit 1 yes.  @ends: bit 0 right, bit 1 wrong. */
static uint64_t sum_branches(const struct witness_core *c, unsigned kinds, unsigned conditions, unsigned outcomes,
                             unsigned ends)
{
    uint64_t sum = 0;

    for (unsigned kind = 0; kind < APMU_CORE_KINDS; kind++) {
        for (unsigned i = 0; i < 4; i++) {
            const struct branch_log *log = &c->branches[kind][i >> 1][i & 1];

            if ((kinds >> kind & conditions >> (i >> 1) & outcomes >> (i & 1) & 1) != 0) {
                sum += ((ends & 1) != 0 ? log->right : 0) + ((ends & 2) != 0 ? log->wrong : 0);
            }
        }
    }
    return sum;
}

static bool count_branch_event(const struct witness_core *c, const char *name, uint64_t *count)
{
    unsigned kinds = ALL_KINDS, conditions = 3, outcomes = 3, ends = 3;

    if (strcmp(name, "PC_WRITE_RETIRED") == 0 || strcmp(name, "BR_RETURN_RETIRED") == 0) {
        *count = sum_branches(c, name[0] == 'P' ? ALL_KINDS : RETURNS, 3, 2, 3);
        return true;
    }
    if (strcmp(name, "BR_PRED") == 0 || strcmp(name, "BR_MIS_PRED") == 0) {
        *count = sum_branches(c, ALL_KINDS, 3, 3, name[3] == 'P' ? 3 : 2);
        return true;
    }
    if (take(&name, "BRNL_") || take(&name, "BL_")) {
        kinds = name[-2] == 'L' && name[-3] == 'N' ? ALL_KINDS & ~(unsigned)LINKING : LINKING;
    } else if (!take(&name, "BR_")) {
        return false;
    }
    if (take(&name, "IMMED_")) {
        kinds &= IMMEDIATE;
    } else if (take(&name, "INDNR_")) {
        kinds &= INDIRECT & ~(unsigned)RETURNS;
    } else if (take(&name, "IND_")) {
        kinds &= INDIRECT;
    } else if (take(&name, "RETURN_ANY_") || take(&name, "RETURN_")) {
        kinds &= RETURNS;
    } else if (take(&name, "COND_") || take(&name, "UNCOND_")) {
        conditions = name[-6] == 'N' ? 1 : 2;
    }
    if (take(&name, "TAKEN_") || take(&name, "SKIP_")) {
        outcomes = name[-2] == 'N' ? 2 : 1;
    }
    if (take(&name, "MIS_PRED_")) {
        ends = 2;
    } else if (take(&name, "PRED_")) {
        ends = 1;
    }
    *count = sum_branches(c, kinds, conditions, outcomes, ends);
    return strcmp(name, "RETIRED") == 0;
}

/* Losses as sets, for events of slots and cycles. */
#define ONE(loss) (1U << APMU_CORE_LOSS_##loss)
enum loss_set {
    FRONT_MEMORY = ONE(L1I) | ONE(L2I) | ONE(MEMI) | ONE(ITLB),
    FRONT_CORE = ONE(FLUSH) | ONE(FLOW),
    FRONT = FRONT_MEMORY | FRONT_CORE,
    BACK = ONE(L1D) | ONE(L2D) | ONE(MEM) | ONE(DTLB) | ONE(STORE)
};

static uint64_t sum_losses(const struct witness_core *c, unsigned losses)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < APMU_CORE_LOSSES; i++) {
        sum += (losses >> i & 1) != 0 ? c->lost[i] : 0;
    }
    return sum;
}

/* Counts stalls: whole cycles of some losses. */
static bool count_stall_event(const struct witness_core *c, const char *name, uint64_t *count)
{
    static const struct {
        const char *name;
        unsigned losses;
    } stalls[] = {{"FRONTEND", FRONT},
                  {"FRONTEND_MEMBOUND", FRONT_MEMORY},
                  {"FRONTEND_L1I", ONE(L1I)},
                  {"FRONTEND_L2I", ONE(L2I) | ONE(MEMI)}, /* L2 missed */
                  {"FRONTEND_MEM", ONE(L2I) | ONE(MEMI)}, /* it came from beyond the last level of the core's own */
                  {"FRONTEND_TLB", ONE(ITLB)},
                  {"FRONTEND_CPUBOUND", FRONT_CORE},
                  {"FRONTEND_FLOW", ONE(FLOW)},
                  {"FRONTEND_FLUSH", ONE(FLUSH)},
                  {"BACKEND", BACK},
                  {"BACKEND_MEMBOUND", BACK},
                  {"BACKEND_L1D", ONE(L1D)},
                  {"BACKEND_L2D", ONE(L2D) | ONE(MEM)},
                  {"BACKEND_MEM", ONE(L2D) | ONE(MEM)},
                  {"BACKEND_TLB", ONE(DTLB)},
                  {"BACKEND_ST", ONE(STORE)}};
    const uint64_t width = witness_value(c, APMU_CORE_KEY_TIMING_WIDTH);

    if (!take(&name, "STALL_")) {
        return false;
    }
    for (size_t i = 0; i < sizeof stalls / sizeof stalls[0]; i++) {
        if (strcmp(name, stalls[i].name) == 0) {
            *count = sum_losses(c, stalls[i].losses) / width;
            return true;
        }
    }
    return false;
}

/* Counts instructions, accesses and time. */
static bool count_other_event(const struct witness_core *c, const char *name, uint64_t *count)
{
    const uint64_t width = witness_value(c, APMU_CORE_KEY_TIMING_WIDTH), slots = witness_slots(c);
    const uint64_t front = sum_losses(c, FRONT), back = sum_losses(c, BACK), end = c->lost[APMU_CORE_LOSS_END];
    const uint64_t busy = c->operations * witness_value(c, APMU_CORE_KEY_TIMING_BUSY) / 1024;
    const uint64_t wrong = c->lost[APMU_CORE_LOSS_WRONG_PATH];
    const struct {
        const char *name;
        uint64_t count;
    } others[] = {{"INST_RETIRED", c->operations},
                  {"OP_RETIRED", c->operations},
                  {"INST_SPEC", c->operations + wrong},
                  {"OP_SPEC", c->operations + wrong},
                  {"MEM_ACCESS", c->loads + c->stores},
                  {"MEM_ACCESS_RW", c->loads + c->stores},
                  {"MEM_ACCESS_RD", c->loads},
                  {"MEM_ACCESS_WR", c->stores},
                  {"MEM_ACCESS_RD_PERCYC", c->loads * witness_value(c, APMU_CORE_KEY_L1D_LATENCY) + c->long_cycles},
                  {"BUS_ACCESS", c->bus_reads + c->bus_writes},
                  {"BUS_ACCESS_RD", c->bus_reads},
                  {"BUS_ACCESS_WR", c->bus_writes},
                  {"BUS_REQ", c->bus_reads + c->bus_writes},
                  {"BUS_REQ_RD", c->bus_reads},
                  {"BUS_REQ_WR", c->bus_writes},
                  {"CPU_CYCLES", slots / width},
                  {"BUS_CYCLES", slots / width},
                  {"STALL", front / width + back / width},
                  {"STALL_SLOT", front + end + back + busy},
                  {"STALL_SLOT_FRONTEND", front + end},
                  {"STALL_SLOT_BACKEND", back + busy}};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(name, others[i].name) == 0) {
            *count = others[i].count;
            return true;
        }
    }
    return false;
}

/* Counts an event of ARM1176, from the texts of Application Note 195. */
static bool count_arm11_event(const struct witness_core *c, const char *name, uint64_t *count)
{
    const uint64_t width = witness_value(c, APMU_CORE_KEY_TIMING_WIDTH);
    const struct level_log *i = &c->levels[APMU_CORE_LEVEL_L1I], *d = &c->levels[APMU_CORE_LEVEL_L1D];
    const struct page_log *p = c->pages;
    const uint64_t wrong = sum_branches(c, ALL_KINDS, 3, 3, 2), looked = sum_causes(d->looked, READS | STORES);
    const struct {
        const char *name;
        uint64_t count;
    } counts[] = {{"ICACHE_MISS", i->missed[APMU_CORE_CAUSE_FETCH]},
                  {"IBUF_STALL", sum_losses(c, FRONT_MEMORY & ~ONE(ITLB)) / width + wrong},
                  {"DDEP_STALL", sum_losses(c, ONE(L1D) | ONE(L2D) | ONE(MEM)) / width},
                  {"ITLB_MISS", p[APMU_CORE_CAUSE_FETCH].missed},
                  {"DTLB_MISS", p[APMU_CORE_CAUSE_LOAD].missed + p[APMU_CORE_CAUSE_STORE].missed},
                  {"BR_EXEC", sum_branches(c, ALL_KINDS, 3, 3, 3)},
                  {"BR_MISPREDICT", wrong},
                  {"INSTR_EXEC", c->operations},
                  {"DCACHE_ACCESS_CACHEABLE", looked},
                  {"DCACHE_ACCESS", looked},
                  {"DCACHE_MISS", sum_causes(d->missed, READS | STORES)},
                  {"DCACHE_WBACK", d->dirty_halves},
                  {"SW_PC_CHANGE", sum_branches(c, ALL_KINDS, 3, 2, 3)},
                  {"MAIN_TLB_MISS", p[0].walked + p[1].walked + p[2].walked},
                  {"EXPL_D_ACCESS", sum_causes(d->refilled, READS | STORES) + c->passed},
                  {"LSU_FULL_STALL", sum_losses(c, ONE(STORE)) / width},
                  {"PROC_CALL_EXEC", sum_branches(c, LINKING, 3, 2, 3)},
                  {"PROC_RET_EXEC", sum_branches(c, RETURNS, 3, 2, 3)},
                  {"PROC_RET_EXEC_PRED", sum_branches(c, RETURNS, 3, 2, 1)},
                  {"PROC_RET_EXEC_PRED_INCORRECT", sum_branches(c, RETURNS, 3, 2, 2)},
                  {"CPU_CYCLES", witness_slots(c) / width}};

    for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
        if (strcmp(name, counts[n].name) == 0) {
            *count = counts[n].count;
            return true;
        }
    }
    return false;
}

/* Returns the name of an event, "" if it has none. */
static const char *name_of(unsigned list, uint16_t number)
{
#define APMU_EVENT(event, name, kind, class, sync, text) {event, #name},
#define APMU_ARM11_EVENT(event, name, parts, most, text) {event, #name},
    static const struct numbered_name {
        unsigned number;
        const char *name;
    } common[] = {
#include <armpmu/tables/events.def>
    }, arm11[] = {
#include <armpmu/tables/events_arm11.def>
    };
    const bool old = list == APMU_CORE_EVENTS_ARM11;
    const struct numbered_name *names = old ? arm11 : common;
    const size_t count = old ? sizeof arm11 / sizeof arm11[0] : sizeof common / sizeof common[0];

    for (size_t i = 0; i < count; i++) {
        if (names[i].number == number) {
            return names[i].name;
        }
    }
    return "";
}

bool witness_read(const struct witness *w, unsigned n, uint16_t number, uint64_t *count)
{
    const struct witness_core *c = &w->core[n];
    const unsigned list = w->row.value[APMU_CORE_KEY_EVENTS];
    const char *name = name_of(list, number);

    if (list == APMU_CORE_EVENTS_ARM11) {
        return count_arm11_event(c, name, count);
    }
    return count_cache_event(c, name, count) || count_branch_event(c, name, count) ||
           count_stall_event(c, name, count) || count_other_event(c, name, count) || count_page_event(c, name, count);
}
