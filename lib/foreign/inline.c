/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions that public headers define, once more with external linkage, for languages that cannot include a
 * header.
 */
#define APMU_INLINE

#include <armpmu/arm11.h>
#include <armpmu/core_near.h>
#include <armpmu/core_space.h>
#include <armpmu/driver.h>
#include <armpmu/events.h>
#include <armpmu/metrics.h>
#include <armpmu/model.h>
