/* SPDX-License-Identifier: GPL-2.0-or-later */
DEF_HELPER_FLAGS_2(armpmu_near_deadline, TCG_CALL_NO_RWG, void, env, cptr)
