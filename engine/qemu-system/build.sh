#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# build.sh: builds $B/qemu/armpmu-qemu-system-aarch64 (B: build), QEMU's system emulator with armpmu's PMU in place of its
# own, from the source package of Debian's stable suite (SUITE).  About ten minutes on two cores, 1 GB; after a change
# of the glue or the model, seconds.  $B/qemu may be removed at any time.
#
# QEMU_STOCK=1 builds $B/qemu/stock-qemu-system-aarch64 too, from the same source without the edits, for `make bench`.
set -eu
: "${B:=build}" "${SUITE:=trixie}" "${JOBS:=$(nproc 2>/dev/null || echo 2)}"
cd "$(dirname "$0")/../.."
mkdir -p "$B/qemu"
home=$(cd "$B/qemu" && pwd)
repository=$(pwd)

fail() {
    echo "qemu: $*" >&2
    exit 1
}
# Runs a command; shows its last lines, and where the others are, only if it fails.
quietly() {
    log=$home/$1.log
    shift
    "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "$1 failed; everything it said is in $log"; }
}

fetch_source() { # the source package, once
    [ -e "$home/source/.fetched" ] && return
    echo "qemu: fetching the source (40 MB)"
    rm -rf "$home/source" "$home/apt"
    mkdir -p "$home/source"
    sh tools/private-apt.sh "$home/apt" "$SUITE" '' source >&2 || fail "the source package cannot be had here"
    (cd "$home/source" && APT_CONFIG=$home/apt/apt.conf quietly source apt-get -q source qemu)
    folder=$(find "$home/source" -mindepth 1 -maxdepth 1 -type d)
    [ -f "$folder/target/arm/helper.c" ] || fail "the source package has no target/arm/helper.c"
    mv "$folder" "$home/source/qemu"
    rm -f "$home"/source/qemu_*
    touch "$home/source/.fetched"
}

new_meson() { # a meson that is new enough, once
    if command -v meson >/dev/null && [ "$(printf '1.5\n%s\n' "$(meson --version)" | sort -V | head -n 1)" = 1.5 ]; then
        return
    fi
    if [ ! -d "$home/meson" ]; then
        sh tools/private-apt.sh "$home/apt" "$SUITE" >&2 || fail "meson 1.5 or later is neither here nor to be had"
        mkdir -p "$home/debs"
        (cd "$home/debs" && APT_CONFIG=$home/apt/apt.conf quietly meson apt-get -q download meson)
        dpkg-deb -x "$home"/debs/meson_*.deb "$home/meson"
    fi
    PYTHONPATH=$home/meson/usr/lib/python3/dist-packages
    export PYTHONPATH
}

build_emulator() { # FOLDER NAME: of the source as it is, in $home/FOLDER, to $home/NAME
    mkdir -p "$home/$1"
    if [ ! -f "$home/$1/build.ninja" ]; then
        echo "qemu: configuring"
        (cd "$home/$1" && quietly "$1-configure" ../source/qemu/configure --python=/usr/bin/python3 \
            --target-list=aarch64-softmmu --without-default-features --enable-system --enable-tcg --enable-plugins \
            --enable-fdt=system --disable-install-blobs --disable-tools --disable-docs --disable-guest-agent \
            --disable-user --disable-werror)
    fi
    if [ -t 1 ]; then # ninja shows its progress in one line
        ninja -C "$home/$1" -j "$JOBS" qemu-system-aarch64
    else
        echo "qemu: building"
        quietly "$1-build" ninja -C "$home/$1" -j "$JOBS" qemu-system-aarch64
    fi
    if [ ! -e "$home/$2" ] || [ "$home/$1/qemu-system-aarch64" -nt "$home/$2" ]; then
        strip -o "$home/$2.new" "$home/$1/qemu-system-aarch64"
        mv "$home/$2.new" "$home/$2"
    fi
}

fetch_source
new_meson
if [ "${QEMU_STOCK:-0}" = 1 ] && [ ! -e "$home/stock-qemu-system-aarch64" ]; then
    python3 engine/qemu-system/edit.py --undo "$home/source/qemu"
    build_emulator stock stock-qemu-system-aarch64
fi
python3 engine/qemu-system/edit.py "$home/source/qemu" "$repository"
build_emulator edited armpmu-qemu-system-aarch64
echo "qemu: $B/qemu/armpmu-qemu-system-aarch64"
