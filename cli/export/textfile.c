/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a file in one step: a new file beside it takes its name. */
#define _GNU_SOURCE
#include "textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes @text to the new file @file, whose name is @name, which then becomes @path.  Returns 0, or an errno. */
static int fill(int file, const char *name, const char *path, const char *text, size_t length)
{
    size_t done = 0;

    while (done < length) {
        const ssize_t n = write(file, text + done, length - done);

        if (n < 0 && errno != EINTR) {
            return errno;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    if (fchmod(file, 0644) != 0 || rename(name, path) != 0) { /* node_exporter is another user */
        return errno;
    }
    return 0;
}

int textfile_write(const struct cli_verb *verb, const char *path, const char *text, size_t length)
{
    char *name = cli_allocate(NULL, strlen(path) + sizeof ".XXXXXX", 1);
    int file, error;

    strcpy(stpcpy(name, path), ".XXXXXX");
    file = mkostemp(name, O_CLOEXEC);
    error = file < 0 ? errno : fill(file, name, path, text, length);
    if (file >= 0) {
        if (error != 0) {
            unlink(name);
        }
        close(file);
    }
    free(name);
    if (error != 0) {
        cli_complain(verb, "--textfile: %s cannot be written: %s; give a file in a folder that armpmu may write to",
                     path, strerror(error));
        return CLI_CANNOT;
    }
    return CLI_YES;
}
