# SPDX-License-Identifier: BSD-2-Clause
# Finds the emulator that `armpmu stat` uses, for scripts; source it at the top of the checkout, with B set.

# Succeeds if FILE is an emulator that loads plugins.  Debian's is static from Debian 13 on and loads none.
has_plugins() {
    [ -x "$1" ] && grep -qa qemu_plugin_register_vcpu_tb_trans_cb "$1"
}

# Prints the emulator for AArch64 programs: ARMPMU_QEMU, the distribution's if it loads plugins, or the one that
# `make qemu-user` puts into $B/qemu.  Fails if there is none.
aarch64_emulator() {
    for emulator in ${ARMPMU_QEMU:+"$ARMPMU_QEMU"} qemu-aarch64 "$B/qemu/armpmu-qemu-aarch64"; do
        emulator=$(command -v "$emulator") || continue
        has_plugins "$emulator" || continue
        echo "$emulator"
        return
    done
    return 1
}

# Prints an emulator for 32-bit Arm programs, with or without plugins.  Fails if there is none.
arm_emulator() {
    command -v qemu-arm || command -v "$B/qemu/armpmu-qemu-arm"
}
