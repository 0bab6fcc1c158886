#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# build.sh [--if-needed]: builds QEMU's user emulators with plugins, for `armpmu stat`: $B/qemu/armpmu-qemu-aarch64 and
# $B/qemu/armpmu-qemu-arm (B: build).  They are QEMU with the edits of edit.py, which make counting cheaper.
# tools/qemu-build.sh says from which source, and what is kept where.  The first build takes about three minutes on two
# cores; after a change of the edits it takes seconds.  --if-needed builds only if the distribution's emulator has no
# plugins.
set -eu
cd "$(dirname "$0")/../../.."
: "${B:=build}"
if [ "${1:-}" = --if-needed ]; then
    . tools/emulator.sh
    emulator=$(aarch64_emulator) && [ "$emulator" != "$B/qemu/armpmu-qemu-aarch64" ] && exit 0
fi
. tools/qemu-build.sh
lock

user_options='--target-list=aarch64-linux-user,arm-linux-user --enable-linux-user --disable-system'
# QEMU's hardening clears variables and registers in each function.  That takes a seventh of the time of a program with
# many indirect branches, and protects nothing here: the program that is emulated has the emulator's rights anyway.
for flag in -ftrivial-auto-var-init=uninitialized -fzero-call-used-regs=skip; do
    ! cc "$flag" -fsyntax-only -x c /dev/null 2>/dev/null || user_options="$user_options --extra-cflags=$flag"
done
inputs='qemu/user/emulator tools/qemu_source.py'
fetch_source
user=$(key "$inputs" "$user_options")
kept=$home/user-$user
is_whole() {
    for name in armpmu-qemu-aarch64 armpmu-qemu-arm; do
        runs "$kept/$name" || return 1
    done
}
if ! is_whole; then
    [ -e "$home/user-objects/.configured" ] ||
        echo "qemu: building QEMU's user emulators with plugins, once: about 3 minutes on two cores; $home keeps 250 MB"
    new_meson
    edit_source user qemu/user/emulator/edit.py
    # shellcheck disable=SC2086 # words
    build_emulators user user-source 'qemu-aarch64 qemu-arm' $user_options
    [ "$(key "$inputs" "$user_options")" = "$user" ] || fail "the sources changed during the build: run it again"
    rm -rf "$home/user.new" "$kept"
    mkdir "$home/user.new"
    take user qemu-aarch64 "$home/user.new/armpmu-qemu-aarch64"
    take user qemu-arm "$home/user.new/armpmu-qemu-arm"
    mv "$home/user.new" "$kept"
fi
keep_latest user "$kept"
deliver "$kept/armpmu-qemu-aarch64" "$kept/armpmu-qemu-arm"
echo "qemu: $B/qemu/armpmu-qemu-aarch64 $B/qemu/armpmu-qemu-arm"
