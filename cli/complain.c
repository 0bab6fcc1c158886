/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes wrong with input and output. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

void cli_complain(const struct cli_verb *verb, const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fprintf(stderr, "armpmu%s%s: ", verb == NULL ? "" : " ", verb == NULL ? "" : verb->name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

int cli_flush(const struct cli_verb *verb, FILE *out, const char *name, int status)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out)) {
        return status;
    }
    cli_complain(verb, "%s: the results could not be written: %s; make room, or write them elsewhere", name,
                 errno != 0 ? strerror(errno) : "an earlier write failed");
    return CLI_CANNOT;
}

void *cli_allocate(void *old, size_t count, size_t size)
{
    void *memory = reallocarray(old, count, size);

    if (memory == NULL) {
        cli_complain(NULL, "memory: none is left; end other programs");
        exit(CLI_CANNOT);
    }
    if (old == NULL) {
        memset(memory, 0, count * size);
    }
    return memory;
}

void cli_reserve_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            /* The lowest free one, so this is fd.  The direction makes every use fail; exec closes it again. */
            if (open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd) {
                return;
            }
        }
    }
}
