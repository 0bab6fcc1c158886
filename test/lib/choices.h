/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Properties.  A property is a C function over a source of choices, pick(c, bits), that returns true if the property
 * does not hold.  A file of properties ends in PROPERTIES({"its name", function, .rounds = 1000}, ...).  It becomes one
 * of three programs:
 *
 *   soak    (the default) runs each property on `rounds` random choices, or on all 2^bits choices.  ARMPMU_ROUNDS
 *           scales this number: "20" is twenty times, "1/10" a tenth, also of an exhaustive run.  ARMPMU_SEED sets the
 *           seed.
 *   fuzz    (-DARMPMU_FUZZ, libFuzzer) takes the choices from the bytes of an input; the first byte selects the
 *           property.
 *   proof   (-DARMPMU_PROOF=function, CBMC) proves one property for all choices.
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
    const uint8_t *bytes; /* the first choices, of an input of libFuzzer */
    size_t left;          /* the number of these bytes */
    uint64_t random;      /* the state of the generator of further choices; 0: they come from .counter */
    uint64_t counter;     /* the choices of an exhaustive run, the first in the low bits; zeros follow */
    unsigned handed_out;  /* number of bits handed out */
};

struct property {
    const char *name;
    bool (*fails)(struct choices *);
    unsigned long rounds; /* of a soak */
    unsigned bits;        /* if not 0: the property takes this many bits, and a soak tries all values */
    bool sums_up;         /* judges what the properties before it have met, in one round without choices */
};

/* Describes the last failure.  A property writes it before it returns true. */
static char any_message[256];

/* HOLDS(a == b, "%d", a) makes a property return true, with this message, if the condition is false. */
#define HOLDS(condition, ...) \
    do { \
        if (!(condition)) { \
            snprintf(any_message, sizeof any_message, __VA_ARGS__); \
            return true; \
        } \
    } while (0)

/* Counts the calls of the tested code (test/model/prop/operations.h), except in exhaustive properties. */
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

/* Loops over every n below @count.  In a proof, n is arbitrary, or ARMPMU_PROOF_N. */
#ifndef ARMPMU_PROOF_N
#define ARMPMU_PROOF_N pick_of(c, 256)
#endif
#define FOR_EACH(c, n, count) \
    for (unsigned n = ARMPMU_PROOF_N % (count), once_ = 1; once_ != 0; once_ = 0)

#define snprintf(...) ((void)0) /* messages are not needed in a proof */

/* In a proof: compares one arbitrary byte. */
#define CHANGED(c, a, b) \
    for_any_byte(c, (const unsigned char *)(a), (const unsigned char *)(b), sizeof *(a))

static inline bool for_any_byte(struct choices *c, const unsigned char *a, const unsigned char *b, size_t size)
{
    const size_t i = pick(c, 16) % size;

    return a[i] != b[i];
}

/* Defines main(): PROPERTIES({"sums", sums_differ}) has CBMC prove the property that ARMPMU_PROOF names. */
#define PROPERTIES(...) \
    int main(void) \
    { \
        struct choices c = {0}; \
        __CPROVER_assert(!ARMPMU_PROOF(&c), "the property"); \
        return 0; \
    }

#else

/* Returns the next choice: a number of @bits bits, 1..64. */
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

/* Returns whether the objects that @a and @b point to differ. */
#define CHANGED(c, a, b) ((void)(c), memcmp(a, b, sizeof *(a)) != 0)

#endif

/* Returns a number below @n, where n <= 256. */
static inline unsigned pick_of(struct choices *c, unsigned n)
{
    return (unsigned)(pick(c, 16) % n);
}

/* Returns true or false, both often. */
static inline bool pick_bool(struct choices *c)
{
    return pick(c, 1) != 0;
}

#if defined ARMPMU_FUZZ

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* When the bytes of the input are used up, further choices come from a generator that bytes 1 to 8 seed. */
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

/* Defines libFuzzer's entry: PROPERTIES({"sums", sums_differ}) drives the properties by its inputs. */
#define PROPERTIES(...) \
    static const struct property properties[] = {__VA_ARGS__}; \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) \
    { \
        return fuzz(properties, sizeof properties / sizeof properties[0], data, size); \
    }

#elif !defined ARMPMU_PROOF

/* Returns the number of rounds.  ARMPMU_ROUNDS "20" is twenty times the rounds of `make check`, "1/10" a tenth. */
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

/* Returns the stride of an exhaustive run: 1, or with "1/10" about 10.  An odd stride meets both values of each bit. */
static inline uint64_t stride_of_walk(void)
{
    const char *text = getenv("ARMPMU_ROUNDS"), *slash = text != NULL ? strchr(text, '/') : NULL;

    return slash != NULL ? strtoull(slash + 1, NULL, 10) | 1 : 1;
}

/* Runs a property and prints "ok" or "not ok".  Returns true if it held in all rounds. */
static inline bool soak(const struct property *property, struct choices c)
{
    const uint64_t rounds = property->bits != 0 ? UINT64_C(1) << property->bits : rounds_of(property);
    const uint64_t stride = property->bits != 0 ? stride_of_walk() : 1;
    const struct operations before = any_operations;
    unsigned long failures = 0;
    char first[sizeof any_message] = "";

    if (rounds == 0) {
        printf("not ok %s: it has neither .rounds nor .bits\n", property->name);
        return false;
    }
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

/* Defines main(): PROPERTIES({"sums", sums_differ}) tries the properties on random choices. */
#define PROPERTIES(...) \
    static const struct property properties[] = {__VA_ARGS__}; \
    int main(void) \
    { \
        const char *seed = getenv("ARMPMU_SEED"); \
        const uint64_t number = seed != NULL ? strtoull(seed, NULL, 0) : 0; \
        const struct choices c = {.random = number * 2 + UINT64_C(88172645463325253)}; \
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
