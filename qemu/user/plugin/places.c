/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells in which place the program's code lies, in a run that is recorded: code.h says what a place is.
 *
 * The kernel's list of this process's memory, /proc/self/maps, says what is mapped at an address now.  It is read when
 * a block is translated, because QEMU holds its lock of the program's memory then, so nothing is mapped at that time.
 * It is read again only if new code may have been mapped since:
 *
 *     places_call() sees a system call that may map code             thread A, before the call
 *                  |        that is made executable, or takes the
 *                  v        place of known code
 *           watched: each translation reads the list again           another thread cannot know whether A's call is
 *                  |                                                 done already
 *                  v
 *     A's next system call or translation: A's call is done
 *                  |
 *                  v
 *           stale: the next translation reads the list again
 *
 * Any other system call that maps memory changes nothing that is known: to execute code there the program must make it
 * executable by a further call.  Host pages of code are not marked executable, so the list does not tell what code is.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NO_PLACE UINT32_MAX
#define LIST_LIMIT ((size_t)64 << 20) /* the most bytes of the list that are read */

/* A line of the list.  Addresses are the program's. */
struct place_line {
    uint64_t start, end, offset, device, inode;
    const char *path; /* in the text of the list, ended by a newline; "" for memory of no file */
};

/* A place where code of this process lies. */
struct place_here {
    uint64_t start, end, bias; /* bias: the address of the file's first byte */
    uint64_t device, inode;    /* 0: no file */
    uint32_t number;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *list;
static size_t list_size;
static struct place_line *lines;
static size_t line_count, line_room;
static struct place_here *here;
static size_t here_count, here_room;
static const struct place_here *last; /* found last */
static bool stale = true;
static unsigned watched;       /* threads in a call that may map code */
static __thread bool watching; /* this thread is one of them */

/* ---------------------------------------------------------------------------------------------------------------
 * The list.
 */

/* Reads the list, ended by a 0.  Returns false if it cannot be opened; then what was read before is still there. */
static bool read_list(void)
{
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t n = 1;

    if (fd < 0) {
        return false;
    }
    while (n > 0 && length < LIST_LIMIT) {
        if (list_size - length < 65536) {
            char *more = realloc(list, list_size + 131072);
            if (more == NULL) {
                break;
            }
            list = more;
            list_size += 131072;
        }
        n = read(fd, list + length, list_size - length - 1);
        length += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    if (list != NULL) {
        list[length] = '\0';
    }
    return true;
}

/*
 * Parses the line at @text, such as "4000000000-4000001000 r--p 00002000 08:01 1234   /lib/x".  Returns false if it is
 * none, or not of the program's memory.
 */
static bool parse_line(const char *text, struct place_line *line)
{
    char *at;
    const uint64_t start = strtoull(text, &at, 16), end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;

    if (end <= start || at[0] != ' ' || strlen(at) < 7) {
        return false;
    }
    line->start = guest_address((uintptr_t)start);
    line->end = line->start + (end - start);
    if (line->start > start) { /* below the program's address 0 */
        return false;
    }
    line->offset = strtoull(at + 6, &at, 16);
    const unsigned long major = strtoul(at, &at, 16), minor = *at == ':' ? strtoul(at + 1, &at, 16) : 0;
    line->device = makedev((unsigned)major, (unsigned)minor);
    line->inode = strtoull(at, &at, 10);
    line->path = at + strspn(at, " ");
    return true;
}

/* Returns the line with @address, or NULL. */
static const struct place_line *line_of(uint64_t address)
{
    size_t low = 0, high = line_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (lines[middle].end <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < line_count && lines[low].start <= address ? &lines[low] : NULL;
}

/* Returns true if @place is a part of what @line says. */
static bool is_part(const struct place_here *place, const struct place_line *line)
{
    return place->device == line->device && place->inode == line->inode &&
           (line->inode == 0 || place->bias == line->start - line->offset);
}

/* Returns true if all of @place is mapped as it was.  Its lines may differ in their protection. */
static bool is_there(const struct place_here *place)
{
    const struct place_line *line = NULL;

    for (uint64_t at = place->start; at < place->end; at = line->end) {
        line = line_of(at);
        if (line == NULL || !is_part(place, line)) {
            return false;
        }
    }
    return true;
}

/* Reads what is mapped now, and forgets the places that are gone or have another mapping in them. */
static void refresh(void)
{
    size_t kept = 0;

    if (!read_list()) { /* no descriptor is left, or the program changed its root */
        return;
    }
    line_count = 0;
    for (char *text = list; text != NULL; text = strchr(text, '\n')) {
        text += *text == '\n';
        if (line_count == line_room) {
            struct place_line *more = realloc(lines, (line_room + 256) * sizeof *lines);
            if (more == NULL) {
                break;
            }
            lines = more;
            line_room += 256;
        }
        line_count += parse_line(text, &lines[line_count]);
    }
    for (size_t i = 0; i < here_count; i++) {
        if (is_there(&here[i])) {
            here[kept++] = here[i];
        }
    }
    here_count = kept;
    last = NULL;
    stale = false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Places in the shared table.
 */

/* Copies the path of a line, where \012 stands for a newline.  Returns true if the kernel marks the file as removed. */
static bool copy_path(const char *from, char to[APMU_PATH])
{
    static const char mark[] = " (deleted)";
    size_t n = 0;

    for (; *from != '\n' && *from != '\0' && n < APMU_PATH - 1; from++) {
        if (strncmp(from, "\\012", 4) == 0) {
            to[n++] = '\n';
            from += 3;
        } else {
            to[n++] = *from;
        }
    }
    to[n] = '\0';
    const bool removed = n > strlen(mark) && strcmp(to + n - strlen(mark), mark) == 0;
    if (removed) {
        to[n - strlen(mark)] = '\0';
    }
    return removed;
}

/* Returns true if the memory of no file at @address begins with an ELF header in its page or in one of 8 before it. */
static bool is_vdso(const struct place_line *line, uint64_t address)
{
    char magic[4];

    for (uint64_t page = address & ~UINT64_C(4095), n = 0; n < 8 && page >= line->start; page -= 4096, n++) {
        if (guest_read(page, magic, sizeof magic) && memcmp(magic, "\177ELF", sizeof magic) == 0) {
            return true;
        }
    }
    return false;
}

/* Makes @place what @line says of the addresses @start to @end - 1. */
static void describe(const struct place_line *line, uint64_t address, uint64_t start, uint64_t end,
                     struct apmu_code_place *place)
{
    memset(place, 0, sizeof *place);
    place->start = start;
    place->end = end;
    if (line->inode == 0) {
        place->kind = is_vdso(line, address) ? APMU_PLACE_VDSO : APMU_PLACE_CODE;
        return;
    }
    place->kind = APMU_PLACE_FILE;
    place->offset = line->offset + (start - line->start);
    place->device = line->device;
    place->inode = line->inode;
    place->removed = copy_path(line->path, place->path);
}

/* Returns true if the complete place @p of the table is @place. */
static bool is_same(const struct apmu_code_place *p, const struct apmu_code_place *place)
{
    return __atomic_load_n(&p->kind, __ATOMIC_ACQUIRE) == place->kind && p->start == place->start &&
           p->end == place->end && p->offset == place->offset && p->device == place->device &&
           p->inode == place->inode && p->removed == place->removed && strcmp(p->path, place->path) == 0;
}

/* Returns the number of @place in the shared table, to which it is added if it is new, or NO_PLACE if that is full. */
static uint32_t number_of(const struct apmu_code_place *place)
{
    struct apmu_code *code = plugin.code;
    const uint32_t count = apmu_at_most(__atomic_load_n(&code->head.places, __ATOMIC_ACQUIRE), APMU_PLACES);
    const size_t used = offsetof(struct apmu_code_place, path) + strlen(place->path) + 1;

    for (uint32_t i = 0; i < count; i++) {
        if (is_same(&code->place[i], place)) {
            return i;
        }
    }
    const uint32_t number = shapes_take(&code->head.places, 0, APMU_PLACES);
    if (number == NO_SHAPE || !image_has_room(&code->place[number], used)) {
        __atomic_store_n(&code->head.full, 1, __ATOMIC_RELAXED);
        return NO_PLACE;
    }
    struct apmu_code_place *p = &code->place[number];
    memcpy((char *)p + sizeof p->kind, (const char *)place + sizeof p->kind, used - sizeof p->kind);
    __atomic_store_n(&p->kind, place->kind, __ATOMIC_RELEASE);
    return number;
}

/* Adds the place of @address, which @line has, to those of this process.  Returns NULL if it cannot. */
static const struct place_here *add_here(const struct place_line *line, uint64_t address)
{
    static struct apmu_code_place place; /* the lock protects it */
    uint64_t start = line->start, end = line->end;

    for (size_t i = 0; i < here_count; i++) { /* keeps places apart when more memory was mapped beside one */
        if (is_part(&here[i], line) && here[i].end <= address && here[i].end > start) {
            start = here[i].end;
        } else if (is_part(&here[i], line) && here[i].start > address && here[i].start < end) {
            end = here[i].start;
        }
    }
    if (here_count == here_room) {
        struct place_here *more = realloc(here, (here_room + 64) * sizeof *here);
        if (more == NULL) {
            return NULL;
        }
        here = more;
        here_room += 64;
    }
    describe(line, address, start, end, &place);
    const uint32_t number = number_of(&place);
    if (number == NO_PLACE) {
        return NULL;
    }
    here[here_count] = (struct place_here){start, end, line->start - line->offset, line->device, line->inode, number};
    return &here[here_count++];
}

/* Returns the place of this process with @address, or NULL if none is known. */
static const struct place_here *find_here(uint64_t address)
{
    for (size_t i = 0; i < here_count; i++) {
        if (address >= here[i].start && address < here[i].end) {
            return &here[i];
        }
    }
    return NULL;
}

/* Notes that the call of this thread that may have mapped code is done. */
static void call_is_done(void)
{
    if (watching) {
        watching = false;
        watched--;
        stale = true;
    }
}

uint32_t places_at(uint64_t address)
{
    pthread_mutex_lock(&lock);
    call_is_done();
    if (last == NULL || stale || watched > 0 || address < last->start || address >= last->end) {
        if (stale || watched > 0) {
            refresh();
        }
        last = find_here(address);
        if (last == NULL) { /* the list may be too old to say how far the place extends */
            refresh();
            const struct place_line *line = line_of(address);
            last = line != NULL ? add_here(line, address) : NULL;
        }
    }
    const uint32_t number = last != NULL ? last->number + 1 : 0;
    pthread_mutex_unlock(&lock);
    return number;
}

uint32_t places_known(uint64_t address)
{
    pthread_mutex_lock(&lock);
    const struct place_here *place = find_here(address);
    const uint32_t number = place != NULL ? place->number + 1 : 0;
    pthread_mutex_unlock(&lock);
    return number;
}

/* ---------------------------------------------------------------------------------------------------------------
 * System calls, and fork.
 */

/* Returns true if known code lies in the @size bytes at @start. */
static bool has_code(uint64_t start, uint64_t size)
{
    for (size_t i = 0; i < here_count; i++) {
        if (here[i].start <= start ? start < here[i].end : here[i].start - start < size) {
            return true;
        }
    }
    return false;
}

/* Returns true if the @size bytes at @start are all in one known place. */
static bool is_known(uint64_t start, uint64_t size)
{
    const struct place_here *place = find_here(start);
    return place != NULL && size <= place->end - start;
}

/* Returns an argument of a system call as the program gave it: QEMU extends the sign of 32-bit ones. */
static uint64_t argument(uint64_t value)
{
    return plugin.kind == APMU_PROGRAM_AARCH32 ? (uint32_t)value : value;
}

/* Returns true if the system call @call with the arguments @arg may map code, or take the place of some. */
static bool may_map_code(enum places_call call, const uint64_t arg[5])
{
    const uint64_t start = argument(arg[0]), size = argument(arg[1]);

    switch (call) {
    case PLACES_MAP: return (arg[2] & PROT_EXEC) || ((arg[3] & MAP_FIXED) && has_code(start, size));
    case PLACES_PROTECT: return (arg[2] & PROT_EXEC) && !is_known(start, size);
    case PLACES_UNMAP: return has_code(start, size);
    case PLACES_MOVE: return has_code(start, size) || has_code(argument(arg[4]), argument(arg[2]));
    case PLACES_ANY: return true;
    default: return false;
    }
}

void places_call(enum places_call call, const uint64_t arg[5])
{
    if (plugin.code == NULL) {
        return;
    }
    pthread_mutex_lock(&lock);
    call_is_done();
    if (may_map_code(call, arg)) {
        watching = true;
        watched++;
    }
    pthread_mutex_unlock(&lock);
}

void places_lock(void)
{
    pthread_mutex_lock(&lock);
}

void places_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void places_child(void)
{
    watched = 0;
    watching = false;
    stale = true;
}
