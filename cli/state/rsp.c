/* SPDX-License-Identifier: BSD-2-Clause */
/* The client's side of the GDB remote serial protocol: rsp.h says what each function does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "rsp.h"

#define BUDGET (16ul << 20)         /* bytes of a session, enough to describe many thousand registers */
#define ANNEX_MAX ((size_t)4 << 20) /* bytes of a document */
#define CHUNK 0x800                 /* bytes of a document per request, fewer than any PacketSize in use */
#define RETRIES 3                   /* times that a packet is read until its checksum is right */

void rsp_init(struct rsp *r, const struct rsp_wire *wire)
{
    r->wire = *wire;
    r->no_ack = false;
    r->in_length = r->in_at = r->reply_length = 0;
    r->budget = BUDGET;
}

/* Returns the next byte, or -1 with the cause in *@result. */
static int next_byte(struct rsp *r, enum rsp_result *result)
{
    if (r->in_at == r->in_length) {
        const long got = r->wire.receive(r->wire.context, r->in, sizeof r->in);

        if (got <= 0) {
            *result = got == 0 ? RSP_CLOSED : RSP_SILENT;
            return -1;
        }
        if ((unsigned long)got > r->budget) {
            *result = RSP_GARBLED;
            return -1;
        }
        r->budget -= (unsigned long)got;
        r->in_at = 0;
        r->in_length = (size_t)got;
    }
    return (unsigned char)r->in[r->in_at++];
}

/* Stores the packet @raw in r->reply, without escapes and run-length encoding.  Returns false if it is malformed. */
static bool unpack(struct rsp *r, const char *raw, size_t length)
{
    size_t out = 0;

    for (size_t i = 0; i < length; i++) {
        if (raw[i] == '*') {
            const int times = i + 1 < length ? (unsigned char)raw[i + 1] - 29 : 0;

            if (out == 0 || times < 3 || out + (size_t)times > RSP_PACKET) {
                return false;
            }
            memset(r->reply + out, r->reply[out - 1], (size_t)times);
            out += (size_t)times;
            i++;
        } else {
            const bool escaped = raw[i] == '}';

            i += escaped;
            if (i == length || out == RSP_PACKET) {
                return false;
            }
            r->reply[out++] = escaped ? (char)(raw[i] ^ 0x20) : raw[i];
        }
    }
    r->reply[out] = '\0';
    r->reply_length = out;
    return true;
}

/* Reads a packet into r->reply.  Returns RSP_ERROR if its checksum is wrong, which is not checked after .no_ack. */
static enum rsp_result read_packet(struct rsp *r)
{
    static char raw[RSP_PACKET];
    enum rsp_result result = RSP_GARBLED;
    size_t length;
    unsigned sum, want;
    int byte;
    bool notification;

    do { /* skips acknowledgements and bytes of earlier sessions; reads and drops notifications */
        do {
            byte = next_byte(r, &result);
            if (byte < 0) {
                return result;
            }
        } while (byte != '$' && byte != '%');
        notification = byte == '%';
        sum = 0;
        length = 0;
        while ((byte = next_byte(r, &result)) >= 0 && byte != '#') {
            if (length == sizeof raw) {
                return RSP_GARBLED;
            }
            sum += (unsigned)byte;
            raw[length++] = (char)byte;
        }
        want = 0;
        for (int i = 0; i < 2 && byte >= 0; i++) {
            byte = next_byte(r, &result);
            if (byte >= 0 && state_hex((char)byte) < 0) {
                return RSP_GARBLED;
            }
            want = want << 4 | (unsigned)(byte >= 0 ? state_hex((char)byte) : 0);
        }
        if (byte < 0) {
            return result;
        }
    } while (notification);
    if (!r->no_ack) {
        const bool good = want == (sum & 0xFF);

        if (!r->wire.send(r->wire.context, good ? "+" : "-", 1)) {
            return RSP_CLOSED;
        }
        if (!good) {
            return RSP_ERROR;
        }
    }
    return unpack(r, raw, length) ? RSP_OK : RSP_GARBLED;
}

enum rsp_result rsp_reply(struct rsp *r)
{
    enum rsp_result result = RSP_ERROR;

    for (int i = 0; i < RETRIES && result == RSP_ERROR; i++) {
        result = read_packet(r);
    }
    if (result != RSP_OK) {
        return result == RSP_ERROR ? RSP_GARBLED : result;
    }
    if (r->reply_length == 0) {
        return RSP_UNSUPPORTED;
    }
    return r->reply[0] == 'E' && (r->reply_length == 3 || r->reply[1] == '.') ? RSP_ERROR : RSP_OK;
}

enum rsp_result rsp_ask(struct rsp *r, const char *request)
{
    char packet[256];
    unsigned sum = 0;

    for (const char *c = request; *c != '\0'; c++) {
        sum += (unsigned char)*c;
    }
    const int length = snprintf(packet, sizeof packet, "$%s#%02x", request, sum & 0xFF);

    if (length < 0 || (size_t)length >= sizeof packet) {
        return RSP_GARBLED;
    }
    if (!r->wire.send(r->wire.context, packet, (size_t)length)) {
        return RSP_CLOSED;
    }
    return rsp_reply(r);
}

/* Parses the reply: bytes in hexadecimal, the lowest first, at most @most of them. */
static enum rsp_result parse_little_endian(const struct rsp *r, size_t most, uint64_t *value)
{
    const size_t bytes = r->reply_length / 2;

    *value = 0;
    if (r->reply_length == 0 || r->reply_length % 2 != 0 || bytes > most) {
        return RSP_GARBLED;
    }
    for (size_t i = 0; i < bytes; i++) {
        const int high = state_hex(r->reply[2 * i]), low = state_hex(r->reply[2 * i + 1]);

        if (high < 0 || low < 0) {
            return r->reply[2 * i] == 'x' ? RSP_ERROR : RSP_GARBLED; /* "xx": not available */
        }
        *value |= (uint64_t)(high << 4 | low) << (8 * i);
    }
    return RSP_OK;
}

enum rsp_result rsp_register(struct rsp *r, unsigned number, uint64_t *value)
{
    char request[16];
    enum rsp_result result;

    snprintf(request, sizeof request, "p%x", number);
    result = rsp_ask(r, request);
    return result == RSP_OK ? parse_little_endian(r, 8, value) : result;
}

enum rsp_result rsp_word(struct rsp *r, uint64_t address, uint32_t *value)
{
    char request[40];
    enum rsp_result result;
    uint64_t word = 0;

    snprintf(request, sizeof request, "m%llx,4", (unsigned long long)address);
    result = rsp_ask(r, request);
    if (result == RSP_OK) {
        result = r->reply_length == 8 ? parse_little_endian(r, 4, &word) : RSP_GARBLED;
    }
    *value = (uint32_t)word;
    return result;
}

char *rsp_annex(struct rsp *r, const char *annex, size_t *length, enum rsp_result *result)
{
    char *text = NULL;
    bool last = false;

    *length = 0;
    *result = RSP_GARBLED;
    if (strlen(annex) > 128) {
        return NULL;
    }
    while (!last) {
        char request[200];

        snprintf(request, sizeof request, "qXfer:features:read:%s:%zx,%x", annex, *length, CHUNK);
        *result = rsp_ask(r, request);
        if (*result != RSP_OK) {
            break;
        }
        last = r->reply[0] == 'l';
        if ((!last && (r->reply[0] != 'm' || r->reply_length < 2)) || *length + r->reply_length > ANNEX_MAX) {
            *result = RSP_GARBLED;
            break;
        }
        char *longer = realloc(text, *length + r->reply_length);

        if (longer == NULL) {
            *result = RSP_GARBLED;
            break;
        }
        text = longer;
        memcpy(text + *length, r->reply + 1, r->reply_length - 1);
        *length += r->reply_length - 1;
    }
    if (*result != RSP_OK) {
        free(text);
        text = NULL;
    }
    return text;
}
