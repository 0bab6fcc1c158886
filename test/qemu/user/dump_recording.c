/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the tables of a recording, for test_record.sh, a row on a line:
 *
 *   complete 0|1
 *   event NAME
 *   image INDEX PID PARENT forked|begun NAME COMMAND
 *   thread INDEX IMAGE TID NAME
 *   map INDEX IMAGE KIND START END OFFSET BUILD-ID PATH
 *   symbol IMAGE START SIZE NAME
 *   code IMAGE THREAD MAP ADDRESS WORD LENGTH COUNT...
 *   remark TEXT
 */
#include "../../../cli/profile/recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Prints an index, or "-" for none. */
static void print_index(uint32_t index)
{
    if (index == RECORDING_NONE) {
        printf(" -");
    } else {
        printf(" %u", (unsigned)index);
    }
}

static void print_images(const struct recording *r)
{
    for (size_t i = 0; i < r->image_count; i++) {
        const struct recording_image *image = &r->images[i];

        printf("image %zu %d", i, (int)image->pid);
        print_index(image->parent);
        printf(" %s %s %s\n", image->forked ? "forked" : "begun", image->name, image->command);
    }
    for (size_t i = 0; i < r->thread_count; i++) {
        printf("thread %zu %u %d %s\n", i, (unsigned)r->threads[i].image, (int)r->threads[i].tid, r->threads[i].name);
    }
}

static void print_maps(const struct recording *r)
{
    for (size_t i = 0; i < r->map_count; i++) {
        const struct recording_map *map = &r->maps[i];
        const struct recording_file *file = &r->files[map->file];

        printf("map %zu %u %d %" PRIx64 " %" PRIx64 " %" PRIx64 " ", i, (unsigned)map->image, (int)file->kind,
               map->start, map->end, map->offset);
        for (uint32_t k = 0; k < file->build_id_length; k++) {
            printf("%02x", file->build_id[k]);
        }
        printf("%s %s\n", file->build_id_length == 0 ? "-" : "", file->path);
    }
    for (size_t i = 0; i < r->symbol_count; i++) {
        printf("symbol %u %" PRIx64 " %" PRIx64 " %s\n", (unsigned)r->symbols[i].image, r->symbols[i].start,
               r->symbols[i].size, r->symbols[i].name);
    }
}

static void print_code(const struct recording *r)
{
    for (size_t i = 0; i < r->code_count; i++) {
        const struct recording_code *code = &r->code[i];

        printf("code %u %u", (unsigned)r->threads[code->thread].image, (unsigned)code->thread);
        print_index(code->map);
        printf(" %" PRIx64 " %08x %u", code->address, (unsigned)code->word, (unsigned)code->length);
        for (size_t e = 0; e < r->event_count; e++) {
            printf(" %" PRIu64, r->code_counts[i * r->event_count + e]);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    struct recording_refusal no;
    struct recording *r = argc == 2 ? recording_read(argv[1], &no) : NULL;

    if (r == NULL) {
        fprintf(stderr, "dump_recording: %s\n", argc == 2 ? no.text : "usage: dump_recording FILE");
        return 1;
    }
    printf("complete %d\n", r->complete);
    for (size_t i = 0; i < r->event_count; i++) {
        printf("event %s\n", r->events[i].name);
    }
    print_images(r);
    print_maps(r);
    print_code(r);
    for (char *line = strtok(r->remarks, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        printf("remark %s\n", line);
    }
    recording_free(r);
    return 0;
}
