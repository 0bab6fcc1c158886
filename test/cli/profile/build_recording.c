/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * build_recording FILE: writes a recording out of the lines of stdin, for tests of what shows recordings.  Indexes are
 * those of the rows, from 0, and "-" is none.
 *
 *      event NAME [MARK]
 *      file elf|vdso|code|kernel|unknown PATH [BUILD-ID]
 *      image PID NAME           a 32-bit program: image32
 *      thread IMAGE TID [NAME]
 *      map IMAGE FILE START END OFFSET
 *      symbol IMAGE START SIZE NAME
 *      code THREAD MAP ADDRESS WORD LENGTH COUNT...
 *      node THREAD PARENT ENTRY-MAP ENTRY SITE-MAP SITE CALLS KIND COUNT...
 *      sample THREAD EVENT NODE MAP ADDRESS TIME PERIOD CPU
 *      interval START END COUNT...
 *      sampled
 *      command TEXT
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "../../../cli/profile/recording.h"

static char *words[64];
static size_t word_count;

static uint64_t number(size_t word)
{
    return word >= word_count ? 0 : strcmp(words[word], "-") == 0 ? RECORDING_NONE : strtoull(words[word], NULL, 0);
}

static uint32_t small(size_t word)
{
    return (uint32_t)number(word);
}

static const char *text(size_t word)
{
    return word < word_count ? words[word] : "";
}

static void add_file(struct recording *r)
{
    static const char *const kinds[] = {"elf", "vdso", "code", "kernel", "unknown"};
    enum recording_file_kind kind = RECORDING_FILE_ELF;
    uint8_t id[RECORDING_BUILD_ID];
    size_t length = 0;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(text(1), kinds[i]) == 0) {
            kind = (enum recording_file_kind)i;
        }
    }
    for (const char *hex = text(3); hex[0] != '\0' && hex[1] != '\0' && length < sizeof id; hex += 2) {
        id[length++] = (uint8_t)strtoul((char[3]){hex[0], hex[1], '\0'}, NULL, 16);
    }
    recording_add_file(r, kind, text(2), id, length);
}

/* Adds the row that a line describes.  Returns false if it describes none. */
static bool add_line(struct recording *r)
{
    uint64_t counts[64] = {0};
    const size_t first = strcmp(words[0], "node") == 0 ? 9 : strcmp(words[0], "interval") == 0 ? 3 : 6;

    for (size_t i = 0; first + i < word_count && i < 64; i++) {
        counts[i] = number(first + i);
    }
    if (strcmp(words[0], "event") == 0) {
        return recording_add_event(r, text(1), text(2), 0) != RECORDING_NONE;
    } else if (strcmp(words[0], "file") == 0) {
        add_file(r);
    } else if (strcmp(words[0], "image") == 0 || strcmp(words[0], "image32") == 0) {
        recording_add_image(r, &(struct recording_image){.pid = (int32_t)number(1), .parent = RECORDING_NONE,
                                                         .a32 = words[0][5] == '3', .name = words[2],
                                                         .command = words[2]});
    } else if (strcmp(words[0], "thread") == 0) {
        recording_add_thread(r, &(struct recording_thread){small(1), (int32_t)number(2), word_count > 3 ? words[3]
                                                                                                        : NULL});
    } else if (strcmp(words[0], "map") == 0) {
        recording_add_map(r, &(struct recording_map){small(1), small(2), number(3), number(4), number(5)});
    } else if (strcmp(words[0], "symbol") == 0) {
        recording_add_symbol(r, &(struct recording_symbol){small(1), number(2), number(3), words[4]});
    } else if (strcmp(words[0], "code") == 0) {
        recording_add_code(r, &(struct recording_code){small(1), small(2), number(3), small(4), (uint8_t)small(5)},
                           counts);
    } else if (strcmp(words[0], "node") == 0) {
        r->call_graph = true;
        recording_add_node(r, &(struct recording_node){small(1), small(2), small(3), small(5), number(4), number(6),
                                                       number(7), (uint8_t)small(8)}, counts);
    } else if (strcmp(words[0], "sample") == 0) {
        recording_add_sample(r, &(struct recording_sample){small(1), small(2), small(3), small(4), number(5), number(6),
                                                           number(7), small(8)});
    } else if (strcmp(words[0], "interval") == 0) {
        recording_add_interval(r, &(struct recording_interval){number(1), number(2)}, counts);
    } else if (strcmp(words[0], "sampled") == 0) {
        r->sampled = true;
    } else if (strcmp(words[0], "command") == 0) {
        recording_set_text(&r->command, text(1));
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct recording *r = recording_new();
    struct recording_refusal no;
    char *line = NULL;
    size_t room = 0;
    bool done = r != NULL && argc == 2;

    while (done && getline(&line, &room, stdin) > 0) {
        char *rest = line;

        for (word_count = 0; word_count < 64 && (words[word_count] = strtok_r(rest, " \n", &rest)) != NULL;) {
            word_count++;
        }
        if (word_count > 0 && !add_line(r)) {
            fprintf(stderr, "build_recording: no such line: %s\n", words[0]);
            done = false;
        }
    }
    if (done) {
        r->complete = true;
        recording_set_text(&r->engine, "qemu-user");
        recording_sort(r);
        done = recording_write(r, argv[1], &no);
        if (!done) {
            fprintf(stderr, "%s\n", no.text);
        }
    }
    free(line);
    recording_free(r);
    return done ? 0 : 1;
}
