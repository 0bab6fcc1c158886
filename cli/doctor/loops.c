/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loops of loops.def.  Each is one asm statement, so the compiler adds nothing to an iteration, and it has the same
 * instructions in A64 and in A32.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loops.h"

const struct doctor_loop_info doctor_loops[DOCTOR_LOOPS] = {
#define HAS(content, number) [DOCTOR_HAS_##content] = (number),
#define DOCTOR_LOOP(id, iterations, text, ...) {#id, text, iterations, {__VA_ARGS__}},
#include "loops.def"
#undef HAS
};

const char *const doctor_content_texts[DOCTOR_CONTENTS] = {
#define DOCTOR_CONTENT(id, text) text,
#include "loops.def"
};

/* ---------------------------------------------------------------------------------------------------------------
 * The memory in which the loops work.
 */

enum {
    NODE = 128,              /* bytes between two pointers that are followed: no two in one cache line */
    NEAR_SIZE = 4096,
    FAR_SIZE = 16 << 20,
    RANDOM_SEED = 0x2545F491,
};

/* Returns the next number of a sequence that looks random (xorshift); @x is not 0. */
static uint32_t next_random(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

/*
 * Writes a pointer to the next node to each node of @memory, so that they are one ring in random order: each node is
 * exchanged with an earlier one, which makes one cycle of all (Sattolo).
 */
static void link_ring(unsigned char *memory, size_t size)
{
    const size_t count = size / NODE;
    uint32_t random = RANDOM_SEED;

    for (size_t i = 0; i < count; i++) {
        *(void **)(void *)(memory + i * NODE) = memory + i * NODE;
    }
    for (size_t i = count - 1; i > 0; i--) {
        random = next_random(random);
        void **const a = (void **)(void *)(memory + i * NODE);
        void **const b = (void **)(void *)(memory + random % i * NODE);
        void *const next = *a;

        *a = *b;
        *b = next;
    }
}

/* Maps @size bytes that the kernel gives in pages of the smallest size.  Returns NULL if there is no memory. */
static void *map_pages(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        return NULL;
    }
    (void)madvise(memory, size, MADV_NOHUGEPAGE);
    return memory;
}

bool doctor_arena_open(struct doctor_arena *arena)
{
    arena->page = (size_t)sysconf(_SC_PAGESIZE);
    arena->fresh_size = 2u * doctor_loops[DOCTOR_RUN_FAULT].iterations * arena->page;
    arena->line = map_pages(NEAR_SIZE);
    arena->ring = map_pages(NEAR_SIZE);
    arena->far_ring = map_pages(FAR_SIZE);
    arena->fresh = map_pages(arena->fresh_size);
    arena->random = RANDOM_SEED;
    if (arena->line == NULL || arena->ring == NULL || arena->far_ring == NULL || arena->fresh == NULL) {
        doctor_arena_close(arena);
        return false;
    }
    memset(arena->line, 0, NEAR_SIZE);
    link_ring(arena->ring, NEAR_SIZE);
    link_ring(arena->far_ring, FAR_SIZE);
    arena->at = arena->ring;
    arena->far_at = arena->far_ring;
    return true;
}

/* Unmaps @size bytes at @memory, if there are any. */
static void unmap_pages(void *memory, size_t size)
{
    if (memory != NULL) {
        munmap(memory, size);
    }
}

void doctor_arena_close(struct doctor_arena *arena)
{
    unmap_pages(arena->line, NEAR_SIZE);
    unmap_pages(arena->ring, NEAR_SIZE);
    unmap_pages(arena->far_ring, FAR_SIZE);
    unmap_pages(arena->fresh, arena->fresh_size);
    *arena = (struct doctor_arena){.page = 0};
}

/* ---------------------------------------------------------------------------------------------------------------
 * The loops.
 */

static void loop_SYSCALL(struct doctor_arena *arena, unsigned long n)
{
    (void)arena;
    for (unsigned long i = 0; i < n; i++) {
        (void)syscall(SYS_getppid);
    }
}

static void loop_FAULT(struct doctor_arena *arena, unsigned long n)
{
    volatile unsigned char *const fresh = arena->fresh;

    (void)madvise(arena->fresh, arena->fresh_size, MADV_DONTNEED);
    for (unsigned long i = 0; i < n; i++) {
        fresh[i * arena->page] = 1;
    }
}

#if defined __aarch64__
#define IS_ARM 1
#define ARM_CODE
#define A64_OR_A32(a64, a32) a64
#elif defined __arm__ && defined __ARM_FP && __ARM_ARCH >= 7 /* with DMB, and floating point */
#define IS_ARM 1
#define ARM_CODE __attribute__((target("arm")))
#define A64_OR_A32(a64, a32) a32
#else
#define IS_ARM 0
#endif

#if IS_ARM

/* Repeats an instruction: FOUR("nop") is "nop\n nop\n nop\n nop\n". */
#define FOUR(instruction) instruction "\n" instruction "\n" instruction "\n" instruction "\n"
/* Ends a loop that begins at label 1, of which %0 is the number of iterations that are left. */
#define AGAIN "subs %0, %0, #1\n bne 1b\n"

ARM_CODE static void loop_ADD(struct doctor_arena *arena, unsigned long n)
{
    unsigned long sum = 0;

    (void)arena;
    __asm__ volatile("1:\n"
                     FOUR("add %1, %1, %2") FOUR("add %1, %1, %2") FOUR("add %1, %1, %2") FOUR("add %1, %1, %2")
                     AGAIN
                     : "+r"(n), "+r"(sum) : "r"(n) : "cc");
}

/*
 * The hints are landing pads for indirect branches in memory that FEAT_BTI guards: BTI c where calls arrive, and BTI j.
 * In A32 they are hints, too.
 */
ARM_CODE static void loop_BRANCH(struct doctor_arena *arena, unsigned long n)
{
    (void)arena;
#if defined __aarch64__
    __asm__ volatile("b 8f\n"
                     "7: hint #34\n ret\n"
                     "8: adr x9, 7b\n adr x10, 6f\n"
                     "1: cmp %0, %0\n bne 9f\n bne 9f\n b 2f\n"
                     "2: b 3f\n"
                     "3: beq 4f\n"
                     "4: bl 7b\n blr x9\n br x10\n"
                     "6: hint #36\n"
                     AGAIN
                     "9:\n"
                     : "+r"(n) : : "cc", "x9", "x10", "x30");
#else
    __asm__ volatile("b 8f\n"
                     "7: nop\n bx lr\n"
                     "8: adr r8, 7b\n adr r10, 6f\n"
                     "1: cmp %0, %0\n bne 9f\n bne 9f\n b 2f\n"
                     "2: b 3f\n"
                     "3: beq 4f\n"
                     "4: bl 7b\n blx r8\n bx r10\n"
                     "6: nop\n"
                     AGAIN
                     "9:\n"
                     : "+r"(n) : : "cc", "r8", "r10", "lr");
#endif
}

ARM_CODE static void loop_LOAD(struct doctor_arena *arena, unsigned long n)
{
    unsigned long value;

    __asm__ volatile("1:\n" FOUR("ldr %1, [%2]") FOUR("ldr %1, [%2, #16]") AGAIN
                     : "+r"(n), "=&r"(value) : "r"(arena->line) : "cc", "memory");
}

ARM_CODE static void loop_STORE(struct doctor_arena *arena, unsigned long n)
{
    __asm__ volatile("1:\n" FOUR("str %1, [%1]") FOUR("str %1, [%1, #16]") AGAIN
                     : "+r"(n) : "r"(arena->line) : "cc", "memory");
}

ARM_CODE static void loop_MISALIGNED(struct doctor_arena *arena, unsigned long n)
{
    unsigned long value;

    __asm__ volatile("1:\n" FOUR("ldr %1, [%2]") FOUR("str %1, [%2, #16]") AGAIN
                     : "+r"(n), "=&r"(value) : "r"(arena->line + 1) : "cc", "memory");
}

/* Follows 8 pointers in each iteration, from @at on.  Returns where it ends. */
ARM_CODE static void *chase(void *at, unsigned long n)
{
    __asm__ volatile("1:\n" FOUR("ldr %1, [%1]") FOUR("ldr %1, [%1]") AGAIN : "+r"(n), "+r"(at) : : "cc", "memory");
    return at;
}

static void loop_NEAR(struct doctor_arena *arena, unsigned long n)
{
    arena->at = chase(arena->at, n);
}

static void loop_FAR(struct doctor_arena *arena, unsigned long n)
{
    arena->far_at = chase(arena->far_at, n);
}

/* Branches by the bits @mask of a sequence that looks random.  Both ways have as many instructions. */
ARM_CODE static void guess(struct doctor_arena *arena, unsigned long n, unsigned long mask)
{
    unsigned long random = arena->random, bit, sum = 0;

    __asm__ volatile("1: eor %1, %1, %1, lsl #13\n"
                     A64_OR_A32("eor %1, %1, %1, lsr #7\n eor %1, %1, %1, lsl #17\n",
                                "eor %1, %1, %1, lsr #17\n eor %1, %1, %1, lsl #5\n")
                     "ands %2, %1, %4\n beq 2f\n"
                     "add %3, %3, %1\n b 3f\n"
                     "2: add %3, %3, #1\n b 3f\n"
                     "3:\n"
                     AGAIN
                     : "+r"(n), "+r"(random), "=&r"(bit), "+r"(sum) : "r"(mask) : "cc");
    arena->random = random;
}

static void loop_KNOWN(struct doctor_arena *arena, unsigned long n)
{
    guess(arena, n, 0);
}

static void loop_RANDOM(struct doctor_arena *arena, unsigned long n)
{
    guess(arena, n, 1);
}

ARM_CODE static void loop_FLOAT(struct doctor_arena *arena, unsigned long n)
{
    (void)arena;
#if defined __aarch64__
    __asm__ volatile("1:\n" FOUR("fadd d0, d0, d1") FOUR("fadd d2, d2, d3") AGAIN
                     : "+r"(n) : : "cc", "v0", "v1", "v2", "v3");
#else
    __asm__ volatile("1:\n" FOUR("vadd.f64 d0, d0, d1") FOUR("vadd.f64 d2, d2, d3") AGAIN
                     : "+r"(n) : : "cc", "d0", "d1", "d2", "d3");
#endif
}

ARM_CODE static void loop_BARRIER(struct doctor_arena *arena, unsigned long n)
{
    (void)arena;
    __asm__ volatile("1: dmb ish\n dsb ish\n isb\n" AGAIN : "+r"(n) : : "cc", "memory");
}

ARM_CODE static void loop_EXCLUSIVE(struct doctor_arena *arena, unsigned long n)
{
    unsigned long value, status;

    __asm__ volatile("1:\n"
                     A64_OR_A32("ldxr %1, [%3]\n stxr %w2, %1, [%3]\n", "ldrex %1, [%3]\n strex %2, %1, [%3]\n")
                     AGAIN
                     : "+r"(n), "=&r"(value), "=&r"(status) : "r"(arena->line) : "cc", "memory");
}

#if defined __aarch64__

static void loop_VECTOR(struct doctor_arena *arena, unsigned long n)
{
    (void)arena;
    __asm__ volatile("1:\n" FOUR("add v0.4s, v0.4s, v1.4s") FOUR("add v2.4s, v2.4s, v3.4s") AGAIN
                     : "+r"(n) : : "cc", "v0", "v1", "v2", "v3");
}

static void loop_RELEASE(struct doctor_arena *arena, unsigned long n)
{
    unsigned long value;

    __asm__ volatile("1: ldar %1, [%2]\n stlr %1, [%2]\n" AGAIN
                     : "+r"(n), "=&r"(value) : "r"(arena->line) : "cc", "memory");
}

#endif

typedef void doctor_loop_function(struct doctor_arena *arena, unsigned long n);

/* The functions; NULL: AArch32 need not have the instructions. */
static doctor_loop_function *const functions[DOCTOR_LOOPS] = {
    [DOCTOR_RUN_ADD] = loop_ADD, [DOCTOR_RUN_BRANCH] = loop_BRANCH, [DOCTOR_RUN_LOAD] = loop_LOAD,
    [DOCTOR_RUN_STORE] = loop_STORE, [DOCTOR_RUN_MISALIGNED] = loop_MISALIGNED, [DOCTOR_RUN_NEAR] = loop_NEAR,
    [DOCTOR_RUN_FAR] = loop_FAR,
    [DOCTOR_RUN_KNOWN] = loop_KNOWN, [DOCTOR_RUN_RANDOM] = loop_RANDOM, [DOCTOR_RUN_FLOAT] = loop_FLOAT,
    [DOCTOR_RUN_BARRIER] = loop_BARRIER, [DOCTOR_RUN_EXCLUSIVE] = loop_EXCLUSIVE, [DOCTOR_RUN_SYSCALL] = loop_SYSCALL,
    [DOCTOR_RUN_FAULT] = loop_FAULT,
#if defined __aarch64__
    [DOCTOR_RUN_VECTOR] = loop_VECTOR, [DOCTOR_RUN_RELEASE] = loop_RELEASE,
#endif
};

bool doctor_loop_exists(enum doctor_loop loop)
{
    return functions[loop] != NULL;
}

void doctor_loop_run(enum doctor_loop loop, struct doctor_arena *arena, unsigned long n)
{
    functions[loop](arena, n);
}

#else

bool doctor_loop_exists(enum doctor_loop loop)
{
    return loop == DOCTOR_RUN_SYSCALL || loop == DOCTOR_RUN_FAULT;
}

void doctor_loop_run(enum doctor_loop loop, struct doctor_arena *arena, unsigned long n)
{
    (loop == DOCTOR_RUN_SYSCALL ? loop_SYSCALL : loop_FAULT)(arena, n);
}

#endif
