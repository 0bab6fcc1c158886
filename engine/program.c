/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *machine_name(unsigned machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } names[] = {
        {EM_X86_64, "x86-64"}, {EM_386, "x86"},     {EM_ARM, "32-bit Arm"}, {EM_AARCH64, "big-endian Arm"},
        {EM_RISCV, "RISC-V"},  {EM_PPC64, "POWER"}, {EM_S390, "S/390"},     {EM_MIPS, "MIPS"},
        {258, "LoongArch"}, /* EM_LOONGARCH, newer than some elf.h */
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].machine == machine)
            return names[i].name;
    return "unknown";
}

/* The dynamic loader that the program headers name. */
static void find_loader(int fd, const Elf64_Ehdr *eh, struct apmu_program *p)
{
    for (unsigned i = 0; i < eh->e_phnum; i++) {
        Elf64_Phdr ph;
        off_t at = (off_t)(eh->e_phoff + (uint64_t)i * eh->e_phentsize);
        if (pread(fd, &ph, sizeof ph, at) != (ssize_t)sizeof ph)
            return;
        if (ph.p_type != PT_INTERP || ph.p_filesz == 0 || ph.p_filesz >= sizeof p->interpreter)
            continue;
        ssize_t n = pread(fd, p->interpreter, (size_t)ph.p_filesz, (off_t)ph.p_offset);
        p->interpreter[n > 0 ? n : 0] = '\0';
        p->dynamic = n > 0;
        return;
    }
}

static void inspect_elf(int fd, struct apmu_program *p)
{
    Elf64_Ehdr eh;
    ssize_t n = pread(fd, &eh, sizeof eh, 0);
    p->kind = APMU_PROGRAM_OTHER_ELF;
    p->machine = "unknown";
    if (n < (ssize_t)offsetof(Elf64_Ehdr, e_version)) /* the same in ELF32 up to here */
        return;
    bool big = eh.e_ident[EI_DATA] == ELFDATA2MSB;
    unsigned machine = eh.e_machine;
    if (big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
        machine = ((machine & 0xff) << 8) | (machine >> 8);
    p->machine = machine_name(machine);
    if (machine != EM_AARCH64 || big || eh.e_ident[EI_CLASS] != ELFCLASS64 || n != (ssize_t)sizeof eh)
        return;
    p->kind = APMU_PROGRAM_AARCH64;
    p->machine = "AArch64";
    find_loader(fd, &eh, p);
}

static size_t copy_until(const char *from, const char *stop, char *to)
{
    size_t n = strcspn(from, stop);
    memcpy(to, from, n);
    to[n] = '\0';
    return n;
}

/* "#! interpreter [argument]", as Linux reads it: all behind the interpreter is one argument. */
static void inspect_script(const char *line, struct apmu_program *p)
{
    p->kind = APMU_PROGRAM_SCRIPT;
    p->machine = "script";
    line += 2 + strspn(line + 2, " \t");
    line += copy_until(line, " \t\n", p->interpreter);
    line += strspn(line, " \t");
    size_t n = copy_until(line, "\n", p->argument);
    while (n > 0 && (p->argument[n - 1] == ' ' || p->argument[n - 1] == '\t'))
        p->argument[--n] = '\0';
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
        if (n < 0)
            p->error = errno;
        else if (n >= SELFMAG && memcmp(line, ELFMAG, SELFMAG) == 0)
            inspect_elf(fd, p);
        else if (n >= 2 && line[0] == '#' && line[1] == '!')
            inspect_script(line, p);
        else
            p->kind = APMU_PROGRAM_UNKNOWN;
    }
    if (fd >= 0)
        close(fd);
}
