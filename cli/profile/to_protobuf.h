/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes messages of protobuf piece by piece: a message whose repeated members have one element each, again and again.
 * For a reader these are one message with all the elements.
 */
#ifndef ARMPMU_CLI_TO_PROTOBUF_H
#define ARMPMU_CLI_TO_PROTOBUF_H

#include <protobuf-c/protobuf-c.h>

#include "to_out.h"

void to_message(struct to_out *out, const ProtobufCMessage *message);

#endif
