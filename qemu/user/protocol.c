/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the shared files to QEMU, and gives them their size.  The tool and the plugin both link this file. */
#define _GNU_SOURCE
#include "protocol.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/*
 * Appends @text to the @at characters in @buf.  If @escape is set, a comma is written twice, as QEMU's options require.
 * Returns the new length, which may be more than @size.
 */
static size_t append(char *buf, size_t size, size_t at, const char *text, int escape)
{
    for (; *text != '\0'; text++) {
        for (int n = escape && *text == ',' ? 2 : 1; n > 0; n--, at++) {
            if (at < size) {
                buf[at] = *text;
            }
        }
    }
    return at;
}

size_t apmu_plugin_option(char *buf, size_t size, const char *plugin, const char *dir)
{
    size_t at = append(buf, size, 0, plugin, 1);
    at = append(buf, size, at, ",dir=", 0);
    at = append(buf, size, at, dir, 1);
    if (size > 0) {
        buf[at < size ? at : size - 1] = '\0';
    }
    return at;
}

bool apmu_file_resize(int fd, size_t size)
{
    sigset_t xfsz, old;
    sigemptyset(&xfsz);
    sigaddset(&xfsz, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &xfsz, &old);
    int error = ftruncate(fd, (off_t)size) == 0 ? 0 : errno;
    if (error == EFBIG && !sigismember(&old, SIGXFSZ)) {
        sigtimedwait(&xfsz, NULL, &(struct timespec){0, 0});
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return error == 0;
}
