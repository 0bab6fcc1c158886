/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Called by a block in which a counter may overflow, before the block begins (batch.c). */
DEF_HELPER_FLAGS_2(armpmu_near_deadline, TCG_CALL_NO_RWG, void, env, cptr)
