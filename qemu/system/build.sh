#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# build.sh: builds $B/qemu/armpmu-qemu-system-aarch64 (B: build), QEMU's system emulator with armpmu's PMU in place of
# its own, and the user emulators (qemu/user/emulator/build.sh).  tools/qemu-build.sh describes which source it takes
# and what it keeps where.  The first build takes about ten minutes on two cores and 500 MB; after a change of the glue
# or the model it takes seconds.
#
# The edits fit QEMU 10.0 (SUITE=trixie) to 11.1 (SUITE=sid).  The newest of these versions that the suite offers is
# built.
#
# QEMU_STOCK=1 also builds $B/qemu/stock-qemu-system-aarch64, from the same source without the edits, for `make bench`
# and test/bind/test_image.sh.
set -eu
cd "$(dirname "$0")/../.."
sh qemu/user/emulator/build.sh
. tools/qemu-build.sh
lock

system_options='--target-list=aarch64-softmmu --enable-system --enable-fdt=system --disable-user'
inputs='qemu/system qemu/classify qemu/core lib/core lib/model lib/names include/armpmu tables tools/qemu_source.py'
fetch_source
system=$(key "$inputs" "$system_options")
kept=$home/system-$system

if ! runs "$kept/armpmu-qemu-system-aarch64"; then
    [ -e "$home/system-objects/.configured" ] ||
        echo "qemu: building QEMU's system emulator: about 8 minutes on two cores the first time; $home keeps 500 MB"
    new_meson
    edit_source system qemu/system/edit.py
    # shellcheck disable=SC2086 # words
    build_emulators system system-source qemu-system-aarch64 $system_options
    [ "$(key "$inputs" "$system_options")" = "$system" ] || fail "the sources changed during the build: run it again"
    rm -rf "$home/system.new" "$kept"
    mkdir "$home/system.new"
    take system qemu-system-aarch64 "$home/system.new/armpmu-qemu-system-aarch64"
    mv "$home/system.new" "$kept"
fi
keep_latest system "$kept"
deliver "$kept/armpmu-qemu-system-aarch64"
if [ "${QEMU_STOCK:-0}" = 1 ]; then
    if ! runs "$home/stock/stock-qemu-system-aarch64"; then
        new_meson
        # shellcheck disable=SC2086 # words
        build_emulators stock source/qemu qemu-system-aarch64 $system_options
        rm -rf "$home/stock"
        mkdir "$home/stock"
        take stock qemu-system-aarch64 "$home/stock/stock-qemu-system-aarch64"
        rm -rf "$home/stock-objects"
    fi
    deliver "$home/stock/stock-qemu-system-aarch64"
fi
echo "qemu: $B/qemu/armpmu-qemu-system-aarch64"
