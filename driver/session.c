/* SPDX-License-Identifier: BSD-2-Clause */
/* The front of a session: its states, the same for every back end of the session seam. */
#include "internal.h"

enum apmu_error apmu_session_start(struct apmu_session *s)
{
    if (s->state != APMU_SESSION_STOPPED) {
        return APMU_E_STATE;
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

enum apmu_error apmu_session_read(struct apmu_session *s, struct apmu_reading *out)
{
    invalidate(s, out);
    if (s->state == APMU_SESSION_CLOSED) {
        return APMU_E_STATE;
    }
    const enum apmu_error error = s->ops->read(s, out);

    if (error != APMU_OK) {
        invalidate(s, out);
    }
    return error;
}

enum apmu_error apmu_session_reset(struct apmu_session *s)
{
    return s->state == APMU_SESSION_STOPPED ? s->ops->reset(s) : APMU_E_STATE;
}

enum apmu_error apmu_session_user(struct apmu_session *s, enum apmu_user user)
{
    if (s->state == APMU_SESSION_CLOSED) {
        return APMU_E_STATE;
    }
    return s->ops->user == NULL ? APMU_E_UNSUPPORTED : s->ops->user(s, user);
}

enum apmu_error apmu_session_close(struct apmu_session *s)
{
    if (s->state == APMU_SESSION_CLOSED) {
        return APMU_OK;
    }
    s->state = APMU_SESSION_CLOSED;
    return s->ops->close(s);
}
