/* SPDX-License-Identifier: BSD-2-Clause */
/* Serves counts over HTTP.  Everything happens within serve_run(): there is no thread. */
#ifndef ARMPMU_CLI_EXPORT_SERVE_H
#define ARMPMU_CLI_EXPORT_SERVE_H

#include "../cli.h"
#include "expose.h"

/** What is served: the function that makes the text of /metrics. */
struct serve_source {
    /** Returns the text, which serve.c frees, and sets *@length; or NULL if there is none. */
    char *(*make)(void *context, enum expose_form form, size_t *length);
    void *context;
};

struct serve;

/**
 * Listens on @address, "ADDR:PORT", and says so on stderr.  @source stays valid until serve_end().  If that fails,
 * complains, sets *@status to the exit status, and returns NULL.
 */
struct serve *serve_begin(const struct cli_verb *verb, const char *address, const struct serve_source *source,
                          int *status);

/** Answers requests; returns after an event, after @timeout_ms without one, or early after a signal. */
void serve_run(struct serve *s, int timeout_ms);

/** Closes all connections and frees @s, which may be NULL. */
void serve_end(struct serve *s);

#endif
