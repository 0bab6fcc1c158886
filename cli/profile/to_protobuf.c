/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes what protobuf-c encodes. */
#include "to_protobuf.h"

/* Where protobuf-c puts its bytes. */
struct sink {
    ProtobufCBuffer buffer; /* first: protobuf-c gives its address */
    struct to_out *out;
};

static void append(ProtobufCBuffer *buffer, size_t size, const uint8_t *bytes)
{
    struct sink *sink = (struct sink *)(void *)buffer;

    to_put(sink->out, bytes, size);
}

void to_message(struct to_out *out, const ProtobufCMessage *message)
{
    struct sink sink = {.buffer = {.append = append}, .out = out};

    (void)protobuf_c_message_pack_to_buffer(message, &sink.buffer);
}
