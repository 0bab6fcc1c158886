/* SPDX-License-Identifier: BSD-2-Clause */
/* apmu_save() and apmu_load(): the state of a PMU as bytes, by the rows of tables/saved.def. */
#include <armpmu/saved.h>

enum {
    FORMAT = 1,
    AT_FORMAT = 4, AT_SIZE = 8, /* offsets of the numbers at the head */
};

_Static_assert(APMU_SAVED_SIZE_FIRST <= (int)APMU_SAVED_SIZE, "rows are appended, never removed");

static const uint8_t magic[AT_FORMAT] = {'A', 'P', 'M', 'U'};

enum saved_kind { FLAG, BYTE, HALFWORD, WORD, DOUBLEWORD };

/* The bytes of an element of each kind. */
enum { WIDTH_FLAG = 1, WIDTH_BYTE = 1, WIDTH_HALFWORD = 2, WIDTH_WORD = 4, WIDTH_DOUBLEWORD = 8 };
static const uint8_t widths[] = {WIDTH_FLAG, WIDTH_BYTE, WIDTH_HALFWORD, WIDTH_WORD, WIDTH_DOUBLEWORD};

/* A member of struct apmu, or with an offset below sizeof(struct apmu_config) of its .cfg. */
struct saved_row {
    uint16_t offset;
    uint8_t kind, count;
};

static const struct saved_row rows[] = {
#define APMU_SAVED(kind, count, member) {offsetof(struct apmu, member), kind, count},
#include <armpmu/tables/saved.def>
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* Every member has a row, where a compiler aligns members as on x86-64, AArch64 and Armv7-A. */
#define SIZE_OF(member) sizeof(((struct apmu *)0)->member)
enum {
    PADDING = 15, /* bytes of struct apmu, those of its .cfg included */
    HELD = SIZE_OF(derived) + SIZE_OF(cfg.size) + PADDING
#define APMU_SAVED(kind, count, member) + SIZE_OF(member)
#include <armpmu/tables/saved.def>
};
_Static_assert(_Alignof(struct apmu) != 8 || HELD == sizeof(struct apmu), "a member of struct apmu has no row");
_Static_assert(offsetof(struct apmu, cfg) == 0 && sizeof(struct apmu) <= UINT16_MAX, "offsets fit saved_row");
#define APMU_SAVED(kind, count, member) _Static_assert(SIZE_OF(member) == WIDTH_##kind * (count), #member);
#include <armpmu/tables/saved.def>

static uint64_t element(const unsigned char *at, enum saved_kind kind)
{
    switch (kind) {
    case FLAG:
        return *(const bool *)at;
    case BYTE:
        return *at;
    case HALFWORD:
        return *(const uint16_t *)at;
    case WORD:
        return *(const uint32_t *)at;
    default:
        return *(const uint64_t *)at;
    }
}

static void set_element(unsigned char *at, enum saved_kind kind, uint64_t value)
{
    switch (kind) {
    case FLAG:
        *(bool *)at = value != 0;
        break;
    case BYTE:
        *at = (uint8_t)value;
        break;
    case HALFWORD:
        *(uint16_t *)at = (uint16_t)value;
        break;
    case WORD:
        *(uint32_t *)at = (uint32_t)value;
        break;
    default:
        *(uint64_t *)at = value;
    }
}

/* Writes the @width low bytes of @value at @at, as far as there is room.  Returns where the next number goes. */
static size_t put(uint8_t *bytes, size_t room, size_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++, at++) {
        if (at < room) {
            bytes[at] = (uint8_t)(value >> 8 * i);
        }
    }
    return at;
}

static uint64_t get(const uint8_t *bytes, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < width; i++) {
        value |= (uint64_t)bytes[i] << 8 * i;
    }
    return value;
}

size_t apmu_save(const struct apmu *p, uint8_t *bytes, size_t room)
{
    size_t at = 0;

    for (unsigned i = 0; i < sizeof magic; i++) {
        at = put(bytes, room, at, 1, magic[i]);
    }
    at = put(bytes, room, at, 4, FORMAT);
    at = put(bytes, room, at, 4, APMU_SAVED_SIZE);
    for (unsigned r = 0; r < ROWS; r++) {
        const enum saved_kind kind = (enum saved_kind)rows[r].kind;
        const unsigned char *member = (const unsigned char *)p + rows[r].offset;

        for (unsigned i = 0; i < rows[r].count; i++) {
            at = put(bytes, room, at, widths[kind], element(member + i * widths[kind], kind));
        }
    }
    return at;
}

/* Returns what is wrong with the head of the state, or with what this version does not know, or NULL. */
static const char *check_head(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < sizeof magic && i < count; i++) {
        if (bytes[i] != magic[i]) {
            return "bytes: do not begin with APMU, so they are no state of apmu_save(): load what it wrote";
        }
    }
    if (count < APMU_SAVED_HEAD) {
        return "bytes: end within the head of the state: load all that apmu_save() wrote";
    }
    if (get(bytes + AT_FORMAT, 4) != FORMAT) {
        return "format: is not 1, the only one that this library reads: load it with the version that saved it";
    }
    const uint64_t size = get(bytes + AT_SIZE, 4);
    if (size < APMU_SAVED_SIZE_FIRST) {
        return "size: is smaller than a state of 0.1, so the bytes are damaged: save the state again";
    }
    if (size > count) {
        return "bytes: end before the state does: load all that apmu_save() wrote";
    }
    for (size_t i = APMU_SAVED_SIZE; i < size; i++) {
        if (bytes[i] != 0) {
            return "size: is larger than this library knows, and a member that it does not know is not 0: "
                   "load it with a library as new as the one that saved it";
        }
    }
    return NULL;
}

/*
 * Reads the members that lie in the first @most bytes of struct apmu from the @size bytes of a state.  What the state
 * lacks stays as it is.  Returns NULL or what is wrong.
 */
static const char *read_members(void *to, size_t most, const uint8_t *bytes, size_t size)
{
    size_t at = APMU_SAVED_HEAD;

    for (unsigned r = 0; r < ROWS && at < size; r++) {
        const enum saved_kind kind = (enum saved_kind)rows[r].kind;
        const size_t width = widths[kind], whole = width * rows[r].count;

        if (whole > size - at) {
            return "size: ends within a member, so the bytes are damaged: save the state again";
        }
        for (unsigned i = 0; i < rows[r].count && rows[r].offset < most; i++) {
            const uint64_t value = get(bytes + at + i * width, (unsigned)width);

            if (kind == FLAG && value > 1) {
                return "bytes: a Boolean member is neither 0 nor 1, so they are damaged: save the state again";
            }
            set_element((unsigned char *)to + rows[r].offset + i * width, kind, value);
        }
        at += whole;
    }
    return NULL;
}

const char *apmu_load(struct apmu *p, const uint8_t *bytes, size_t count)
{
    struct apmu_config cfg = {.size = sizeof cfg};
    struct apmu q;
    const char *wrong = check_head(bytes, count);
    const size_t size = wrong == NULL ? (size_t)get(bytes + AT_SIZE, 4) : 0;

    wrong = wrong != NULL ? wrong : read_members(&cfg, sizeof cfg, bytes, size);
    wrong = wrong != NULL ? wrong : apmu_config_check(&cfg);
    if (wrong != NULL) {
        return wrong;
    }
    apmu_init(&q, &cfg);
    wrong = read_members(&q, sizeof q, bytes, size);
    if (wrong != NULL) {
        return wrong;
    }
    apmu_settle(&q);
    if (!apmu_check(&q)) {
        return "bytes: no PMU with this configuration can be in their state, so they are damaged: save it again";
    }
    *p = q;
    return NULL;
}
