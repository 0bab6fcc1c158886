/* SPDX-License-Identifier: BSD-2-Clause */
/* A virtual machine monitor: runs guest.S on one vCPU with a PMU, by /dev/kvm, and compares what it counts. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kvm.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define RAM_BASE UINT64_C(0x40000000)
#define RAM_SIZE 0x10000u
#define RESULTS UINT64_C(0x09000000) /* guest.S stores them here */
#define REG_PC (KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | KVM_REG_ARM_CORE_REG(regs.pc))

extern const char guest_start[], guest_end[];

static const struct {
    const char *name;
    uint64_t count;
} wanted[] = {
    {"cycles between two trapped reads", 1},
    {"cycles of three instructions and a trapped read", 4},
    {"cycles of 2001 instructions and a trapped read", 2002},
    {"INST_RETIRED of 2001 instructions and a trapped read", 2001},
    {"INST_RETIRED between two trapped reads", 0},
};

static int status;

/* Returns @result, or ends the program with status 2 if that is negative: the call @what failed. */
static int need(int result, const char *what)
{
    if (result < 0) {
        perror(what);
        exit(2);
    }
    return result;
}

/* Gives the machine its memory, with guest.S at its beginning. */
static void give_memory(int vm)
{
    void *ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct kvm_userspace_memory_region region = {
        .guest_phys_addr = RAM_BASE, .memory_size = RAM_SIZE, .userspace_addr = (uintptr_t)ram,
    };

    need(ram == MAP_FAILED ? -1 : 0, "mmap");
    memcpy(ram, guest_start, (size_t)(guest_end - guest_start));
    need(ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region), "KVM_SET_USER_MEMORY_REGION");
}

/* Returns a vCPU with a PMU, at the beginning of the memory. */
static int make_vcpu(int vm)
{
    const int vcpu = need(ioctl(vm, KVM_CREATE_VCPU, 0), "KVM_CREATE_VCPU");
    const struct kvm_device_attr pmu = {.group = KVM_ARM_VCPU_PMU_V3_CTRL, .attr = KVM_ARM_VCPU_PMU_V3_INIT};
    const uint64_t entry = RAM_BASE;
    const struct kvm_one_reg pc = {.id = REG_PC, .addr = (uintptr_t)&entry};
    struct kvm_vcpu_init init;

    need(ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init), "KVM_ARM_PREFERRED_TARGET");
    init.features[0] |= 1u << KVM_ARM_VCPU_PMU_V3;
    need(ioctl(vcpu, KVM_ARM_VCPU_INIT, &init), "KVM_ARM_VCPU_INIT with a PMU");
    need(ioctl(vcpu, KVM_SET_DEVICE_ATTR, &pmu), "KVM_ARM_VCPU_PMU_V3_INIT");
    need(ioctl(vcpu, KVM_SET_ONE_REG, &pc), "KVM_SET_ONE_REG");
    return vcpu;
}

static void compare(unsigned n, uint64_t got)
{
    if (got == wanted[n].count) {
        printf("ok %s\n", wanted[n].name);
    } else {
        printf("not ok %s: got %" PRIu64 ", want %" PRIu64 "\n", wanted[n].name, got, wanted[n].count);
        status = 1;
    }
}

int main(void)
{
    const int kvm = need(open("/dev/kvm", O_RDWR), "/dev/kvm");
    const int vm = need(ioctl(kvm, KVM_CREATE_VM, 0), "KVM_CREATE_VM");
    const size_t size = (size_t)need(ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), "KVM_GET_VCPU_MMAP_SIZE");

    give_memory(vm);
    const int vcpu = make_vcpu(vm);
    const struct kvm_run *run = mmap(NULL, size, PROT_READ, MAP_SHARED, vcpu, 0);

    need(run == MAP_FAILED ? -1 : 0, "mmap of the vCPU");
    for (unsigned n = 0; n < sizeof wanted / sizeof wanted[0]; n++) {
        uint64_t value;

        while (ioctl(vcpu, KVM_RUN, 0) < 0) { /* KVM also returns when a line of the timer or the PMU changes */
            need(errno == EINTR ? 0 : -1, "KVM_RUN");
        }
        if (run->exit_reason != KVM_EXIT_MMIO || run->mmio.phys_addr != RESULTS + 8 * n || !run->mmio.is_write) {
            printf("not ok %s: the guest left for reason %u\n", wanted[n].name, run->exit_reason);
            return 1;
        }
        memcpy(&value, run->mmio.data, sizeof value);
        compare(n, value);
    }
    return status;
}
