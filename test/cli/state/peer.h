/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plays the server's side of the GDB protocol from a recorded exchange: looks up each request, and answers with its
 * recorded reply.
 */
#ifndef ARMPMU_TEST_PEER_H
#define ARMPMU_TEST_PEER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../cli/state/live.h"

enum { PEER_PAIRS = 1024 };

/* The server, and what the client did with it. */
struct peer {
    char text[1 << 16];  /* the contents of the file, to which requests and replies point */
    const char *request[PEER_PAIRS], *reply[PEER_PAIRS];
    unsigned pairs;
    bool used[PEER_PAIRS];
    char out[1 << 16]; /* bytes to be received */
    size_t length, at;
    size_t left;       /* bytes until the connection ends */
    size_t given;      /* bytes that were received */
    bool no_ack;
    unsigned errors;   /* requests with a wrong checksum, or that are not packets */
};

/* Puts @reply into the bytes that the client receives next, as a packet. */
static inline void peer_queue(struct peer *p, const char *reply)
{
    unsigned sum = 0;

    for (const char *c = reply; *c != '\0'; c++) {
        sum += (unsigned char)*c;
    }
    p->length += (size_t)snprintf(p->out + p->length, sizeof p->out - p->length, "%s$%s#%02x", p->no_ack ? "" : "+",
                                  reply, sum & 0xFF);
}

/*
 * Loads "> REQUEST" and "< REPLY" lines.  A | in a reply stands for the end of a line.  Returns false if the file is
 * missing, empty or too large.
 */
static inline bool peer_load(struct peer *p, const char *path)
{
    FILE *file = fopen(path, "r");

    memset(p, 0, sizeof *p);
    p->left = SIZE_MAX;
    if (file == NULL) {
        return false;
    }
    const size_t size = fread(p->text, 1, sizeof p->text - 1, file);
    const bool whole = feof(file) != 0;

    fclose(file);
    p->text[size] = '\0';
    for (char *line = strtok(p->text, "\n"); line != NULL && p->pairs < PEER_PAIRS; line = strtok(NULL, "\n")) {
        if (line[0] == '>') {
            p->request[p->pairs] = line + 2;
        } else if (line[0] == '<' && p->request[p->pairs] != NULL) {
            p->reply[p->pairs++] = line + 2;
            for (char *c = line; *c != '\0'; c++) {
                *c = *c == '|' ? '\n' : *c;
            }
        }
    }
    return whole && p->pairs > 0 && p->pairs < PEER_PAIRS;
}

/* Takes the client's request, and queues the reply: the recorded one, an error for a read, or else an empty one. */
static inline bool peer_send(void *context, const char *bytes, size_t length)
{
    struct peer *p = context;
    unsigned sum = 0;

    if (length == 1) {
        return bytes[0] == '+'; /* our replies are correct, so a retransmission is never requested */
    }
    for (size_t i = 1; i + 3 < length; i++) {
        sum += (unsigned char)bytes[i];
    }
    if (bytes[0] != '$' || length < 4 || strtoul(bytes + length - 2, NULL, 16) != (sum & 0xFF)) {
        p->errors++;
        return true;
    }
    for (unsigned i = 0; i < p->pairs; i++) {
        if (strlen(p->request[i]) == length - 4 && memcmp(p->request[i], bytes + 1, length - 4) == 0) {
            p->used[i] = true;
            peer_queue(p, p->reply[i]);
            p->no_ack |= strcmp(p->request[i], "QStartNoAckMode") == 0;
            return true;
        }
    }
    peer_queue(p, bytes[1] == 'm' || bytes[1] == 'p' ? "E0E" : "");
    return true;
}

/* Gives the client the bytes that are queued.  Closes the connection after .left bytes. */
static inline long peer_receive(void *context, char *bytes, size_t size)
{
    struct peer *p = context;
    size_t n = p->length - p->at;

    n = n < size ? n : size;
    n = n < p->left ? n : p->left;
    if (n == 0) {
        return p->left == 0 ? 0 : -1;
    }
    memcpy(bytes, p->out + p->at, n);
    p->at += n;
    p->left -= n;
    p->given += n;
    if (p->at == p->length) {
        p->at = p->length = 0;
    }
    return (long)n;
}

/* Runs one session, in which the client takes the target into @s. */
static inline enum rsp_result peer_take(struct peer *p, struct state *s, const struct state_frame *frame,
                                        const char **why)
{
    const struct rsp_wire wire = {peer_send, peer_receive, p};
    const char *what;
    enum rsp_result result;

    p->at = p->length = p->given = 0;
    p->no_ack = false;
    memset(p->used, 0, sizeof p->used);
    state_init(s, "peer");
    result = state_take_target(s, &wire, frame, &what, why);
    state_finish(s);
    return result;
}

#endif
