/* SPDX-License-Identifier: BSD-2-Clause */
/* Single instructions at any place, from EL3: what they give, and where their exceptions are taken. */
#ifndef ARMPMU_TEST_QEMU_LEVELS_H
#define ARMPMU_TEST_QEMU_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../hardware/bare/rt.h"
#include "conform.h"

#define MRS(name) \
    __extension__({ \
        uint64_t value_; \
        __asm__ volatile("mrs %0, " name : "=r"(value_)); \
        value_; \
    })
#define MSR(name, value) __asm__ volatile("msr " name ", %0\n\tisb" : : "r"((uint64_t)(value)) : "memory")

/* One execution; start.S and start32.S know the order. */
struct run {
    uint64_t pc, spsr;
    uint64_t x3, x4;    /* before, and after */
#ifdef __aarch64__
    uint64_t elr, esr;  /* of the exception that came to EL3 */
#else
    uint64_t elr;       /* of the one that came to Monitor mode */
    uint32_t lr_svc, lr_und, elr_hyp; /* of one before it */
#endif
};

/* What became of it. */
struct outcome {
    enum taken taken;
    uint32_t esr;
    uint64_t at; /* where it was taken from */
};

/* Executes at r->pc in the state r->spsr until an exception comes to EL3, which may be Monitor mode. */
void levels_run(struct run *r);

/* Writes the cell of @word to place @index. */
void levels_put(unsigned index, uint32_t word, bool a32);
/* Once all are written. */
void levels_ready(void);

/* Writes all of the expectations; ends the run if these are not there. */
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

/* The controls of the PE and the vectors of both Execution states, for what @g says. */
void levels_control(const struct expect_head *head, const struct expect_group *g);

/* Executes cell @index in the state @spsr with x3 and x4, which become what it read. */
struct outcome levels_execute(unsigned index, uint64_t spsr, uint64_t *x3, uint64_t *x4);

/* What a second CPU calls, at EL3, once it is set. */
extern void (*volatile levels_second)(void);

/* The state of the image itself. */
#ifdef __aarch64__
#define LEVELS_HIGHEST 0x3CDu /* EL3 */
#else
#define LEVELS_HIGHEST 0x1D6u /* Monitor mode */
#endif

#endif
