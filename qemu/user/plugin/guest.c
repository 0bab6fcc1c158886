/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes the program's memory.  Plugin interfaces 1 and 3 offer no access to it, but it is in this
 * process, at a constant distance from the program's addresses.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static uintptr_t guest_base;

void guest_locate(const struct qemu_plugin_insn *insn)
{
    void *host = qemu_plugin_insn_haddr(insn);
    if (host != NULL) {
        guest_base = (uintptr_t)host - (uintptr_t)qemu_plugin_insn_vaddr(insn);
    }
}

/* Returns the place in this process of @size bytes at @addr in the program. */
static struct iovec host_range(uint64_t addr, size_t size)
{
    if (plugin.kind == APMU_PROGRAM_AARCH32) {
        addr = (uint32_t)addr; /* QEMU extends the sign of arguments */
    }
    return (struct iovec){(void *)(guest_base + (uintptr_t)addr), size}; /* NOLINT: an address of the program */
}

/*
 * Memory is accessed by system calls, for which a bad address is an error and no fault.  They take this thread's id,
 * because the first thread may have ended.
 */
bool guest_read(uint64_t addr, void *buf, size_t size)
{
    struct iovec local = {buf, size}, remote = host_range(addr, size);
    return process_vm_readv(gettid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

bool guest_read_host(uintptr_t addr, void *buf, size_t size)
{
    struct iovec local = {buf, size}, remote = {(void *)addr, size}; /* NOLINT: an address that may be none */
    return process_vm_readv(gettid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

uint64_t guest_address(uintptr_t host)
{
    return host - guest_base;
}

bool guest_write(uint64_t addr, const void *buf, size_t size)
{
    struct iovec local = {(void *)(uintptr_t)buf, size}, remote = host_range(addr, size);
    return process_vm_writev(gettid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

size_t guest_pointer_size(void)
{
    return plugin.kind == APMU_PROGRAM_AARCH64 ? 8 : 4;
}

bool guest_pointer(uint64_t addr, uint64_t *pointer)
{
    *pointer = 0; /* a pointer of 4 bytes fills the low half: program and process are little-endian */
    return guest_read(addr, pointer, guest_pointer_size());
}

bool guest_string(uint64_t addr, char *buf, size_t size)
{
    size_t length = 0;
    while (length < size) {
        /* Reads to the end of a page, because the next one may be missing. */
        size_t part = 4096 - (size_t)((addr + length) & 4095);
        if (part > size - length) {
            part = size - length;
        }
        if (!guest_read(addr + length, buf + length, part)) {
            return false;
        }
        if (memchr(buf + length, 0, part) != NULL) {
            return true;
        }
        length += part;
    }
    return false;
}
