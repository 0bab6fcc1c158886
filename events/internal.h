/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ARMPMU_EVENTS_INTERNAL_H
#define ARMPMU_EVENTS_INTERNAL_H

#include <armpmu/events.h>
#include <armpmu/session.h>

/* events.c: in upper or lower case */
bool apmu_same_name(const char *a, const char *b);

/* wish.c: apmu_wish_parse() with the event, as far as a colon, by @parse */
typedef int apmu_parse_event(const void *ctx, const char *text);
enum apmu_error apmu_parse_wish(const char *text, apmu_parse_event *parse, const void *ctx, struct apmu_wish *wish);

#endif
