/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PMU as bytes: a checkpoint that another program, machine or version of the library loads.
 *
 * For emulators and test benches that save their state to a file, or send it elsewhere.  Within one program memcpy() of
 * struct apmu is enough.
 *
 * The bytes have no padding, and every number in them is little-endian:
 *
 *   0   4 bytes  "APMU"
 *   4   4 bytes  the format, 1
 *   8   4 bytes  the number of all bytes, with these twelve
 *   12           the members, in the order of tables/saved.def
 *
 * Later versions append members.  A state of an older version is taken: what it lacks is 0 if it is of the
 * configuration, otherwise the value of a Cold reset.  A state of a newer version is taken if all that this library
 * does not know is 0, and otherwise refused (<armpmu/sized.h> has the same rule).
 *
 * @code
 * #include <armpmu/saved.h>
 *
 * int main(void)
 * {
 *     const uint64_t features = APMU_FEAT(PMUv3) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1);
 *     const struct apmu_config cfg = {.size = sizeof cfg, .features = apmu_features_closure(features), .counters = 4};
 *     static uint8_t bytes[APMU_SAVED_SIZE];
 *     struct apmu pmu, again;
 *
 *     apmu_init(&pmu, &cfg);
 *     if (apmu_save(&pmu, bytes, sizeof bytes) > sizeof bytes) {
 *         return 1;
 *     }
 *     return apmu_load(&again, bytes, sizeof bytes) == NULL ? 0 : 1;
 * }
 * @endcode
 *
 * Both functions are safe in any context, and allocate nothing.
 */
#ifndef ARMPMU_SAVED_H
#define ARMPMU_SAVED_H

#include <armpmu/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The number of bytes that apmu_save() of this version writes, and of those before the members. */
enum {
    APMU_SAVED_HEAD = 12,
    APMU_SAVED_SIZE = APMU_SAVED_HEAD
#define APMU_SAVED(kind, count, member) + sizeof(((struct apmu *)0)->member)
#include <armpmu/tables/saved.def>
};

/** APMU_SAVED_SIZE in 0.1, its first release.  A smaller state is refused. */
#define APMU_SAVED_SIZE_FIRST 1185

/**
 * Writes *@p to the @room bytes at @bytes.  Returns how many bytes it has, APMU_SAVED_SIZE; where that is more than
 * @room, only the first @room are written.  @bytes may be NULL if @room is 0.  The state of the PE (struct apmu_pe) is
 * the caller's and is not among them.
 */
size_t apmu_save(const struct apmu *p, uint8_t *bytes, size_t room);

/**
 * Makes *@p the PMU whose state begins at @bytes, of which there are @count; bytes after the state are not read.  The
 * configuration comes with it: compare p->cfg if yours must be the same.
 * Returns NULL, else one sentence, a constant, that names what is wrong, the cause and the cure: bytes are missing, or
 * are no state; it is of a newer version; its configuration fails apmu_config_check(), whose sentence that is; no PMU
 * can be in this state (apmu_check()).  *@p is then unchanged.
 */
const char *apmu_load(struct apmu *p, const uint8_t *bytes, size_t count);

#ifdef __cplusplus
}
#endif
#endif
