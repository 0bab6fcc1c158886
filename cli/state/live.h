/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the live inputs: a target of the GDB protocol, and the host, which is the machine that armpmu runs on. */
#ifndef ARMPMU_CLI_STATE_LIVE_H
#define ARMPMU_CLI_STATE_LIVE_H

#include "rsp.h"
#include "state.h"

/**
 * Takes the registers of the target behind @wire.  If @frame has an address, takes the external view too, by reads of
 * memory.  If it fails, stores in *@what the name of the request and in *@why the cause, or "" if the result says it
 * all.  Both are constant strings.
 */
enum rsp_result state_take_target(struct state *s, const struct rsp_wire *wire, const struct state_frame *frame,
                                  const char **what, const char **why);

/** Connects to @address, HOST:PORT, and takes the target there.  Returns false after it complained. */
bool state_read_target(const struct cli_verb *verb, const char *address, struct state *s,
                       const struct state_frame *frame);

/**
 * Fills s->host from the files in /proc and /sys below @root, and takes the registers that they show.  @root is "" for
 * this machine, and has at most 200 characters.
 */
void state_take_host(struct state *s, const char *root);

/** Takes what this machine's files show, and the registers that EL0 may read.  Returns false after it complained. */
bool state_read_host(const struct cli_verb *verb, struct state *s);

#endif
