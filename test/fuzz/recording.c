/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the reader of recordings.  The checksums are corrected, so that what they protect is reached.  What is taken
 * is sound, and a refusal is a line.
 */
#include <string.h>
#include <zlib.h>

#include "../../cli/profile/recording_table.h"
#include "fuzz.h"

/* Corrects the checksum of each chunk of @data. */
static void correct(uint8_t *data, size_t size)
{
    for (size_t at = 12; at + 16 <= size;) {
        uint64_t length = 0;

        for (size_t i = 8; i-- > 0;) {
            length = length << 8 | data[at + 4 + i];
        }
        if (length > size - at - 16) {
            return;
        }
        const size_t end = at + 12 + (size_t)length;
        const uint32_t crc = (uint32_t)crc32_z(0, data + at, end - at);

        for (size_t i = 0; i < 4; i++) {
            data[end + i] = (uint8_t)(crc >> (8 * i));
        }
        at = end + 4;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recording_refusal no = {""};
    uint8_t *copy = malloc(size != 0 ? size : 1); /* a sanitizer sees what is read beyond it */
    struct recording *r;
    char why[256];

    if (copy == NULL) {
        return 0;
    }
    memcpy(copy, data, size);
    correct(copy, size);
    r = recording_parse(copy, size, "fuzz", &no);
    if (r != NULL ? !recording_check(r, why, sizeof why) : strncmp(no.text, "fuzz: ", 6) != 0) {
        abort();
    }
    recording_free(r);
    free(copy);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/recording")
