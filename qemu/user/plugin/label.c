/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes in the image which program it is, where it comes from, and which threads its rows count. */
#define _GNU_SOURCE
#include "plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static char emulators_name[sizeof plugin.image->head.thread[0].name]; /* that of a thread without a name of its own */
static __thread bool labelled; /* the row of this thread has its label */

/* Appends @word to the command in @head, after a blank if there are other words. */
static void append_word(struct apmu_image_head *head, const char *word)
{
    const size_t used = strlen(head->command);
    snprintf(head->command + used, sizeof head->command - used, "%s%s", used > 0 ? " " : "", word);
}

/*
 * Finds the program's path and its arguments in the command line, which run.c or exec.c wrote: the words after -plugin
 * and its argument; the name that the program sees as its own follows -0.  The plugin interface has a function for the
 * path, which QEMU 10.0 lacks in user mode.
 */
void label_program(struct apmu_image_head *head)
{
    enum { OPTION, NAME, PLUGIN, PROGRAM, ARGUMENT } next = OPTION;
    char *word = NULL;
    size_t size = 0;
    FILE *words = fopen("/proc/self/cmdline", "re");

    while (words != NULL && getdelim(&word, &size, '\0', words) > 0) {
        if (next == NAME || next == ARGUMENT) {
            append_word(head, word);
        }
        if (next == PROGRAM) {
            const char *slash = strrchr(word, '/');
            snprintf(head->name, sizeof head->name, "%s", slash != NULL ? slash + 1 : word);
            if (realpath(word, plugin.program) == NULL) {
                plugin.program[0] = '\0';
            }
        }
        next = next == PLUGIN    ? PROGRAM
               : next >= PROGRAM ? ARGUMENT
               : next == NAME    ? OPTION
               : strcmp(word, "-plugin") == 0 ? PLUGIN
               : strcmp(word, "-0") == 0      ? NAME
                                              : OPTION;
    }
    free(word);
    if (words != NULL) {
        fclose(words);
    }
    prctl(PR_GET_NAME, emulators_name);
}

void label_image(struct apmu_image_head *head)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    head->start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    head->a32 = plugin.kind == APMU_PROGRAM_AARCH32;
}

void label_child(struct apmu_image_head *head, const struct apmu_image_head *parent)
{
    memcpy(head->name, parent->name, sizeof head->name);
    memcpy(head->command, parent->command, sizeof head->command);
    head->parent_pid = parent->pid;
    head->parent_number = parent->number;
    labelled = false;
}

/* Returns the label of the row of @vcpu. */
static struct apmu_image_thread *label_of(unsigned vcpu)
{
    return &plugin.image->head.thread[image_row(vcpu)];
}

void label_thread(unsigned vcpu)
{
    struct apmu_image_thread *t = label_of(vcpu);

    if (labelled || plugin.code == NULL) {
        return;
    }
    labelled = true;
    if (__atomic_fetch_add(&t->threads, 1, __ATOMIC_RELAXED) == 0) {
        t->tid = (int32_t)gettid();
    }
}

void label_name(unsigned vcpu, uint64_t name)
{
    char text[sizeof label_of(vcpu)->name] = "";
    size_t n = 0;

    for (; plugin.code != NULL && n < sizeof text - 1 && guest_read(name + n, &text[n], 1) && text[n] != '\0'; n++) {
    }
    text[n] = '\0';
    if (n > 0) {
        memcpy(label_of(vcpu)->name, text, sizeof text);
    }
}

void label_end(unsigned vcpu)
{
    char text[sizeof emulators_name] = "";

    if (plugin.code != NULL && prctl(PR_GET_NAME, text) == 0 && strcmp(text, emulators_name) != 0) {
        memcpy(label_of(vcpu)->name, text, sizeof text);
    }
}
