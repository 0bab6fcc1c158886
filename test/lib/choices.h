/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A property is a C function over a source of choices, pick(c, bits), that answers true where it does not hold.  A file
 * of properties ends in PROPERTIES({"its name", function, rounds}, ...), and is a program for one of three engines:
 *
 *   soak    (as it is) each property on `rounds` random choices, or on all 2^bits; ARMPMU_ROUNDS ("20" is twenty times as many,
 *           "1/10" a tenth, of a walk too) and ARMPMU_SEED
 *   fuzz    (-DARMPMU_FUZZ, libFuzzer) choices are the bytes of an input, the first of which chooses the property
 *   proof   (-DARMPMU_PROOF=function, CBMC) one property on all choices at once
 */
#ifndef ARMPMU_TEST_CHOICES_H
#define ARMPMU_TEST_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct choices {
    const uint8_t *bytes; /* these first */
    size_t left;
    uint64_t random;      /* then the state of a generator; or, if it is 0, */
    uint64_t counter;     /* bits not yet handed out, and zeros after them */
    unsigned handed_out;  /* bits handed out */
};

struct property {
    const char *name;
    bool (*fails)(struct choices *);
    unsigned long rounds; /* of a soak */
    unsigned bits;        /* or: it takes so many, and a soak walks them all */
    bool sums_up;         /* says what the soak of those before has seen, and takes no choices */
};

/* What the last failure was about; a property writes it before it answers true. */
static char any_message[256];

/* In a property: without @condition the counterexample is found, and these words say why. */
#define HOLDS(condition, ...) \
    do { \
        if (!(condition)) { \
            snprintf(any_message, sizeof any_message, __VA_ARGS__); \
            return true; \
        } \
    } while (0)

/* Calls of what is under test (test/prop/operations.h counts them), but for those of spaces that are walked whole. */
static struct operations {
    uint64_t acting, asking;
} any_operations;

#ifdef ARMPMU_PROOF

uint64_t nondet_choice(void);

static inline uint64_t pick(struct choices *c, unsigned bits)
{
    (void)c;
    return bits == 64 ? nondet_choice() : nondet_choice() & ((UINT64_C(1) << bits) - 1);
}

/* Every n below @count; of a proof, any one of them, or the one that ARMPMU_PROOF_N says. */
#ifndef ARMPMU_PROOF_N
#define ARMPMU_PROOF_N pick_of(c, 256)
#endif
#define FOR_EACH(c, n, count) \
    for (unsigned n = ARMPMU_PROOF_N % (count), once_ = 1; once_ != 0; once_ = 0)

#define snprintf(...) ((void)0) /* there is nobody to read it */

/* Of a proof: any one byte. */
#define CHANGED(c, a, b) \
    for_any_byte(c, (const unsigned char *)(a), (const unsigned char *)(b), sizeof *(a))

static inline bool for_any_byte(struct choices *c, const unsigned char *a, const unsigned char *b, size_t size)
{
    const size_t i = pick(c, 16) % size;

    return a[i] != b[i];
}

#define PROPERTIES(...) \
    int main(void) \
    { \
        struct choices c = {0}; \
        __CPROVER_assert(!ARMPMU_PROOF(&c), "the property"); \
        return 0; \
    }

#else

static inline uint64_t pick(struct choices *c, unsigned bits)
{
    const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint64_t value = 0;

    c->handed_out += bits;
    if (c->left != 0) {
        for (unsigned i = 0; i < (bits + 7) / 8 && c->left != 0; i++, c->left--) {
            value |= (uint64_t)*c->bytes++ << 8 * i;
        }
        return value & mask;
    }
    if (c->random == 0) {
        value = c->counter & mask;
        c->counter = bits == 64 ? 0 : c->counter >> bits;
        return value;
    }
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return (c->random * UINT64_C(0x2545F4914F6CDD1D) >> 11 ^ c->random << 53) & mask;
}

#define FOR_EACH(c, n, count) for (unsigned n = 0; (void)(c), n < (count); n++)

/* The things that @a and @b point to differ. */
#define CHANGED(c, a, b) ((void)(c), memcmp(a, b, sizeof *(a)) != 0)

#endif

/* One of @n things, n <= 256. */
static inline unsigned pick_of(struct choices *c, unsigned n)
{
    return (unsigned)(pick(c, 16) % n);
}

/* One of two things, both often. */
static inline bool pick_bool(struct choices *c)
{
    return pick(c, 1) != 0;
}

#if defined ARMPMU_FUZZ

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The rest of the choices, where the bytes are spent, comes from a generator that nine of them seed. */
static inline int fuzz(const struct property *properties, size_t count, const uint8_t *data, size_t size)
{
    uint8_t head[9] = {0};
    struct choices c = {.random = 1};

    memcpy(head, data, size < sizeof head ? size : sizeof head);
    for (unsigned i = 1; i < sizeof head; i++) {
        c.random ^= (uint64_t)head[i] << 8 * (i - 1);
    }
    c.random += c.random == 0;
    c.bytes = data + (size < sizeof head ? size : sizeof head);
    c.left = size < sizeof head ? 0 : size - sizeof head;
    while (properties[count - 1].sums_up) {
        count--;
    }
    const struct property *property = &properties[head[0] % count];
    if (property->fails(&c)) {
        printf("not ok %s: %s\n", property->name, any_message);
        fflush(stdout);
        abort();
    }
    return 0;
}

#define PROPERTIES(...) \
    static const struct property properties[] = {__VA_ARGS__}; \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) \
    { \
        return fuzz(properties, sizeof properties / sizeof properties[0], data, size); \
    }

#elif !defined ARMPMU_PROOF

/* ARMPMU_ROUNDS: "20" is twenty times the rounds of `make check`, "1/10" a tenth. */
static inline unsigned long rounds_of(const struct property *property)
{
    const char *text = getenv("ARMPMU_ROUNDS");
    char *end;

    if (property->sums_up || text == NULL) {
        return property->sums_up ? 1 : property->rounds;
    }
    const unsigned long times = strtoul(text, &end, 10), part = *end == '/' ? strtoul(end + 1, NULL, 10) : 1;
    return property->rounds * times / (part == 0 ? 1 : part) + 1;
}

/* A walk of all choices takes each of them, or with "1/10" about a tenth: an odd stride meets all values of each bit. */
static inline uint64_t stride_of_walk(void)
{
    const char *text = getenv("ARMPMU_ROUNDS"), *slash = text != NULL ? strchr(text, '/') : NULL;

    return slash != NULL ? strtoull(slash + 1, NULL, 10) | 1 : 1;
}

static inline bool soak(const struct property *property, struct choices c)
{
    const uint64_t rounds = property->bits != 0 ? UINT64_C(1) << property->bits : rounds_of(property);
    const uint64_t stride = property->bits != 0 ? stride_of_walk() : 1;
    const struct operations before = any_operations;
    unsigned long failures = 0;
    char first[sizeof any_message] = "";

    for (uint64_t i = 0; i < rounds; i += stride) {
        if (property->bits != 0) {
            c = (struct choices){.counter = i};
        }
        bool fails = property->fails(&c);
        if (property->bits != 0 && c.handed_out != property->bits) {
            snprintf(any_message, sizeof any_message, "it takes %u bits, not %u", c.handed_out, property->bits);
            fails = true;
        }
        if (fails && failures++ == 0) {
            memcpy(first, any_message, sizeof first);
        }
    }
    any_operations = property->bits != 0 ? before : any_operations;
    if (failures != 0) {
        printf("not ok %s: %lu failures; the first: %s\n", property->name, failures, first);
    } else {
        printf("ok %s\n", property->name);
    }
    return failures == 0;
}

#define PROPERTIES(...) \
    static const struct property properties[] = {__VA_ARGS__}; \
    int main(void) \
    { \
        const char *seed = getenv("ARMPMU_SEED"); \
        const struct choices c = {.random = (seed != NULL ? strtoull(seed, NULL, 0) : 0) * 2 + UINT64_C(88172645463325253)}; \
        bool good = true; \
        for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) { \
            good &= soak(&properties[i], c); \
        } \
        printf("# %llu calls that act, %llu that ask\n", (unsigned long long)any_operations.acting, \
               (unsigned long long)any_operations.asking); \
        return good ? 0 : 1; \
    }

#endif
#endif
