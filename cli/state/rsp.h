/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The client's side of the GDB remote serial protocol: packets, and the requests that a reader of registers needs.
 * Whatever the server sends, no function reads or writes beyond its buffers, and each function ends.
 */
#ifndef ARMPMU_CLI_STATE_RSP_H
#define ARMPMU_CLI_STATE_RSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RSP_PACKET 65536 /* the longest reply, after its escapes are undone */

/** A connection to a server: functions of the caller, who owns @context. */
struct rsp_wire {
    /** Sends all @length bytes.  Returns false if that failed. */
    bool (*send)(void *context, const char *bytes, size_t length);
    /** Waits for up to @size bytes.  Returns their number, 0 if the server closed the connection, -1 on a timeout. */
    long (*receive)(void *context, char *bytes, size_t size);
    void *context;
};

/** How a request ended. */
enum rsp_result {
    RSP_OK,
    RSP_UNSUPPORTED, /**< the reply was empty: the server does not know the request */
    RSP_ERROR,       /**< the reply was "Enn", or the value is not available */
    RSP_SILENT,      /**< no reply came in time */
    RSP_CLOSED,      /**< the server closed the connection */
    RSP_GARBLED,     /**< the reply is not of this protocol, or not understood */
    RSP_NO_PMU,      /**< the target was read, and shows no PMU */
};

/** A session with a server. */
struct rsp {
    struct rsp_wire wire;
    bool no_ack;             /**< packets are no longer acknowledged, and checksums not checked */
    char in[4096];           /**< bytes that were received */
    size_t in_length, in_at; /**< their number, and the first that is not yet read */
    size_t reply_length;     /**< bytes in .reply, without the '\0' */
    unsigned long budget;    /**< bytes that may still be received, so that a hostile server cannot go on for ever */
    char reply[RSP_PACKET + 1]; /**< the reply to the last request, followed by a '\0' */
};

/** Begins a session.  Sends nothing. */
void rsp_init(struct rsp *r, const struct rsp_wire *wire);

/** Sends @request, of at most 250 characters, and waits for the reply, which is then in r->reply. */
enum rsp_result rsp_ask(struct rsp *r, const char *request);

/** Waits for one more reply without sending a request. */
enum rsp_result rsp_reply(struct rsp *r);

/** Reads register @number of a little-endian target.  Returns RSP_GARBLED if it has more than 8 bytes. */
enum rsp_result rsp_register(struct rsp *r, unsigned number, uint64_t *value);

/** Reads the little-endian 32-bit word at @address of the target's memory. */
enum rsp_result rsp_word(struct rsp *r, uint64_t address, uint32_t *value);

/**
 * Reads the whole document @annex by qXfer:features:read.  Returns it, *@length bytes, which the caller frees.  If it
 * fails, returns NULL and stores the cause in *@result.
 */
char *rsp_annex(struct rsp *r, const char *annex, size_t *length, enum rsp_result *result);

#endif
