/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the files of this folder share. */
#ifndef ARMPMU_EVENTS_INTERNAL_H
#define ARMPMU_EVENTS_INTERNAL_H

#include <armpmu/events.h>
#include <armpmu/session.h>

/* events.c: Returns whether the names are equal, ignoring case. */
bool apmu_same_name(const char *a, const char *b);

/* wish.c: Parses as apmu_wish_parse() does.  @parse turns the text before the colon into an event number. */
typedef int apmu_parse_event(const void *ctx, const char *text);
enum apmu_error apmu_parse_wish(const char *text, apmu_parse_event *parse, const void *ctx, struct apmu_wish *wish);

#endif
