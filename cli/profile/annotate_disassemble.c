/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Disassembles instructions with objdump of binutils, which knows the extensions of its release.  It gets a file of
 * nothing but the words, one after the other, so no file of the recording reaches it.  Where an instruction names an
 * address, this is moved from where the word lies in that file to where it lies in the program.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate.h"

/* What the words of a listing are, for objdump. */
enum word_kind { WORDS_A64, WORDS_A32, WORDS_T32, WORD_KINDS };

/* Where a word is in the file for objdump. */
struct placed {
    uint64_t at;
    struct annotate_listing *listing;
    size_t index;
};

/* Returns the kind of the listing.  It is T32 if one of its instructions has two bytes. */
static enum word_kind kind_of(const struct annotate_listing *l)
{
    for (size_t i = 0; l->a32 && i < l->count; i++) {
        if (l->data[i].length == 2) {
            return WORDS_T32;
        }
    }
    return l->a32 ? WORDS_A32 : WORDS_A64;
}

/* Writes the words of a listing to @file, from @at on, and notes their places.  Returns where they end. */
static uint64_t write_listing(struct annotate_listing *l, bool t32, FILE *file, uint64_t at, struct placed *placed,
                              size_t *count)
{
    for (size_t i = 0; i < l->count; i++) {
        const uint32_t word = l->data[i].word;
        const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24)};
        const uint8_t halves[4] = {bytes[2], bytes[3], bytes[0], bytes[1]}; /* T32: the upper one comes first */

        if (l->data[i].length == 0) {
            continue;
        }
        placed[(*count)++] = (struct placed){at, l, i};
        fwrite(t32 && l->data[i].length == 4 ? halves : bytes, 1, l->data[i].length, file);
        at += l->data[i].length;
    }
    return at;
}

/*
 * Writes the words of those of the @number listings that are of @kind to a new file, which the caller removes.  Returns
 * its descriptor, or -1.
 */
static int write_words(struct annotate_listing *listings, size_t number, enum word_kind kind, struct placed *placed,
                       size_t *count, char *path)
{
    const char *folder = getenv("TMPDIR");
    uint64_t at = 0;

    snprintf(path, 256, "%s/armpmu-words-XXXXXX", folder != NULL && strlen(folder) < 200 ? folder : "/tmp");
    const int fd = mkostemp(path, O_CLOEXEC);
    FILE *file = fd == -1 ? NULL : fdopen(dup(fd), "wb");

    *count = 0;
    for (size_t i = 0; file != NULL && i < number; i++) {
        if (kind_of(&listings[i]) == kind) {
            at = write_listing(&listings[i], kind == WORDS_T32, file, at, placed, count);
        }
    }
    if (file == NULL || fclose(file) != 0) {
        if (fd != -1) {
            unlink(path);
            close(fd);
        }
        return -1;
    }
    return fd;
}

/* Runs @program on the file @path.  Returns its output, which the caller frees, or NULL. */
static char *run_objdump(const char *program, enum word_kind kind, const char *path)
{
    const char *const arguments[] = {program, "-D", "-z", "-b", "binary", "-m", kind == WORDS_A64 ? "aarch64" : "arm",
                                     kind == WORDS_T32 ? "-Mforce-thumb" : "-EL", "-EL", path, NULL};
    posix_spawn_file_actions_t actions;
    char *output = NULL, block[4096];
    size_t size;
    FILE *memory;
    int ends[2], status = -1;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return NULL;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    memory = open_memstream(&output, &size);
    if (posix_spawnp(&pid, program, &actions, NULL, (char **)(uintptr_t)arguments, environ) == 0) {
        close(ends[1]);
        for (ssize_t got; (got = read(ends[0], block, sizeof block)) > 0 || (got < 0 && errno == EINTR);) {
            if (memory != NULL && got > 0) {
                fwrite(block, 1, (size_t)got, memory);
            }
        }
        while (waitpid(pid, &status, 0) == -1 && errno == EINTR) {
        }
    } else {
        close(ends[1]);
    }
    close(ends[0]);
    posix_spawn_file_actions_destroy(&actions);
    if (memory == NULL || fclose(memory) != 0 || status != 0) {
        free(output);
        return NULL;
    }
    return output;
}

/* Writes where @address is, "0x4005d0 <main+0x10>", to @text. */
static void name_address(const struct profile *p, const struct annotate_listing *l, uint64_t address, char *text,
                         size_t size)
{
    const uint32_t file = profile_function(p, l->function)->file;
    const size_t count = profile_function_count(p);

    for (uint32_t i = 0; i < count; i++) {
        const struct profile_function *f = profile_function(p, i);

        if (f->file == file && f->start <= address && address < f->end) {
            if (address == f->start) {
                snprintf(text, size, "0x%" PRIx64 " <%s>", address, f->name);
            } else {
                snprintf(text, size, "0x%" PRIx64 " <%s+0x%" PRIx64 ">", address, f->name, address - f->start);
            }
            return;
        }
    }
    snprintf(text, size, "0x%" PRIx64, address);
}

/* Returns whether the mnemonic @text names an address by an offset to its own. */
static bool is_relative(const char *text)
{
    static const char *const words[] = {"b", "bl", "blx", "cbz", "cbnz", "tbz", "tbnz", "adr", "adrp", "ldr", "ldrsw",
                                        "prfm"};
    const size_t length = strcspn(text, " ");

    if (length > 1 && text[0] == 'b' && (text[1] == '.' || length == 3 || text[length - 2] == '.')) {
        return strncmp(text, "bic", 3) != 0 && strncmp(text, "bfi", 3) != 0 && strncmp(text, "bfc", 3) != 0 &&
               strncmp(text, "bti", 3) != 0; /* a condition */
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && strncmp(text, words[i], length) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns the text of an instruction that lay at @at in the words. */
static char *move_text(const struct profile *p, const struct annotate_listing *l, size_t index, uint64_t at,
                       const char *line, size_t length)
{
    const uint64_t address = l->data[index].address;
    char *text = strndup(line, length), *number, *end, *moved = NULL, where[512];

    if (text == NULL) {
        return NULL;
    }
    for (char *c = text; *c != '\0'; c++) {
        *c = *c == '\t' ? ' ' : *c;
    }
    number = strrchr(text, ' ');
    number = number == NULL ? NULL : number + 1;
    if (number != NULL && strncmp(number, "0x", 2) == 0 && is_relative(text)) {
        const uint64_t target = strtoull(number, &end, 16);
        uint64_t real = address + (target - at);

        if (strncmp(text, "adrp ", 5) == 0) {
            real = (address & ~UINT64_C(0xfff)) + (target - (at & ~UINT64_C(0xfff)));
        }
        if (*end == '\0') {
            name_address(p, l, real, where, sizeof where);
            if (asprintf(&moved, "%.*s%s", (int)(number - text), text, where) >= 0) {
                free(text);
                return moved;
            }
        }
    }
    return text;
}

/* Takes the texts out of objdump's output: "   4:\t910003fd \tmov\tx29, sp". */
static void take_texts(const struct profile *p, const struct placed *placed, size_t count, const char *output)
{
    size_t next = 0;

    for (const char *line = output; *line != '\0' && next < count;) {
        const size_t length = strcspn(line, "\n");
        char *colon;
        const uint64_t at = strtoull(line, &colon, 16);
        const char *words = colon[0] == ':' && colon[1] == '\t' ? colon + 2 : NULL;
        const char *text = words == NULL ? NULL : memchr(words, '\t', length - (size_t)(words - line));

        while (text != NULL && next < count && placed[next].at < at) {
            next++;
        }
        if (text != NULL && colon < line + length && next < count && placed[next].at == at) {
            size_t left = length - (size_t)(text + 1 - line);
            const char *comment = memmem(text + 1, left, "//", 2);

            left = comment != NULL ? (size_t)(comment - text - 1) : left;
            while (left > 0 && isspace((unsigned char)text[left])) {
                left--;
            }
            struct annotate_listing *l = placed[next].listing;

            l->data[placed[next].index].text = move_text(p, l, placed[next].index, at, text + 1, left);
            next++;
        }
        line += length + (line[length] == '\n');
    }
}

/*
 * Disassembles those of the @number listings that are of @kind.  @placed has room for all words.  Returns NULL, or why
 * there is no disassembly.
 */
static const char *disassemble_kind(const struct profile *p, struct annotate_listing *listings, size_t number,
                                    enum word_kind kind, struct placed *placed)
{
    static const char *const a64[] = {"aarch64-linux-gnu-objdump", "objdump", NULL};
    static const char *const a32[] = {"arm-linux-gnueabihf-objdump", "arm-linux-gnueabi-objdump", "objdump", NULL};
    const char *const chosen[] = {getenv("ARMPMU_OBJDUMP"), NULL};
    size_t count;
    char path[256], *output = NULL;
    const int fd = write_words(listings, number, kind, placed, &count, path);

    if (fd == -1) {
        return "the words cannot be written to TMPDIR, so there is no disassembly; make room there";
    }
    for (const char *const *program = chosen[0] != NULL && chosen[0][0] != '\0' ? chosen
                                      : kind == WORDS_A64                        ? a64
                                                                                 : a32;
         count != 0 && output == NULL && *program != NULL; program++) {
        output = run_objdump(*program, kind, path);
    }
    unlink(path);
    close(fd);
    const bool done = count == 0 || output != NULL;

    if (output != NULL) {
        take_texts(p, placed, count, output);
    }
    free(output);
    return done                ? NULL
           : kind == WORDS_A64 ? "no objdump here knows Arm's instructions; install binutils-aarch64-linux-gnu"
                               : "no objdump here knows Arm's instructions; install binutils-arm-linux-gnueabihf";
}

bool annotate_disassemble(const struct profile *p, struct annotate_listing *listings, size_t number, const char **why)
{
    struct placed *placed;
    size_t words = 1;

    for (size_t i = 0; i < number; i++) {
        words += listings[i].count;
    }
    placed = cli_allocate(NULL, words, sizeof *placed);
    *why = NULL;
    for (enum word_kind kind = WORDS_A64; kind < WORD_KINDS; kind++) {
        const char *missing = disassemble_kind(p, listings, number, kind, placed);

        *why = missing != NULL ? missing : *why;
    }
    free(placed);
    return *why == NULL;
}
