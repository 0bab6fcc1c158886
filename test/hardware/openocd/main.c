/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dap SOCKET DUMP [locked]: serves the chip of dap.h to one client of OpenOCD's adapter remote_bitbang, on the Unix
 * socket SOCKET.  First it writes dumps of the PMU to DUMP.bus, as the debug APB sees it, and to DUMP.pe, as the PE
 * sees it.  "locked" sets the OS Lock.  It prints "listening".  After the client has gone, it prints how often the PE
 * was halted and restarted, and in which state it was left.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "dap.h"

/* Writes PSTATE, and each word of the PMU's frame at @base that this view can read without taking a sample. */
static bool write_dump(const struct pe *pe, const char *path, const char *view, uint64_t base, bool debugger)
{
    char name[256];

    snprintf(name, sizeof name, "%s.%s", path, view);
    FILE *file = fopen(name, "w");

    if (file == NULL) {
        return false;
    }
    fprintf(file, "cpsr 0x%08" PRIx32 "\n", pe->pstate);
    for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
        const struct apmu_ext at = {.offset = offset, .size = 4, .pas = APMU_PAS_NONSECURE, .debugger = debugger};
        const bool samples = offset >= 0x200 && offset < 0x240;

        if (!samples && apmu_access_ext(&pe->pmu, &pe->as_pmu_sees, &at, false).outcome != APMU_ACCESS_ERROR) {
            fprintf(file, "0x%08" PRIx64 ": %08" PRIx32 "\n", base + offset,
                    (uint32_t)apmu_peek_ext(&pe->pmu, &pe->as_pmu_sees, &at));
        }
    }
    return fclose(file) == 0;
}

/* Returns a socket that listens at @path, or -1. */
static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    if (fd == -1 || strlen(path) >= sizeof address.sun_path) {
        return -1;
    }
    strcpy(address.sun_path, path);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 1) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/*
 * Serves the protocol: 0 to 7 set TCK, TMS and TDI; R reads TDO; Q ends.  r, s, t and u (reset lines), B and b (a
 * light) are ignored.
 */
static void serve(struct dap *dap, int fd)
{
    static char in[4096], out[4096];
    bool tck = false;
    ssize_t got;

    while ((got = read(fd, in, sizeof in)) > 0) {
        size_t answers = 0;

        for (ssize_t i = 0; i < got; i++) {
            if (in[i] >= '0' && in[i] <= '7') {
                const unsigned pins = (unsigned)(in[i] - '0');

                if ((pins & 4) != 0 && !tck) {
                    dap_clock(dap, (pins & 2) != 0, (pins & 1) != 0);
                }
                tck = (pins & 4) != 0;
            } else if (in[i] == 'R') {
                out[answers++] = dap_tdo(dap) ? '1' : '0';
            } else if (in[i] == 'Q') {
                return;
            }
        }
        for (size_t sent = 0; sent < answers;) {
            const ssize_t n = send(fd, out + sent, answers - sent, MSG_NOSIGNAL);

            if (n <= 0) {
                return;
            }
            sent += (size_t)n;
        }
    }
}

int main(int argc, char **argv)
{
    static struct pe pe;
    struct dap dap;

    if (argc < 3 || argc > 4 || (argc == 4 && strcmp(argv[3], "locked") != 0)) {
        fprintf(stderr, "usage: dap SOCKET DUMP [locked]\n");
        return 2;
    }
    pe_init(&pe);
    dap_init(&dap, &pe);
    pe.as_pmu_sees.os_lock = argc == 4;
    const bool written = write_dump(&pe, argv[2], "bus", PE_PMU, true) &&
                         write_dump(&pe, argv[2], "pe", PE_PMU_MAPPED, false);
    const int listener = written ? listen_at(argv[1]) : -1;

    if (listener != -1) {
        printf("listening\n");
        fflush(stdout);
    }
    const int fd = listener != -1 ? accept(listener, NULL, NULL) : -1;

    if (fd == -1) {
        perror("dap");
        return 1;
    }
    serve(&dap, fd);
    printf("halted %u times, restarted %u times, %s at EL%u\n", pe.halts, pe.restarts,
           pe.as_pmu_sees.halted ? "left in Debug state" : "running", pe.as_pmu_sees.el);
    return 0;
}
