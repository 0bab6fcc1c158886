/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware at EL3, as TF-A is: it runs a payload at Secure EL1 for less trusted software at Non-secure EL1, which has
 * the PMU and would like to know what the payload does.  The firmware computes the Secure policy for the PE it runs on,
 * writes what lasts once, and the rest at each entry to the Secure world.
 *
 * The payload works for as long as a secret says.  Non-secure software counts instructions and cycles across the call,
 * for two secrets, one of which takes 2,000 instructions more; what differs leaks.  On the emulator of `make qemu`,
 * and on Debian 12's QEMU 7.2 booted as below, it prints:
 *
 *     instructions without the policy: 2000
 *     cycles without the policy: 2000
 *     instructions with the policy: 0
 *     cycles with the policy: 0
 *
 * Boot it at EL3 of QEMU's virt:
 *
 *     qemu-system-aarch64 -M virt,secure=on -cpu cortex-a57 -icount shift=0 -nographic -nic none -semihosting \
 *         -kernel el3.elf
 */
#include <armpmu/event_numbers.h>
#include <armpmu/native.h>
#include <armpmu/policy.h>

#include "../baremetal_el1/board.h"

#define SCR_SECURE (UINT64_C(1) << 10) /* RW: EL1 uses AArch64 */
#define SCR_NONSECURE (SCR_SECURE | APMU_MASK(SCR_EL3, NS))

uint64_t run_at_el1(uint64_t (*payload)(uint64_t), uint64_t argument, uint64_t scr_el3);
int main(void);

static const struct apmu_dev dev = {.ops = &apmu_native_ops};

/* Non-secure EL1: has an event counter and the cycle counter count everywhere. */
static uint64_t count_everything(uint64_t unused)
{
    (void)apmu_native_ops.write(NULL, APMU_REG_PMEVTYPER_EL0, 0, APMU_EV_INST_RETIRED);
    (void)apmu_native_ops.write(NULL, APMU_REG_PMCCFILTR_EL0, 0, 0);
    (void)apmu_native_ops.write(NULL, APMU_REG_PMCNTENSET_EL0, 0, UINT64_C(1) << APMU_CYCLE | 1);
    (void)apmu_native_ops.write(NULL, APMU_REG_PMCR_EL0, 0, APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, LC));
    apmu_native_sync();
    return unused;
}

/* Non-secure EL1: reads counter @n. */
static uint64_t read_counter(uint64_t n)
{
    return n == APMU_CYCLE ? apmu_read_pmccntr() : apmu_read_pmevcntr0();
}

/* Secure EL1: executes two instructions as often as the secret says. */
static uint64_t work(uint64_t secret)
{
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(secret) : : "cc");
    return secret;
}

/* Calls the Secure world, as a secure monitor does.  Returns how far Non-secure counter @n went meanwhile. */
static uint64_t call_secure_world(const struct apmu_policy_entry *entry, uint64_t secret, uint64_t n)
{
    struct apmu_policy_saved saved;
    const uint64_t before = run_at_el1(read_counter, n, SCR_NONSECURE);

    apmu_native_policy_enter(entry, &saved);
    (void)run_at_el1(work, secret, SCR_SECURE);
    apmu_native_policy_leave(entry, &saved);
    return run_at_el1(read_counter, n, SCR_NONSECURE) - before;
}

/* Prints what Non-secure software learns of 1000 further turns of the payload. */
static void show_leak(const char *policy, const struct apmu_policy_entry *entry)
{
    (void)run_at_el1(count_everything, 0, SCR_NONSECURE);
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t n = i == 0 ? 0 : APMU_CYCLE;
        const uint64_t less = call_secure_world(entry, 1000, n);

        print(i == 0 ? "instructions " : "cycles ");
        print(policy);
        print(": ");
        print_number(call_secure_world(entry, 2000, n) - less);
        print("\n");
    }
}

int main(void)
{
    struct apmu_policy_request request = {.level = 3};
    static struct apmu_policy_row rows[APMU_POLICY_ROWS];
    struct apmu_policy_entry entry = {0};
    struct apmu_pmu pmu;
    size_t count;

    if (apmu_pmu_discover(&dev, NULL, &pmu) != APMU_OK) {
        print("no PMU\n");
        return 1;
    }
    request.features = apmu_features_closure(pmu.features);
    request.counters = pmu.counters;
    request.protect = (uint16_t)((APMU_STATES_SECURE | APMU_STATE(EL3)) & apmu_states(request.features));
    if (apmu_policy(&request, rows, APMU_POLICY_ROWS, &count) != APMU_OK) {
        print("no policy\n");
        return 1;
    }
    (void)apmu_native_ops.write(NULL, APMU_REG_MDCR_EL3, 0, APMU_MASK(MDCR_EL3, SPME));
    show_leak("without the policy", &entry);
    if (apmu_policy_apply(&dev, rows, count) != APMU_OK) {
        print("the policy cannot be written\n");
        return 1;
    }
    apmu_policy_entry(rows, count, &entry);
    show_leak("with the policy", &entry);
    return 0;
}
