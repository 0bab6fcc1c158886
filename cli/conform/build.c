/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles an image, runs it, and keeps what it prints. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conform.h"

enum { OWN_WORDS = 16, TEXT_LIMIT = 64 << 20 };

int conform_open(const struct cli_verb *verb, struct conform_run *run)
{
    *run = (struct conform_run){.text = NULL};
    strcpy(run->folder, "/tmp/armpmu-conform-XXXXXX");
    if (mkdtemp(run->folder) == NULL) {
        cli_complain(verb, "%s: %s; make room", run->folder, strerror(errno));
        run->folder[0] = '\0';
        return CLI_CANNOT;
    }
    snprintf(run->source, sizeof run->source, "%s/image.c", run->folder);
    snprintf(run->image, sizeof run->image, "%s/image.elf", run->folder);
    return CLI_YES;
}

void conform_close(struct conform_run *run)
{
    if (run->folder[0] != '\0') {
        unlink(run->source);
        unlink(run->image);
        rmdir(run->folder);
    }
    free(run->text);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Commands.
 */

/* Returns the milliseconds since some moment. */
static long long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Adds what can be read from @fd to the text.  Returns false at its end. */
static bool read_some(struct conform_run *run, int fd)
{
    char some[4096];
    const ssize_t n = read(fd, some, sizeof some);

    if (n <= 0 || run->length + (size_t)n >= TEXT_LIMIT) {
        return n < 0 && errno == EINTR;
    }
    run->text = cli_allocate(run->text, run->length + (size_t)n + 1, 1);
    memcpy(run->text + run->length, some, (size_t)n);
    run->length += (size_t)n;
    run->text[run->length] = '\0';
    return true;
}

/* Starts a command whose stdout and stderr are *@fd, in a process group of its own.  Returns its id, or -1. */
static pid_t start(char *const *argv, int *fd)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    const pid_t pid = fork();

    if (pid == 0) {
        const int none = open("/dev/null", O_RDONLY);

        setpgid(0, 0);
        dup2(none, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execvp(argv[0], argv);
        dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    *fd = ends[0];
    return pid;
}

/* Returns whether the text ends with the last line of an image, which cannot always end the machine. */
static bool is_over(const struct conform_run *run)
{
    static const char last[] = " skipped\n";

    return run->length > sizeof last && strcmp(run->text + run->length - (sizeof last - 1), last) == 0;
}

/*
 * Runs a command, for @seconds at most or until an image is over, and keeps what it prints.  Returns its exit status,
 * 124 if it had no end.
 */
static int run_command(char *const *argv, struct conform_run *run, unsigned seconds)
{
    const long long end = now() + seconds * 1000LL;
    int fd = -1, status = 0;
    bool in_time = true, over = false;

    free(run->text);
    run->text = cli_allocate(NULL, 1, 1);
    run->length = 0;
    const pid_t pid = start(argv, &fd);

    if (pid < 0) {
        return 127;
    }
    for (bool more = true; more && in_time && !over;) {
        struct pollfd event = {.fd = fd, .events = POLLIN};
        const long long left = end - now();

        in_time = left > 0;
        if (in_time && poll(&event, 1, (int)(left > 1000 ? 1000 : left)) > 0) {
            more = read_some(run, fd);
        } else {
            over = is_over(run); /* a second later it still runs */
        }
    }
    close(fd);
    if (!in_time || over) {
        kill(-pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return over ? 0 : !in_time ? 124 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The compiler.
 */

/* Returns whether @name is a command. */
static bool is_command(const char *name)
{
    struct conform_run trial = {.text = NULL};
    char *const argv[] = {(char *)name, (char *)"--version", NULL};
    const bool there = run_command(argv, &trial, 20) == 0;

    free(trial.text);
    return there;
}

/* Returns the compiler that is there, or NULL after a complaint. */
static const char *find_compiler(const struct cli_verb *verb, const char *given, bool a32)
{
    static const char *const compilers[2][4] = {
        {"aarch64-linux-gnu-gcc", "aarch64-none-elf-gcc", "aarch64-elf-gcc",
#ifdef __aarch64__
         "gcc"
#endif
        },
        {"arm-none-eabi-gcc", "arm-linux-gnueabihf-gcc", "arm-linux-gnueabi-gcc"},
    };
    const char *const *names = compilers[a32];

    if (given != NULL) {
        return given;
    }
    for (size_t i = 0; i < 4 && names[i] != NULL; i++) {
        if (is_command(names[i])) {
            return names[i];
        }
    }
    cli_complain(verb, "compiler: there is no %s, %s or %s; install %s, or name another in --cc", names[0], names[1],
                 names[2], a32 ? "gcc-arm-none-eabi" : "gcc-aarch64-linux-gnu");
    return NULL;
}

/* Writes the source of @image to its file. */
static int write_source(const struct cli_verb *verb, const struct image_options *image, const struct conform_run *run,
                        struct image_summary *summary)
{
    char fault[256];
    FILE *out = fopen(run->source, "w");

    if (out == NULL) {
        cli_complain(verb, "%s: %s; make room", run->source, strerror(errno));
        return CLI_CANNOT;
    }
    const char *wrong = image_write(out, image, summary, fault);

    if (wrong != NULL) {
        cli_complain(verb, "image: %s; give other --features or --counters", wrong);
    }
    const int status = cli_flush(verb, out, run->source, wrong == NULL ? CLI_YES : CLI_CANNOT);

    fclose(out);
    return status;
}

static int compile(const struct cli_verb *verb, const char *compiler, bool a32, struct conform_run *run)
{
    static const char *const states[2][4] = {
        {"-mgeneral-regs-only", "-mstrict-align"},
        {"-march=armv7-a", "-marm", "-mfloat-abi=soft", "-mno-unaligned-access"},
    };
    const char *const *own = states[a32];
    char *const argv[] = {
        (char *)compiler, (char *)"-O1", (char *)"-ffreestanding", (char *)"-fno-pic", (char *)"-nostdlib",
        (char *)"-static", (char *)"-fno-stack-protector",
        (char *)"-Wl,-N,--build-id=none,-Ttext-segment=0x40200000", (char *)"-o", run->image, run->source,
        (char *)own[0], (char *)own[1], (char *)own[2], (char *)own[3], NULL, /* the rest may be NULL */
    };

    if (run_command(argv, run, 300) == 0) {
        return CLI_YES;
    }
    cli_complain(verb, "compiler: %s refuses the image; name another in --cc. It said: %.300s", compiler, run->text);
    return CLI_CANNOT;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The run.
 */

/* Returns the words of armpmu run for the image, which the caller frees. */
static char **own_command(const struct conform_options *o, char *self, char *el, char *file)
{
    const struct {
        const char *option, *value;
    } options[] = {{"--el", el}, {"--cpu", o->cpu}, {"--features", o->features}, {"--counters", o->counters}};
    char **words = cli_allocate(NULL, OWN_WORDS, sizeof *words);
    size_t n = 0;

    words[n++] = self;
    words[n++] = (char *)"run";
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i].value != NULL) {
            words[n++] = (char *)options[i].option;
            words[n++] = (char *)options[i].value;
        }
    }
    words[n++] = file;
    return words;
}

/* Returns the user's command, which the caller frees: the image takes the place of the word {}, or comes last. */
static char **user_command(char *const *command, char *file)
{
    size_t count = 0;
    bool placed = false;

    while (command[count] != NULL) {
        count++;
    }
    char **words = cli_allocate(NULL, count + 2, sizeof *words);

    for (size_t i = 0; i < count; i++) {
        words[i] = strcmp(command[i], "{}") == 0 ? file : command[i];
        placed |= words[i] == file;
    }
    words[count] = placed ? NULL : file;
    return words;
}

/* Runs the image.  Returns CLI_YES, or CLI_CANNOT after a complaint. */
static int run_image(const struct cli_verb *verb, const struct conform_options *o, char *const *words,
                     struct conform_run *run)
{
    const int status = run_command(words, run, o->timeout);
    const int length = (int)strcspn(run->text, "\n") < 300 ? (int)strcspn(run->text, "\n") : 300; /* of a line */

    if (strncmp(run->text, "armpmu run: ", 12) == 0) {
        cli_complain(verb, "%.*s; or give the command of another emulator behind --, such as -- qemu-system-aarch64 -M "
                           "virt -cpu cortex-a57 -nic none -display none -semihosting -kernel", length, run->text);
    } else if (status == 124) {
        cli_complain(verb, "%s: it did not end within %u seconds; give it a longer --timeout, or see that it can load "
                           "the image. It printed: %.*s", words[0], o->timeout, length, run->text);
    } else if (strstr(run->text, "incompatible architecture") != NULL) { /* QEMU's words */
        const bool a32 = o->image.isa == IMAGE_A32;

        cli_complain(verb, "%s: its core starts in %s state, so it does not load an image of %s state; give --isa %s, "
                           "or a core such as %s", words[0], a32 ? "AArch64" : "AArch32", a32 ? "AArch32" : "AArch64",
                     a32 ? "A64,A32, by which EL0 is in AArch32 state" : "A32", a32 ? "cortex-a15" : "cortex-a57");
    } else if (strstr(run->text, "CurrentEL = ") == NULL) {
        cli_complain(verb, "%s: it ended with status %d, and the image printed nothing; see that it starts the image "
                           "at its entry, %sand that --console is what it has. It printed: %.*s", words[0], status,
                     o->image.isa == IMAGE_A32 ? "that its core starts in AArch32 state, as a cortex-a15 does, " : "",
                     length, run->text);
    } else {
        return CLI_YES;
    }
    return CLI_CANNOT;
}

int conform_execute(const struct cli_verb *verb, const struct conform_options *o, const struct image_options *image,
                    char *const *command, struct conform_run *run, struct image_summary *summary)
{
    const bool a32 = image->isa == IMAGE_A32;
    const char *compiler = find_compiler(verb, o->compiler, a32);
    char self[4096], el[2] = {(char)('0' + image->el), '\0'};
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    if (compiler == NULL || write_source(verb, image, run, summary) != CLI_YES ||
        compile(verb, compiler, a32, run) != CLI_YES) {
        return CLI_CANNOT;
    }
    self[n > 0 ? n : 0] = '\0';
    char **words = command[0] == NULL ? own_command(o, self, el, run->image) : user_command(command, run->image);
    const int status = run_image(verb, o, words, run);

    free(words);
    return status;
}
