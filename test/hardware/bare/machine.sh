# SPDX-License-Identifier: BSD-2-Clause
# Boots bare-metal images for the scripts that source it.  QEMU_AARCH64 and QEMU_ARM may name other emulators than the
# installed ones.

options='-nic none -display none -monitor none -serial stdio -icount shift=0'

# Boots at EL3 with both Security states and EL2.
boot64() { # CPU IMAGE
    # shellcheck disable=SC2086
    timeout 30 "${QEMU_AARCH64:-qemu-system-aarch64}" -M virt,secure=on,virtualization=on -cpu "$1" $options \
        -semihosting-config enable=on,target=native -kernel "$2"
}

# Boots in Supervisor mode, without EL2 and EL3.
boot32() { # CPU IMAGE
    # shellcheck disable=SC2086
    timeout 30 "${QEMU_ARM:-qemu-system-arm}" -M virt -cpu "$1" $options \
        -semihosting-config enable=on,target=native -kernel "$2"
}

# Boots at EL1, the way a user runs an example by hand.
boot_el1() { # CPU IMAGE
    # shellcheck disable=SC2086
    timeout 30 "${QEMU_AARCH64:-qemu-system-aarch64}" -M virt -cpu "$1" $options -kernel "$2"
}
