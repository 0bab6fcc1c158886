/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints counts for Prometheus. */
#ifndef ARMPMU_CLI_EXPORT_EXPOSE_H
#define ARMPMU_CLI_EXPORT_EXPOSE_H

#include "../count/metrics.h"
#include "gather.h"

/** The two forms of the text. */
enum expose_form {
    EXPOSE_OPENMETRICS, /**< OpenMetrics 1.0 */
    EXPOSE_PLAIN        /**< Prometheus's older text format 0.0.4, which node_exporter reads */
};

/** Returns the counts of @g and the metrics of @m as a text, which the caller frees.  Sets *@length to its length. */
char *expose_text(const struct gather *g, const struct metrics *m, enum expose_form form, size_t *length);

#endif
