/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the client of the GDB protocol (cli/state/rsp.c, gdb.c and target.c).  The input after its first byte is all
 * that the server sends.  The first byte is the length of the pieces in which it is received; 0 and 1 mean 4096.  If it
 * is odd, the client reads the external view too.
 */
#include <string.h>

#include "../../cli/state/live.h"
#include "fuzz.h"

/* What the server still sends. */
struct input {
    const char *bytes;
    size_t left, piece; /* bytes; the most that are received at once */
};

static bool drop(void *context, const char *bytes, size_t length)
{
    (void)context, (void)bytes, (void)length;
    return true;
}

static long give(void *context, char *bytes, size_t size)
{
    struct input *in = context;
    size_t n = in->left < in->piece ? in->left : in->piece;

    n = n < size ? n : size;
    memcpy(bytes, in->bytes, n);
    in->bytes += n;
    in->left -= n;
    return (long)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct state s;
    const char *what, *why;

    if (size == 0) {
        return 0;
    }
    struct input in = {(const char *)data + 1, size - 1, data[0] > 1 ? data[0] : 4096};
    const struct rsp_wire wire = {drop, give, &in};
    const struct state_frame frame = {(data[0] & 1) != 0, 0x1000};

    state_init(&s, "fuzz");
    const bool taken = state_take_target(&s, &wire, &frame, &what, &why) == RSP_OK;

    if (taken && frame.given && s.facts == 0 && s.remark_count == 0) {
        abort(); /* a frame that was read gives a fact or a remark */
    }
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/gdb")
