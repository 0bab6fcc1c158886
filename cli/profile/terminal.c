/* SPDX-License-Identifier: BSD-2-Clause */
/* Width, colours and pager of a terminal, and cells. */
#define _GNU_SOURCE
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns whether $PATH has the program @name. */
static bool is_in_path(const char *name)
{
    const char *path = getenv("PATH");
    char *copy = strdup(path != NULL ? path : "/usr/bin:/bin"), *rest = copy, *folder;
    bool found = false;

    while (copy != NULL && !found && (folder = strsep(&rest, ":")) != NULL) {
        char *file;

        if (asprintf(&file, "%s/%s", folder[0] == '\0' ? "." : folder, name) < 0) {
            break;
        }
        found = access(file, X_OK) == 0;
        free(file);
    }
    free(copy);
    return found;
}

/* Returns the command of the pager, or NULL if there is none. */
static const char *pager_command(void)
{
    const char *command = getenv("ARMPMU_PAGER");

    if (command == NULL) {
        command = getenv("PAGER");
    }
    if (command == NULL) {
        command = is_in_path("less") ? "less" : "";
    }
    return command[0] == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
}

/* Starts the pager.  If that fails, there is none. */
static void start_pager(struct terminal *t, const char *command)
{
    int ends[2];
    FILE *out;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    fflush(stdout);
    t->pager = fork();
    if (t->pager == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("LESS", "FRX", 0); /* as git does: not for what fits; with colours; and it stays on the screen */
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    out = t->pager > 0 ? fdopen(ends[1], "w") : NULL;
    if (out == NULL) {
        close(ends[1]);
        t->pager = t->pager > 0 ? t->pager : 0;
        return;
    }
    t->out = out;
    signal(SIGPIPE, SIG_IGN); /* the user may leave the pager before the end */
    signal(SIGINT, SIG_IGN);  /* it is for the pager */
}

bool terminal_open(struct terminal *t, const struct cli_verb *verb, const struct terminal_choice *choice)
{
    const char *colour = choice->colour != NULL ? choice->colour : "auto";
    const char *none = getenv("NO_COLOR"), *kind = getenv("TERM"), *command;
    const bool tty = isatty(STDOUT_FILENO) == 1;
    struct winsize size;

    *t = (struct terminal){.out = stdout};
    if (strcmp(colour, "auto") != 0 && strcmp(colour, "always") != 0 && strcmp(colour, "never") != 0) {
        cli_complain(verb, "--color=%s: no such choice; give auto, always or never", colour);
        return false;
    }
    t->colour = strcmp(colour, "always") == 0 ||
                (strcmp(colour, "auto") == 0 && tty && (none == NULL || none[0] == '\0') &&
                 (kind == NULL || strcmp(kind, "dumb") != 0));
    if (!tty) {
        return true;
    }
    t->width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
    t->width = t->width < 40 ? 40 : t->width;
    command = choice->no_pager ? NULL : pager_command();
    if (command != NULL) {
        start_pager(t, command);
    }
    return true;
}

int terminal_close(struct terminal *t, const struct cli_verb *verb, int status)
{
    if (t->pager == 0) {
        return cli_flush(verb, t->out, "stdout", status);
    }
    if (t->out != stdout) {
        fclose(t->out);
    }
    while (waitpid(t->pager, NULL, 0) == -1 && errno == EINTR) {
    }
    return status;
}

void terminal_colour(const struct terminal *t, enum terminal_colour colour)
{
    static const char *const codes[] = {
        [TERMINAL_PLAIN] = "\033[0m", [TERMINAL_HOT] = "\033[1;31m", [TERMINAL_WARM] = "\033[33m",
        [TERMINAL_FAINT] = "\033[2m", [TERMINAL_GOOD] = "\033[32m",
    };

    if (t->colour) {
        fputs(codes[colour], t->out);
    }
}

char *terminal_printable(const char *text)
{
    char *copy = NULL;
    size_t size;
    FILE *memory = open_memstream(&copy, &size);

    if (memory == NULL) {
        return NULL;
    }
    cli_print(memory, text, strlen(text));
    return fclose(memory) == 0 ? copy : NULL;
}

/* Returns the length in bytes of the first @count characters of @text, which is UTF-8. */
static size_t bytes_of(const char *text, size_t count)
{
    size_t at = 0;

    while (text[at] != '\0' && count > 0) {
        at++;
        while (((unsigned char)text[at] & 0xc0) == 0x80) {
            at++;
        }
        count--;
    }
    return at;
}

/* Returns the number of characters of @text, which is UTF-8. */
static size_t count_characters(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++) {
        count += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return count;
}

size_t terminal_length(const char *text)
{
    char *printable = terminal_printable(text);
    const size_t length = printable == NULL ? 0 : count_characters(printable);

    free(printable);
    return length;
}

void terminal_cell(const struct terminal *t, const char *text, size_t width, bool keep_end)
{
    char *printable = terminal_printable(text);
    const size_t length = printable == NULL ? 0 : count_characters(printable);

    if (printable == NULL) {
        return;
    }
    if (t->width == 0 || width == 0 || length <= width) {
        fputs(printable, t->out);
        fprintf(t->out, "%*s", length < width ? (int)(width - length) : 0, "");
    } else if (width <= 2) {
        fprintf(t->out, "%.*s", (int)width, "..");
    } else if (keep_end) {
        fprintf(t->out, "..%s", printable + bytes_of(printable, length - (width - 2)));
    } else {
        fprintf(t->out, "%.*s..", (int)bytes_of(printable, width - 2), printable);
    }
    free(printable);
}

void terminal_right(const struct terminal *t, const char *text, size_t width)
{
    const size_t length = terminal_length(text);

    fprintf(t->out, "%*s", length < width ? (int)(width - length) : 0, "");
    cli_print(t->out, text, strlen(text));
}
