/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads /proc: the processes that run already, and the symbols of the kernel. */
#define _GNU_SOURCE
#include "sample_running.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"

#define COMMAND_MOST 1024u /* of a command line; the rest is cut */

/* Reads the first @size - 1 bytes of the file @name of process @pid.  Returns how many there are; 0: none. */
static size_t read_file(int32_t pid, const char *name, char *text, size_t size)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    FILE *file = fopen(path, "re");
    const size_t got = file != NULL ? fread(text, 1, size - 1, file) : 0;

    if (file != NULL) {
        fclose(file);
    }
    text[got] = '\0';
    return got;
}

char *sample_running_command(int32_t pid)
{
    char text[COMMAND_MOST];
    size_t length = read_file(pid, "cmdline", text, sizeof text);

    while (length > 0 && text[length - 1] == '\0') {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        text[i] = text[i] == '\0' ? ' ' : text[i]; /* between arguments */
    }
    return length > 0 ? strdup(text) : NULL;
}

/* Reads the name of thread @tid, which a line ends. */
static void read_name(int32_t tid, char name[32])
{
    read_file(tid, "comm", name, 32);
    name[strcspn(name, "\n")] = '\0';
}

/* Adds the executable maps of process @pid: lines "START-END r-xp OFFSET DEVICE INODE PATH". */
static void add_maps(struct sample_tables *t, int32_t pid)
{
    char path[64], *line = NULL;
    size_t room = 0;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "re");

    while (file != NULL && getline(&line, &room, file) > 0) {
        uint64_t start, end, offset;
        char mode[8];
        int at = 0;

        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &start, &end, mode, &offset, &at) >= 4 &&
            at > 0 && mode[2] == 'x') {
            line[strcspn(line, "\n")] = '\0';
            sample_tables_map(t, pid, start, end, offset, line[at] != '\0' ? line + at : "//anon");
        }
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
}

/* Adds process @pid with its maps and the names of its threads. */
static void add_process(struct sample_tables *t, int32_t pid)
{
    char name[32], path[64];
    char *command = sample_running_command(pid);
    const struct dirent *entry;

    read_name(pid, name);
    sample_tables_process(t, pid, name, command);
    free(command);
    add_maps(t, pid);
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);

    while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
        const int32_t tid = (int32_t)strtol(entry->d_name, NULL, 10);

        if (tid > 0) {
            read_name(tid, name);
            sample_tables_thread(t, tid, name);
        }
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
}

/* Returns the process of thread @tid: the thread itself if it cannot be told. */
static int32_t process_of(int32_t tid)
{
    char text[1024];
    const size_t got = read_file(tid, "status", text, sizeof text);
    const char *line = got > 0 ? strstr(text, "\nTgid:") : NULL;

    return line != NULL ? (int32_t)strtol(line + strlen("\nTgid:"), NULL, 10) : tid;
}

void sample_running_threads(struct sample_tables *t, const pid_t *threads, size_t count)
{
    int32_t last = 0;

    for (size_t i = 0; i < count; i++) { /* the threads of a process follow each other */
        const int32_t pid = process_of((int32_t)threads[i]);

        if (pid != last) {
            add_process(t, pid);
        }
        last = pid;
    }
}

void sample_running_all(struct sample_tables *t)
{
    DIR *all = opendir("/proc");
    const struct dirent *entry;

    while (all != NULL && (entry = readdir(all)) != NULL) {
        const int32_t pid = (int32_t)strtol(entry->d_name, NULL, 10);

        if (pid > 0) {
            add_process(t, pid);
        }
    }
    if (all != NULL) {
        closedir(all);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The kernel.
 */

/* A function of the kernel. */
struct kernel_symbol {
    uint64_t start;
    char *name;
};

static int by_start(const void *a, const void *b)
{
    const struct kernel_symbol *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

/* Reads the functions in /proc/kallsyms.  Returns how many there are; addresses of 0 are hidden from the user. */
static size_t read_symbols(struct kernel_symbol **symbols)
{
    FILE *file = fopen("/proc/kallsyms", "re");
    char *line = NULL;
    size_t count = 0, room = 0, length = 0;

    while (file != NULL && getline(&line, &length, file) > 0) {
        char *rest;
        const uint64_t start = strtoull(line, &rest, 16);

        if (start == 0 || rest[0] != ' ' || strchr("tTwW", rest[1]) == NULL || rest[2] != ' ' || rest[3] == '$') {
            continue;
        }
        if (count == room) {
            room = room * 2 + 65536;
            *symbols = cli_allocate(*symbols, room, sizeof **symbols);
        }
        rest[3 + strcspn(rest + 3, "\t\n")] = '\0';
        (*symbols)[count++] = (struct kernel_symbol){start, strdup(rest + 3)};
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
    if (count > 1) {
        qsort(*symbols, count, sizeof **symbols, by_start);
    }
    return count;
}

/* An address of the kernel that an image was at. */
struct kernel_spot {
    uint32_t image;
    uint64_t address;
};

static int by_spot(const void *a, const void *b)
{
    const struct kernel_spot *x = a, *y = b;

    return x->image != y->image ? (x->image > y->image) - (x->image < y->image)
                                : (x->address > y->address) - (x->address < y->address);
}

/* Adds @address of the map @map to the @count spots if it is the kernel's. */
static void add_spot(const struct recording *r, uint32_t map, uint64_t address, struct kernel_spot *spots,
                     size_t *count)
{
    if (map != RECORDING_NONE && r->files[r->maps[map].file].kind == RECORDING_FILE_KERNEL) {
        spots[(*count)++] = (struct kernel_spot){r->maps[map].image, address};
    }
}

/* Returns the index of the symbol that has @address; @count: none of @symbols has it. */
static size_t symbol_at(const struct kernel_symbol *symbols, size_t count, uint64_t address)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (symbols[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 || low == count || symbols[low - 1].name == NULL ? count : low - 1; /* the last one has no end */
}

/* Adds the symbols of the @spot_count @spots, each once to each image. */
static void add_symbols(struct recording *r, const struct kernel_symbol *symbols, size_t count,
                        const struct kernel_spot *spots, size_t spot_count)
{
    uint32_t image = RECORDING_NONE;
    size_t last = count;

    for (size_t i = 0; i < spot_count; i++) {
        const size_t at = symbol_at(symbols, count, spots[i].address);

        if (at < count && (at != last || spots[i].image != image)) {
            const struct recording_symbol row = {.image = spots[i].image, .start = symbols[at].start,
                                                 .size = symbols[at + 1].start - symbols[at].start,
                                                 .name = symbols[at].name};

            recording_add_symbol(r, &row); /* without memory it has no name */
        }
        image = spots[i].image;
        last = at;
    }
}

void sample_running_kernel(struct recording *r)
{
    struct kernel_spot *spots = cli_allocate(NULL, r->code_count + r->node_count + 1, sizeof *spots);
    struct kernel_symbol *symbols = NULL;
    const size_t count = read_symbols(&symbols);
    size_t spot_count = 0;

    for (size_t i = 0; i < r->code_count; i++) {
        add_spot(r, r->code[i].map, r->code[i].address, spots, &spot_count);
    }
    for (size_t i = 0; i < r->node_count; i++) {
        add_spot(r, r->nodes[i].entry_map, r->nodes[i].entry, spots, &spot_count);
    }
    qsort(spots, spot_count, sizeof *spots, by_spot);
    add_symbols(r, symbols, count, spots, spot_count);
    for (size_t i = 0; i < count; i++) {
        free(symbols[i].name);
    }
    free(symbols);
    free(spots);
}
