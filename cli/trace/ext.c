/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Performs accesses in the external view.  A trace names the place of such an access as OFFSET/SIZE@PAS, both in bytes:
 * 0xe04/4@ns.
 */

#include "trace.h"

#include <stdlib.h>
#include <string.h>

/* Parses a place such as "0xe04/4@ns" into @at.  Returns false if it has another form. */
static bool parse_address(const char *text, struct apmu_ext *at)
{
    static const struct {
        const char *name;
        enum apmu_pas pas;
    } spaces[] = {
        {"s", APMU_PAS_SECURE}, {"ns", APMU_PAS_NONSECURE}, {"root", APMU_PAS_ROOT}, {"realm", APMU_PAS_REALM},
    };
    char *end;

    *at = (struct apmu_ext){.offset = strtoull(text, &end, 0)};
    if (end == text || *end != '/') {
        return false;
    }
    const char *size = end + 1;
    at->size = (unsigned)strtoul(size, &end, 10);
    if (end == size || *end != '@') {
        return false;
    }
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (strcmp(end + 1, spaces[i].name) == 0) {
            at->pas = spaces[i].pas;
            return true;
        }
    }
    return false;
}

bool trace_access_ext(struct trace *t, const struct trace_access *a, struct trace_reply *r)
{
    struct apmu_ext at;

    if (!parse_address(a->reg, &at)) {
        return false;
    }
    const struct apmu_access access = apmu_access_ext(&t->p, &t->pe, &at, a->write);
    if (!trace_store_outcome(&access, r)) {
        return true;
    }
    if (a->write) {
        apmu_poke_ext(&t->p, &t->pe, &at, a->value, NULL);
    } else {
        r->has_value = true;
        r->value = apmu_read_ext(&t->p, &t->pe, &at);
    }
    return true;
}

bool trace_configure_ext(struct apmu_config *cfg, const char *key, uint64_t value)
{
    if (strcmp(key, "swlock") == 0) {
        cfg->software_lock = value != 0;
    } else if (strcmp(key, "iidr") == 0) {
        cfg->iidr = (uint32_t)value;
    } else if (strcmp(key, "mpidr") == 0) {
        cfg->mpidr = value;
    } else if (strcmp(key, "cidr") == 0) {
        cfg->coresight_id = value != 0;
    } else {
        return false;
    }
    return true;
}
