/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A module for the guest of the bench.  A read of /dev/armpmu_bench measures the native back end at EL1, with
 * interrupts off; from then on EL0 may use the PMU while the device is open.  The kernel's state of the PMU is saved
 * meanwhile, so no perf event may count then.  Linux writes PMUSERENR_EL0 when it starts an event or brings up a
 * CPU, and at no other time.
 */
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "native.h"

static atomic_t opened;

/* Saves the kernel's state of the PMU.  One process at a time may have the device open. */
static int bench_open(struct inode *inode, struct file *file)
{
    unsigned long flags;
    int error;

    if (atomic_cmpxchg(&opened, 0, 1) != 0) {
        return -EBUSY;
    }
    local_irq_save(flags);
    error = native_keep();
    local_irq_restore(flags);
    if (error == 0) {
        return 0;
    }
    pr_err(NATIVE_DEVICE ": the PMU cannot be saved: error %d of armpmu\n", error);
    atomic_set(&opened, 0);
    return -EIO;
}

/* Measures at EL1, gives EL0 the PMU, and returns a struct native_answer. */
static ssize_t bench_read(struct file *file, char __user *to, size_t length, loff_t *at)
{
    struct native_answer answer = {0};
    unsigned long flags;

    if (length != sizeof answer) {
        return -EINVAL;
    }
    local_irq_save(flags);
    native_answer(&answer);
    local_irq_restore(flags);
    return copy_to_user(to, &answer, sizeof answer) != 0 ? -EFAULT : (ssize_t)sizeof answer;
}

/* Restores the kernel's state of the PMU. */
static int bench_release(struct inode *inode, struct file *file)
{
    unsigned long flags;
    int error;

    local_irq_save(flags);
    error = native_restore();
    local_irq_restore(flags);
    if (error != 0) {
        pr_err(NATIVE_DEVICE ": the PMU is not restored: error %d of armpmu\n", error);
    }
    atomic_set(&opened, 0);
    return 0;
}

static const struct file_operations operations = {
    .owner = THIS_MODULE,
    .open = bench_open,
    .read = bench_read,
    .release = bench_release,
};

static struct miscdevice device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = NATIVE_DEVICE,
    .fops = &operations,
};

static int __init bench_init(void)
{
    if (num_online_cpus() != 1) { /* all calls must be made on the same CPU */
        pr_err(NATIVE_DEVICE ": %u CPUs are online: give the guest one\n", num_online_cpus());
        return -EINVAL;
    }
    return misc_register(&device);
}

static void __exit bench_exit(void)
{
    misc_deregister(&device);
}

module_init(bench_init);
module_exit(bench_exit);
MODULE_DESCRIPTION("Costs of armpmu's native back end at EL1 and EL0");
MODULE_LICENSE("Dual BSD/GPL");
