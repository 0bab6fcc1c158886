/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes with values of which some bits are known. */
#include "internal.h"

struct code_value code_known(uint64_t bits)
{
    return (struct code_value){.known = UINT64_MAX, .bits = bits};
}

struct code_value code_unknown(void)
{
    return (struct code_value){.known = 0};
}

struct code_value code_not(struct code_value a)
{
    a.bits = ~a.bits & a.known;
    a.kept = 0;
    a.changed = a.read != 0;
    a.whose = 0;
    a.count = false;
    return a;
}

struct code_value code_cut(struct code_value a, unsigned width)
{
    if (width == 32 || width == 16 || width == 8) {
        const uint64_t mask = (UINT64_C(1) << width) - 1;

        a.bits &= mask;
        a.kept &= mask;
        a.known |= ~mask;
        a.width = (uint8_t)width;
    }
    return a;
}

/* Returns how many low bits of both are known. */
static unsigned low_known(uint64_t known)
{
    unsigned n = 0;

    while (n < 64 && (known >> n & 1) != 0) {
        n++;
    }
    return n;
}

static struct code_value operate_low(struct code_value r, uint64_t known, uint64_t bits)
{
    const unsigned n = low_known(known);

    r.known = n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    r.bits = bits & r.known;
    return r;
}

/* Returns the largest number that @v may be. */
static uint64_t most(const struct code_value *v)
{
    return v->bits | ~v->known;
}

/* Returns @r with those of its upper bits known that are 0 in each number up to @most. */
static struct code_value bounded(struct code_value r, uint64_t most)
{
    uint64_t mask = most;

    for (unsigned n = 1; n < 64; n *= 2) {
        mask |= mask >> n;
    }
    r.known |= ~mask;
    return r;
}

/* Adds, or multiplies if @times. */
static struct code_value add(struct code_value r, const struct code_value *a, const struct code_value *b, bool times)
{
    const uint64_t x = most(a), y = most(b), small = UINT32_MAX;

    r = operate_low(r, a->known & b->known, times ? a->bits * b->bits : a->bits + b->bits);
    return x <= small && y <= small ? bounded(r, times ? x * y : x + y) : r;
}

/* Subtracts.  A field of a register, such as N of PMCR, is taken to be no less than a constant that is subtracted. */
static struct code_value subtract(struct code_value r, const struct code_value *a, const struct code_value *b)
{
    r = operate_low(r, a->known & b->known, a->bits - b->bits);
    return code_is_known(b) && most(a) <= 0xFF && b->bits <= most(a) ? bounded(r, most(a) - b->bits) : r;
}

/* Returns the bits of @a & @b or @a | @b that are as the read of @r has read them: @ones are those that keep a bit. */
static uint64_t kept(const struct code_value *r, const struct code_value *a, const struct code_value *b, bool ones)
{
    const uint64_t by_a = a->known & (ones ? a->bits : ~a->bits), by_b = b->known & (ones ? b->bits : ~b->bits);

    return (a->read == r->read ? a->kept & by_b : 0) | (b->read == r->read ? b->kept & by_a : 0);
}

static struct code_value shift(unsigned operator, struct code_value r, struct code_value a, struct code_value b)
{
    const bool left = (operator& 0xFF) == '<';

    if (!code_is_known(&b) || b.bits >= 64) {
        r.known = r.bits = 0;
        return r;
    }
    if (left) {
        r.known = a.known << b.bits | ((UINT64_C(1) << b.bits) - 1);
        r.bits = a.bits << b.bits;
    } else {
        r.known = a.known >> b.bits | ~(UINT64_MAX >> b.bits);
        r.bits = a.bits >> b.bits;
    }
    return r;
}

/* Returns 1 or 0 for a comparison of two known values, or unknown. */
static struct code_value compare(unsigned operator, struct code_value a, struct code_value b)
{
    struct code_value r = code_unknown();
    bool is = false;

    if (!code_is_known(&a) || !code_is_known(&b)) {
        r.read = a.read != 0 ? a.read : b.read;
        r.changed = true;
        return r;
    }
    if (a.width == 32 && b.width != 64) { /* int */
        a.bits = (uint64_t)(int64_t)(int32_t)(uint32_t)a.bits;
    }
    if (b.width == 32 && a.width != 64) {
        b.bits = (uint64_t)(int64_t)(int32_t)(uint32_t)b.bits;
    }
    switch (operator) {
    case '<':
        is = (int64_t)a.bits < (int64_t)b.bits;
        break;
    case '>':
        is = (int64_t)a.bits > (int64_t)b.bits;
        break;
    case CODE_MARK2('<', '='):
        is = (int64_t)a.bits <= (int64_t)b.bits;
        break;
    case CODE_MARK2('>', '='):
        is = (int64_t)a.bits >= (int64_t)b.bits;
        break;
    case CODE_MARK2('=', '='):
        is = a.bits == b.bits;
        break;
    case CODE_MARK2('!', '='):
        is = a.bits != b.bits;
        break;
    case CODE_MARK2('&', '&'):
        is = a.bits != 0 && b.bits != 0;
        break;
    default:
        is = a.bits != 0 || b.bits != 0;
        break;
    }
    return code_known(is);
}

static struct code_value divide(unsigned operator, struct code_value r, struct code_value a, struct code_value b)
{
    if (!code_is_known(&a) || !code_is_known(&b) || b.bits == 0) {
        r.known = r.bits = 0;
        return r;
    }
    r.known = UINT64_MAX;
    r.bits = operator== '%' ? a.bits % b.bits : a.bits / b.bits;
    return r;
}

/* Returns the part of @v that is an offset: what was added to a base that is not known. */
static unsigned offset_of(const struct code_value *v)
{
    return code_is_known(v) ? (unsigned)(v->bits & 0xFFF) : v->offset;
}

/* Returns the offset of @a + @b, of which one is a base that is not known; 0: there is none. */
static uint16_t add_offset(const struct code_value *a, const struct code_value *b)
{
    return low_known(a->known & b->known) >= 12 ? 0 : (uint16_t)((offset_of(a) + offset_of(b)) & 0xFFF);
}

struct code_value code_operate(unsigned operator, struct code_value a, struct code_value b)
{
    struct code_value r = {.width = a.width > b.width ? a.width : b.width};

    r.read = a.read != 0 ? a.read : b.read;
    r.changed = r.read != 0;
    r.vague = a.vague || b.vague || (a.read == 0 && !code_is_known(&a)) || (b.read == 0 && !code_is_known(&b));
    r.element = a.element != 0 ? a.element : b.element;
    r.offset = operator== '+' ? add_offset(&a, &b) : 0;
    r.span = (operator== '-' || operator== '+') && (a.count || a.span || b.count || b.span);
    switch (operator) {
    case '&':
        r.known = (a.known & b.known) | (a.known & ~a.bits) | (b.known & ~b.bits);
        r.bits = a.bits & b.bits;
        r.kept = kept(&r, &a, &b, true);
        r.whose = code_is_known(&b) && b.bits == 31 ? a.whose : 0; /* a counter's number, in the range of SEL */
        return r;
    case '|':
        r.known = (a.known & b.known) | a.bits | b.bits;
        r.bits = a.bits | b.bits;
        r.kept = kept(&r, &a, &b, false);
        return r;
    case '^':
        r.known = a.known & b.known;
        r.bits = (a.bits ^ b.bits) & r.known;
        return r;
    case '+':
    case '*':
        return add(r, &a, &b, operator== '*');
    case '-':
        return subtract(r, &a, &b);
    case '/':
    case CODE_MARK2('/', '/'): /* of Python */
    case '%':
        return divide(operator, r, a, b);
    case CODE_MARK2('<', '<'):
    case CODE_MARK2('>', '>'):
        return shift(operator, r, a, b);
    case CODE_MARK2('*', '*'): /* a power of 2 */
        return code_is_known(&a) && a.bits == 2 ? shift(CODE_MARK2('<', '<'), r, code_known(1), b) : code_unknown();
    default:
        return compare(operator, a, b);
    }
}
