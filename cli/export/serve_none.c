/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands for serve.c in a static program, for which Debian has no libmicrohttpd. */
#include "serve.h"

struct serve *serve_begin(const struct cli_verb *verb, const char *address, const struct serve_source *source,
                          int *status)
{
    (void)source;
    cli_complain(verb, "--listen: %s: this armpmu is a static program, which has no HTTP server; give --textfile FILE",
                 address);
    *status = CLI_CANNOT;
    return NULL;
}

void serve_run(struct serve *s, int timeout_ms)
{
    (void)s;
    (void)timeout_ms;
}

void serve_end(struct serve *s)
{
    (void)s;
}
