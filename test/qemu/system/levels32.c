/* SPDX-License-Identifier: BSD-2-Clause */
/* levels.h for a PE whose EL3 uses AArch32.  Everything is done from Monitor mode. */
#include "levels.h"

#include "../../hardware/bare/rt.h"

#define CELLS 2048
#define A32_SMC 0xE1600070u
#define A32_SVC 0xEF000000u
#define MODE(spsr) ((spsr) & 0x1Fu)
#define MODE_USR 0x10u
#define SCR_NS 1u

#define EC(hsr) ((hsr) >> 26)
#define EC_SVC32 0x11u

#define VECTOR_UND 0x04u
#define VECTOR_SVC 0x08u
#define VECTOR_HYP 0x14u

#define MCR(name, value) __asm__ volatile("mcr " name "\n\tisb" : : "r"((uint32_t)(value)) : "memory")
/* Reads a System register: MRC(SCR) becomes an MRC p15, 0, <Rt>, c1, c1, 0, and gives its value. */
#define MRC(name) \
    __extension__({ \
        uint32_t value_; \
        __asm__ volatile("mrc " name : "=r"(value_)); \
        value_; \
    })
#define SCR "p15, 0, %0, c1, c1, 0"
#define VBAR "p15, 0, %0, c12, c0, 0"
#define HCR "p15, 4, %0, c1, c1, 0"
#define HDCR "p15, 4, %0, c1, c1, 1"
#define HSTR "p15, 4, %0, c1, c1, 3"
#define HSR "p15, 4, %0, c5, c2, 0"
#define HVBAR "p15, 4, %0, c12, c0, 0"

extern char vectors_a32[], vectors_hyp[];

/*
 * The cells: the instruction and the SMC that comes to Monitor mode after it; then the same for User mode, whose SVC
 * comes elsewhere first.
 */
static struct {
    uint32_t word, smc, word_usr, svc;
} cells[CELLS] __attribute__((aligned(16)));

void levels_unexpected(void);
void levels_unexpected(void)
{
    rt_print("not ok an exception of the image's own\n");
    rt_exit(1);
}

void levels_put(unsigned index, uint32_t word, bool a32)
{
    if (index >= CELLS || !a32) {
        rt_print("not ok the image has too few cells, or none of this state\n");
        rt_exit(1);
    }
    cells[index].word = cells[index].word_usr = word;
    cells[index].smc = A32_SMC;
    cells[index].svc = A32_SVC;
}

void levels_ready(void)
{
    __asm__ volatile("dsb\n\tmcr p15, 0, %0, c7, c5, 0\n\tdsb\n\tisb" : : "r"(0) : "memory");
}

void levels_control(const struct expect_head *head, const struct expect_group *g)
{
    (void)head;
    MCR(SCR, g->scr | SCR_NS); /* selects the Non-secure copies of banked registers, and gives access to Hyp mode's */
    MCR(HCR, g->hcr);
    MCR(HSTR, g->hstr);
    MCR(HDCR, g->mdcr_el2);
    MCR(HVBAR, (uintptr_t)vectors_hyp);
    MCR(VBAR, (uintptr_t)vectors_a32);
    MCR(SCR, g->scr & ~(uint64_t)SCR_NS);
    MCR(VBAR, (uintptr_t)vectors_a32);
    MCR(SCR, g->scr);
}

/* Returns HSR, which Monitor mode accesses while SCR.NS is 1. */
static uint32_t syndrome(void)
{
    const uint32_t scr = MRC(SCR);

    MCR(SCR, scr | SCR_NS);
    const uint32_t hsr = MRC(HSR);

    MCR(SCR, scr);
    return hsr;
}

/* Returns true if the instruction before @pc is in @vectors, of 32 bytes, and its offset there in *offset. */
static bool within(uint32_t pc, const char *vectors, uint32_t *offset)
{
    *offset = pc - 4 - (uint32_t)(uintptr_t)vectors; /* SMC's return address is the next instruction's */
    return *offset < 0x20;
}

/*
 * Returns the outcome after an exception to Hyp mode: the cell's SVC, which HCR.TGE routes there, means that there
 * was none.
 */
static struct levels_outcome from_hyp(const struct levels_execution *r, uint32_t offset)
{
    const uint32_t hsr = syndrome();

    if (offset == VECTOR_HYP && EC(hsr) == EC_SVC32 && r->elr_hyp == r->pc + 8) {
        return (struct levels_outcome){.taken = TAKEN_NONE, .at = r->pc};
    }
    return (struct levels_outcome){
        .taken = offset == VECTOR_HYP ? TAKEN_HYP_TRAP : offset == VECTOR_UND ? TAKEN_HYP_UND : TAKEN_OTHER,
        .esr = hsr, .at = r->elr_hyp,
    };
}

/* Returns what the instruction did, by the last exceptions of its execution. */
static struct levels_outcome find_outcome(const struct levels_execution *r)
{
    uint32_t offset;

    if (within((uint32_t)r->elr, vectors_a32, &offset)) {
        return (struct levels_outcome){
            .taken = offset == VECTOR_SVC ? TAKEN_NONE : offset == VECTOR_UND ? TAKEN_UND : TAKEN_OTHER,
            .at = offset == VECTOR_SVC ? r->lr_svc - 8 : r->lr_und - 4,
        };
    }
    if (within((uint32_t)r->elr, vectors_hyp, &offset)) {
        return from_hyp(r, offset);
    }
    return (struct levels_outcome){.taken = TAKEN_NONE, .at = r->elr - 8};
}

struct levels_outcome levels_execute(unsigned index, uint64_t spsr, uint64_t *x3, uint64_t *x4)
{
    struct levels_execution r = {
        .pc = MODE(spsr) == MODE_USR ? (uintptr_t)&cells[index].word_usr : (uintptr_t)&cells[index].word,
        .spsr = spsr, .x3 = *x3, .x4 = *x4,
    };
    const uint32_t scr = MRC(SCR);

    levels_run(&r);
    MCR(SCR, scr); /* an exception from Monitor mode clears SCR.NS */
    *x3 = r.x3;
    *x4 = r.x4;
    struct levels_outcome o = find_outcome(&r);

    if (o.at != r.pc) {
        o.taken = TAKEN_OTHER;
    }
    return o;
}
