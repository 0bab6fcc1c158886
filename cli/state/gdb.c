/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a target by the GDB protocol over TCP: registers that it describes, and its external view in memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "live.h"
#include "target.h"

#define SILENCE_MS 5000  /* the longest wait for a reply */
#define SESSION_MS 60000 /* the longest session */

/* ---------------------------------------------------------------------------------------------------------------
 * The session.
 */

/* Returns true if the session can go on after a request for one register or word ended with @result. */
static bool can_go_on(enum rsp_result result)
{
    return result == RSP_OK || result == RSP_ERROR || result == RSP_UNSUPPORTED;
}

/* Takes the registers that the target describes.  Adds a remark for each that it does not give. */
static enum rsp_result take_registers(struct state *s, struct rsp *r, const struct target_description *t)
{
    for (unsigned i = 0; i < t->count; i++) {
        const struct target_register *reg = &t->registers[i];
        uint64_t value;
        const enum rsp_result result = rsp_register(r, reg->number, &value);

        if (!can_go_on(result)) {
            return result;
        }
        if (result == RSP_OK) {
            state_take(s, &reg->place, value, STATE_LINE_LIVE, reg->name, strlen(reg->name));
        } else {
            state_remark(s, STATE_UNUSED, STATE_LINE_LIVE, reg->name, strlen(reg->name),
                         "the target does not give it");
        }
    }
    return RSP_OK;
}

/* Takes the words of the external view, except for the PC samples at 0x200 to 0x23F: a read of one takes a sample. */
static enum rsp_result take_frame(struct state *s, struct rsp *r, const struct state_frame *frame, const char **why)
{
    static struct state_memory memory;

    state_memory_init(&memory);
    for (unsigned offset = 0; offset < 0x1000; offset += 4) {
        struct names_place place;
        enum rsp_result result;
        uint32_t word;

        if ((offset >= 0x200 && offset < 0x240) || (!names_by_offset(offset, NAMES_EXT32, &place) &&
                                                    !names_by_offset(offset, NAMES_EXT64, &place))) {
            continue;
        }
        result = rsp_word(r, frame->base + offset, &word);
        if (result == RSP_OK) {
            state_memory_word(&memory, offset, word);
        } else if (!can_go_on(result)) {
            return result;
        }
    }
    if (!memory.any) {
        return RSP_ERROR;
    }
    const char *denied = state_memory_denied(&memory, true);

    if (denied != NULL) {
        *why = denied;
        return RSP_NO_PMU;
    }
    state_memory_finish(&memory, s, frame);
    return RSP_OK;
}

/* Recognizes "T05thread:1;".  A target that ran reports that it stopped for the client before it answers a request. */
static bool is_stop_reply(const char *reply)
{
    return (reply[0] == 'T' || reply[0] == 'S') && state_hex(reply[1]) >= 0 && state_hex(reply[2]) >= 0;
}

/* Asks what the server supports, and ends acknowledgements if it can.  Sets *@describes if it describes registers. */
static enum rsp_result greet(struct rsp *r, const char **what, bool *describes)
{
    enum rsp_result result = rsp_ask(r, "qSupported:xmlRegisters=arm");

    while (result == RSP_OK && is_stop_reply(r->reply)) {
        result = rsp_reply(r);
    }
    if (result != RSP_OK) {
        return result;
    }
    *describes = strstr(r->reply, "qXfer:features:read+") != NULL;
    if (strstr(r->reply, "QStartNoAckMode+") != NULL) {
        *what = "QStartNoAckMode";
        result = rsp_ask(r, "QStartNoAckMode");
        r->no_ack = result == RSP_OK;
    }
    return result;
}

/* Returns true if the description names a register other than PSTATE, which every description has. */
static bool has_pmu(const struct target_description *t)
{
    for (unsigned i = 0; i < t->count; i++) {
        const struct names_place *place = &t->registers[i].place;

        if (place->view == NAMES_ARM11 || place->reg != APMU_REG_PSTATE) {
            return true;
        }
    }
    return false;
}

/* Takes the registers that the target describes, and the external view. */
static enum rsp_result take_all(struct state *s, struct rsp *r, const struct state_frame *frame, bool describes,
                                const char **what, const char **why)
{
    static struct target_description t;
    enum rsp_result result;

    *what = "its state";
    result = rsp_ask(r, "?"); /* some servers stop the target for this, and answer nothing before */
    if (!can_go_on(result)) {
        return result;
    }
    if (describes) {
        *what = "the description of its registers";
        result = target_read(r, &t, why);
        if (result == RSP_OK) {
            *what = "a register";
            result = take_registers(s, r, &t);
        }
        if (result != RSP_OK) {
            return result;
        }
    }
    if (frame->given) {
        *what = "the memory at --base";
        return take_frame(s, r, frame, why);
    }
    *what = "the description of its registers";
    if (describes && !has_pmu(&t)) {
        *why = "it has no register of the PMU; give --base to read the external view";
        return RSP_NO_PMU;
    }
    return describes ? RSP_OK : RSP_UNSUPPORTED;
}

enum rsp_result state_take_target(struct state *s, const struct rsp_wire *wire, const struct state_frame *frame,
                                  const char **what, const char **why)
{
    static struct rsp r;
    bool describes = false;

    rsp_init(&r, wire);
    *why = "";
    *what = "qSupported";
    enum rsp_result result = greet(&r, what, &describes);

    if (result != RSP_OK) {
        return result;
    }
    result = take_all(s, &r, frame, describes, what, why);
    if (result != RSP_SILENT && result != RSP_CLOSED) {
        rsp_ask(&r, "D"); /* resumes the target; the reply does not matter */
    }
    return result;
}

/* ---------------------------------------------------------------------------------------------------------------
 * TCP.
 */

/* A connection over TCP, the context of a struct rsp_wire. */
struct connection {
    int fd;
    struct timespec start; /* when the session began, by CLOCK_MONOTONIC */
};

static long milliseconds_since(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)(now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
}

static bool send_all(void *context, const char *bytes, size_t length)
{
    const struct connection *c = context;

    while (length > 0) {
        const ssize_t sent = send(c->fd, bytes, length, MSG_NOSIGNAL);

        if (sent <= 0) {
            return false;
        }
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

static long receive(void *context, char *bytes, size_t size)
{
    const struct connection *c = context;
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    const long left = SESSION_MS - milliseconds_since(&c->start);

    if (left <= 0 || poll(&p, 1, (int)(left < SILENCE_MS ? left : SILENCE_MS)) <= 0) {
        return -1;
    }
    const ssize_t got = recv(c->fd, bytes, size, 0);

    return got < 0 ? 0 : (long)got;
}

/* Connects to @to.  Returns NULL and the socket in *@fd, or why there is no connection. */
static const char *try_connect(const struct addrinfo *to, int *fd)
{
    const struct timeval limit = {.tv_sec = SILENCE_MS / 1000};
    struct pollfd p = {.events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;

    *fd = socket(to->ai_family, to->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, to->ai_protocol);
    if (*fd == -1) {
        return strerror(errno);
    }
    p.fd = *fd;
    if (connect(*fd, to->ai_addr, to->ai_addrlen) == -1 && errno != EINPROGRESS) {
        error = errno;
    } else if (poll(&p, 1, SILENCE_MS) <= 0) {
        error = ETIMEDOUT;
    } else {
        getsockopt(*fd, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0) {
        fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) & ~O_NONBLOCK);
        setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        return NULL;
    }
    close(*fd);
    return strerror(error);
}

/* Splits "host:port", "[::1]:port", or ":port" for this machine.  Returns false for any other form. */
static bool split_address(const char *address, char host[256], const char **port)
{
    const char *colon = strrchr(address, ':');
    size_t length = colon != NULL ? (size_t)(colon - address) : 0;

    if (colon == NULL || colon[1] == '\0' || length >= 256) {
        return false;
    }
    if (length >= 2 && address[0] == '[' && address[length - 1] == ']') {
        address++;
        length -= 2;
    }
    memcpy(host, length == 0 ? "localhost" : address, length == 0 ? sizeof "localhost" : length);
    host[length == 0 ? sizeof "localhost" - 1 : length] = '\0';
    *port = colon + 1;
    return true;
}

/* Accepts the name of a service, or a number from 1 to 65535: getaddrinfo() cuts a larger one to its low 16 bits. */
static bool is_port(const char *port)
{
    char *end;
    const unsigned long number = strtoul(port, &end, 10);

    return (port[0] >= 'A' && port[0] <= 'z') ||
           (port[0] >= '0' && port[0] <= '9' && *end == '\0' && number >= 1 && number <= 65535);
}

/* Opens a connection to @address.  Returns false after it complained. */
static bool open_connection(const struct cli_verb *verb, const char *address, struct connection *c)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list;
    const char *port, *why = "no address";
    char host[256];

    if (!split_address(address, host, &port)) {
        cli_complain(verb, "--gdb: %s: not HOST:PORT; give both, such as localhost:1234", address);
        return false;
    }
    if (!is_port(port)) {
        cli_complain(verb, "--gdb: %s: no such port; give one from 1 to 65535", address);
        return false;
    }
    const int failed = getaddrinfo(host, port, &hints, &list);

    if (failed != 0) {
        cli_complain(verb, "--gdb: %s: no such host or port: %s; give the address of a GDB server, such as QEMU's -s "
                     "or OpenOCD's gdb_port", address, gai_strerror(failed));
        return false;
    }
    c->fd = -1;
    for (const struct addrinfo *to = list; to != NULL && why != NULL; to = to->ai_next) {
        why = try_connect(to, &c->fd);
    }
    freeaddrinfo(list);
    if (why != NULL) {
        cli_complain(verb, "--gdb: %s: no connection: %s; start the GDB server there, such as QEMU's -s or OpenOCD's "
                     "gdb_port", address, why);
        return false;
    }
    clock_gettime(CLOCK_MONOTONIC, &c->start);
    return true;
}

bool state_read_target(const struct cli_verb *verb, const char *address, struct state *s,
                       const struct state_frame *frame)
{
    static const char *const causes[] = {
        [RSP_UNSUPPORTED] = "it does not know the request; give a text, or --base to read the external view",
        [RSP_ERROR] = "it answers with an error; is it an Arm target that is stopped, and is --base right?",
        [RSP_SILENT] = "no answer in time; is it a GDB server, and free of other clients?",
        [RSP_CLOSED] = "it closed the connection; is it a GDB server, and free of other clients?",
        [RSP_GARBLED] = "the answer is not of the GDB protocol; is it a GDB server?",
        [RSP_NO_PMU] = "",
    };
    struct connection c;
    const struct rsp_wire wire = {send_all, receive, &c};
    const char *what, *why;

    if (!open_connection(verb, address, &c)) {
        return false;
    }
    const enum rsp_result result = state_take_target(s, &wire, frame, &what, &why);

    close(c.fd);
    if (result != RSP_OK) {
        cli_complain(verb, "--gdb: %s: asked for %s: %s%s%s", address, what, why,
                     why[0] != '\0' && causes[result][0] != '\0' ? ": " : "", causes[result]);
        return false;
    }
    return true;
}
