/* SPDX-License-Identifier: BSD-2-Clause */
/* levels.h for a PE whose EL3 uses AArch64. */
#include "levels.h"

#include "../../hardware/bare/rt.h"

#define CELLS 2048
#define A64_SMC 0xD4000003u
#define A64_SVC 0xD4000001u
#define A32_SMC 0xE1600070u
#define A32_SVC 0xEF000000u

#define SPSR_A32 0x10u
#define SPSR_EL(spsr) (((spsr) & SPSR_A32) != 0 ? ((spsr) & 0xF) != 0 : (unsigned)((spsr) >> 2) & 3u)
#define HCR_RW (UINT64_C(1) << 31)
#define SCR_RW 0x400u

#define EC(esr) ((unsigned)((esr) >> 26) & 0x3Fu)
#define EC_SVC32 0x11u
#define EC_SMC32 0x13u
#define EC_SVC 0x15u
#define EC_SMC 0x17u

extern char vectors_el2[], vectors_el1[], vectors_a32[], vectors_hyp[];

/*
 * The cells: the instruction and the SMC that comes to EL3 after it; then the same for EL0, whose SVC comes to EL1 or
 * EL2 first.
 */
static struct {
    uint32_t word, smc, word_el0, svc;
} cells[CELLS] __attribute__((aligned(16)));

void levels_unexpected(void);
void levels_unexpected(void)
{
    rt_print("not ok an exception of the image's own, ESR ");
    rt_hex(MRS("esr_el3"));
    rt_print(", at ");
    rt_hex(MRS("elr_el3"));
    rt_print("\n");
    rt_exit(1);
}

void levels_put(unsigned index, uint32_t word, bool a32)
{
    if (index >= CELLS) {
        rt_print("not ok the image has too few cells\n");
        rt_exit(1);
    }
    cells[index].word = cells[index].word_el0 = word;
    cells[index].smc = a32 ? A32_SMC : A64_SMC;
    cells[index].svc = a32 ? A32_SVC : A64_SVC;
}

void levels_ready(void)
{
    __asm__ volatile("dsb sy\n\tic iallu\n\tdsb sy\n\tisb" : : : "memory");
}

void levels_control(const struct expect_head *head, const struct expect_group *g)
{
    const bool a32_el2 = (g->scr & SCR_RW) == 0;

    MSR("scr_el3", g->scr);
    MSR("oslar_el1", g->os_lock);
    MSR("hcr_el2", g->hcr);
    MSR("hstr_el2", g->hstr);
    MSR("mdcr_el2", g->mdcr_el2);
    MSR("mdcr_el3", g->mdcr_el3);
    if (head->has_fgt) {
        MSR("s3_4_c3_c1_4", g->hdfgrtr); /* HDFGRTR_EL2, HDFGWTR_EL2 */
        MSR("s3_4_c3_c1_5", g->hdfgwtr);
    }
    if (head->has_fgt2) {
        MSR("s3_4_c3_c1_0", g->hdfgrtr2); /* HDFGRTR2_EL2, HDFGWTR2_EL2 */
        MSR("s3_4_c3_c1_1", g->hdfgwtr2);
    }
    MSR("vbar_el2", a32_el2 ? vectors_hyp : vectors_el2);
    MSR("vbar_el1", a32_el2 || (g->hcr & HCR_RW) == 0 ? vectors_a32 : vectors_el1);
}

/* Returns true if the instruction before @pc is in @vectors, of @size bytes, and its offset there in *offset. */
static bool within(uint64_t pc, const char *vectors, unsigned size, unsigned *offset)
{
    *offset = (unsigned)(pc - 4 - (uintptr_t)vectors); /* SMC's return address is the next instruction's */
    return pc - 4 >= (uintptr_t)vectors && pc - 4 < (uintptr_t)vectors + size;
}

/*
 * Returns the outcome of the instruction at @pc, after an exception with @esr and @elr: the cell's SVC means that it
 * had none.
 */
static struct levels_outcome from_vector(enum taken taken, uint64_t pc, uint64_t esr, uint64_t elr)
{
    if (elr == pc + 8 && (EC(esr) == EC_SVC || EC(esr) == EC_SVC32)) {
        return (struct levels_outcome){.taken = TAKEN_NONE, .at = pc};
    }
    return (struct levels_outcome){.taken = taken, .esr = (uint32_t)esr, .at = elr};
}

/* Returns what the instruction did, by the last exceptions of its execution. */
static struct levels_outcome find_outcome(const struct levels_execution *r)
{
    unsigned offset;

    if (within(r->elr, vectors_el1, 0x800, &offset)) {
        return from_vector(TAKEN_EL1, r->pc, MRS("esr_el1"), MRS("elr_el1"));
    }
    if (within(r->elr, vectors_el2, 0x800, &offset)) {
        return from_vector(TAKEN_EL2, r->pc, MRS("esr_el2"), MRS("elr_el2"));
    }
    if (within(r->elr, vectors_a32, 0x20, &offset)) {
        return (struct levels_outcome){
            .taken = offset == 8 ? TAKEN_NONE : offset == 4 ? TAKEN_UND : TAKEN_OTHER, .at = r->pc,
        };
    }
    if (within(r->elr, vectors_hyp, 0x20, &offset)) {
        return from_vector(offset == 0x14 ? TAKEN_HYP_TRAP : offset == 4 ? TAKEN_HYP_UND : TAKEN_OTHER, r->pc,
                           MRS("esr_el2"), MRS("elr_el2"));
    }
    if (r->elr == r->pc + 8 && (EC(r->esr) == EC_SMC || EC(r->esr) == EC_SMC32)) {
        return (struct levels_outcome){.taken = TAKEN_NONE, .at = r->pc};
    }
    return (struct levels_outcome){.taken = TAKEN_EL3, .esr = (uint32_t)r->esr, .at = r->elr};
}

struct levels_outcome levels_execute(unsigned index, uint64_t spsr, uint64_t *x3, uint64_t *x4)
{
    struct levels_execution r = {
        .pc = SPSR_EL(spsr) == 0 ? (uintptr_t)&cells[index].word_el0 : (uintptr_t)&cells[index].word,
        .spsr = spsr, .x3 = *x3, .x4 = *x4,
    };

    levels_run(&r);
    *x3 = r.x3;
    *x4 = r.x4;
    struct levels_outcome o = find_outcome(&r);

    if (o.at != r.pc) {
        o.taken = TAKEN_OTHER;
    }
    return o;
}
