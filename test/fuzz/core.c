/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the reader of core files (lib/core/file).  A file that is taken describes a core that can be built, and what
 * is written of it is taken again and describes the same core.  A refusal is a sentence.
 */
#include <string.h>

#include <armpmu/core_file.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct apmu_core_file_fault fault;
    struct apmu_core_row row, again;
    char text[16384];

    if (!apmu_core_file_parse((const char *)data, size, &row, &fault)) {
        if (strlen(fault.text) < 10 || fault.text[sizeof fault.text - 1] != 0) {
            abort();
        }
        return 0;
    }
    if (apmu_core_row_check(&row) != NULL || apmu_chip_size(&row, APMU_CORE_ALL, 1) == 0) {
        abort();
    }
    const size_t length = apmu_core_file_write(&row, "cortex-a53", text, sizeof text);

    if (length >= sizeof text || !apmu_core_file_parse(text, length, &again, &fault) ||
        memcmp(&row, &again, sizeof row) != 0) {
        abort();
    }
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/core")
