/* SPDX-License-Identifier: BSD-2-Clause */
#include "protocol.h"

#include <string.h>

/* Appends @text; in an option of QEMU a comma is written twice.  Returns the length so far, also beyond @size. */
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
