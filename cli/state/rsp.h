/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The GDB remote serial protocol, the client's half: packets, and the requests that a reader of registers needs.
 * Whatever the other side sends, no function reads or writes beyond its buffers, nor runs for ever.
 */
#ifndef ARMPMU_CLI_STATE_RSP_H
#define ARMPMU_CLI_STATE_RSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RSP_PACKET 65536 /* the longest reply, after its escapes are undone */

/** The wire. */
struct rsp_wire {
    /** Sends all of @length.  False: it could not. */
    bool (*send)(void *context, const char *bytes, size_t length);
    /** Waits for bytes, as long as it allows.  How many, at least one; 0: the other side ended; -1: it keeps silent. */
    long (*receive)(void *context, char *bytes, size_t size);
    void *context;
};

/** How a request ended. */
enum rsp_result {
    RSP_OK,
    RSP_UNSUPPORTED, /**< an empty reply */
    RSP_ERROR,       /**< "Enn", or a value that is not available */
    RSP_SILENT,      /**< no reply in time */
    RSP_CLOSED,      /**< the other side ended */
    RSP_GARBLED,     /**< it is not this protocol, or it is not understood */
    RSP_NO_PMU,      /**< it was read, and has nothing of a PMU */
};

struct rsp {
    struct rsp_wire wire;
    bool no_ack;           /**< packets are not acknowledged any more */
    char in[4096];         /**< received, not yet looked at */
    size_t in_length, in_at;
    size_t reply_length;
    unsigned long budget;  /**< bytes that may still be received: a hostile end cannot keep us for ever */
    char reply[RSP_PACKET + 1]; /**< of the last request, with a '\0' after it */
};

void rsp_init(struct rsp *r, const struct rsp_wire *wire);

/** Sends @request and waits for the reply, r->reply.  RSP_ERROR and RSP_UNSUPPORTED follow from its first bytes. */
enum rsp_result rsp_ask(struct rsp *r, const char *request);

/** Waits for one more reply. */
enum rsp_result rsp_reply(struct rsp *r);

/** Register @number: bytes in target order, to @value as little-endian; at most eight. */
enum rsp_result rsp_register(struct rsp *r, unsigned number, uint64_t *value);

/** The 32-bit word at @address. */
enum rsp_result rsp_word(struct rsp *r, uint64_t address, uint32_t *value);

/** A whole object of qXfer:features:read:@annex, to be freed; *length its bytes.  NULL: *result says why. */
char *rsp_annex(struct rsp *r, const char *annex, size_t *length, enum rsp_result *result);

#endif
