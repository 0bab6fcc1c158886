/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments that overlap in every way are cut so that each address has the one that counts, by brute force. */
#include <stdlib.h>
#include <string.h>

#include "../../../cli/profile/profile_internal.h"
#include "../../lib/tap.h"

enum { ADDRESSES = 64, MOST = 12 };

static uint64_t random_state = UINT64_C(88172645463325253);

static uint64_t next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Returns the segment that counts at @address: the deepest, then the one that begins last, then ends first. */
static const struct profile_segment *find(const struct profile_segment *all, size_t count, uint64_t address)
{
    const struct profile_segment *best = NULL;

    for (size_t i = 0; i < count; i++) {
        const struct profile_segment *s = &all[i];

        if (address < s->start || address >= s->end) {
            continue;
        }
        if (best == NULL || s->depth > best->depth ||
            (s->depth == best->depth && (s->start > best->start ||
             (s->start == best->start && (s->end < best->end || (s->end == best->end && s->value > best->value)))))) {
            best = s;
        }
    }
    return best;
}

static void each_address_has_the_segment_that_counts(void)
{
    for (int round = 0; round < 20000 && !tap_bad; round++) {
        struct profile_segment all[MOST];
        struct profile_segments s = {0};
        const size_t count = next() % (MOST + 1);

        for (size_t i = 0; i < count; i++) {
            const uint64_t start = next() % ADDRESSES;

            all[i] = (struct profile_segment){start, start + next() % 20, (uint32_t)i, (uint32_t)(next() % 3)};
            MUST(profile_segment_add(&s, all[i].start, all[i].end, all[i].value, all[i].depth), "no memory");
        }
        MUST(profile_segments_settle(&s), "no memory");
        for (uint64_t address = 0; address < ADDRESSES + 25; address++) {
            const struct profile_segment *want = find(all, count, address), *got = profile_segment_at(&s, address);

            MUST((want == NULL) == (got == NULL) && (want == NULL || want->value == got->value),
                 "round %d, address %d: segment %d, not %d", round, (int)address, got != NULL ? (int)got->value : -1,
                 want != NULL ? (int)want->value : -1);
        }
        for (size_t i = 1; i < s.count; i++) {
            MUST(s.data[i - 1].end <= s.data[i].start, "round %d: segments overlap", round);
        }
        free(s.data);
    }
}

static void the_last_address_has_its_segment(void)
{
    struct profile_segments s = {0};

    profile_segment_add(&s, 0, UINT64_MAX, 1, 0);
    profile_segment_add(&s, UINT64_MAX - 4, UINT64_MAX, 2, 1);
    profile_segment_add(&s, 7, 7, 3, 9);
    MUST(profile_segments_settle(&s), "no memory");
    MUST_EQ(profile_segment_at(&s, UINT64_MAX - 1)->value, 2, "the end");
    MUST_EQ(profile_segment_at(&s, 7)->value, 1, "an empty segment counts nowhere");
    MUST(profile_segment_at(&s, UINT64_MAX) == NULL, "beyond the end");
    free(s.data);
}

static void paths_lose_what_says_nothing(void)
{
    static const char *const paths[][2] = {
        {"/a/b/../c.c", "/a/c.c"}, {"./a/./b.c", "a/b.c"}, {"../../x.c", "../../x.c"}, {"a/../../x.c", "../x.c"},
        {"/../x", "/x"}, {"//a//b/", "/a/b"}, {"", ""}, {"/", "/"}, {"..", ".."}, {"a/..", ""},
    };

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char *got = profile_name_path(paths[i][0]);

        MUST(got != NULL && strcmp(got, paths[i][1]) == 0, "%s: %s, not %s", paths[i][0], got, paths[i][1]);
        free(got);
    }
}

static void symbols_are_demangled(void)
{
    static const char *const names[][2] = {
        {"main", "main"}, {"memcpy@@GLIBC_2.17", "memcpy"}, {"memcpy@plt", "memcpy@plt"},
        {"_ZN3foo3barEi", "foo::bar(int)"}, {"_ZN3foo3barEi@plt", "foo::bar(int)@plt"},
        {"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str"},
        {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"}, {"_Znot_mangled", "_Znot_mangled"},
        {"@", "@"}, {"", ""},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *got = profile_name_demangle(names[i][0], false);

        MUST(got != NULL && strcmp(got, names[i][1]) == 0, "%s: %s, not %s", names[i][0], got, names[i][1]);
        free(got);
    }
}

int main(void)
{
    RUN(each_address_has_the_segment_that_counts);
    RUN(the_last_address_has_its_segment);
    RUN(paths_lose_what_says_nothing);
    RUN(symbols_are_demangled);
    return tap_status;
}
