/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Called by a block in which a counter may overflow, before the block begins (batch.c). */
DEF_HELPER_FLAGS_2(armpmu_near_deadline, TCG_CALL_NO_RWG, void, env, cptr)
/* Called at the begin of a block, and before an access, where a core is told what is executed (core_feed.c). */
DEF_HELPER_FLAGS_2(armpmu_core_enter, TCG_CALL_NO_WG, i32, env, cptr)
DEF_HELPER_FLAGS_3(armpmu_core_access, TCG_CALL_NO_WG, void, env, i64, cptr)
