/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the program, the emulator and the plugin, or says why that cannot be. */
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
#define QEMU_NAME "qemu-aarch64"
#define CROSS_ROOT "/usr/aarch64-linux-gnu" /* where cross compilers of Debian and Ubuntu keep the C library */

bool refuse(struct apmu_refusal *no, int status, const char *cause_and_cure, ...)
{
    char text[sizeof no->cause + sizeof no->cure];
    va_list ap;
    va_start(ap, cause_and_cure);
    vsnprintf(text, sizeof text, cause_and_cure, ap);
    va_end(ap);
    char *cure = strrchr(text, '\n');
    if (cure != NULL)
        *cure++ = '\0';
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

static bool join(char out[APMU_PATH], const char *dir, size_t dir_length, const char *name)
{
    int n = snprintf(out, APMU_PATH, "%.*s/%s", (int)dir_length, dir, name);
    return n >= 0 && n < APMU_PATH;
}

/* As a shell does: the first executable in PATH, else the first file of that name, to say that it is not one. */
static bool search_path(const char *name, char out[APMU_PATH])
{
    const char *dirs = getenv("PATH");
    char candidate[APMU_PATH];
    bool found = false;
    for (const char *d = dirs ? dirs : "/usr/bin:/bin"; *d != '\0'; d += *d == ':') {
        size_t length = strcspn(d, ":");
        bool ok = join(candidate, length ? d : ".", length ? length : 1, name);
        d += length;
        if (!ok || !is_file(candidate))
            continue;
        bool executable = access(candidate, X_OK) == 0;
        if (executable || !found)
            snprintf(out, APMU_PATH, "%s", candidate);
        found = true;
        if (executable)
            return true;
    }
    return found;
}

/* The directory @root with the absolute path @path in it. */
static bool exists_under(const char *root, const char *path)
{
    char full[APMU_PATH];
    return join(full, root, strlen(root), path + strspn(path, "/")) && access(full, F_OK) == 0;
}

/* A dynamic program needs its loader: where the user names no root, try those that are usual. */
static bool find_sysroot(const struct apmu_run_options *opt, const struct apmu_program *p, struct found *f,
                         struct apmu_refusal *no)
{
    const char *prefix = getenv("QEMU_LD_PREFIX");
    if (opt->sysroot != NULL)
        snprintf(f->sysroot, sizeof f->sysroot, "%s", opt->sysroot);
    const char *root = opt->sysroot != NULL ? opt->sysroot : prefix;
    if (!p->dynamic || exists_under("/", p->interpreter) || (root != NULL && exists_under(root, p->interpreter)))
        return true;
    if (root == NULL && exists_under("/etc/qemu-binfmt/aarch64", p->interpreter))
        return true; /* qemu's own default on Debian */
    if (root == NULL && exists_under(CROSS_ROOT, p->interpreter)) {
        snprintf(f->sysroot, sizeof f->sysroot, "%s", CROSS_ROOT);
        return true;
    }
    if (root != NULL)
        return refuse(no, 3, "%s: its loader %s is not under %s\n"
                             "name the directory that holds its libraries, e.g. --sysroot " CROSS_ROOT,
                      f->program, p->interpreter, root);
    return refuse(no, 3, "%s: its loader %s is not on this machine\n"
                         "name the directory that holds its libraries with --sysroot, or link it statically",
                  f->program, p->interpreter);
}

static bool find_program(const struct apmu_run_options *opt, struct found *f, struct apmu_refusal *no)
{
    const char *name = opt->argv[0];
    struct apmu_program p;

    if (strchr(name, '/') != NULL)
        snprintf(f->program, sizeof f->program, "%s%s", name[0] == '-' ? "./" : "", name);
    else if (name[0] == '\0' || !search_path(name, f->program))
        return refuse(no, 127, "%s: no such program in PATH\ncheck the name, or give its path", name);

    apmu_program_inspect(f->program, &p);
    if (p.kind == APMU_PROGRAM_UNREADABLE && p.error != EACCES)
        return refuse(no, p.error == ENOENT || p.error == ENOTDIR ? 127 : 126, "%s: %s\ncheck the path", name,
                      p.error == ENOENT ? "no such program" : strerror(p.error));
    if (p.kind == APMU_PROGRAM_DIRECTORY)
        return refuse(no, 126, "%s: is a directory\nname a program in it", name);
    if (p.kind == APMU_PROGRAM_UNREADABLE || access(f->program, X_OK) != 0)
        return refuse(no, 126, "%s: permission denied\nmake it readable and executable: chmod a+rx %s", name, f->program);
    switch (p.kind) {
    case APMU_PROGRAM_AARCH64:
        return find_sysroot(opt, &p, f, no);
    case APMU_PROGRAM_SCRIPT:
        return refuse(no, 3, "%s: a script, run by %s, not an AArch64 program\n"
                             "name an AArch64 interpreter: armpmu stat -- INTERPRETER %s",
                      name, p.interpreter, name);
    case APMU_PROGRAM_OTHER_ELF:
        return refuse(no, 3, "%s: a program for %s, not for AArch64\n%s", f->program, p.machine,
                      strcmp(p.machine, "32-bit Arm") == 0
                          ? "build it for AArch64; AArch32 programs are not supported"
                          : "build it for AArch64, e.g. with aarch64-linux-gnu-gcc, or name the Arm copy of it");
    default:
        return refuse(no, 126, "%s: not a program: neither ELF nor a script\nname an AArch64 ELF program", name);
    }
}

/* The emulator exports the plugin interface by name if it has it.  A wrapper script is taken at its word. */
static bool supports_plugins(const char *qemu)
{
    static const char symbol[] = "qemu_plugin_register_vcpu_tb_trans_cb";
    struct apmu_program p;
    struct stat st;
    bool yes = true;

    apmu_program_inspect(qemu, &p);
    if (p.kind == APMU_PROGRAM_SCRIPT)
        return true;
    int fd = open(qemu, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            yes = memmem(map, (size_t)st.st_size, symbol, sizeof symbol) != NULL;
            munmap(map, (size_t)st.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return yes;
}

static bool find_qemu(const struct apmu_run_options *opt, struct found *f, struct apmu_refusal *no)
{
    const char *named = opt->qemu != NULL ? opt->qemu : getenv("ARMPMU_QEMU");
    const char *name = named != NULL && named[0] != '\0' ? named : QEMU_NAME;

    if (strchr(name, '/') != NULL)
        snprintf(f->qemu, sizeof f->qemu, "%s", name);
    else if (!search_path(name, f->qemu))
        f->qemu[0] = '\0';
    if (!is_file(f->qemu))
        return refuse(no, 3, "%s: the emulator is not on this machine\n"
                             "install it (Debian 12: apt-get install qemu-user), or name one in ARMPMU_QEMU",
                      name);
    if (access(f->qemu, X_OK) != 0)
        return refuse(no, 3, "%s: the emulator cannot be executed\nmake it executable, or name another in ARMPMU_QEMU",
                      f->qemu);
    if (!supports_plugins(f->qemu))
        return refuse(no, 3, "%s: this emulator was built without plugins\n"
                             "name one that has them in ARMPMU_QEMU: Debian 12's qemu-user, or QEMU 4.2 to 8.2 configured "
                             "with --enable-plugins",
                      f->qemu);
    return true;
}

static bool find_library(const char *file, char out[APMU_PATH])
{
    const char *libdir = getenv("ARMPMU_LIBDIR");
    char exe[APMU_PATH], candidate[APMU_PATH];

    if (libdir != NULL)
        return join(candidate, libdir, strlen(libdir), file) && realpath(candidate, out) != NULL;
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0)
        return false;
    exe[n] = '\0';
    size_t dir = (size_t)(strrchr(exe, '/') - exe);
    if (join(candidate, exe, dir, file) && realpath(candidate, out) != NULL)
        return true;
    char installed[64];
    snprintf(installed, sizeof installed, "../lib/armpmu/%s", file);
    return join(candidate, exe, dir, installed) && realpath(candidate, out) != NULL;
}

static bool find_libraries(const struct apmu_run_options *opt, struct found *f, struct apmu_refusal *no)
{
    if (!find_library(PLUGIN_FILE, f->plugin))
        return refuse(no, 3, PLUGIN_FILE ": not beside armpmu, nor in ../lib/armpmu\n"
                                         "build or install it with make, or name its directory in ARMPMU_LIBDIR");
    if (opt->el0_pmu == NULL)
        return true;
    if (!find_library(SHIM_FILE, f->shim))
        return refuse(no, 3, SHIM_FILE ": not beside " PLUGIN_FILE ", so no program can reach the PMU\n"
                                       "install gcc-aarch64-linux-gnu and run make again");
    if (strchr(f->shim, ',') != NULL)
        return refuse(no, 3, "%s: qemu takes no path with a comma here\nmove it, or name its directory in ARMPMU_LIBDIR",
                      f->shim);
    return true;
}

bool find_all(const struct apmu_run_options *opt, struct found *f, struct apmu_refusal *no)
{
    return find_program(opt, f, no) && find_qemu(opt, f, no) && find_libraries(opt, f, no);
}
