/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what a recording says of files: build ids, and the names of generated code. */
#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect.h"

#define SYMBOLS_BYTES ((size_t)64 << 20) /* the most of a file of names that is read */
#define SYMBOL_NAME 4096u                /* the longest name */

/* ---------------------------------------------------------------------------------------------------------------
 * Build ids.
 */

/* Opens the regular file @path, without waiting for anything.  Returns -1 if it is none. */
static int open_regular(const char *path, int flags, struct stat *st)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);

    if (fd >= 0 && (fstat(fd, st) != 0 || !S_ISREG(st->st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

void collect_build_id(struct recording_file *file)
{
    struct stat st;
    const int fd = file->kind == RECORDING_FILE_ELF ? open_regular(file->path, 0, &st) : -1;
    Elf *elf = fd >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    const void *id = NULL;
    const ssize_t length = elf != NULL ? dwelf_elf_gnu_build_id(elf, &id) : 0;

    if (length > 0) {
        file->build_id_length = (size_t)length > RECORDING_BUILD_ID ? RECORDING_BUILD_ID : (uint32_t)length;
        memcpy(file->build_id, id, file->build_id_length);
    }
    elf_end(elf);
    if (fd >= 0) {
        close(fd);
    }
}

uint32_t collect_file(struct recording *r, enum recording_file_kind kind, const char *path)
{
    const uint32_t file = recording_add_file(r, kind, path, NULL, 0);

    if (file != RECORDING_NONE) {
        collect_build_id(&r->files[file]);
    }
    return file;
}

bool collect_is_32(const char *path)
{
    unsigned char head[EI_NIDENT];
    struct stat st;
    const int fd = open_regular(path, 0, &st);
    const bool is_elf = fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head &&
                        memcmp(head, ELFMAG, SELFMAG) == 0;

    if (fd >= 0) {
        close(fd);
    }
    return is_elf && head[EI_CLASS] == ELFCLASS32;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Names of generated code: lines "START SIZE NAME", with hexadecimal numbers.
 */

/* Adds the name in @line, if it is one. */
static void add_symbol(struct recording *r, uint32_t image, char *line)
{
    struct recording_symbol symbol = {.image = image};
    char *at = line;

    if (!isxdigit((unsigned char)*at)) {
        return;
    }
    symbol.start = strtoull(at, &at, 16);
    if (*at != ' ' || !isxdigit((unsigned char)at[1])) {
        return;
    }
    symbol.size = strtoull(at + 1, &at, 16);
    if (*at != ' ' || at[1] == '\0' || symbol.size == 0 || symbol.start > UINT64_MAX - symbol.size) {
        return;
    }
    symbol.name = at + 1;
    if (strlen(symbol.name) >= SYMBOL_NAME) {
        symbol.name[SYMBOL_NAME - 1] = '\0';
    }
    recording_add_symbol(r, &symbol);
}

void collect_symbols(struct recording *r, uint32_t image, int32_t pid, uint64_t since)
{
    char path[64], *text = NULL;
    size_t size = 0;
    struct stat st;

    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)pid);
    const int fd = open_regular(path, O_NOFOLLOW, &st);

    if (fd < 0) {
        return;
    }
    const bool own = st.st_uid == geteuid() && (uint64_t)st.st_mtime + 1 >= since; /* not of an earlier process */
    size = (size_t)st.st_size < SYMBOLS_BYTES ? (size_t)st.st_size : SYMBOLS_BYTES;
    text = own ? malloc(size + 1) : NULL;
    const ssize_t got = text != NULL ? pread(fd, text, size, 0) : -1;

    close(fd);
    if (got > 0) {
        char *rest = text, *line;

        text[got] = '\0';
        while ((line = strsep(&rest, "\n")) != NULL && rest != NULL) { /* what no newline ends is not whole */
            add_symbol(r, image, line);
        }
    }
    free(text);
}
