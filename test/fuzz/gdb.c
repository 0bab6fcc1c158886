/* SPDX-License-Identifier: BSD-2-Clause */
/* The GDB protocol.  The input is all that the server sends, in pieces whose length the first byte gives. */
#include <string.h>

#include "../../cli/state/live.h"
#include "fuzz.h"

struct input {
    const char *bytes;
    size_t left, piece;
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
    struct input in = {(const char *)data + 1, size - 1, size > 0 && data[0] > 1 ? data[0] : 4096};
    const struct rsp_wire wire = {drop, give, &in};
    const struct state_frame frame = {size > 0 && (data[0] & 1) != 0, 0x1000};
    const char *what, *why;

    if (size == 0) {
        return 0;
    }
    state_init(&s, "fuzz");
    const bool taken = state_take_target(&s, &wire, &frame, &what, &why) == RSP_OK;

    if (taken && frame.given && s.facts == 0 && s.remark_count == 0) {
        abort(); /* the frame was read without any fact or remark */
    }
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/gdb")
