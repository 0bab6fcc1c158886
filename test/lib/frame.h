/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The external view of the unit of external.h, as a debugger or another PE accesses it: the functions of a struct
 * apmu_mmio.  One access can be made to fail, events can be made to occur between accesses, and the offset of the last
 * access is recorded.
 */
#ifndef ARMPMU_TEST_FRAME_H
#define ARMPMU_TEST_FRAME_H

#include <armpmu/mmio.h>

#include "external.h"

#define FRAME_ERROR APMU_E_BACKEND /* returned when the component answers an access with an error */

static struct frame_accesses {
    enum apmu_pas pas;
    bool debugger;
    unsigned long calls, fail_at; /* access number fail_at fails; the first is number 1 */
    unsigned long writes;
    uint32_t offset;              /* of the last access */
    void (*between)(void);        /* called after each access */
} frame;

static bool frame_refuses(uint32_t offset, bool write)
{
    const struct apmu_ext a = {.offset = offset, .size = 4, .pas = frame.pas, .debugger = frame.debugger};

    frame.calls++;
    frame.offset = offset;
    return frame.calls == frame.fail_at || apmu_access_ext(&p, &pe, &a, write).outcome == APMU_ACCESS_ERROR;
}

static enum apmu_error frame_read(void *access, uint32_t offset, uint32_t *value)
{
    const struct apmu_ext a = {.offset = offset, .size = 4, .pas = frame.pas, .debugger = frame.debugger};

    (void)access;
    if (frame_refuses(offset, false)) {
        return FRAME_ERROR;
    }
    *value = apmu_access_ext(&p, &pe, &a, false).outcome == APMU_ACCESS_OK ? (uint32_t)apmu_read_ext(&p, &pe, &a) : 0;
    if (frame.between != NULL) {
        frame.between();
    }
    return APMU_OK;
}

static enum apmu_error frame_write(void *access, uint32_t offset, uint32_t value)
{
    const struct apmu_ext a = {.offset = offset, .size = 4, .pas = frame.pas, .debugger = frame.debugger};

    (void)access;
    frame.writes++;
    if (frame_refuses(offset, true)) {
        return FRAME_ERROR;
    }
    if (apmu_access_ext(&p, &pe, &a, true).outcome == APMU_ACCESS_OK) {
        apmu_poke_ext(&p, &pe, &a, value, NULL);
    }
    if (frame.between != NULL) {
        frame.between();
    }
    return APMU_OK;
}

/* Returns a context that accesses the unit.  It is not open yet. */
static inline struct apmu_mmio through_frame(void)
{
    frame = (struct frame_accesses){.pas = APMU_PAS_SECURE};
    return (struct apmu_mmio){.read32 = frame_read, .write32 = frame_write};
}

#endif
