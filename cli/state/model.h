/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what features.c and model.c share.  Together they make the model of a state: its configuration and unit. */
#ifndef ARMPMU_CLI_STATE_MODEL_H
#define ARMPMU_CLI_STATE_MODEL_H

#include "state.h"

/*
 * features.c: decides the features.  Fills m->cfg.features and m->cfg.thwidth so that apmu_config_check() passes, and
 * m->undecided, m->assumed and m->contradiction.
 */
void state_features(const struct state *s, struct state_model *m);

/* features.c: adds to m->assumed the assumption @text, a constant string.  @reg is the register that would say it. */
void state_assume(struct state_model *m, enum apmu_reg reg, const char *text);

#endif
