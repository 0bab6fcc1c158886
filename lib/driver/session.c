/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of a session, for every back end of the session seam.  Each checks that the state allows the call, calls
 * the back end, and changes the state.
 */
#include "internal.h"

enum apmu_error apmu_session_start(struct apmu_session *s)
{
    if (s->state != APMU_SESSION_STOPPED) {
        return APMU_E_STATE;
    }
    if (apmu_sized_check(s->ops, sizeof *s->ops, sizeof *s->ops) != APMU_SIZED_OK) { /* the table of another back end */
        return APMU_E_SIZE;
    }
    const enum apmu_error error = s->ops->start(s);

    if (error == APMU_OK) {
        s->state = APMU_SESSION_RUNNING;
    }
    return error;
}

enum apmu_error apmu_session_stop(struct apmu_session *s)
{
    if (s->state != APMU_SESSION_RUNNING) {
        return APMU_E_STATE;
    }
    const enum apmu_error error = s->ops->stop(s);

    if (error == APMU_OK) {
        s->state = APMU_SESSION_STOPPED;
    }
    return error;
}

static void invalidate(const struct apmu_session *s, struct apmu_reading *out)
{
    for (size_t i = 0; i < s->count; i++) {
        out[i] = (struct apmu_reading){0};
    }
}

/* Fills @out by @function of the back end.  On an error no element is valid. */
static enum apmu_error take_reading(struct apmu_session *s, struct apmu_reading *out,
                                    enum apmu_error (*function)(struct apmu_session *s, struct apmu_reading *out))
{
    enum apmu_error error = APMU_E_STATE;

    invalidate(s, out);
    if (s->state != APMU_SESSION_CLOSED) {
        error = function == NULL ? APMU_E_UNSUPPORTED : function(s, out);
    }
    if (error != APMU_OK) {
        invalidate(s, out);
    }
    return error;
}

enum apmu_error apmu_session_read(struct apmu_session *s, struct apmu_reading *out)
{
    return take_reading(s, out, s->state == APMU_SESSION_CLOSED ? NULL : s->ops->read);
}

enum apmu_error apmu_session_snapshot(struct apmu_session *s, struct apmu_reading *out)
{
    return take_reading(s, out, s->state == APMU_SESSION_CLOSED ? NULL : s->ops->snapshot);
}

enum apmu_error apmu_session_on_overflow(struct apmu_session *s, apmu_overflow_handler *handler, void *ctx)
{
    if (s->state != APMU_SESSION_STOPPED) {
        return APMU_E_STATE;
    }
    if (s->ops->interrupt == NULL && handler != NULL) {
        return APMU_E_UNSUPPORTED;
    }
    s->handler = handler;
    s->handler_ctx = ctx;
    return APMU_OK;
}

enum apmu_error apmu_session_interrupt(struct apmu_session *s, uint64_t pc, size_t *handled)
{
    size_t ignored, *const count = handled != NULL ? handled : &ignored;

    *count = 0;
    if (s->state == APMU_SESSION_CLOSED) {
        return APMU_E_STATE;
    }
    return s->ops->interrupt == NULL ? APMU_E_UNSUPPORTED : s->ops->interrupt(s, pc, count);
}

enum apmu_error apmu_session_rotate(struct apmu_session *s, uint64_t pc)
{
    if (s->state != APMU_SESSION_RUNNING) {
        return APMU_E_STATE;
    }
    return s->ops->rotate == NULL ? APMU_E_UNSUPPORTED : s->ops->rotate(s, pc);
}

enum apmu_error apmu_session_reset(struct apmu_session *s)
{
    return s->state == APMU_SESSION_STOPPED ? s->ops->reset(s) : APMU_E_STATE;
}

enum apmu_error apmu_session_allow_user(struct apmu_session *s, enum apmu_user_access user)
{
    if (s->state == APMU_SESSION_CLOSED) {
        return APMU_E_STATE;
    }
    return s->ops->allow_user == NULL ? APMU_E_UNSUPPORTED : s->ops->allow_user(s, user);
}

enum apmu_error apmu_session_close(struct apmu_session *s)
{
    if (s->state == APMU_SESSION_CLOSED) {
        return APMU_OK;
    }
    s->state = APMU_SESSION_CLOSED;
    return s->ops->close(s);
}
