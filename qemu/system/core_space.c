/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces: where accesses are physically, what the TLBs of the core model see, and walks of the guest's tables.
 *
 * An address of the TLBs has 52 bits of the virtual address, bit 55 of it, and the number of its address space: a
 * regime with VMID and ASID.  Global pages have a number of their own for each regime and VMID.  When there are no
 * numbers left, the TLBs forget everything.
 */
#include "core_feed.h"

#include "cpregs.h"
#include "internals.h"
#if __has_include("system/tcg.h")
#include "system/tcg.h"
#endif

#define VA_BITS     52u
#define HALF_BIT    55u
#define SPACE_SHIFT 53u
#define MAX_SPACES  (1u << (64 - SPACE_SHIFT))
#define SPACE_MASK  (UINT64_MAX << SPACE_SHIFT)
#define PAGE_BYTES  UINT64_C(4096)
#define GLOBAL_ASID UINT64_C(0x10000)

/* Bit 7 of the shareability that QEMU keeps with a translation says that the page is not global (edit.py). */
#define NOT_GLOBAL 0x80u

/* Called when QEMU forgets translations (edit.py). */
void armpmu_translations_change(CPUState *cpu);

enum regime_kind { REGIME_10 = 1, REGIME_2, REGIME_20, REGIME_3 };

/*
 * Looks @address up in QEMU's TLB, or translates it.  Returns true if such an access neither faults nor leaves memory.
 * edit.py adds this function to cputlb.c.
 */
bool armpmu_probe(CPUState *cpu, vaddr address, MMUAccessType type, int mmu_idx, CPUTLBEntryFull **full);
/* Called at each read of a descriptor (edit.py). */
void armpmu_walk_reads(hwaddr address, bool in_debug, bool stage2);

static __thread struct core_walk_list *walk_in_progress;

void armpmu_walk_reads(hwaddr address, bool in_debug, bool stage2)
{
    struct core_walk_list *walk = walk_in_progress;

    if (walk != NULL && in_debug && walk->count < APMU_CORE_WALK_MOST) {
        walk->last_stage1 = stage2 ? walk->last_stage1 : walk->count;
        walk->at[walk->count++] = address;
    }
}

void armpmu_translations_change(CPUState *cpu)
{
    struct armpmu_vcpu *v = vcpu_of_env(cpu_env(cpu));

    if (v != NULL && v->feed != NULL) {
        core_feed_translations_changed(v->feed);
    }
}

/* Returns whether EL3 executes in AArch32 state: then the Secure modes have its regime, with ASIDs. */
static bool el3_is_a32(CPUARMState *env)
{
    return arm_feature(env, ARM_FEATURE_EL3) && !arm_el_is_aa64(env, 3);
}

/* Returns the regime, with its VMID, that the vCPU uses at Exception level @el. */
static uint64_t regime_at(CPUARMState *env, unsigned el)
{
    const uint64_t hcr = arm_hcr_el2_eff(env), host = HCR_E2H | HCR_TGE;
    const bool secure = arm_is_secure_below_el3(env);
    uint64_t vmid = 0;
    enum regime_kind kind = REGIME_10;

    if (el == 3 || (el == 0 && secure && el3_is_a32(env))) {
        kind = REGIME_3;
    } else if (el == 2) {
        kind = (hcr & HCR_E2H) != 0 ? REGIME_20 : REGIME_2;
    } else if (el == 0 && (hcr & host) == host) {
        kind = REGIME_20;
    } else if (arm_is_el2_enabled(env)) { /* stage 2 may be off */
        vmid = extract64(env->cp15.vttbr_el2, 48, 16);
    }
    return (uint64_t)kind << 40 | (uint64_t)secure << 44 | vmid << 20;
}

/* Returns the regime in which the vCPU executes. */
static uint64_t regime_of(CPUARMState *env)
{
    return regime_at(env, (unsigned)arm_current_el(env));
}

/* Returns the ASID that holds in the regime @kind. */
static uint64_t asid_of(CPUARMState *env, uint64_t regime)
{
    const unsigned kind = (unsigned)(regime >> 40 & 7), el = kind == REGIME_10 ? 1 : kind == REGIME_3 ? 3 : 2;
    const uint64_t tcr = env->cp15.tcr_el[el];
    const bool a64 = arm_el_is_aa64(env, (int)el);

    if (kind == REGIME_2 || (kind == REGIME_3 && a64)) {
        return 0;
    }
    if (!a64 && (tcr & TTBCR_EAE) == 0) {
        return env->cp15.contextidr_el[el] & 0xFF;
    }
    return extract64(extract64(tcr, 22, 1) != 0 ? env->cp15.ttbr1_el[el] : env->cp15.ttbr0_el[el], 48, 16);
}

/* Returns the number of an address space, shifted to its place; 0 if it has none and @make is false. */
static uint64_t number_of(struct core_feed *f, uint64_t key, bool make)
{
    gpointer known = g_hash_table_lookup(f->regime.numbers, GSIZE_TO_POINTER(key));

    if (known == NULL && make) {
        const guint count = g_hash_table_size(f->regime.numbers);

        if (count + 2 >= MAX_SPACES) { /* leaves room for the pair that is being looked up */
            g_hash_table_remove_all(f->regime.numbers);
            apmu_core_forget_pages(f->core);
            core_filter_empty(&f->filter);
        }
        known = GSIZE_TO_POINTER(g_hash_table_size(f->regime.numbers) + 1);
        g_hash_table_insert(f->regime.numbers, GSIZE_TO_POINTER(key), known);
    }
    return (uint64_t)GPOINTER_TO_SIZE(known) << SPACE_SHIFT;
}

void core_space_refresh(struct core_feed *f, CPUARMState *env)
{
    if (f->regime.numbers == NULL) {
        f->regime.numbers = g_hash_table_new(NULL, NULL);
    }
    const uint64_t regime = regime_of(env);

    f->regime.stale = false;
    f->space.own = number_of(f, regime | asid_of(env, regime), true);
    f->space.global = number_of(f, regime | GLOBAL_ASID, true);
    f->code_page = UINT64_MAX;
}

/* Returns what the TLBs see of @address in address space @number. */
static uint64_t seen_by_tlbs(uint64_t address, uint64_t number)
{
    return (address & ((UINT64_C(1) << VA_BITS) - 1)) | (address >> HALF_BIT & 1) << VA_BITS | number;
}

static uint64_t seen_through(const struct core_feed *f, const CPUTLBEntryFull *full, uint64_t address)
{
    return seen_by_tlbs(address, (full->extra.arm.shareability & NOT_GLOBAL) != 0 ? f->space.own : f->space.global);
}

/* Gives the model the descriptors of a walk for @address, which the TLBs see as @seen. */
static void find_descriptors(struct core_feed *f, CPUARMState *env, uint64_t address, uint64_t seen)
{
    struct core_walk_list walk = {.count = 0};
    MemTxAttrs attrs;

    walk_in_progress = &walk;
    arm_cpu_get_phys_page_attrs_debug(env_cpu(env), address, &attrs);
    walk_in_progress = NULL;
    apmu_core_give_walk(f->core, seen, walk.at, walk.count, walk.count - walk.last_stage1);
}

/* Gives them if the model would walk now. */
static inline void give_walk(struct core_feed *f, CPUARMState *env, bool code, uint64_t address, uint64_t seen)
{
    if (!apmu_core_page_known(f->core, code, seen) && apmu_core_would_walk(f->core, code, seen)) {
        find_descriptors(f, env, address, seen);
    }
}

bool core_space_map_data(struct core_feed *f, CPUARMState *env, uint64_t address, uint32_t size,
                         const struct core_site *site, uint64_t *physical)
{
    const MMUAccessType type = site->store ? MMU_DATA_STORE : MMU_DATA_LOAD;
    const uint64_t next = (address | (PAGE_BYTES - 1)) + 1;
    CPUTLBEntryFull *full;
    uint64_t further = 0, seen_next = 0;

    if (address + size > next && next != 0) { /* another page; looked up first, because that may move the first one */
        if (!armpmu_probe(env_cpu(env), next, type, site->mmu_idx, &full)) {
            return false;
        }
        seen_next = seen_through(f, full, next);
        further = full->phys_addr & ~(PAGE_BYTES - 1);
    }
    if (!armpmu_probe(env_cpu(env), address, type, site->mmu_idx, &full)) {
        return false;
    }
    *physical = (full->phys_addr & ~(PAGE_BYTES - 1)) | (address & (PAGE_BYTES - 1));
    const uint64_t seen = seen_through(f, full, address);

    further -= seen_next == 0 ? 0 : (*physical | (PAGE_BYTES - 1)) + 1;
    apmu_core_map(f->core, false, seen - *physical, further);
    if (f->core->dtlb.there) {
        give_walk(f, env, false, address, seen);
        if (seen_next != 0) {
            give_walk(f, env, false, next, seen_next);
        }
    }
    return true;
}

bool core_space_is_memory(CPUARMState *env, uint64_t address, bool store, int mmu_idx)
{
    CPUTLBEntryFull *full;

    return armpmu_probe(env_cpu(env), address, store ? MMU_DATA_STORE : MMU_DATA_LOAD, mmu_idx, &full);
}

uint64_t core_space_of_code(CPUARMState *env, uint64_t pc)
{
    CPUTLBEntryFull *full;

    if (!armpmu_probe(env_cpu(env), pc, MMU_INST_FETCH, arm_env_mmu_index(env), &full)) {
        return pc;
    }
    return (full->phys_addr & ~(PAGE_BYTES - 1)) | (pc & (PAGE_BYTES - 1));
}

void core_space_map_code(struct core_feed *f, CPUARMState *env, uint64_t pc, uint64_t physical)
{
    if (((pc ^ f->code_page) | (physical ^ f->code_physical)) >= PAGE_BYTES) {
        CPUTLBEntryFull *full;
        const bool known = armpmu_probe(env_cpu(env), pc, MMU_INST_FETCH, arm_env_mmu_index(env), &full);
        const uint64_t seen = known ? seen_through(f, full, pc) : seen_by_tlbs(pc, f->space.global);

        apmu_core_map(f->core, true, seen - physical, 0);
        f->code_page = pc & ~(PAGE_BYTES - 1);
        f->code_physical = physical & ~(PAGE_BYTES - 1);
    }
    if (f->core->itlb.there) {
        give_walk(f, env, true, pc, physical + f->core->itlb.distance);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Invalidation.
 */

/* What an instruction invalidates. */
struct invalidation {
    enum { ALL, BY_ASID, BY_PAGE, BY_PAGE_ALL_ASIDS } what;
    uint64_t regime, asid, address;
    unsigned pages;
};

#define MOST_PAGES 64u /* with more, everything is forgotten */

static void forget_page(struct core_feed *f, const struct invalidation *in, uint64_t address)
{
    const uint64_t own = number_of(f, in->regime | in->asid, false);
    const uint64_t global = number_of(f, in->regime | GLOBAL_ASID, false);
    const uint64_t mask = ~(PAGE_BYTES - 1);

    if (in->what == BY_PAGE_ALL_ASIDS) {
        apmu_core_forget_where(f->core, seen_by_tlbs(address, 0), mask & ~SPACE_MASK);
        return;
    }
    if (own != 0) {
        apmu_core_forget_where(f->core, seen_by_tlbs(address, own), mask);
    }
    if (global != 0) {
        apmu_core_forget_where(f->core, seen_by_tlbs(address, global), mask);
    }
}

static void forget(struct core_feed *f, const struct invalidation *in)
{
    if (f->core == NULL || f->regime.numbers == NULL) {
        return;
    }
    core_filter_empty(&f->filter);
    if (in->what == ALL || in->pages > MOST_PAGES) {
        apmu_core_forget_pages(f->core);
    } else if (in->what == BY_ASID) {
        const uint64_t own = number_of(f, in->regime | in->asid, false);

        if (own != 0) {
            apmu_core_forget_where(f->core, own, SPACE_MASK);
        }
    } else {
        for (unsigned i = 0; i < in->pages; i++) {
            forget_page(f, in, in->address + i * PAGE_BYTES);
        }
    }
}

static void forget_on(CPUState *cpu, run_on_cpu_data data)
{
    struct invalidation *in = data.host_ptr;
    struct armpmu_vcpu *v = vcpu_of_env(cpu_env(cpu));

    if (v != NULL && v->feed != NULL) {
        forget(v->feed, in);
    }
    g_free(in);
}

/*
 * Returns what TLBI @row with operand @value invalidates in AArch64 state.  The instructions for EL1 and EL0 invalidate
 * what EL0 uses: under HCR_EL2.{E2H, TGE} == {1, 1} that is EL2's.
 */
static struct invalidation decode_a64(CPUARMState *env, const ARMCPRegInfo *row, uint64_t value)
{
    struct invalidation in = {.what = ALL, .regime = regime_at(env, 0), .asid = value >> 48, .pages = 1};
    const unsigned op = row->opc2 & 3;
    const bool range = row->crm == 2 || row->crm == 5 || row->crm == 6;

    if (row->opc1 == 4) {
        in.regime = (arm_hcr_el2_eff(env) & HCR_E2H) != 0 ? (uint64_t)REGIME_20 << 40 : (uint64_t)REGIME_2 << 40;
    } else if (row->opc1 == 6) {
        in.regime = (uint64_t)REGIME_3 << 40;
    }
    if ((row->opc1 == 4 && (row->crm == 0 || row->crm == 4)) || (row->opc2 & 3) == 0) {
        return in; /* by intermediate physical address, or all */
    }
    in.what = op == 2 ? BY_ASID : op == 3 ? BY_PAGE_ALL_ASIDS : BY_PAGE;
    if (range) {
        const unsigned granule = 10 + 2 * (unsigned)extract64(value, 46, 2);
        const unsigned scale = (unsigned)extract64(value, 44, 2);
        const uint64_t units = (extract64(value, 39, 5) + 1) << (5 * scale + 1);

        in.address = (uint64_t)sextract64(value, 0, 37) << granule;
        in.pages = (unsigned)MIN(units << (granule - 12), MOST_PAGES + 1);
    } else {
        in.address = (uint64_t)sextract64(value, 0, 44) << 12;
    }
    return in;
}

/* Returns the same for AArch32 state. */
static struct invalidation decode_a32(CPUARMState *env, const ARMCPRegInfo *row, uint64_t value)
{
    struct invalidation in = {.what = ALL, .regime = regime_at(env, 0), .asid = value & 0xFF, .pages = 1};
    const unsigned op = row->opc2 & 3;

    if (row->opc1 == 0 && op != 0) {
        in.what = op == 2 ? BY_ASID : op == 3 ? BY_PAGE_ALL_ASIDS : BY_PAGE;
        in.address = value & 0xFFFFF000;
    }
    return in;
}

static GHashTable *plain_writes; /* from a row to QEMU's write function; one thread creates all vCPUs */

/* Invalidates QEMU's TLB, and the model's. */
static void write_tlbi(CPUARMState *env, const ARMCPRegInfo *row, uint64_t value)
{
    CPWriteFn *const plain = g_hash_table_lookup(plain_writes, row);
    const bool a32 = row->state == ARM_CP_STATE_AA32;
    const struct invalidation in = a32 ? decode_a32(env, row, value) : decode_a64(env, row, value);
    const bool here = row->crm == 7 || (a32 ? row->crm != 3 : row->crm == 4 || row->crm == 6);
    CPUState *cpu;

    plain(env, row, value);
    CPU_FOREACH(cpu) {
        if (cpu == env_cpu(env) || (!here && !qemu_tcg_mttcg_enabled())) {
            forget_on(cpu, RUN_ON_CPU_HOST_PTR(g_memdup2(&in, sizeof in)));
        } else if (!here) {
            async_run_on_cpu(cpu, forget_on, RUN_ON_CPU_HOST_PTR(g_memdup2(&in, sizeof in)));
        }
    }
}

static void surround(gpointer key, gpointer value, gpointer opaque)
{
    ARMCPRegInfo *row = value;
    const bool a32 = row->state == ARM_CP_STATE_AA32 && row->cp == 15 && row->crn == 8;
    const bool a64 = row->state == ARM_CP_STATE_AA64 && row->opc0 == 1 && (row->crn == 8 || row->crn == 9);

    if ((a32 || a64) && row->writefn != NULL && row->writefn != write_tlbi) {
        g_hash_table_insert(plain_writes, row, row->writefn);
        row->writefn = write_tlbi;
    }
}

void core_space_define(struct armpmu_vcpu *v)
{
    if (plain_writes == NULL) {
        plain_writes = g_hash_table_new(NULL, NULL);
    }
    g_hash_table_foreach(v->cpu->cp_regs, surround, NULL);
}
