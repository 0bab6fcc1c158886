/* SPDX-License-Identifier: BSD-2-Clause */
/* Begins a trace. */
#include "trace.h"

#include <string.h>

void core_trace_begin(FILE *file, const struct apmu_core_row *row, uint32_t parts)
{
    struct core_trace_head head = {.version = CORE_TRACE_VERSION, .bytes = sizeof head,
                                   .record_bytes = sizeof(struct core_trace_record), .parts = parts,
                                   .keys = APMU_CORE_KEY_COUNT};

    memcpy(head.magic, CORE_TRACE_MAGIC, sizeof head.magic);
    memcpy(head.name, row->name, sizeof row->name);
    memcpy(head.value, row->value, sizeof head.value);
    fwrite(&head, sizeof head, 1, file);
}
