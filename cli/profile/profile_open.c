/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds and opens the ELF file that a program executed, and the file with its debug information: by build id and by
 * .gnu_debuglink, below the root, the sysroot and the folders that the user gave.  A file of another build is not used.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <elfutils/libdwelf.h>

#include "profile_internal.h"

void profile_remark(struct profile *p, const char *path, const char *format, ...)
{
    va_list arguments;
    char *text = NULL, *all = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) {
        text = NULL;
    }
    va_end(arguments);
    if (text == NULL || asprintf(&all, "%s%s%s: %s", p->remarks == NULL ? "" : p->remarks,
                                 p->remarks == NULL ? "" : "\n", path, text) < 0) {
        p->failed = true;
    } else {
        free(p->remarks);
        p->remarks = all;
    }
    free(text);
}

/* Opens the regular file @path for reading.  Returns -1 with errno if it is none.  It may be anything, as a FIFO. */
static int open_regular(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat there;

    if (fd != -1 && (fstat(fd, &there) != 0 || !S_ISREG(there.st_mode))) {
        close(fd);
        errno = ENOENT;
        return -1;
    }
    return fd;
}

/* Returns whether @elf is an ELF file with the build id of @f, or no build id is known to compare. */
static bool fits(Elf *elf, const struct recording_file *f)
{
    const void *id;
    ssize_t length;

    if (elf == NULL || elf_kind(elf) != ELF_K_ELF) {
        return false;
    }
    if (f->build_id_length == 0) {
        return true;
    }
    length = dwelf_elf_gnu_build_id(elf, &id);
    return length >= (ssize_t)f->build_id_length && memcmp(id, f->build_id, f->build_id_length) == 0;
}

/* Opens @path as an ELF file of the build of @f.  Returns NULL if it is none; *@other says that it is another build. */
static Elf *open_build(const char *path, const struct recording_file *f, int *fd, bool *other)
{
    Elf *elf;

    *fd = open_regular(path);
    if (*fd == -1) {
        return NULL;
    }
    elf = elf_begin(*fd, ELF_C_READ, NULL);
    if (fits(elf, f)) {
        return elf;
    }
    *other |= elf != NULL && elf_kind(elf) == ELF_K_ELF;
    elf_end(elf);
    close(*fd);
    *fd = -1;
    return NULL;
}

/* Returns @path without the sysroot of the recording: its name in the program's view. */
static const char *path_inside(const struct profile *p, const char *path)
{
    const char *root = p->r->sysroot;
    size_t length = strlen(root);

    while (length > 0 && root[length - 1] == '/') {
        length--;
    }
    return length > 0 && strncmp(path, root, length) == 0 && path[length] == '/' ? path + length : path;
}

/* Opens the file of @f at its path, or below the sysroot of the user. */
static bool open_main(struct profile *p, const struct recording_file *f, struct profile_files *files, bool *other)
{
    if (p->options.sysroot != NULL) {
        if (asprintf(&files->path, "%s/%s", p->options.sysroot, path_inside(p, f->path)) < 0) {
            files->path = NULL;
            return false;
        }
        files->elf = open_build(files->path, f, &files->fd, other);
        if (files->elf != NULL) {
            return true;
        }
        free(files->path);
    }
    files->path = strdup(f->path);
    files->elf = files->path == NULL ? NULL : open_build(files->path, f, &files->fd, other);
    return files->elf != NULL;
}

/* Opens the vDSO of this process if it is that of the recording, as after perf record on the same machine. */
static bool open_vdso(const struct recording_file *f, struct profile_files *files)
{
    char *const start = (char *)getauxval(AT_SYSINFO_EHDR);
    const GElf_Ehdr *header = (const GElf_Ehdr *)(const void *)start;

    if (start == NULL || f->build_id_length == 0 || sizeof(void *) != 8) {
        return false;
    }
    /* The section headers end it. */
    files->elf = elf_memory(start, (size_t)header->e_shoff + (size_t)header->e_shnum * header->e_shentsize);
    if (fits(files->elf, f)) {
        return true;
    }
    elf_end(files->elf);
    files->elf = NULL;
    return false;
}

Elf_Scn *profile_next_section(Elf *elf, Elf_Scn *after, const char *want, GElf_Shdr *header)
{
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0) {
        return NULL;
    }
    while ((after = elf_nextscn(elf, after)) != NULL) {
        const char *name = gelf_getshdr(after, header) == NULL ? NULL : elf_strptr(elf, names, header->sh_name);

        if (name != NULL && header->sh_type != SHT_NOBITS && strcmp(name, want) == 0) {
            return after;
        }
    }
    return NULL;
}

bool profile_has_section(Elf *elf, const char *want)
{
    GElf_Shdr header;

    return profile_next_section(elf, NULL, want, &header) != NULL;
}

/* Tries one path for the debug information.  @path is freed. */
static bool try_debug(const struct recording_file *f, struct profile_files *files, char *path)
{
    bool other = false;

    if (path != NULL) {
        files->debug = open_build(path, f, &files->debug_fd, &other);
        free(path);
    }
    return files->debug != NULL;
}

__attribute__((format(printf, 1, 2)))
static char *make_path(const char *format, ...)
{
    va_list arguments;
    char *path;

    va_start(arguments, format);
    if (vasprintf(&path, format, arguments) < 0) {
        path = NULL;
    }
    va_end(arguments);
    return path;
}

/* Looks for the debug information of @f by its build id below @folder, such as /usr/lib/debug. */
static bool debug_by_id(const struct recording_file *f, struct profile_files *files, const char *folder)
{
    char id[2 * RECORDING_BUILD_ID + 1];

    if (f->build_id_length < 2) {
        return false;
    }
    for (uint32_t i = 0; i < f->build_id_length; i++) {
        snprintf(id + 2 * i, 3, "%02x", f->build_id[i]);
    }
    return try_debug(f, files, make_path("%s/.build-id/%.2s/%s.debug", folder, id, id + 2));
}

/* Returns whether the checksum of the file @fd is @want. */
static bool has_checksum(int fd, uint32_t want)
{
    uint8_t block[65536];
    uLong crc = crc32(0, NULL, 0);
    off_t at = 0;
    ssize_t got;

    while ((got = pread(fd, block, sizeof block, at)) > 0) {
        crc = crc32(crc, block, (uInt)got);
        at += got;
    }
    return got == 0 && crc == want;
}

/* Looks for the file that .gnu_debuglink of the file names in the folders where it may be. */
static bool debug_by_link(const struct recording_file *f, struct profile_files *files, const char *folder,
                          const char *inside)
{
    GElf_Word crc;
    const char *link = dwelf_elf_gnu_debuglink(files->elf, &crc);
    const char *slash = strrchr(files->path, '/'), *inner = strrchr(inside, '/');
    const int beside = slash == NULL ? 0 : (int)(slash - files->path) + 1;
    const int below = inner == NULL ? 0 : (int)(inner - inside) + 1;

    if (link == NULL || strchr(link, '/') != NULL) {
        return false;
    }
    if (try_debug(f, files, make_path("%s/%.*s%s", folder, below, inside, link)) ||
        try_debug(f, files, make_path("%s/%s", folder, link)) ||
        try_debug(f, files, make_path("%.*s.debug/%s", beside, files->path, link)) ||
        try_debug(f, files, make_path("%.*s%s", beside, files->path, link))) {
        /* Without a build id the checksum says that the two belong together. */
        if (f->build_id_length != 0 || has_checksum(files->debug_fd, crc)) {
            return true;
        }
        elf_end(files->debug);
        close(files->debug_fd);
        files->debug = NULL;
        files->debug_fd = -1;
    }
    return false;
}

static void open_debug(struct profile *p, const struct recording_file *f, struct profile_files *files)
{
    const char *const roots[] = {p->options.sysroot, p->r->sysroot, ""};
    const char *inside = path_inside(p, f->path);
    bool found = profile_has_section(files->elf, ".debug_info") || profile_has_section(files->elf, ".zdebug_info");

    for (const char *const *folder = p->options.debug; !found && folder != NULL && *folder != NULL; folder++) {
        found = debug_by_id(f, files, *folder) || debug_by_link(f, files, *folder, inside);
    }
    for (size_t i = 0; !found && i < sizeof roots / sizeof roots[0]; i++) {
        char *folder = roots[i] == NULL || (i < 2 && roots[i][0] == '\0') ? NULL
                     : make_path("%s/usr/lib/debug", roots[i]);

        found = folder != NULL && (debug_by_id(f, files, folder) || debug_by_link(f, files, folder, inside));
        free(folder);
    }
}

bool profile_open(struct profile *p, uint32_t file, struct profile_files *files)
{
    const struct recording_file *f = &p->r->files[file];
    bool other = false;

    *files = (struct profile_files){.fd = -1, .debug_fd = -1};
    if (f->kind == RECORDING_FILE_VDSO && f->path[0] != '/') {
        files->path = strdup(f->path);
        return files->path != NULL && open_vdso(f, files);
    }
    if (f->kind == RECORDING_FILE_CODE || f->kind == RECORDING_FILE_UNKNOWN || f->path[0] == '[') {
        return false;
    }
    if (!open_main(p, f, files, &other)) {
        profile_remark(p, f->path, other ? "the file there has another build id than the one that ran, so its "
                       "functions have no names; give the folder with the right one by --sysroot"
                       : "the file cannot be read, so its functions have no names; give its folder by --sysroot");
        return false;
    }
    open_debug(p, f, files);
    return true;
}

size_t profile_bytes(const struct profile *p, uint32_t file, uint64_t start, uint8_t *bytes, size_t size)
{
    struct profile again = {.r = p->r, .options = p->options}; /* with remarks that @p has already */
    struct profile_files files = {.fd = -1, .debug_fd = -1};
    Elf_Scn *section = NULL;
    size_t got = 0;

    if (file < p->r->file_count && p->objects[file].opened && profile_open(&again, file, &files)) {
        while (got == 0 && (section = elf_nextscn(files.elf, section)) != NULL) {
            GElf_Shdr header;

            if (gelf_getshdr(section, &header) == NULL || (header.sh_flags & SHF_EXECINSTR) == 0 ||
                header.sh_type == SHT_NOBITS || start < header.sh_addr || start - header.sh_addr >= header.sh_size) {
                continue;
            }
            const Elf_Data *data = elf_rawdata(section, NULL);
            const uint64_t at = start - header.sh_addr;

            if (data != NULL && data->d_buf != NULL && at < data->d_size) {
                got = data->d_size - at < size ? (size_t)(data->d_size - at) : size;
                memcpy(bytes, (const uint8_t *)data->d_buf + at, got);
            }
        }
    }
    profile_close(&files);
    free(again.remarks);
    return got;
}

void profile_close(struct profile_files *files)
{
    elf_end(files->debug);
    elf_end(files->elf);
    if (files->fd != -1) {
        close(files->fd);
    }
    if (files->debug_fd != -1) {
        close(files->debug_fd);
    }
    free(files->path);
    *files = (struct profile_files){.fd = -1, .debug_fd = -1};
}
