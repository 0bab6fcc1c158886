/* SPDX-License-Identifier: BSD-2-Clause */
/* From facts to a configuration: what features.c and model.c share. */
#ifndef ARMPMU_CLI_STATE_MODEL_H
#define ARMPMU_CLI_STATE_MODEL_H

#include "state.h"

/* features.c: fills m->cfg.features, so that apmu_config_check() passes, and what goes with them. */
void state_features(const struct state *s, struct state_model *m);

/* features.c: lists what is assumed; @reg would say it, @text is constant. */
void state_assume(struct state_model *m, enum apmu_reg reg, const char *text);

#endif
