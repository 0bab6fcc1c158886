/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the program, the emulator and the plugin, or says what is missing. */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLUGIN_FILE "libarmpmu-qemu-user.so"
#define SHIM_FILE "libarmpmu-el0.so"

/* What differs between the kinds of program. */
static const struct program_kind {
    const char *variable;     /* the environment variable that names the emulator */
    const char *qemu, *built; /* the emulator's name in distributions, and of the one that make qemu-user builds */
    const char *cross_root;   /* where cross compilers of Debian and Ubuntu keep the C library */
    const char *qemu_root;    /* where Debian's emulator looks by itself */
    const char *symbol;       /* a function that the plugin calls and that unsuitable emulators lack */
    const char *lacks;        /* the refusal of an emulator that lacks it: cause and cure */
} kinds[APMU_PROGRAM_KINDS] = {
    [APMU_PROGRAM_AARCH64] =
        {"ARMPMU_QEMU", "qemu-aarch64", "armpmu-qemu-aarch64", "/usr/aarch64-linux-gnu",
         "/etc/qemu-binfmt/aarch64", "qemu_plugin_register_vcpu_tb_trans_cb",
         "this emulator was built without plugins\n"
         "run make qemu-user, which builds one that has them, or name one in ARMPMU_QEMU: QEMU 4.2 to 8.2 or 9.1 to "
         "11.1 configured with --enable-plugins"},
    [APMU_PROGRAM_AARCH32] =
        {"ARMPMU_QEMU_ARM", "qemu-arm", "armpmu-qemu-arm", "/usr/arm-linux-gnueabihf",
         "/etc/qemu-binfmt/arm", "qemu_plugin_read_register",
         "plugins of this emulator cannot read flags, so whether an instruction's condition passed is not known\n"
         "run make qemu-user, or name QEMU 9.1 to 11.1 with plugins in ARMPMU_QEMU_ARM"},
};

bool host_refuse(struct apmu_refusal *no, int status, const char *cause_and_cure, ...)
{
    char text[sizeof no->cause + sizeof no->cure];
    va_list ap;
    va_start(ap, cause_and_cure);
    vsnprintf(text, sizeof text, cause_and_cure, ap);
    va_end(ap);
    char *cure = strrchr(text, '\n');
    if (cure != NULL) {
        *cure++ = '\0';
    }
    no->status = status;
    snprintf(no->cause, sizeof no->cause, "%.*s", (int)sizeof no->cause - 1, text);
    snprintf(no->cure, sizeof no->cure, "%.*s", (int)sizeof no->cure - 1, cure ? cure : "");
    return false;
}

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Joins the first @dir_length characters of @dir and @name to a path.  Returns false if it is too long. */
static bool join(char out[APMU_PATH], const char *dir, size_t dir_length, const char *name)
{
    int n = snprintf(out, APMU_PATH, "%.*s/%s", (int)dir_length, dir, name);
    return n >= 0 && n < APMU_PATH;
}

/*
 * Finds @name in PATH as a shell does: the first executable file, else the first file of that name, so that the refusal
 * can say that it is not executable.
 */
static bool search_path(const char *name, char out[APMU_PATH])
{
    const char *dirs = getenv("PATH");
    char candidate[APMU_PATH];
    bool found = false;
    for (const char *d = dirs ? dirs : "/usr/bin:/bin"; *d != '\0'; d += *d == ':') {
        size_t length = strcspn(d, ":");
        bool ok = join(candidate, length ? d : ".", length ? length : 1, name);
        d += length;
        if (!ok || !is_file(candidate)) {
            continue;
        }
        bool executable = access(candidate, X_OK) == 0;
        if (executable || !found) {
            snprintf(out, APMU_PATH, "%s", candidate);
        }
        found = true;
        if (executable) {
            return true;
        }
    }
    return found;
}

/* Returns true if the absolute path @path exists in the directory @root. */
static bool exists_under(const char *root, const char *path)
{
    char full[APMU_PATH];
    return join(full, root, strlen(root), path + strspn(path, "/")) && access(full, F_OK) == 0;
}

/*
 * Refuses a root that has the loader @path of @program, but no link that leads to it.  A root that was unpacked from
 * the packages of a distribution with merged /usr has no /lib, and absolute links lead out of it.  Returns false if the
 * root is not of this kind.
 */
static bool refuse_links(const char *root, const char *path, const char *program, struct apmu_refusal *no)
{
    char link[APMU_PATH], merged[APMU_PATH], target[APMU_PATH];
    const char *rest = path + strspn(path, "/");

    for (const char *end = rest; *end != '\0'; end += *end == '/') {
        end += strcspn(end, "/");
        struct stat st;
        if (!join(link, root, strlen(root), rest) || strlen(root) + 1 + (size_t)(end - rest) >= sizeof link) {
            return false;
        }
        link[strlen(root) + 1 + (size_t)(end - rest)] = '\0';
        if (lstat(link, &st) != 0) {
            if (!join(merged, "/usr", 4, rest) || !exists_under(root, merged)) {
                return false;
            }
            host_refuse(no, 3,
                        "%s: its loader %s is in %s as %s, because /usr is merged, and no link leads to it\n"
                        "make the link: ln -snr %s/usr%s %s",
                        program, path, root, merged, root, link + strlen(root), link);
            return true;
        }
        ssize_t n = S_ISLNK(st.st_mode) ? readlink(link, target, sizeof target - 1) : 0;
        target[n > 0 ? n : 0] = '\0';
        if (target[0] == '/' && exists_under(root, target)) {
            host_refuse(no, 3,
                        "%s: its loader %s is not under %s, because %s is a link to %s, which leads out of it\n"
                        "make the link relative: ln -sfnr %s%s %s",
                        program, path, root, link, target, root, target, link);
            return true;
        }
    }
    return false;
}

/* Finds the root with the loader of a dynamic program: the one that the user names, or one of the usual ones. */
static bool find_sysroot(const struct apmu_run_options *opt, const struct apmu_program *p, struct run_files *f,
                         struct apmu_refusal *no)
{
    const struct program_kind *t = &kinds[p->kind];
    char *sysroot = f->emulator[p->kind].sysroot;
    const char *prefix = getenv("QEMU_LD_PREFIX");
    if (opt->sysroot != NULL) {
        snprintf(sysroot, APMU_PATH, "%s", opt->sysroot);
    }
    const char *root = opt->sysroot != NULL ? opt->sysroot : prefix;
    if (!p->dynamic || exists_under("/", p->interpreter) || (root != NULL && exists_under(root, p->interpreter))) {
        return true;
    }
    if (root == NULL && exists_under(t->qemu_root, p->interpreter)) {
        return true;
    }
    if (root == NULL && exists_under(t->cross_root, p->interpreter)) {
        snprintf(sysroot, APMU_PATH, "%s", t->cross_root);
        return true;
    }
    if (root != NULL && refuse_links(root, p->interpreter, f->program, no)) {
        return false;
    }
    if (root != NULL) {
        return host_refuse(no, 3,
                           "%s: its loader %s is not under %s\n"
                           "name the directory that holds its libraries, e.g. --sysroot %s",
                           f->program, p->interpreter, root, t->cross_root);
    }
    return host_refuse(no, 3,
                       "%s: its loader %s is not on this machine\n"
                       "name the directory that holds its libraries with --sysroot, or link it statically",
                       f->program, p->interpreter);
}

/* Writes the names of the cores of the table that execute programs of @kind into @out. */
static void name_cores(enum apmu_program_kind kind, char *out, size_t size)
{
    struct apmu_core_row row;
    size_t used = 0;

    for (size_t i = 0; apmu_core_row_at(i, &row); i++) {
        if (apmu_core_executes(&row, kind) && used < size) {
            used += (size_t)snprintf(out + used, size - used, "%s%s", used == 0 ? "" : ", ", row.name);
        }
    }
}

/* Refuses a program in the Execution state that the core of @row lacks. */
static bool refuse_state(const struct apmu_core_row *row, const struct run_files *f, enum apmu_program_kind kind,
                         struct apmu_refusal *no)
{
    const bool wants64 = kind == APMU_PROGRAM_AARCH64;
    char cores[256];

    name_cores(kind, cores, sizeof cores);
    return host_refuse(no, 3,
                       "%s: %s program, which %s cannot execute: it has %s alone\n"
                       "model a core that can, --core with one of %s; or build the program for %s",
                       f->program, wants64 ? "an AArch64" : "a 32-bit Arm", row->name, wants64 ? "AArch32" : "AArch64",
                       cores, wants64 ? "32-bit Arm" : "AArch64");
}

/* Finds the program that opt->argv[0] names, its kind and its root.  Refuses what is no Arm program. */
static bool find_program(const struct apmu_run_options *opt, struct run_files *f, struct apmu_refusal *no)
{
    const char *name = opt->argv[0];
    struct apmu_program p;

    if (strchr(name, '/') != NULL) {
        snprintf(f->program, sizeof f->program, "%s%s", name[0] == '-' ? "./" : "", name);
    } else if (name[0] == '\0' || !search_path(name, f->program)) {
        return host_refuse(no, 127, "%s: no such program in PATH\ncheck the name, or give its path", name);
    }

    apmu_program_inspect(f->program, &p);
    if (p.kind == APMU_PROGRAM_UNREADABLE && p.error != EACCES) {
        return host_refuse(no, p.error == ENOENT || p.error == ENOTDIR ? 127 : 126, "%s: %s\ncheck the path", name,
                           p.error == ENOENT ? "no such program" : strerror(p.error));
    }
    if (p.kind == APMU_PROGRAM_DIRECTORY) {
        return host_refuse(no, 126, "%s: is a directory\nname a program in it", name);
    }
    if (p.kind == APMU_PROGRAM_UNREADABLE || access(f->program, X_OK) != 0) {
        return host_refuse(no, 126, "%s: permission denied\nmake it readable and executable: chmod a+rx %s", name,
                           f->program);
    }
    switch (p.kind) {
    case APMU_PROGRAM_AARCH32:
        if (opt->el0_pmu != NULL) {
            return host_refuse(no, 3,
                               "%s: a program for 32-bit Arm; only an AArch64 program can be given a PMU\n"
                               "build it for AArch64, or count without --el0",
                               f->program);
        }
        /* fall through */
    case APMU_PROGRAM_AARCH64:
        if (opt->core != NULL && !apmu_core_executes(opt->core, p.kind)) {
            return refuse_state(opt->core, f, p.kind, no);
        }
        f->kind = p.kind;
        f->variable = kinds[p.kind].variable;
        return find_sysroot(opt, &p, f, no);
    case APMU_PROGRAM_SCRIPT:
        return host_refuse(no, 3,
                           "%s: a script, run by %s, not an Arm program\n"
                           "name an Arm interpreter: armpmu stat -- INTERPRETER %s",
                           name, p.interpreter, name);
    case APMU_PROGRAM_OTHER_ELF:
        return host_refuse(no, 3,
                           "%s: a program for %s, not for AArch64 or 32-bit Arm\n"
                           "build it for AArch64, e.g. with aarch64-linux-gnu-gcc, or name the Arm copy of it",
                           f->program, p.machine);
    default:
        return host_refuse(no, 126, "%s: not a program: neither ELF nor a script\nname an Arm ELF program", name);
    }
}

/* Writes the directory of this program, armpmu, into @dir. */
static bool own_directory(char dir[APMU_PATH])
{
    ssize_t n = readlink("/proc/self/exe", dir, APMU_PATH - 1);
    char *slash = NULL;
    if (n > 0) {
        dir[n] = '\0';
        slash = strrchr(dir, '/');
    }
    if (slash != NULL) {
        *slash = '\0';
    }
    return slash != NULL;
}

/* Finds @file in the first of @places that has it.  They are relative to ARMPMU_LIBDIR, or else to this program. */
static bool find_own(const char *file, const char *const places[], char out[APMU_PATH])
{
    const char *libdir = getenv("ARMPMU_LIBDIR");
    char own[APMU_PATH], place[APMU_PATH], candidate[APMU_PATH];

    if (libdir == NULL && !own_directory(own)) {
        return false;
    }
    const char *from = libdir != NULL ? libdir : own;
    for (size_t i = 0; places[i] != NULL; i++) {
        snprintf(place, sizeof place, "%s%s", places[i], file);
        if (join(candidate, from, strlen(from), place) && realpath(candidate, out) != NULL) {
            return true;
        }
    }
    return false;
}

/*
 * Returns true if the file @qemu contains the name @symbol, as an emulator that exports it does.  Returns true also for
 * a script, which may start such an emulator, and for a file that cannot be read.
 */
static bool exports(const char *qemu, const char *symbol)
{
    struct apmu_program p;
    struct stat st;
    bool yes = true;

    apmu_program_inspect(qemu, &p);
    if (p.kind == APMU_PROGRAM_SCRIPT) {
        return true;
    }
    int fd = open(qemu, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            yes = memmem(map, (size_t)st.st_size, symbol, strlen(symbol) + 1) != NULL;
            munmap(map, (size_t)st.st_size);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return yes;
}

static bool is_emulator(const char *qemu, const struct program_kind *t)
{
    return is_file(qemu) && access(qemu, X_OK) == 0 && exports(qemu, t->symbol);
}

/* Finds the emulator: the one that the user names; else the distribution's if it is suitable; else ours. */
static bool find_qemu(const struct apmu_run_options *opt, enum apmu_program_kind kind, struct run_files *f,
                      struct apmu_refusal *no)
{
    static const char *const places[] = {"qemu/", APMU_LIBEXEC_PLACE "/", NULL};
    const struct program_kind *t = &kinds[kind];
    char *qemu = f->emulator[kind].path, built[APMU_PATH];
    const char *named = opt->qemu != NULL && kind == f->kind ? opt->qemu : getenv(t->variable);
    const char *name = named != NULL && named[0] != '\0' ? named : t->qemu;

    if (strchr(name, '/') != NULL) {
        snprintf(qemu, APMU_PATH, "%s", name);
    } else if (!search_path(name, qemu)) {
        qemu[0] = '\0';
    }
    if (is_emulator(qemu, t)) {
        return true;
    }
    if (name == t->qemu && find_own(t->built, places, built) && is_emulator(built, t)) {
        snprintf(qemu, APMU_PATH, "%s", built);
        return true;
    }
    if (!is_file(qemu)) {
        return host_refuse(no, 3, "%s: the emulator is not on this machine\nrun make qemu-user%s, or name one in %s",
                           name, kind == APMU_PROGRAM_AARCH64 ? " (Debian 12: apt-get install qemu-user)" : "",
                           t->variable);
    }
    if (access(qemu, X_OK) != 0) {
        return host_refuse(no, 3, "%s: the emulator cannot be executed\nmake it executable, or name another in %s",
                           qemu, t->variable);
    }
    return host_refuse(no, 3, "%s: %s", qemu, t->lacks);
}

static bool find_library(const char *file, char out[APMU_PATH])
{
    static const char *const places[] = {"", APMU_LIB_PLACE "/", NULL}, *const here[] = {"", NULL};
    return find_own(file, getenv("ARMPMU_LIBDIR") != NULL ? here : places, out);
}

/* Finds the plugin, and the shim if the program is given a PMU. */
static bool find_libraries(const struct apmu_run_options *opt, struct run_files *f, struct apmu_refusal *no)
{
    if (!find_library(PLUGIN_FILE, f->plugin)) {
        return host_refuse(no, 3,
                           PLUGIN_FILE ": neither next to armpmu nor in " APMU_LIB_PLACE "\n"
                                       "build or install it with make, or name its directory in ARMPMU_LIBDIR");
    }
    if (opt->el0_pmu == NULL) {
        return true;
    }
    if (!find_library(SHIM_FILE, f->shim)) {
        return host_refuse(no, 3,
                           SHIM_FILE ": not next to " PLUGIN_FILE ", so no program can reach the PMU\n"
                                     "install gcc-aarch64-linux-gnu and run make again");
    }
    if (strchr(f->shim, ',') != NULL) {
        return host_refuse(no, 3,
                           "%s: qemu takes no path with a comma here\nmove it, or name its directory in ARMPMU_LIBDIR",
                           f->shim);
    }
    return true;
}

/* Finds what exec of a program of the other @kind will need.  If it has no emulator, such a program is not counted. */
static void find_other(const struct apmu_run_options *opt, enum apmu_program_kind kind, struct run_files *f)
{
    const struct program_kind *t = &kinds[kind];
    struct apmu_refusal ignored;

    if (!find_qemu(opt, kind, f, &ignored)) {
        f->emulator[kind].path[0] = '\0';
    } else if (opt->sysroot != NULL) {
        snprintf(f->emulator[kind].sysroot, APMU_PATH, "%s", opt->sysroot);
    } else if (getenv("QEMU_LD_PREFIX") == NULL && access(t->qemu_root, F_OK) != 0 &&
               access(t->cross_root, F_OK) == 0) {
        snprintf(f->emulator[kind].sysroot, APMU_PATH, "%s", t->cross_root);
    }
}

bool host_find_files(const struct apmu_run_options *opt, struct run_files *f, struct apmu_refusal *no)
{
    if (!find_program(opt, f, no) || !find_qemu(opt, f->kind, f, no) || !find_libraries(opt, f, no)) {
        return false;
    }
    for (int kind = 0; kind < APMU_PROGRAM_KINDS; kind++) {
        if (kind != (int)f->kind) {
            find_other(opt, (enum apmu_program_kind)kind, f);
        }
    }
    return true;
}
