/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out what kind of program a file is, from its first bytes and its ELF headers. */
#define _GNU_SOURCE
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Returns the name of the ELF machine number @machine, or "unknown". */
static const char *machine_name(unsigned machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } names[] = {
        {EM_X86_64, "x86-64"}, {EM_386, "x86"},     {EM_ARM, "32-bit Arm"}, {EM_AARCH64, "AArch64"},
        {EM_RISCV, "RISC-V"},  {EM_PPC64, "POWER"}, {EM_S390, "S/390"},     {EM_MIPS, "MIPS"},
        {258, "LoongArch"}, /* EM_LOONGARCH, newer than some elf.h */
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].machine == machine) {
            return names[i].name;
        }
    }
    return "unknown";
}

/* The members of an ELF program header that are used here, for both classes. */
struct program_header {
    uint32_t type;
    uint64_t offset, size;
};

/* Reads the program header at offset @at; @wide: of ELF64, otherwise of ELF32.  Returns false if it cannot. */
static bool read_header(int fd, bool wide, off_t at, struct program_header *ph)
{
    Elf64_Phdr p64;
    Elf32_Phdr p32;
    if (wide) {
        if (pread(fd, &p64, sizeof p64, at) != (ssize_t)sizeof p64) {
            return false;
        }
        *ph = (struct program_header){p64.p_type, p64.p_offset, p64.p_filesz};
    } else {
        if (pread(fd, &p32, sizeof p32, at) != (ssize_t)sizeof p32) {
            return false;
        }
        *ph = (struct program_header){p32.p_type, p32.p_offset, p32.p_filesz};
    }
    return true;
}

/* Fills p->interpreter and p->dynamic if one of the @count program headers at offset @table names a loader. */
static void find_loader(int fd, bool wide, uint64_t table, unsigned count, struct apmu_program *p)
{
    const size_t header_size = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

    for (unsigned i = 0; i < count; i++) {
        struct program_header ph;
        if (!read_header(fd, wide, (off_t)(table + i * header_size), &ph)) {
            return;
        }
        if (ph.type != PT_INTERP || ph.size == 0 || ph.size >= sizeof p->interpreter) {
            continue;
        }
        ssize_t n = pread(fd, p->interpreter, (size_t)ph.size, (off_t)ph.offset);
        p->interpreter[n > 0 ? n : 0] = '\0';
        p->dynamic = n > 0;
        return;
    }
}

/* Fills @p from the ELF header of @fd. */
static void inspect_elf(int fd, struct apmu_program *p)
{
    union {
        Elf64_Ehdr wide;
        Elf32_Ehdr narrow;
    } eh;
    ssize_t n = pread(fd, &eh, sizeof eh, 0);
    p->kind = APMU_PROGRAM_OTHER_ELF;
    p->machine = "unknown";
    if (n < (ssize_t)offsetof(Elf64_Ehdr, e_version)) { /* ELF32 is the same up to here */
        return;
    }
    bool big = eh.wide.e_ident[EI_DATA] == ELFDATA2MSB;
    unsigned machine = eh.wide.e_machine;
    if (big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) {
        machine = ((machine & 0xff) << 8) | (machine >> 8);
    }
    p->machine = big && (machine == EM_AARCH64 || machine == EM_ARM) ? "big-endian Arm" : machine_name(machine);
    bool wide = eh.wide.e_ident[EI_CLASS] == ELFCLASS64;
    if (n < (ssize_t)(wide ? sizeof eh.wide : sizeof eh.narrow)) {
        p->machine = "unknown";
        return;
    }
    if (big) {
        return;
    }
    if (machine == EM_AARCH64 && wide) {
        p->kind = APMU_PROGRAM_AARCH64;
        find_loader(fd, true, eh.wide.e_phoff, eh.wide.e_phnum, p);
    } else if (machine == EM_ARM && !wide) {
        p->kind = APMU_PROGRAM_AARCH32;
        find_loader(fd, false, eh.narrow.e_phoff, eh.narrow.e_phnum, p);
    }
}

/* Copies @from up to the first character in @stop to @to, and returns the length. */
static size_t copy_until(const char *from, const char *stop, char *to)
{
    size_t n = strcspn(from, stop);
    memcpy(to, from, n);
    to[n] = '\0';
    return n;
}

/* Reads "#! interpreter [argument]" as Linux does: all that follows the interpreter is one argument. */
static void inspect_script(const char *line, struct apmu_program *p)
{
    p->kind = APMU_PROGRAM_SCRIPT;
    p->machine = "script";
    line += 2 + strspn(line + 2, " \t");
    line += copy_until(line, " \t\n", p->interpreter);
    line += strspn(line, " \t");
    size_t n = copy_until(line, "\n", p->argument);
    while (n > 0 && (p->argument[n - 1] == ' ' || p->argument[n - 1] == '\t')) {
        p->argument[--n] = '\0';
    }
}

void apmu_program_inspect(const char *path, struct apmu_program *p)
{
    memset(p, 0, sizeof *p);
    p->kind = APMU_PROGRAM_UNREADABLE;
    p->machine = "";
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0) {
        p->error = errno;
    } else if (S_ISDIR(st.st_mode)) {
        p->kind = APMU_PROGRAM_DIRECTORY;
    } else {
        char line[512] = "";
        ssize_t n = pread(fd, line, sizeof line - 1, 0);
        if (n < 0) {
            p->error = errno;
        } else if (n >= SELFMAG && memcmp(line, ELFMAG, SELFMAG) == 0) {
            inspect_elf(fd, p);
        } else if (n >= 2 && line[0] == '#' && line[1] == '!') {
            inspect_script(line, p);
        } else {
            p->kind = APMU_PROGRAM_UNKNOWN;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

bool apmu_program_gains(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return false;
    }
    return ((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
           ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getegid()) ||
           (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}
