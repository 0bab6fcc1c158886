/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells the sizes of structures to bindings, which cannot ask the compiler. */
#include <armpmu/arm11.h>
#include <armpmu/arm11_driver.h>
#include <armpmu/core_file.h>
#include <armpmu/core_near.h>
#include <armpmu/explain.h>
#include <armpmu/foreign.h>
#include <armpmu/metrics.h>
#include <armpmu/mmio.h>
#include <armpmu/perf.h>
#include <armpmu/policy.h>

/* The structures of the public headers, with which test/build/test_foreign.sh compares this table. */
static const struct {
    const char *name;
    size_t size;
} structures[] = {
#define S(name) {#name, sizeof(struct name)}
    S(apmu_config), S(apmu), S(apmu_pe), S(apmu_out), S(apmu_access), S(apmu_transfer), S(apmu_reason_info),
    S(apmu_occurrence), S(apmu_ext), S(apmu_field), S(apmu_reg_info), S(apmu_id_field), S(apmu_reg_value),
    S(apmu_reg32_info), S(apmu_ids), S(apmu_place), S(apmu_reg_ops), S(apmu_refused_access), S(apmu_dev), S(apmu_pmu),
    S(apmu_pmu_saved), S(apmu_wish), S(apmu_reading), S(apmu_overflow), S(apmu_sharing), S(apmu_slot),
    S(apmu_session_ops), S(apmu_session), S(apmu_region_count), S(apmu_region), S(apmu_region_span),
    S(apmu_region_cost), S(apmu_regions), S(apmu_policy_request), S(apmu_policy_row), S(apmu_policy_reg),
    S(apmu_policy_violation), S(apmu_policy_note), S(apmu_policy_entry), S(apmu_policy_saved), S(apmu_model_backend),
    S(apmu_trace), S(apmu_fault), S(apmu_mmio), S(apmu_perf_pmu), S(apmu_perf_options), S(apmu_perf_page),
    S(apmu_perf_refusal), S(apmu_perf_event), S(apmu_perf), S(apmu_full_state), S(apmu_facts), S(apmu_verdict),
    S(apmu_cure_write), S(apmu_cure), S(apmu_reach), S(apmu_counter_setup), S(apmu_subject_name), S(apmu_dependence),
    S(apmu_event_info), S(apmu_core_info), S(apmu_core_event), S(apmu_metric_set), S(apmu_metric), S(apmu_topdown),
    S(apmu_formula_step), S(apmu_formula), S(apmu_core_row), S(apmu_core_key_info), S(apmu_core_lines),
    S(apmu_core_pages), S(apmu_core_walk), S(apmu_core_tally), S(apmu_core_target), S(apmu_core_folds),
    S(apmu_core_outcome), S(apmu_core_predictor), S(apmu_core_pending), S(apmu_core_ring), S(apmu_core_time),
    S(apmu_core_timed), S(apmu_core_notes), S(apmu_core_batch), S(apmu_core_visit), S(apmu_core), S(apmu_chip),
    S(apmu_core_lost), S(apmu_core_blame), S(apmu_core_file_fault), S(apmu_arm11_config), S(apmu_arm11),
    S(apmu_arm11_pe), S(apmu_arm11_out), S(apmu_arm11_reason_info), S(apmu_arm11_metric_info), S(apmu_fraction),
    S(apmu_arm11_field), S(apmu_arm11_reg_info), S(apmu_arm11_event_info), S(apmu_arm11_reg_ops),
    S(apmu_arm11_driver), S(apmu_arm11_model_backend),
#undef S
};

static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

size_t apmu_sizeof(const char *name)
{
    for (size_t i = 0; i < sizeof structures / sizeof structures[0]; i++) {
        if (same_name(name, structures[i].name)) {
            return structures[i].size;
        }
    }
    return 0;
}
