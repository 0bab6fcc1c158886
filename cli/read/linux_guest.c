/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads how a virtual machine is run: command lines of QEMU, kvmtool, crosvm and others, XML of libvirt. */
#include <ctype.h>
#include <string.h>

#include "linux.h"

/* Returns true if @command gives QEMU an accelerator, so that it does not emulate the processor. */
static bool has_accelerator(const char *command)
{
    static const char *const words[] = {"-enable-kvm", "accel=kvm",  "-accel kvm", "--enable-kvm",
                                        "accel=hvf",   "-accel hvf", "-accel xen", "accel=xen",
                                        "--accel kvm", "-accel=kvm", "-cpu host",  "-accel whpx"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(command, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static void read_qemu(struct linux_input *in, const char *command)
{
    const bool arm = strstr(command, "qemu-system-aarch64") != NULL || strstr(command, "qemu-system-arm") != NULL ||
                     strstr(command, "qemu-kvm") != NULL || strstr(command, "qemu-aarch64") != NULL ||
                     strstr(command, "qemu-arm") != NULL;
    const bool user = strstr(command, "qemu-aarch64") != NULL || strstr(command, "qemu-arm") != NULL;

    if (!arm || (strchr(command, '-') != NULL && strstr(command, " -") == NULL && !user)) {
        return;
    }
    const bool emulates = !has_accelerator(command) && strstr(command, "qemu-kvm") == NULL;

    linux_clue(in, CLUE_linux_vm_command, user ? "qemu-user" : "qemu", emulates, 0);
    if (emulates) {
        linux_clue(in, CLUE_linux_tcg, "", 0, 0);
        reading_learn(&in->r->machine.emulator, READING_EMULATOR_QEMU, in->number);
    } else {
        reading_learn(&in->r->machine.guest, 1, in->number);
        reading_learn(&in->r->machine.hypervisor,
                      strstr(command, "hvf") != NULL ? READING_HYPERVISOR_OTHER : READING_HYPERVISOR_KVM, in->number);
    }
}

static void read_options(struct linux_input *in, const char *command)
{
    struct linux_match m;

    if (linux_match("-cpu *pmu=off", command, &m) || linux_match("-cpu *-pmu", command, &m) ||
        strstr(command, ",pmu=off") != NULL || strstr(command, ",pmu=no") != NULL ||
        strstr(command, "--no-pmu") != NULL) {
        linux_clue(in, CLUE_linux_pmu_off, "pmu=off", 0, 0);
    } else if (strstr(command, ",pmu=on") != NULL || linux_has_word(command, "--pmu") ||
               strstr(command, "<pmu state='on'") != NULL || strstr(command, "<pmu state=\"on\"") != NULL) {
        linux_clue(in, CLUE_linux_pmu_on, "pmu=on", 0, 0);
    }
    if (linux_match("lkvm run", command, &m) || linux_match("kvmtool run", command, &m) ||
        linux_match("vm run -k", command, &m)) {
        linux_clue(in, CLUE_linux_vm_command, "kvmtool", 0, 0);
        if (!linux_has_word(command, "--pmu")) {
            linux_clue(in, CLUE_linux_pmu_off, "kvmtool without --pmu", 0, 0);
        }
    } else if (linux_match("crosvm run", command, &m)) {
        linux_clue(in, CLUE_linux_vm_command, "crosvm", 0, 0);
    } else if (linux_match("^firecracker ", command, &m)) {
        linux_clue(in, CLUE_linux_vm_command, "firecracker", 0, 0);
    } else if (linux_match("^cloud-hypervisor ", command, &m)) {
        linux_clue(in, CLUE_linux_vm_command, "cloud-hypervisor", 0, 0);
    }
    if (linux_match("virsh start", command, &m) || linux_match("virsh resume", command, &m)) {
        linux_clue(in, CLUE_linux_guest_started, "", 0, 0);
    }
}

static void read_xml(struct linux_input *in)
{
    struct linux_match m;

    if (linux_match("<domain *type='qemu'", in->lower, &m) || linux_match("<domain *type=\"qemu\"", in->lower, &m)) {
        linux_clue(in, CLUE_linux_tcg, "", 0, 0);
        reading_learn(&in->r->machine.emulator, READING_EMULATOR_QEMU, in->number);
    } else if (linux_match("<domain *type='kvm'", in->lower, &m) ||
               linux_match("<domain *type=\"kvm\"", in->lower, &m)) {
        linux_clue(in, CLUE_linux_vm_command, "libvirt", 0, 0);
        reading_learn(&in->r->machine.guest, 1, in->number);
        reading_learn(&in->r->machine.hypervisor, READING_HYPERVISOR_KVM, in->number);
    }
    if (linux_match("<feature *disable*name=*pmu", in->lower, &m) ||
        linux_match("<feature *name=*pmu*disable", in->lower, &m) || linux_match("^vpmu *= *0", in->lower, &m) ||
        linux_match("^vpmu *= *\"off\"", in->lower, &m)) {
        linux_clue(in, CLUE_linux_pmu_off, "", 0, 0);
    }
}

void linux_read_guest(struct linux_input *in)
{
    const bool command = in->command_line == in->number;
    const char *text = command ? in->command : in->lower;

    if (strstr(text, "qemu") == NULL && strstr(text, "pmu") == NULL && strstr(text, "run") == NULL &&
        strstr(text, "virsh") == NULL && strstr(text, "<domain") == NULL && strstr(text, "firecracker") == NULL &&
        strstr(text, "cloud-hyp") == NULL) {
        return;
    }
    read_qemu(in, text);
    read_options(in, text);
    read_xml(in);
}
