/* SPDX-License-Identifier: BSD-2-Clause */
/* The live inputs: a target of the GDB protocol, and the host. */
#ifndef ARMPMU_CLI_STATE_LIVE_H
#define ARMPMU_CLI_STATE_LIVE_H

#include "rsp.h"
#include "state.h"

/**
 * Takes the registers of the target behind @wire.  If @frame has an address, takes the external view too, by reads of
 * memory.  If it fails, *@what names the request and *@why gives the cause, "" if the result says it all.  Both are
 * constant strings.
 */
enum rsp_result state_take_target(struct state *s, const struct rsp_wire *wire, const struct state_frame *frame,
                                  const char **what, const char **why);

/** Connects to @address, HOST:PORT, and takes the target there.  Returns false after it complained. */
bool state_read_target(const struct cli_verb *verb, const char *address, struct state *s,
                       const struct state_frame *frame);

/** Fills s->host from the files in /proc and /sys below @root, "" for those of this machine. */
void state_take_host(struct state *s, const char *root);

/** Takes this machine and the registers that EL0 may read.  Returns false after it complained. */
bool state_read_host(const struct cli_verb *verb, struct state *s);

#endif
