/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses --env. */
#define _GNU_SOURCE
#include "variables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int variables_add(struct variables *v, const struct cli_verb *verb, const char *text)
{
    const size_t length = strcspn(text, "=");
    const char *found = text[length] == '=' ? text : NULL;

    for (char **at = environ; found == NULL && *at != NULL; at++) {
        found = strncmp(*at, text, length) == 0 && (*at)[length] == '=' ? *at : NULL;
    }
    if (length == 0 || found == NULL) {
        cli_complain(verb, "--env: %s: %s; give NAME=VALUE", text,
                     length == 0 ? "it has no name" : "there is no such variable here");
        return CLI_USAGE;
    }
    v->list = cli_allocate(v->list, v->count + 2, sizeof *v->list);
    v->list[v->count++] = found;
    v->list[v->count] = NULL;
    return CLI_YES;
}

void variables_free(struct variables *v)
{
    free(v->list);
    *v = (struct variables){.list = NULL};
}
