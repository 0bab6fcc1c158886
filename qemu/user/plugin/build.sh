#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# build.sh [--if-needed]: builds QEMU's user emulators with plugins, for `armpmu stat`: $B/qemu/armpmu-qemu-aarch64 and
# $B/qemu/armpmu-qemu-arm (B: build).  They are QEMU as it is; nothing of armpmu is in them.  tools/qemu-build.sh says
# from which source, and what is kept where.  --if-needed builds only if the distribution's emulator has no plugins.
set -eu
cd "$(dirname "$0")/../../.."
: "${B:=build}"
if [ "${1:-}" = --if-needed ]; then
    . tools/emulator.sh
    emulator=$(aarch64_emulator) && [ "$emulator" != "$B/qemu/armpmu-qemu-aarch64" ] && exit 0
fi
. tools/qemu-build.sh
lock

# The user emulators are the same for every checkout: only the source and the options decide.
user_options='--target-list=aarch64-linux-user,arm-linux-user --enable-linux-user --disable-system'
[ -e "$home/user/.key" ] ||
    echo "qemu: building QEMU's user emulators with plugins, once: about 3 minutes on two cores; $home keeps 200 MB"
fetch_source
key="QEMU $(cat "$home/source/.version"), $options $user_options"
is_whole() {
    [ "$(cat "$home/user/.key" 2>/dev/null)" = "$key" ] || return 1
    for name in armpmu-qemu-aarch64 armpmu-qemu-arm; do
        runs "$home/user/$name" || return 1
    done
}
if ! is_whole; then
    new_meson
    # shellcheck disable=SC2086 # words
    build_emulators user source/qemu 'qemu-aarch64 qemu-arm' $user_options
    rm -rf "$home/user.new" "$home/user"
    mkdir "$home/user.new"
    take user qemu-aarch64 "$home/user.new/armpmu-qemu-aarch64"
    take user qemu-arm "$home/user.new/armpmu-qemu-arm"
    echo "$key" >"$home/user.new/.key"
    mv "$home/user.new" "$home/user"
    rm -rf "$home/user-objects" # nothing changes that would be built again
fi
deliver "$home/user/armpmu-qemu-aarch64" "$home/user/armpmu-qemu-arm"
echo "qemu: $B/qemu/armpmu-qemu-aarch64 $B/qemu/armpmu-qemu-arm"
