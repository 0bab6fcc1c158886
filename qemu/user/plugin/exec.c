/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts the emulator again, with the same plugin, when a program becomes another by exec.  The host's kernel may be
 * unable to start an Arm program, and one that it starts would not be counted.
 */
#define _GNU_SOURCE
#include "../program.h"
#include "plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_STRING (128 * 1024) /* bytes of one argument, as Linux limits it */
#define MAX_STRINGS (1024 * 1024)

/* A list that owns its strings. */
struct string_list {
    char **at; /* NULL-terminated; NULL if the list is empty */
    size_t count;
};

/* Appends @string, which the list owns from now on.  Returns false, and frees it, if there is no memory. */
static bool push(struct string_list *s, char *string)
{
    char **at = string == NULL ? NULL : realloc(s->at, (s->count + 2) * sizeof *at);
    if (at == NULL) {
        free(string);
        return false;
    }
    s->at = at;
    at[s->count++] = string;
    at[s->count] = NULL;
    return true;
}

static bool push_copy(struct string_list *s, const char *string)
{
    return push(s, strdup(string));
}

/* Appends @path so that the emulator does not take it for an option. */
static bool push_path(struct string_list *s, const char *path)
{
    char *text = NULL;
    return path[0] != '-' ? push_copy(s, path) : asprintf(&text, "./%s", path) >= 0 && push(s, text);
}

/* Frees the list. */
static void drop(struct string_list *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->at[i]);
    }
    free(s->at);
}

/* Reads the program's array of strings at @addr; 0 is an empty one.  Returns false if it cannot be read. */
static bool read_strings(uint64_t addr, struct string_list *s)
{
    char *buf = malloc(MAX_STRING);
    bool ok = buf != NULL;
    for (; ok && addr != 0; addr += guest_pointer_size()) {
        uint64_t string;
        ok = s->count < MAX_STRINGS && guest_pointer(addr, &string);
        if (!ok || string == 0) {
            break;
        }
        ok = guest_string(string, buf, MAX_STRING) && push_copy(s, buf);
    }
    free(buf);
    return ok;
}

/*
 * Writes a path of the file that is open as @fd.  It leads there when exec has closed descriptors and the emulator
 * opens it.  If the file has no name any more, or never had one, exec does not close its descriptor.
 */
static void resolve_descriptor(int fd, char path[APMU_PATH])
{
    struct stat open, named;
    snprintf(path, APMU_PATH, "/proc/self/fd/%d", fd);
    char target[APMU_PATH];
    ssize_t n = readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = '\0';
    if (n > 0 && fstat(fd, &open) == 0 && stat(target, &named) == 0 && open.st_ino == named.st_ino &&
        open.st_dev == named.st_dev) {
        memcpy(path, target, (size_t)n + 1);
    } else {
        fcntl(fd, F_SETFD, 0);
    }
}

/* Returns true if @path names the descriptor *@fd: /proc/self/fd/N, /proc/PID/fd/N, /dev/fd/N. */
static bool names_descriptor(const char *path, int *fd)
{
    char own[64], rest;
    const char *const folders[] = {"/proc/self/fd/", "/dev/fd/", own};
    snprintf(own, sizeof own, "/proc/%d/fd/", (int)getpid());
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (strncmp(path, folders[i], strlen(folders[i])) == 0 &&
            sscanf(path + strlen(folders[i]), "%9d%c", fd, &rest) == 1) {
            return true;
        }
    }
    return false;
}

/* Replaces a path by which the kernel means another file: to the kernel, /proc/self/exe is the emulator. */
static void resolve(char path[APMU_PATH])
{
    char own[64];
    int fd;
    snprintf(own, sizeof own, "/proc/%d/exe", (int)getpid());
    if (strcmp(path, "/proc/self/exe") == 0 || strcmp(path, own) == 0 || strcmp(path, "/proc/thread-self/exe") == 0) {
        snprintf(path, APMU_PATH, "%s", plugin.program);
    } else if (names_descriptor(path, &fd)) {
        resolve_descriptor(fd, path);
    }
}

/*
 * Resolves the path of execveat, which begins at the folder @dir or is the file @dir itself.  Returns false if the call
 * is left to the kernel.
 */
static bool resolve_at(int dir, char path[APMU_PATH], int flags)
{
    struct stat st;
    char folder[APMU_PATH], full[2 * APMU_PATH];

    if (path[0] == '\0') {
        if (!(flags & AT_EMPTY_PATH) || dir < 0) {
            return false;
        }
        resolve_descriptor(dir, path);
        return true;
    }
    if (path[0] != '/' && dir != AT_FDCWD) {
        resolve_descriptor(dir, folder);
        int n = snprintf(full, sizeof full, "%s/%s", folder, path);
        if (n >= APMU_PATH) {
            return false;
        }
        memcpy(path, full, (size_t)n + 1);
    }
    if ((flags & AT_SYMLINK_NOFOLLOW) && (lstat(path, &st) != 0 || S_ISLNK(st.st_mode))) {
        return false;
    }
    resolve(path);
    return true;
}

/*
 * Passes on the environment @guest to a program of @kind.  LD_* variables are meant for the program's loader and would
 * disturb the emulator's, so they become options -E in @argv.  A comma separates variables there, so a variable with a
 * comma stays in @host, the emulator's environment, as all others do.
 */
static bool pass_environment(const struct string_list *guest, enum apmu_program_kind kind, struct string_list *host,
                             struct string_list *argv)
{
    bool ok = true, preloaded = plugin.setup->shim[0] == '\0' || kind != APMU_PROGRAM_AARCH64;
    for (size_t i = 0; ok && i < guest->count; i++) {
        char *var = guest->at[i];
        if (strncmp(var, "QEMU_PLUGIN=", 12) == 0) {
            continue;
        }
        if (strncmp(var, "LD_", 3) != 0 || strchr(var, ',') != NULL) {
            ok = push_copy(host, var);
            continue;
        }
        char *value = NULL;
        if (strncmp(var, "LD_PRELOAD=", 11) == 0 && !preloaded) {
            preloaded = true;
            if (strstr(var, plugin.setup->shim) == NULL && asprintf(&value, "%s:%s", var, plugin.setup->shim) < 0) {
                return false;
            }
        }
        ok = push_copy(argv, "-E") && push(argv, value ? value : strdup(var));
    }
    if (ok && !preloaded) {
        char *value = NULL;
        ok = asprintf(&value, "LD_PRELOAD=%s", plugin.setup->shim) >= 0 && push_copy(argv, "-E") && push(argv, value);
    }
    return ok;
}

/* Returns the path of the emulator for programs of @kind, or NULL if there is none. */
static const char *emulator(enum apmu_program_kind kind)
{
    const char *other = plugin.setup->emulator[kind].path;
    return kind == plugin.kind ? plugin.qemu : other[0] != '\0' ? other : NULL;
}

/*
 * Returns whether this process can reach the shared directory.  It cannot if the tool has ended, or if the program
 * became another user or changed its root directory; then the new program is not counted.  A process that has no
 * descriptor left to look with is taken for one that can.
 */
static bool is_attached(void)
{
    errno = 0;
    int fd = image_open_shared(APMU_SETUP_FILE, O_RDONLY);
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0 || errno == EMFILE || errno == ENFILE;
}

/* Returns the descriptor of a copy of the setup, for an emulator that cannot reach the file, or -1. */
static int copy_setup(void)
{
    int fd = memfd_create(APMU_SETUP_FILE, 0);
    if (fd >= 0 && write(fd, plugin.setup, sizeof *plugin.setup) != (ssize_t)sizeof *plugin.setup) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/*
 * Builds qemu-aarch64 [-L ROOT] [-E ...] -0 ARGV0 -plugin ... PROGRAM ARGUMENTS.  @setup is copy_setup()'s descriptor,
 * or -1 if the emulator can reach the file.
 */
static bool build(const char *path, enum apmu_program_kind kind, int setup, const struct string_list *arguments,
                  const struct string_list *environment, struct string_list *argv, struct string_list *envp)
{
    const char *root = plugin.setup->emulator[kind].sysroot;
    char spec[2 * (2 * APMU_PATH) + 32];
    size_t n = apmu_plugin_option(spec, sizeof spec - 16, plugin.setup->plugin, plugin.dir);
    bool ok = n < sizeof spec - 16 && push_copy(argv, emulator(kind));
    if (ok && setup >= 0) {
        snprintf(spec + n, sizeof spec - n, ",setup=%d", setup);
    }
    if (root[0] != '\0') {
        ok = ok && push_copy(argv, "-L") && push_copy(argv, root);
    }
    if (plugin.setup->deterministic) {
        ok = ok && push_copy(argv, "-seed") && push_copy(argv, APMU_STILL_SEED);
        ok = ok && (kind != APMU_PROGRAM_AARCH64 ||
                    (push_copy(argv, "-R") && push_copy(argv, APMU_STILL_SPACE)));
    }
    ok = ok && pass_environment(environment, kind, envp, argv);
    ok = ok && push_copy(argv, "-0") && push_copy(argv, arguments->count > 0 ? arguments->at[0] : "");
    ok = ok && push_copy(argv, "-plugin") && push_copy(argv, spec);
    ok = ok && push_path(argv, path);
    for (size_t i = 1; ok && i < arguments->count; i++) {
        ok = push_copy(argv, arguments->at[i]);
    }
    return ok;
}

/*
 * Puts the interpreter, the argument in the script's first line and the script before the @arguments after the first.
 */
static bool script_arguments(const struct apmu_program *script, const char *path, struct string_list *arguments)
{
    struct string_list out = {NULL, 0};
    bool ok = push_copy(&out, script->interpreter);
    if (script->argument[0] != '\0') {
        ok = ok && push_copy(&out, script->argument);
    }
    ok = ok && push_copy(&out, path);
    for (size_t i = 1; ok && i < arguments->count; i++) {
        ok = push_copy(&out, arguments->at[i]);
    }
    drop(arguments);
    *arguments = out;
    return ok;
}

static bool executable(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Tells the tool that this process is about to become @path, which is not counted. */
static void note_not_counted(const char *path, const char *why)
{
    struct apmu_image *image = plugin.image;
    image->head.not_counted++;
    snprintf(image->head.not_counted_path, sizeof image->head.not_counted_path, "%.255s", path);
    snprintf(image->head.not_counted_why, sizeof image->head.not_counted_why, "%.63s", why);
    image->head.state = APMU_IMAGE_NATIVE;
}

/* Executes the emulator with the program @path.  Returns if it cannot.  @first is the path that the program gave. */
static void become(const char *path, const char *first, enum apmu_program_kind kind,
                   const struct string_list *arguments, const struct string_list *environment)
{
    struct string_list argv = {NULL, 0}, envp = {NULL, 0};
    const bool attached = is_attached();
    const int setup = attached ? -1 : copy_setup();
    if (!attached && setup < 0) {
        return;
    }
    if (build(path, kind, setup, arguments, environment, &argv, &envp)) {
        if (!attached) {
            note_not_counted(first, "as another user, or with another root directory");
        } else {
            plugin.image->head.state = APMU_IMAGE_REPLACED;
        }
        execve(argv.at[0], argv.at, envp.at ? envp.at : (char *[]){NULL});
        if (attached) {
            plugin.image->head.state = APMU_IMAGE_RUNS;
        }
    }
    if (setup >= 0) {
        close(setup);
    }
    drop(&argv);
    drop(&envp);
}

/* Returns whether @p is a program that is not counted, and fills @why. */
static bool is_foreign(const struct apmu_program *p, char why[64])
{
    const struct apmu_core_row *core = &plugin.setup->core.row;

    if (p->kind >= APMU_PROGRAM_KINDS || emulator(p->kind) == NULL) {
        snprintf(why, 64, "%.40s program", p->machine[0] != '\0' ? p->machine : "foreign");
        return true;
    }
    snprintf(why, 64, "a program that %.27s cannot execute", core->name);
    return !apmu_core_executes(core, p->kind);
}

/* Follows scripts to their interpreter, and becomes the program if it is one that is counted. */
static void start_again(char path[APMU_PATH], struct string_list *arguments, const struct string_list *environment)
{
    struct apmu_program p;
    char first[APMU_PATH], why[64];

    snprintf(first, sizeof first, "%s", path);
    for (int depth = 0; depth < 5 && executable(path); depth++) {
        apmu_program_inspect(path, &p);
        if (p.kind == APMU_PROGRAM_SCRIPT) {
            if (!script_arguments(&p, path, arguments)) {
                break;
            }
            snprintf(path, APMU_PATH, "%s", p.interpreter);
            continue;
        }
        if (is_foreign(&p, why)) {
            note_not_counted(first, why);
            break;
        }
        if (apmu_program_gains(path)) {
            __atomic_fetch_or(&plugin.image->head.notes, APMU_NOTE_GAINS, __ATOMIC_RELAXED);
        }
        become(path, first, p.kind, arguments, environment);
        break;
    }
}

void exec_follow(int dir, uint64_t path_addr, uint64_t argv_addr, uint64_t envp_addr, int flags)
{
    struct string_list arguments = {NULL, 0}, environment = {NULL, 0};
    char path[APMU_PATH];

    if (!guest_string(path_addr, path, sizeof path) || !resolve_at(dir, path, flags)) {
        return;
    }
    if (read_strings(argv_addr, &arguments) && read_strings(envp_addr, &environment)) {
        start_again(path, &arguments, &environment);
    }
    drop(&arguments);
    drop(&environment);
}

void exec_failed(void)
{
    if (plugin.image->head.state == APMU_IMAGE_NATIVE) {
        plugin.image->head.not_counted--;
        plugin.image->head.state = APMU_IMAGE_RUNS;
    }
}
