/* SPDX-License-Identifier: BSD-2-Clause */
/* What bindgen reads: the public headers but native.h, whose functions are single instructions. */
#include <armpmu/arm11.h>
#include <armpmu/arm11_driver.h>
#include <armpmu/core_file.h>
#include <armpmu/core_near.h>
#include <armpmu/core_space.h>
#include <armpmu/cores.h>
#include <armpmu/driver.h>
#include <armpmu/events.h>
#include <armpmu/explain.h>
#include <armpmu/foreign.h>
#include <armpmu/metrics.h>
#include <armpmu/mmio.h>
#include <armpmu/model.h>
#include <armpmu/perf.h>
#include <armpmu/policy.h>
#include <armpmu/saved.h>
#include <armpmu/version.h>

#include "../../tb/tb.h"
