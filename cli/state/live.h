/* SPDX-License-Identifier: BSD-2-Clause */
/* Inputs that are not texts: a target of the GDB protocol, and this machine. */
#ifndef ARMPMU_CLI_STATE_LIVE_H
#define ARMPMU_CLI_STATE_LIVE_H

#include "rsp.h"
#include "state.h"

/**
 * Takes the registers of the target behind @wire, and with a base of @frame the external view by reads of its memory.
 * Other than RSP_OK: *what was asked for, and *why in more words, or "": both constant.
 */
enum rsp_result state_take_target(struct state *s, const struct rsp_wire *wire, const struct state_frame *frame,
                                  const char **what, const char **why);

/** Takes the target at @address, HOST:PORT.  False: it complained. */
bool state_read_target(const struct cli_verb *verb, const char *address, struct state *s,
                       const struct state_frame *frame);

/** Takes what the files of an Arm Linux machine say whose root is @root: "" of this one. */
void state_take_host(struct state *s, const char *root);

/** Takes this machine.  False: it complained. */
bool state_read_host(const struct cli_verb *verb, struct state *s);

#endif
