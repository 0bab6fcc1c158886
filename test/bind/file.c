/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of test benches: the state of a unit and its PE, and coverage to which several runs add. */
#define _XOPEN_SOURCE 700

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <armpmu/saved.h>

#include "../../bind/tb/tb.h"
#include "../lib/tap.h"

static const char config[] = "features=PMUv3p7,AA64EL0,AA64EL1,AA64EL2,PMUv3_EXT32 counters=4";
static char folder[] = "/tmp/armpmu-file-XXXXXX", path[64];

static struct apmu_tb *create(const char *words)
{
    struct apmu_tb *tb = apmu_tb_create(words);

    MUST(tb != NULL && apmu_tb_fault(tb)[0] == '\0', "%s", tb == NULL ? "no memory" : apmu_tb_fault(tb));
    apmu_tb_line(tb, 0, APMU_EV_INST_RETIRED);
    return tb;
}

static void run(struct apmu_tb *tb, uint64_t seed, int actions)
{
    apmu_tb_seed(tb, seed);
    for (int i = 0; i < actions; i++) {
        apmu_tb_next(tb);
        apmu_tb_perform(tb);
    }
}

static bool same_state(const struct apmu_tb *a, const struct apmu_tb *b)
{
    for (int slot = 0; slot < APMU_TB_SLOTS; slot++) {
        if (apmu_tb_stored(a, slot) != apmu_tb_stored(b, slot)) {
            return false;
        }
    }
    for (int row = 0; row < apmu_tb_pe_count(); row++) {
        if (apmu_tb_pe_get(a, row) != apmu_tb_pe_get(b, row)) {
            return false;
        }
    }
    return true;
}

/* Replaces the file by @count bytes. */
static void write_file(const char *name, const void *bytes, size_t count)
{
    FILE *file = fopen(name, "wb");

    MUST(file != NULL && fwrite(bytes, 1, count, file) == count, "%s is not written", name);
    if (file != NULL) {
        fclose(file);
    }
}

static size_t read_file(const char *name, char bytes[65536])
{
    FILE *file = fopen(name, "rb");
    const size_t count = file == NULL ? 0 : fread(bytes, 1, 65535, file);

    bytes[count] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    return count;
}

static void a_state_comes_back(void)
{
    for (uint64_t seed = 1; seed < 30; seed++) {
        struct apmu_tb *tb = create(config), *fresh = create(config);

        run(tb, seed, 500);
        MUST(apmu_tb_state_save(tb, path)[0] == '\0', "not saved");
        MUST(!same_state(tb, fresh), "a reset is no test");
        MUST(apmu_tb_state_load(fresh, path)[0] == '\0', "%s", apmu_tb_state_load(fresh, path));
        MUST(same_state(tb, fresh), "seed %d: another state", (int)seed);
        apmu_tb_seed(tb, 7);
        apmu_tb_seed(fresh, 7);
        for (int i = 0; i < 300; i++) {
            char words[128];

            const bool reads = apmu_tb_next(tb) == APMU_TB_READ;
            apmu_tb_next(fresh);
            snprintf(words, sizeof words, "%.127s", apmu_tb_next_text(tb));
            MUST(strncmp(words, apmu_tb_next_text(fresh), 127) == 0, "other actions follow: %s", words);
            MUST(apmu_tb_perform(tb) == apmu_tb_perform(fresh) &&
                     (!reads || apmu_tb_value(tb) == apmu_tb_value(fresh)),
                 "%s has another result", words);
        }
        apmu_tb_destroy(tb);
        apmu_tb_destroy(fresh);
    }
}

static void refused(const char *words, const char *say)
{
    struct apmu_tb *tb = create(words), *before = create(words);
    const char *wrong = apmu_tb_state_load(tb, path);

    MUST(strstr(wrong, say) != NULL && strncmp(wrong, path, strlen(path)) == 0, "%s: \"%s\"", say, wrong);
    MUST(same_state(tb, before), "%s: the state changed", say);
    apmu_tb_destroy(tb);
    apmu_tb_destroy(before);
}

static void a_wrong_file_is_no_state(void)
{
    static char bytes[65536], changed[65536];
    struct apmu_tb *tb = create(config);
    struct apmu p;

    run(tb, 3, 500);
    MUST(apmu_tb_state_save(tb, path)[0] == '\0', "not saved");
    const size_t count = read_file(path, bytes);
    MUST(apmu_load(&p, (const uint8_t *)bytes, count) == NULL, "no state of <armpmu/saved.h>");
    refused("features=PMUv3p7,AA64EL0,AA64EL1,AA64EL2,PMUv3_EXT32 counters=5", "another configuration");
    refused("features=PMUv3p7,AA64EL0,AA64EL1,AA64EL2,PMUv3_EXT32 counters=4 reserved_hpmn=1", "another configuration");
    write_file(path, bytes, 700);
    refused(config, "end before the state does");
    memcpy(changed, bytes, count);
    memcpy(changed + count, "el 4\n", 5);
    write_file(path, changed, count + 5);
    refused(config, "\"el 4\": it is no state of a PE, or its value does not fit");
    memcpy(changed + count, "later 1\n", 8);
    write_file(path, changed, count + 8);
    refused(config, "\"later 1\"");
    memcpy(changed + count, "later 0\n", 8);
    write_file(path, changed, count + 8);
    MUST(apmu_tb_state_load(tb, path)[0] == '\0', "a state of a newer version that is 0 is refused");
    remove(path);
    refused(config, "No such file");
    MUST(strstr(apmu_tb_state_save(tb, "/"), "/: ") != NULL, "a folder is written");
    apmu_tb_destroy(tb);
}

/* Returns the number behind @what in the file, -1 if it is not there. */
static long number_of(const char *what)
{
    static char bytes[65536];
    const char *at;

    (void)read_file(path, bytes);
    at = strstr(bytes, what);
    return at == NULL ? -1 : strtol(at + strlen(what), NULL, 10);
}

static uint64_t sum_of_hits(const struct apmu_tb *tb)
{
    uint64_t sum = 0;

    for (int i = 0; i < apmu_tb_cover_count(); i++) {
        sum += apmu_tb_cover_possible((struct apmu_tb *)(uintptr_t)tb, i) != 0 ? apmu_tb_cover_hits(tb, i) : 0;
    }
    return sum;
}

static void coverage_of_runs_is_added(void)
{
    struct apmu_tb *a = create(config), *b = create(config), *both = create(config);

    run(a, 1, 3000);
    run(b, 2, 3000);
    apmu_tb_cover_add(both, a);
    apmu_tb_cover_add(both, b);
    MUST(apmu_tb_cover_merge(a, path)[0] == '\0', "not merged");
    MUST_EQ((unsigned long)number_of("# runs "), 1, "runs");
    MUST(apmu_tb_cover_merge(b, path)[0] == '\0', "not merged");
    MUST_EQ((unsigned long)number_of("# runs "), 2, "runs");
    for (int i = 0; i < apmu_tb_cover_count(); i++) {
        if (apmu_tb_cover_possible(both, i) != 0) {
            MUST_EQ(apmu_tb_cover_hits(b, i), apmu_tb_cover_hits(both, i), "row %d", i);
        }
    }
    MUST(sum_of_hits(b) > 3000, "no hits");
    apmu_tb_destroy(a);
    apmu_tb_destroy(b);
    apmu_tb_destroy(both);
}

/* Two files of one configuration, one behind the other, are one. */
static void files_are_joined(void)
{
    static char bytes[65536], more[65536];
    struct apmu_tb *a = create(config), *b = create(config);

    remove(path);
    run(a, 1, 3000);
    const uint64_t sum = sum_of_hits(a);
    MUST(apmu_tb_cover_merge(a, path)[0] == '\0', "not merged");
    const size_t count = read_file(path, bytes);
    memcpy(more, bytes, count);
    memcpy(more + count, bytes, count);
    write_file(path, more, 2 * count);
    MUST(apmu_tb_cover_merge(b, path)[0] == '\0', "not merged");
    MUST_EQ(sum_of_hits(b), 2 * sum, "hits");
    MUST_EQ((unsigned long)number_of("# runs "), 3, "runs");
    MUST(read_file(path, more) < count + 200, "the file did not shrink");
    apmu_tb_destroy(a);
    apmu_tb_destroy(b);
}

static void not_merged(const char *words, const char *say)
{
    static char bytes[65536], again[65536];
    struct apmu_tb *tb = create(words);
    const size_t count = read_file(path, bytes);
    const char *wrong = apmu_tb_cover_merge(tb, path);

    MUST(strstr(wrong, say) != NULL, "%s: \"%s\"", say, wrong);
    MUST(read_file(path, again) == count && memcmp(bytes, again, count) == 0, "%s: the file changed", say);
    MUST_EQ(sum_of_hits(tb), 0, "%s: hits", say);
    apmu_tb_destroy(tb);
}

static void coverage_of_another_configuration_is_refused(void)
{
    struct apmu_tb *tb = create(config);

    remove(path);
    run(tb, 1, 100);
    MUST(apmu_tb_cover_merge(tb, path)[0] == '\0', "not merged");
    not_merged("features=PMUv3,AA64EL0,AA64EL1 counters=4", "is no row of this configuration");
    not_merged("features=PMUv3p9,AA64EL0,AA64EL1,AA64EL2,PMUv3_EXT32 counters=4", "it lacks the row");
    write_file(path, "a picture", 9);
    not_merged(config, "line 1 is no row");
    write_file(path, "7 reason HPMD\n", 14);
    not_merged(config, "line 1 is no row");
    MUST(strstr(apmu_tb_cover_merge(tb, "/nowhere/at all"), "/nowhere/at all: No such file") != NULL, "%s",
         apmu_tb_cover_merge(tb, "/nowhere/at all"));
    apmu_tb_destroy(tb);
}

static void runs_that_end_together_are_all_added(void)
{
    enum { RUNS = 12 };
    struct apmu_tb *tb = create(config), *none = create(config);

    remove(path);
    run(tb, 5, 2000);
    const uint64_t sum = sum_of_hits(tb);
    for (int i = 0; i < RUNS; i++) {
        if (fork() == 0) {
            _exit(apmu_tb_cover_merge(tb, path)[0] != '\0');
        }
    }
    for (int i = 0; i < RUNS; i++) {
        int status = 1;

        MUST(wait(&status) > 0 && status == 0, "a run failed");
    }
    MUST(apmu_tb_cover_merge(none, path)[0] == '\0', "not merged");
    MUST_EQ((unsigned long)number_of("# runs "), RUNS + 1, "runs");
    MUST_EQ(sum_of_hits(none), RUNS * sum, "hits");
    apmu_tb_destroy(tb);
    apmu_tb_destroy(none);
}

int main(void)
{
    if (mkdtemp(folder) == NULL) {
        printf("not ok file: no folder for temporary files\n");
        return 1;
    }
    snprintf(path, sizeof path, "%s/file", folder);
    RUN(a_state_comes_back);
    RUN(a_wrong_file_is_no_state);
    RUN(coverage_of_runs_is_added);
    RUN(files_are_joined);
    RUN(coverage_of_another_configuration_is_refused);
    RUN(runs_that_end_together_are_all_added);
    remove(path);
    rmdir(folder);
    return tap_status;
}
