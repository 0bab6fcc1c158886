/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of lib/events share. */
#ifndef ARMPMU_EVENTS_INTERNAL_H
#define ARMPMU_EVENTS_INTERNAL_H

#include <armpmu/events.h>
#include <armpmu/session.h>

/* events.c: Returns true if the names are equal.  Case is ignored. */
bool apmu_same_name(const char *a, const char *b);

/*
 * events.c: Returns how much @candidate differs from @name, in half edits of their first 40 characters.  A candidate
 * that contains @name costs half.
 */
unsigned apmu_name_cost(const char *name, const char *candidate);

/* Returns the number of the event called @text, or -1. */
typedef int apmu_parse_event(const void *ctx, const char *text);
/* wish.c: Does what apmu_wish_parse() does, with the events that @parse finds.  @ctx is passed to @parse. */
enum apmu_error apmu_parse_wish(const char *text, apmu_parse_event *parse, const void *ctx, struct apmu_wish *wish);

#endif
