/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plans (column_plan.h), and the code that the translator adds to a block under its plan.
 *
 * A class of instructions is a set of traits (qemu/classify/); instructions of one class count alike.
 */
#include "column_plan.h"

#include "core_code.h"

#include "exec/translation-block.h"
#include "tcg/tcg.h"
#include "tcg/tcg-op.h"

#include "armpmu-qemu/classify/a32.h"
#include "armpmu-qemu/classify/a64.h"

#define HELPER_H "target/arm/armpmu/helper.h"
#include "exec/helper-proto.h.inc"
#include "exec/helper-gen.h.inc"
#include "exec/helper-info.c.inc"
#undef HELPER_H

#define LONGEST_BLOCK 512 /* in instructions: QEMU's TCG_MAX_INSNS */
/* The word in env with the OR of the addresses that SVE and SME helpers accessed in this instruction (edit.py). */
#define VECTOR_ADDRESSES offsetof(CPUARMState, cp15.c14_pmevcntr_delta[1])
#define MAX_INSN_CLASSES 1024

static struct column_plan plans[MAX_PLANS]; /* plan 0 counts nothing; a plan in use does not change */
static unsigned plans_in_use = 1;

/* The classes of the instructions translated so far.  Class 0 counts nothing. */
static struct insn_class {
    uint64_t traits;
    uint16_t adds[APMU_SOURCE_COUNT];   /* what it adds to each source when it is executed */
    uint16_t passed[APMU_SOURCE_COUNT]; /* what it adds besides if its condition passes */
    uint16_t most[APMU_SOURCE_COUNT];   /* the most that it can add, with any outcome */
} insn_classes[MAX_INSN_CLASSES];
static unsigned insn_classes_in_use = 1;
static GHashTable *class_of_traits;
static GHashTable *blocks; /* from a block to the array of its instructions' classes */
static QemuMutex lock;     /* protects insn_classes and the three that follow it */

/* The translator calls these too (edit.py).  They are not in vcpu.h, which does not include TCG's types. */
void armpmu_access(TCGTemp *address, unsigned mmu_idx, unsigned size, bool store);
void armpmu_store_exclusive(TCGv_i64 failed);

/* The block that this thread is translating, and the instruction that it has reached. */
static __thread struct {
    unsigned plan;
    TCGOp *before;      /* the operation after which the counting code is inserted */
    uint64_t traits;    /* of the instruction */
    bool passed;        /* the code that comes next runs only if the instruction's condition passed */
    unsigned alignment; /* bytes to which its accesses must be aligned; 1: unaligned ones are not counted */
    bool looked;        /* the address of its first access is known */
    bool vector;        /* its accesses are made by helpers, which leave the addresses in env (edit.py) */
    TCGv_i64 unaligned; /* the bits of that address that should be 0; 0 if it makes no access */
    uint16_t class_of[LONGEST_BLOCK]; /* the class of each instruction of the block */
} now;

static void __attribute__((constructor)) start(void)
{
    qemu_mutex_init(&lock);
    class_of_traits = g_hash_table_new(g_int64_hash, g_int64_equal);
    blocks = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

bool column_plan_can_count(enum apmu_source source)
{
    switch (source) { /* these follow from the instruction count, from exceptions, or from the model itself */
    case APMU_SOURCE_SW_INCR:
    case APMU_SOURCE_INST_RETIRED:
    case APMU_SOURCE_INST_SPEC:
    case APMU_SOURCE_CPU_CYCLES:
    case APMU_SOURCE_EXC_TAKEN:
    case APMU_SOURCE_EXC_SVC:
        return false;
    default:
        return source < APMU_SOURCE_COUNT;
    }
}

unsigned column_plan_number(const struct column_plan *plan)
{
    for (unsigned i = 1; i < plans_in_use; i++) {
        if (memcmp(&plans[i], plan, sizeof *plan) == 0) {
            return i;
        }
    }
    if (plans_in_use == MAX_PLANS) {
        return 0;
    }
    plans[plans_in_use] = *plan;
    return plans_in_use++;
}

void column_plan_forget_all(void)
{
    plans_in_use = 1;
}

/* Returns true for a load or store whose address may be unaligned. */
static bool accesses(uint64_t traits)
{
    return (traits & (APMU_TRAIT_LOAD | APMU_TRAIT_STORE | APMU_TRAIT_STX)) != 0 && (traits & APMU_TRAIT_SYS) == 0;
}

/* Returns the number of the class with @traits, from 1, and adds it if it is new. */
static uint16_t insn_class_number(uint64_t traits)
{
    uint16_t number = 0;

    qemu_mutex_lock(&lock);
    const struct insn_class *known = g_hash_table_lookup(class_of_traits, &traits);

    if (known != NULL) {
        number = (uint16_t)(known - insn_classes);
    } else if (insn_classes_in_use < MAX_INSN_CLASSES) {
        struct insn_class *k = &insn_classes[insn_classes_in_use];

        k->traits = traits;
        apmu_traits_add(traits, k->adds);
        memcpy(k->most, k->adds, sizeof k->most);
        if ((traits & APMU_TRAIT_STX) != 0) {
            apmu_traits_add(APMU_TRAIT_STX_PASS, k->most);
        }
        if (accesses(traits)) {
            apmu_traits_add(APMU_TRAIT_UNALIGNED, k->most);
        }
        if ((traits & APMU_TRAIT_COND) != 0) { /* the most is bounded by the sum of both outcomes */
            apmu_traits_add(traits | APMU_TRAIT_PASSED, k->passed);
            apmu_traits_add(traits | APMU_TRAIT_PASSED, k->most);
            apmu_traits_add(traits | APMU_TRAIT_FAILED, k->most);
        }
        g_hash_table_insert(class_of_traits, &k->traits, k);
        number = (uint16_t)insn_classes_in_use++;
    }
    qemu_mutex_unlock(&lock);
    assert(number != 0); /* the classifier has far fewer combinations of traits than MAX_INSN_CLASSES */
    return number;
}

uint64_t column_plan_of_read(enum in_progress read, enum apmu_source source)
{
    static const uint32_t words[] = {
        [MRS_READ] = 0xd53b9d00, /* MRS x0, PMCCNTR_EL0; every other MRS of the PMU has the same class */
        [LOAD_READ] = 0xb9400000 /* LDR w0, [x0] */
    };

    return read == NO_READ ? 0 : insn_classes[insn_class_number(apmu_a64_traits(words[read]))].adds[source];
}

uint64_t column_plan_most(const TranslationBlock *tb, unsigned column, unsigned n)
{
    const struct column_plan *plan = &plans[(tb_cflags(tb) & PLAN_MASK) >> PLAN_SHIFT];
    uint64_t sum = 0;

    qemu_mutex_lock(&lock);
    const uint16_t *class_of = g_hash_table_lookup(blocks, tb);

    for (unsigned s = 0; class_of != NULL && s < APMU_SOURCE_COUNT; s++) {
        for (unsigned i = 0; plan->column_of[s] == column + 1 && i < n; i++) {
            sum += insn_classes[class_of[i]].most[s];
        }
    }
    qemu_mutex_unlock(&lock);
    return sum;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Called by the translator (edit.py).
 */

/*
 * Keeps the place of the block's counting code.  From there on only this file's code can stop the block, and -icount
 * has not counted it yet.
 */
void armpmu_block_begins(uint32_t cflags)
{
    now.plan = (cflags & PLAN_MASK) >> PLAN_SHIFT;
    now.alignment = 1;
    if (now.plan != 0) {
        now.before = tcg_last_op();
        memset(now.class_of, 0, sizeof now.class_of);
    }
    core_code_begin(plans[now.plan].core);
}

/* Generates code that adds @times times what an instruction with @traits adds.  @times has a value at run time. */
static void add_outcome(uint64_t traits, TCGv_i64 times)
{
    const struct column_plan *plan = &plans[now.plan];
    uint16_t adds[APMU_SOURCE_COUNT] = {0};

    if (now.plan == 0) {
        return;
    }
    apmu_traits_add(traits, adds);
    for (unsigned s = 0; s < APMU_SOURCE_COUNT; s++) {
        if (adds[s] != 0 && plan->column_of[s] != 0) {
            const tcg_target_long at = offsetof(CPUARMState, cp15.c14_pmevcntr[plan->column_of[s] - 1]);
            TCGv_i64 sum = tcg_temp_new_i64();

            tcg_gen_ld_i64(sum, tcg_env, at);
            tcg_gen_add_i64(sum, sum, times);
            tcg_gen_st_i64(sum, tcg_env, at);
        }
    }
}

/* Begins an instruction: notes its class and prepares to look at its addresses. */
static void begin_instruction(int index, uint64_t traits, unsigned alignment)
{
    now.traits = traits;
    now.passed = false;
    now.class_of[index - 1] = insn_class_number(traits);
    const bool requested = plans[now.plan].column_of[APMU_SOURCE_UNALIGNED_LDST_RETIRED] != 0;

    now.alignment = requested && accesses(traits) ? alignment : 1;
    now.looked = false;
    now.vector = (traits & (APMU_TRAIT_SVE | APMU_TRAIT_SME)) != 0;
    if (now.alignment != 1) {
        now.unaligned = tcg_temp_new_i64();
        tcg_gen_movi_i64(now.unaligned, 0);
        if (now.vector) {
            tcg_gen_st_i64(now.unaligned, tcg_env, VECTOR_ADDRESSES);
        }
    }
}

/* Returns true if the plan of the block has columns. */
static bool has_columns(void)
{
    return now.plan != 0 && plans[now.plan].columns != 0;
}

void armpmu_instruction(int index, uint32_t word)
{
    if (has_columns()) {
        begin_instruction(index, apmu_a64_traits(word), apmu_a64_alignment(word));
    }
    if (plans[now.plan].core != 0) {
        core_code_instruction(STREAM_A64, apmu_a64_traits(word), word, 4);
    }
}

void armpmu_instruction_a32(int index, uint32_t word)
{
    if (has_columns()) {
        begin_instruction(index, apmu_a32_traits(word), apmu_a32_alignment(word));
    }
    if (plans[now.plan].core != 0) {
        core_code_instruction(STREAM_A32, apmu_a32_traits(word), word, 4);
    }
}

void armpmu_instruction_t32(int index, uint32_t word, bool in_it)
{
    if (has_columns()) {
        begin_instruction(index, apmu_t32_traits(word, in_it), apmu_t32_alignment(word));
    }
    if (plans[now.plan].core != 0) {
        core_code_instruction(STREAM_T32, apmu_t32_traits(word, in_it), word, word > UINT16_MAX ? 4 : 2);
    }
}

/* Generates code that keeps the unaligned bits of @address, if this is the first access of the instruction. */
static void look_at_address(TCGTemp *address)
{
    if (now.alignment == 1 || now.looked) {
        return;
    }
    now.looked = true;
    if (tcg_ctx->addr_type == TCG_TYPE_I32) {
        tcg_gen_extu_i32_i64(now.unaligned, temp_tcgv_i32(address));
        tcg_gen_andi_i64(now.unaligned, now.unaligned, now.alignment - 1);
    } else {
        tcg_gen_andi_i64(now.unaligned, temp_tcgv_i64(address), now.alignment - 1);
    }
}

void armpmu_access(TCGTemp *address, unsigned mmu_idx, unsigned size, bool store)
{
    look_at_address(address);
    if (plans[now.plan].core != 0) {
        core_code_access(address, mmu_idx, size, store);
    }
}

/* Generates code that counts an unaligned access, after all other code of the instruction: a fault skips it. */
void armpmu_instruction_ends(void)
{
    if (now.alignment != 1 && (now.looked || now.vector)) {
        TCGv_i64 once = tcg_temp_new_i64();

        if (now.vector) {
            tcg_gen_ld_i64(once, tcg_env, VECTOR_ADDRESSES);
            tcg_gen_andi_i64(once, once, now.alignment - 1);
            tcg_gen_or_i64(now.unaligned, now.unaligned, once);
        }
        tcg_gen_setcondi_i64(TCG_COND_NE, once, now.unaligned, 0);
        add_outcome(APMU_TRAIT_UNALIGNED, once);
    }
    now.alignment = 1;
}

/*
 * Generates code that counts the outcome of the instruction's condition.  A passed condition is counted before the
 * instruction does anything; if the instruction then raises an exception, the count is taken back.
 */
void armpmu_condition(bool passed)
{
    if (has_columns() && (now.traits & APMU_TRAIT_COND) != 0) {
        now.passed = passed;
        add_outcome(now.traits | (passed ? APMU_TRAIT_PASSED : APMU_TRAIT_FAILED), tcg_constant_i64(1));
    }
}

void armpmu_instruction_not_retired(int index)
{
    if (has_columns() && now.class_of[index - 1] != 0) {
        now.class_of[index - 1] = 0;
        if (now.passed) {
            add_outcome(now.traits | APMU_TRAIT_PASSED, tcg_constant_i64(-1));
        }
    }
    if (plans[now.plan].core != 0) {
        core_code_not_retired((unsigned)index);
    }
}

/* Generates code that counts a store-exclusive that writes, after its own code; @failed is 0 or 1 at run time. */
void armpmu_store_exclusive(TCGv_i64 failed)
{
    if (now.plan != 0) {
        TCGv_i64 passed = tcg_temp_new_i64();

        tcg_gen_xori_i64(passed, failed, 1);
        add_outcome(APMU_TRAIT_STX_PASS, passed);
    }
}

/* One word that a block adds to. */
struct addition {
    tcg_target_long at;  /* its offset in env */
    uint64_t adds, most; /* what the block adds, and the most that it can add with what its outcomes add */
    TCGv_i64 sum;
};

/* Lists what the block, of @length instructions, adds under @plan.  Returns the number of additions. */
static unsigned list_additions(const struct column_plan *plan, unsigned length, struct addition *list)
{
    unsigned n = 0;

    if (armpmu_retired_offset != 0) { /* without -icount */
        list[n++] = (struct addition){.at = armpmu_retired_offset, .adds = length, .most = length};
    }
    for (unsigned s = 0; plan->columns != 0 && s < APMU_SOURCE_COUNT; s++) {
        if (plan->column_of[s] == 0) {
            continue;
        }
        struct addition a = {.at = offsetof(CPUARMState, cp15.c14_pmevcntr[plan->column_of[s] - 1])};

        for (unsigned i = 0; i < length; i++) {
            a.adds += insn_classes[now.class_of[i]].adds[s];
            a.most += insn_classes[now.class_of[i]].most[s];
        }
        if (a.most != 0) {
            list[n++] = a;
        }
    }
    return n;
}

/*
 * Generates, at the beginning of the block, the checks of all words that it adds to, and then the additions.  If a
 * check fails, the block calls armpmu_near_deadline() and leaves translated code without having counted anything.
 */
void armpmu_block_ends(const TranslationBlock *tb, int length)
{
    const struct column_plan *plan = &plans[now.plan];
    struct addition list[MAX_COLUMNS + 1];
    TCGLabel *near = NULL, *leave = NULL;

    if (now.plan == 0) {
        return;
    }
    const unsigned n = list_additions(plan, (unsigned)length, list);

    tcg_ctx->emit_before_op = now.before != NULL ? QTAILQ_NEXT(now.before, link) : QTAILQ_FIRST(&tcg_ctx->ops);
    core_code_end(&leave);
    for (unsigned i = 0; i < n; i++) {
        list[i].sum = tcg_temp_new_i64();
        tcg_gen_ld_i64(list[i].sum, tcg_env, list[i].at);
        if (plan->has_limits) {
            TCGv_i64 most = tcg_temp_new_i64();

            near = near != NULL ? near : gen_new_label();
            tcg_gen_addi_i64(most, list[i].sum, (int64_t)list[i].most);
            tcg_gen_brcondi_i64(TCG_COND_GT, most, 0, near);
        }
        tcg_gen_addi_i64(list[i].sum, list[i].sum, (int64_t)list[i].adds);
    }
    for (unsigned i = 0; i < n; i++) {
        tcg_gen_st_i64(list[i].sum, tcg_env, list[i].at);
    }
    tcg_ctx->emit_before_op = NULL;
    if (near != NULL) {
        gen_set_label(near);
        gen_helper_armpmu_near_deadline(tcg_env, tcg_constant_ptr(tb));
        tcg_gen_exit_tb(tb, TB_EXIT_REQUESTED); /* the block has not begun */
    }
    if (leave != NULL) {
        gen_set_label(leave);
        tcg_gen_exit_tb(tb, TB_EXIT_REQUESTED);
    }
    if (plan->columns != 0) {
        qemu_mutex_lock(&lock);
        g_hash_table_insert(blocks, (gpointer)tb, g_memdup2(now.class_of, sizeof now.class_of[0] * (size_t)length));
        qemu_mutex_unlock(&lock);
    }
}

void armpmu_give_back(CPUState *cpu, const TranslationBlock *tb, int left)
{
    const struct column_plan *plan = &plans[(tb_cflags(tb) & PLAN_MASK) >> PLAN_SHIFT];
    CPUARMState *env = cpu_env(cpu);

    if (plan == plans) {
        return;
    }
    if (armpmu_retired_offset != 0) {
        *(uint64_t *)((char *)env + armpmu_retired_offset) -= (uint64_t)left;
    }
    if (plan->core != 0) {
        core_feed_left(vcpu_of_env(env), (unsigned)(tb->icount - left));
    }
    if (plan->columns == 0) {
        return;
    }
    qemu_mutex_lock(&lock);
    const uint16_t *class_of = g_hash_table_lookup(blocks, tb);

    for (unsigned s = 0; class_of != NULL && s < APMU_SOURCE_COUNT; s++) {
        if (plan->column_of[s] == 0) {
            continue;
        }
        for (int i = tb->icount - left; i < tb->icount; i++) {
            COLUMN(env, plan->column_of[s] - 1) -= insn_classes[class_of[i]].adds[s];
        }
        if (left > 0) { /* the first of them began and did not retire; its condition passed */
            COLUMN(env, plan->column_of[s] - 1) -= insn_classes[class_of[tb->icount - left]].passed[s];
        }
    }
    qemu_mutex_unlock(&lock);
}

void armpmu_no_blocks(void)
{
    qemu_mutex_lock(&lock);
    g_hash_table_remove_all(blocks);
    qemu_mutex_unlock(&lock);
    core_code_no_blocks();
}
