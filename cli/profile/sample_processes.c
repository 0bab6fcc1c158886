/* SPDX-License-Identifier: BSD-2-Clause */
/* Follows processes: the programs that they execute, and what they map. */
#define _GNU_SOURCE
#include "sample_processes.h"

#include <stdlib.h>
#include <string.h>

#include "../cli.h"

#define KERNEL_PATH "[kernel]"
#define KERNEL 0u                             /* its number */
#define KERNEL_64 (UINT64_C(1) << 63)         /* the lowest address of a 64-bit kernel */
#define KERNEL_32 (UINT64_C(1) << 30)         /* of a 32-bit one */
#define UNKNOWN_PROGRAM "[unknown]"

/* Makes room for one more element of @size bytes in @array, which has @count of them. */
static void *room_for(void *array, size_t count, size_t *room, size_t size)
{
    if (count == *room) {
        *room = *room * 2 + 16;
        return cli_allocate(array, *room, size);
    }
    return array;
}

void sample_need(bool there)
{
    if (!there) {
        cli_complain(NULL, "memory: none is left for the recording; end other programs, or record for a shorter time");
        exit(CLI_CANNOT);
    }
}

static char *copy_of(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(cli_allocate(NULL, size, 1), text, size);
}

/* Returns the number of @path. */
static uint32_t path_of(struct sample_processes *ps, const char *path)
{
    for (size_t i = ps->path_count; i-- > 0;) { /* what is mapped now was often mapped just before */
        if (strcmp(ps->paths[i], path) == 0) {
            return (uint32_t)i;
        }
    }
    size_t room = ps->path_room;

    ps->files = room_for(ps->files, ps->path_count, &room, sizeof *ps->files);
    ps->paths = room_for(ps->paths, ps->path_count, &ps->path_room, sizeof *ps->paths);
    ps->paths[ps->path_count] = copy_of(path);
    ps->files[ps->path_count] = RECORDING_NONE;
    return (uint32_t)ps->path_count++;
}

void sample_processes_begin(struct sample_processes *ps, struct recording *r)
{
    *ps = (struct sample_processes){.r = r};
    path_of(ps, KERNEL_PATH);
}

void sample_processes_free(struct sample_processes *ps)
{
    for (size_t i = 0; i < ps->program_count; i++) {
        free(ps->programs[i].name);
        free(ps->programs[i].command);
    }
    for (size_t i = 0; i < ps->process_count; i++) {
        free(ps->processes[i].places);
    }
    for (size_t i = 0; i < ps->path_count; i++) {
        free(ps->paths[i]);
    }
    free(ps->programs);
    free(ps->processes);
    free(ps->paths);
    free(ps->files);
    free(ps->by_pid.slots);
    free(ps->by_place.slots);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Processes and programs.
 */

/* Adds a program.  Returns its number. */
static uint32_t add_program(struct sample_processes *ps, const struct sample_program *program, const char *name,
                            const char *command)
{
    ps->programs = room_for(ps->programs, ps->program_count, &ps->program_room, sizeof *ps->programs);
    ps->programs[ps->program_count] = *program;
    ps->programs[ps->program_count].name = copy_of(name);
    ps->programs[ps->program_count].command = command != NULL ? copy_of(command) : NULL;
    ps->programs[ps->program_count].image = RECORDING_NONE;
    return (uint32_t)ps->program_count++;
}

/* Returns process @pid, which is added without a program if it is new. */
static struct sample_process *process_of(struct sample_processes *ps, int32_t pid)
{
    uint32_t *number = profile_pair_at(&ps->by_pid, (uint32_t)pid, 0);

    sample_need(number != NULL);
    if (*number == PROFILE_NONE) {
        ps->processes = room_for(ps->processes, ps->process_count, &ps->process_room, sizeof *ps->processes);
        ps->processes[ps->process_count] = (struct sample_process){.pid = pid, .program = RECORDING_NONE};
        *number = (uint32_t)ps->process_count++;
    }
    return &ps->processes[*number];
}

void sample_process_execute(struct sample_processes *ps, int32_t pid, const char *name, const char *command,
                            uint64_t time_ns)
{
    struct sample_process *p = process_of(ps, pid);
    const struct sample_program program = {.pid = pid, .parent = p->program, .start_ns = time_ns};

    p->program = add_program(ps, &program, name, command);
    p->place_count = 0;
}

void sample_process_fork(struct sample_processes *ps, int32_t parent, int32_t pid, uint64_t time_ns)
{
    process_of(ps, pid); /* before a pointer is kept: it may move the table */
    const struct sample_process *from = process_of(ps, parent);
    struct sample_process *to = process_of(ps, pid);
    const bool known = from->program != RECORDING_NONE;
    const struct sample_program program = {.pid = pid, .parent = from->program, .forked = known, .start_ns = time_ns};

    if (from == to) {
        return;
    }
    to->program = add_program(ps, &program, known ? ps->programs[from->program].name : UNKNOWN_PROGRAM,
                              known ? ps->programs[from->program].command : NULL);
    if (to->place_room < from->place_count) {
        to->place_room = from->place_count;
        to->places = cli_allocate(to->places, to->place_room, sizeof *to->places);
    }
    to->place_count = from->place_count;
    for (size_t i = 0; i < from->place_count; i++) {
        to->places[i] = from->places[i];
        to->places[i].map = RECORDING_NONE;
    }
}

uint32_t sample_process_image(struct sample_processes *ps, int32_t pid)
{
    struct sample_process *p = process_of(ps, pid);

    if (p->program == RECORDING_NONE) {
        const struct sample_program program = {.pid = pid, .parent = RECORDING_NONE};

        p->program = add_program(ps, &program, pid == 0 ? "[idle]" : UNKNOWN_PROGRAM, NULL);
    }
    struct sample_program *program = &ps->programs[p->program];

    if (program->image == RECORDING_NONE) {
        uint32_t parent = program->parent;

        while (parent != RECORDING_NONE && ps->programs[parent].image == RECORDING_NONE) {
            parent = ps->programs[parent].parent; /* the next above that has samples */
        }
        const struct recording_image row = {
            .pid = pid, .parent = parent == RECORDING_NONE ? parent : ps->programs[parent].image,
            .forked = program->forked, .start_ns = program->start_ns, .name = program->name,
            .command = program->command != NULL ? program->command : program->name};

        program->image = recording_add_image(ps->r, &row);
        sample_need(program->image != RECORDING_NONE);
    }
    return program->image;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Maps.
 */

/* Returns the row of the file with the number @path. */
static uint32_t file_of(struct sample_processes *ps, uint32_t path)
{
    const char *name = ps->paths[path];
    enum recording_file_kind kind = RECORDING_FILE_CODE;

    if (ps->files[path] != RECORDING_NONE) {
        return ps->files[path];
    }
    if (strcmp(name, KERNEL_PATH) == 0) {
        kind = RECORDING_FILE_KERNEL;
    } else if (strcmp(name, "[vdso]") == 0 || strcmp(name, "[vectors]") == 0) {
        kind = RECORDING_FILE_VDSO;
    } else if (name[0] == '/' && strncmp(name, "//", 2) != 0 && strncmp(name, "/memfd:", 7) != 0 &&
               strncmp(name, "/dev/zero", 9) != 0 && strncmp(name, "/SYSV", 5) != 0) {
        kind = RECORDING_FILE_ELF;
    }
    ps->files[path] = recording_add_file(ps->r, kind, kind == RECORDING_FILE_CODE ? "[generated code]" : name, NULL, 0);
    sample_need(ps->files[path] != RECORDING_NONE);
    return ps->files[path];
}

/* Inserts @place at index @at. */
static void insert_place(struct sample_process *p, size_t at, const struct sample_place *place)
{
    p->places = room_for(p->places, p->place_count, &p->place_room, sizeof *p->places);
    memmove(&p->places[at + 1], &p->places[at], (p->place_count - at) * sizeof *p->places);
    p->places[at] = *place;
    p->place_count++;
}

/* Returns the index of the first place of @p that ends behind @address. */
static size_t first_behind(const struct sample_process *p, uint64_t address)
{
    size_t low = 0, high = p->place_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (p->places[middle].end <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Removes what lies from @start to @end; of a place that reaches beyond it what is beyond stays. */
static void clear_places(struct sample_process *p, uint64_t start, uint64_t end)
{
    const size_t first = first_behind(p, start);

    if (first < p->place_count && p->places[first].start < start) { /* cut it in two at @start */
        struct sample_place left = p->places[first];

        p->places[first].offset += start - left.start;
        p->places[first].start = start;
        p->places[first].map = RECORDING_NONE;
        left.end = start;
        left.map = RECORDING_NONE;
        insert_place(p, first, &left);
    }
    const size_t from = first_behind(p, start);
    size_t to = from;

    while (to < p->place_count && p->places[to].end <= end) {
        to++;
    }
    if (to < p->place_count && p->places[to].start < end) {
        p->places[to].offset += end - p->places[to].start;
        p->places[to].start = end;
        p->places[to].map = RECORDING_NONE;
    }
    if (to > from) {
        memmove(&p->places[from], &p->places[to], (p->place_count - to) * sizeof *p->places);
        p->place_count -= to - from;
    }
}

void sample_process_map(struct sample_processes *ps, int32_t pid, const struct sample_place *place, const char *path)
{
    struct sample_process *p = process_of(ps, pid);
    struct sample_place added = *place;

    if (place->start >= place->end || place->offset + (place->end - place->start) < place->offset) {
        return;
    }
    added.path = path_of(ps, path);
    added.map = RECORDING_NONE;
    clear_places(p, place->start, place->end);
    insert_place(p, first_behind(p, place->start), &added);
}

/* Returns the row of @place in @image: the one that it had before if it was mapped like this already. */
static uint32_t map_of(struct sample_processes *ps, uint32_t image, const struct sample_place *place)
{
    const struct recording_map row = {.image = image, .file = file_of(ps, place->path), .start = place->start,
                                      .end = place->end, .offset = place->offset};
    uint32_t *last = profile_pair_at(&ps->by_place, (uint64_t)image << 32 | place->path, place->start);

    sample_need(last != NULL);
    if (*last == PROFILE_NONE || ps->r->maps[*last].end != row.end || ps->r->maps[*last].offset != row.offset) {
        *last = recording_add_map(ps->r, &row);
        sample_need(*last != RECORDING_NONE);
    }
    return *last;
}

uint32_t sample_process_place(struct sample_processes *ps, int32_t pid, uint64_t address, bool kernel)
{
    const uint32_t image = sample_process_image(ps, pid);

    if (kernel) {
        const struct sample_place all = {.start = address >= KERNEL_64 ? KERNEL_64 : KERNEL_32, .end = UINT64_MAX,
                                         .path = KERNEL};

        return address >= all.start && address < all.end ? map_of(ps, image, &all) : RECORDING_NONE;
    }
    struct sample_process *p = process_of(ps, pid);
    const size_t i = first_behind(p, address);

    if (i == p->place_count || address < p->places[i].start) {
        return RECORDING_NONE;
    }
    if (p->places[i].map == RECORDING_NONE) {
        p->places[i].map = map_of(ps, image, &p->places[i]);
    }
    return p->places[i].map;
}
