/* SPDX-License-Identifier: BSD-2-Clause */
/* What bindgen reads. */
#include <armpmu/events.h>
#include <armpmu/explain.h>
#include <armpmu/foreign.h>
#include <armpmu/model.h>
#include <armpmu/version.h>

#include "../../tb/tb.h"
