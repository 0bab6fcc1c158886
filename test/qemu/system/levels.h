/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executes single instructions at any place, from EL3, and finds what they read and where their exceptions are taken.
 */
#ifndef ARMPMU_TEST_QEMU_LEVELS_H
#define ARMPMU_TEST_QEMU_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../hardware/bare/rt.h"
#include "conform.h"

/* Read and write a System register: MRS("esr_el3") becomes an MRS <Xt>, esr_el3, and gives its value. */
#define MRS(name) \
    __extension__({ \
        uint64_t value_; \
        __asm__ volatile("mrs %0, " name : "=r"(value_)); \
        value_; \
    })
#define MSR(name, value) __asm__ volatile("msr " name ", %0\n\tisb" : : "r"((uint64_t)(value)) : "memory")

/* One execution of an instruction.  start.S and start32.S use the members by their offsets. */
struct levels_execution {
    uint64_t pc, spsr;
    uint64_t x3, x4;    /* before the execution, and after it */
#ifdef __aarch64__
    uint64_t elr, esr;  /* of the exception that came to EL3 */
#else
    uint64_t elr;       /* of the exception that came to Monitor mode */
    uint32_t lr_svc, lr_und, elr_hyp; /* of an exception before it */
#endif
};

/* What an execution did: the result of levels_execute(). */
struct levels_outcome {
    enum taken taken;
    uint32_t esr;
    uint64_t at; /* the address of the instruction that raised the exception */
};

/* Executes at r->pc in the state r->spsr until an exception comes to EL3, which in AArch32 state is Monitor mode. */
void levels_run(struct levels_execution *r);

/* Writes the instruction @word and those that follow it to cell @index; ends the image if there is no such cell. */
void levels_put(unsigned index, uint32_t word, bool a32);
/* Makes the written cells visible to instruction fetches.  Call it before levels_execute(). */
void levels_ready(void);

/* Writes all cells of the expectations; ends the image if they are not loaded. */
static inline void levels_load(const struct expect_head *head)
{
    const struct expect_cell *cells = (const void *)(head + 1);

    if (head->magic != EXPECT_MAGIC) {
        rt_print("not ok the expectations are not loaded\n");
        rt_exit(1);
    }
    for (uint32_t i = 0; i < head->cells; i++) {
        levels_put(i, cells[i].word, cells[i].a32);
    }
    levels_ready();
}

/* Sets the controls of the PE to those of @g, and the vectors of both Execution states. */
void levels_control(const struct expect_head *head, const struct expect_group *g);

/* Executes cell @index in the state @spsr.  *x3 and *x4 are the registers before it, and are set to those after it. */
struct levels_outcome levels_execute(unsigned index, uint64_t spsr, uint64_t *x3, uint64_t *x4);

/* The function that a second CPU calls, at EL3, once it is not NULL. */
extern void (*volatile levels_second)(void);

/* The SPSR value of the image's own state. */
#ifdef __aarch64__
#define LEVELS_HIGHEST 0x3CDu /* EL3 */
#else
#define LEVELS_HIGHEST 0x1D6u /* Monitor mode */
#endif

#endif
