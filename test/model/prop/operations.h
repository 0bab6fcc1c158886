/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the calls of the model that the properties make, so that `make soak` can report them.  Include this file after
 * the public headers: a macro with the name of a function is expanded once, and the result is a call of the function.
 */
#ifndef ARMPMU_TEST_OPERATIONS_H
#define ARMPMU_TEST_OPERATIONS_H

#include <armpmu/arm11.h>
#include <armpmu/model.h>

#include "../../lib/choices.h"

#ifndef ARMPMU_PROOF

#define ACTS(call) (any_operations.acting++, call)
#define ASKS(call) (any_operations.asking++, call)

#define apmu_on_reset(...) ACTS(apmu_on_reset(__VA_ARGS__))
#define apmu_event(...) ACTS(apmu_event(__VA_ARGS__))
#define apmu_cycles(...) ACTS(apmu_cycles(__VA_ARGS__))
#define apmu_step(...) ACTS(apmu_step(__VA_ARGS__))
#define apmu_snapshot(...) ACTS(apmu_snapshot(__VA_ARGS__))
#define apmu_retire(...) ACTS(apmu_retire(__VA_ARGS__))
#define apmu_until(...) ASKS(apmu_until(__VA_ARGS__))
#define apmu_why(...) ASKS(apmu_why(__VA_ARGS__))
#define apmu_pmuirq(...) ASKS(apmu_pmuirq(__VA_ARGS__))
#define apmu_levels(...) ASKS(apmu_levels(__VA_ARGS__))
#define apmu_check(...) ASKS(apmu_check(__VA_ARGS__))
#define apmu_access(...) ASKS(apmu_access(__VA_ARGS__))
#define apmu_access_a32(...) ASKS(apmu_access_a32(__VA_ARGS__))
#define apmu_access_ext(...) ASKS(apmu_access_ext(__VA_ARGS__))
#define apmu_peek(...) ASKS(apmu_peek(__VA_ARGS__))
#define apmu_peek_a32(...) ASKS(apmu_peek_a32(__VA_ARGS__))
#define apmu_peek_ext(...) ASKS(apmu_peek_ext(__VA_ARGS__))
#define apmu_read_ext(...) ACTS(apmu_read_ext(__VA_ARGS__))
#define apmu_poke(...) ACTS(apmu_poke(__VA_ARGS__))
#define apmu_poke_a32(...) ACTS(apmu_poke_a32(__VA_ARGS__))
#define apmu_poke_ext(...) ACTS(apmu_poke_ext(__VA_ARGS__))

#define apmu_arm11_event(...) ACTS(apmu_arm11_event(__VA_ARGS__))
#define apmu_arm11_cycles(...) ACTS(apmu_arm11_cycles(__VA_ARGS__))
#define apmu_arm11_step(...) ACTS(apmu_arm11_step(__VA_ARGS__))
#define apmu_arm11_until(...) ASKS(apmu_arm11_until(__VA_ARGS__))
#define apmu_arm11_why(...) ASKS(apmu_arm11_why(__VA_ARGS__))
#define apmu_arm11_access(...) ASKS(apmu_arm11_access(__VA_ARGS__))
#define apmu_arm11_peek(...) ASKS(apmu_arm11_peek(__VA_ARGS__))
#define apmu_arm11_poke(...) ACTS(apmu_arm11_poke(__VA_ARGS__))

#endif
#endif
