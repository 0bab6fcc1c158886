/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For test_micro.sh: micro-programs that trigger one kind of event each, ROUNDS times, and few of other kinds.  FAMILY
 * names the program.  The sizes are made for a Cortex-A72: 32 KB of L1D, 48 KB of L1I, 1 MB of L2, 32 and 48 entries in
 * the TLBs, 1024 in the second one.
 */
#include <stdint.h>

#define ROUNDS 200000u

#define LINE 64u
#define PAGE 4096u

static uint8_t memory[2048 * (PAGE + LINE)] __attribute__((aligned(4096)));

/* Loads or stores at @count places, @apart bytes apart, in turn. */
static void walk_over(unsigned count, unsigned apart, int store)
{
    for (unsigned i = 0, at = 0; i < ROUNDS; i++) {
        volatile uint8_t *p = &memory[(uint64_t)at * apart];

        if (store) {
            *p = 1;
        } else {
            (void)*p;
        }
        at = at + 1 == count ? 0 : at + 1;
    }
}

/* Returns the next number of a sequence that a predictor cannot learn. */
static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void base(void)
{
    walk_over(64, LINE, 0);
}

static void l1d(void)
{
    walk_over(1024, LINE, 0);
}

static void writes(void)
{
    walk_over(1024, LINE, 1);
}

static void l2(void)
{
    walk_over(65536, LINE, 0);
}

static void dtlb(void)
{
    walk_over(64, PAGE + LINE, 0);
}

static void walks(void)
{
    walk_over(2048, PAGE + LINE, 0);
}

/* Each load waits for the one before it. */
static void chase(void)
{
    for (unsigned i = 0; i < 1024; i++) {
        *(void **)(void *)&memory[i * 577u % 1024 * LINE] = &memory[(i + 1) * 577u % 1024 * LINE];
    }
    void *volatile *p = (void *)memory;

    for (unsigned i = 0; i < ROUNDS; i++) {
        p = (void *volatile *)*p;
    }
}

static void branches(void)
{
    uint32_t state = 1;

    for (unsigned i = 0; i < ROUNDS; i++) {
        if (draw(&state) & 1) {
            __asm__ volatile("nop");
        }
    }
}

static void alternates(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (i & 1) {
            __asm__ volatile("nop");
        }
    }
}

static void indirect(void)
{
    uint32_t state = 1;
    static void *const targets[] = {&&a, &&b, &&c, &&d, &&e, &&f, &&g, &&h};

    for (unsigned i = 0; i < ROUNDS; i++) {
        goto *targets[draw(&state) & 7];
    a:  __asm__ volatile("nop");
    b:  __asm__ volatile("nop");
    c:  __asm__ volatile("nop");
    d:  __asm__ volatile("nop");
    e:  __asm__ volatile("nop");
    f:  __asm__ volatile("nop");
    g:  __asm__ volatile("nop");
    h:  __asm__ volatile("nop");
    }
}

/* A call deeper than any return stack. */
static __attribute__((noinline)) unsigned descend(unsigned depth)
{
    const unsigned below = depth == 0 ? 0 : descend(depth - 1);

    __asm__ volatile("");
    return below + 1;
}

static void returns(void)
{
    for (unsigned i = 0; i < ROUNDS; i += 200) {
        descend(199);
    }
}

/* Code: @count branches, one in each @apart bytes. */
#define STUBS(name, count, apart)                                             \
    __asm__(".pushsection .text\n.balign 4096\n.global " name "\n" name ":\n" \
            ".rept " #count " - 1\n b . + " #apart "\n .space " #apart " - 4\n .endr\n ret\n.popsection")
STUBS("lines", 2048, 64);
STUBS("pages", 64, 4160);
void lines(void);
void pages(void);

static void l1i(void)
{
    for (unsigned i = 0; i < ROUNDS; i += 2048) {
        lines();
    }
}

static void itlb(void)
{
    for (unsigned i = 0; i < ROUNDS; i += 64) {
        pages();
    }
}

void run(void)
{
    FAMILY();
    (void)base, (void)l1d, (void)writes, (void)l2, (void)dtlb, (void)walks, (void)chase, (void)branches;
    (void)alternates, (void)indirect, (void)returns, (void)l1i, (void)itlb;
}

__asm__(".global _start\n_start:\n bl run\n mov x0, #0\n mov x8, #93\n svc #0");
