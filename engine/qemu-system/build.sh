#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# build.sh: builds $B/qemu/armpmu-qemu-system-aarch64 (B: build), QEMU's system emulator with armpmu's PMU in place of its
# own, from the source package of Debian's stable suite (another: SUITE), and of the same source
# $B/qemu/armpmu-qemu-aarch64 and $B/qemu/armpmu-qemu-arm, its user emulators, for armpmu stat.  About ten minutes on two
# cores, 1 GB; after a change of the glue or the model, seconds.  $B/qemu may be removed at any time.
#
# The edits fit QEMU 10.0 (SUITE=trixie) and 10.2 (SUITE=sid, where it is beside a newer one), built and tested; of a
# suite the newest version up to NEWEST is taken.
#
# What it built is kept in the user's cache directory under a hash of all that went into it, and taken from there when it
# is asked for again.  Exit status 77: the source package or meson cannot be had here.
#
# QEMU_STOCK=1 builds $B/qemu/stock-qemu-system-aarch64 too, from the same source without the edits, for `make bench`.
set -eu
: "${B:=build}" "${SUITE:=trixie}" "${NEWEST:=10.2}" "${JOBS:=$(nproc 2>/dev/null || echo 2)}"
cd "$(dirname "$0")/../.."
mkdir -p "$B/qemu"
home=$(cd "$B/qemu" && pwd)
repository=$(pwd)

fail() {
    echo "qemu: $*" >&2
    exit 1
}
not_here() {
    echo "qemu: $*" >&2
    exit 77
}
# Runs a command; shows its last lines, and where the others are, only if it fails.
quietly() {
    log=$home/$1.log
    shift
    "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "$1 failed; everything it said is in $log"; }
}

# The suite's versions of the source package that the edits know, the newest first.
versions() {
    APT_CONFIG=$home/apt/apt.conf apt-cache showsrc --only-source qemu | sed -n 's/^Version: //p' | sort -Vr |
        while read -r version; do
            upstream=$(echo "${version#*:}" | cut -d . -f 1,2)
            [ "$(printf '%s\n' "$NEWEST" "$upstream" | sort -V | tail -n 1)" != "$NEWEST" ] || echo "$version"
        done
}

fetch_source() { # once; a mirror may list a version that it has not yet, or no more
    [ "$(cat "$home/source/.fetched" 2>/dev/null)" = "$SUITE" ] && return
    for folder in source apt meson stock edited user; do # those of another suite
        rm -rf "${home:?}/$folder"
    done
    mkdir "$home/source"
    sh tools/private-apt.sh "$home/apt" "$SUITE" '' source >&2 || not_here "the source package cannot be had here"
    versions >"$home/source/.versions"
    [ -s "$home/source/.versions" ] || not_here "$SUITE has no source package of QEMU up to $NEWEST, the newest that" \
        "the edits are known to fit: name another suite, or try with NEWEST=VERSION"
    while read -r version; do
        echo "qemu: fetching the source of $version (40 MB)"
        (cd "$home/source" && APT_CONFIG=$home/apt/apt.conf apt-get -q source "qemu=$version") >"$home/source.log" 2>&1 &&
            break
        echo "qemu: $(grep -m 1 '^E:' "$home/source.log" || tail -n 1 "$home/source.log")" >&2
    done <"$home/source/.versions"
    folder=$(find "$home/source" -mindepth 1 -maxdepth 1 -type d)
    [ -n "$folder" ] || not_here "none of these versions can be had here"
    [ -f "$folder/target/arm/helper.c" ] || fail "the source package has no target/arm/helper.c"
    mv "$folder" "$home/source/qemu"
    rm -f "$home"/source/qemu_*
    echo "$SUITE" >"$home/source/.fetched"
}

# A meson that is new enough, once: the suite's; backports need not have one, where the suite's own will do.
new_meson() {
    if command -v meson >/dev/null && [ "$(printf '1.5\n%s\n' "$(meson --version)" | sort -V | head -n 1)" = 1.5 ]; then
        return
    fi
    for suite in "$SUITE" "${SUITE%-backports}"; do
        [ -d "$home/meson" ] || (
            . tools/packages.sh
            packages_of "$home/apt" "$suite"
            run download meson
            unpack "$home/meson"
        ) >&2 || continue
    done
    [ -d "$home/meson" ] || not_here "meson 1.5 or later is neither here nor to be had"
    PYTHONPATH=$home/meson/usr/lib/python3/dist-packages
    export PYTHONPATH
}

# Of the source as it is, in $home/FOLDER, to $home/PREFIX-EMULATOR.
build_emulators() { # FOLDER PREFIX "EMULATOR..." OPTIONS...
    folder=$1 prefix=$2 emulators=$3
    shift 3
    mkdir -p "$home/$folder"
    if [ ! -f "$home/$folder/build.ninja" ]; then
        echo "qemu: configuring $emulators"
        (cd "$home/$folder" && quietly "$folder-configure" ../source/qemu/configure --python=/usr/bin/python3 \
            --without-default-features --enable-tcg --enable-plugins --disable-install-blobs --disable-tools \
            --disable-docs --disable-guest-agent --disable-werror "$@")
    fi
    # shellcheck disable=SC2086 # $emulators is a list of words
    if [ -t 1 ]; then # ninja shows its progress in one line
        ninja -C "$home/$folder" -j "$JOBS" $emulators
    else
        echo "qemu: building $emulators"
        quietly "$folder-build" ninja -C "$home/$folder" -j "$JOBS" $emulators
    fi
    for emulator in $emulators; do
        name=$home/$prefix-$emulator
        if [ ! -e "$name" ] || [ "$home/$folder/$emulator" -nt "$name" ]; then
            strip -o "$name.new" "$home/$folder/$emulator"
            mv "$name.new" "$name"
        fi
    done
}
build_system() { # FOLDER PREFIX
    build_emulators "$1" "$2" qemu-system-aarch64 --target-list=aarch64-softmmu --enable-system --enable-fdt=system \
        --disable-user
}
built="armpmu-qemu-system-aarch64 armpmu-qemu-aarch64 armpmu-qemu-arm"
is_whole() { # FOLDER: it has them all
    for name in $built; do
        [ -x "$1/$name" ] || return 1
    done
}
say_what_is_built() {
    # shellcheck disable=SC2086 # $built is a list of words
    echo "qemu:$(printf " $B/qemu/%s" $built)"
}

# The builds of this user, and that of what is here now: by everything that is compiled into QEMU.
cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/armpmu
key() {
    (cd "$repository" && find engine/qemu-system model names source include/armpmu/ tables -type f | LC_ALL=C sort |
        xargs cat | { cat; echo "$SUITE $NEWEST"; } | sha256sum | cut -c 1-16)
}
built_from=$(key)
kept=$cache/qemu-$built_from

if [ "${QEMU_STOCK:-0}" != 1 ] && is_whole "$kept"; then
    for name in $built; do
        cmp -s "$kept/$name" "$home/$name" || cp "$kept/$name" "$home/$name"
    done
    say_what_is_built
    exit 0
fi
fetch_source
new_meson
if [ "${QEMU_STOCK:-0}" = 1 ] && [ ! -e "$home/stock-qemu-system-aarch64" ]; then
    python3 engine/qemu-system/edit.py --undo "$home/source/qemu"
    build_system stock stock
fi
python3 engine/qemu-system/edit.py "$home/source/qemu" "$repository"
build_system edited armpmu
build_emulators user armpmu "qemu-aarch64 qemu-arm" --target-list=aarch64-linux-user,arm-linux-user --enable-linux-user \
    --disable-system
# Keeps it, if it is of what was there all the while, and of older ones the three newest.
if [ "$(key)" = "$built_from" ] && mkdir -p "$kept" 2>/dev/null; then
    for name in $built; do
        cp "$home/$name" "$kept/" || { rm -rf "$kept"; break; }
    done
    # shellcheck disable=SC2012 # names without blanks
    ls -dt "$cache"/qemu-* | tail -n +5 | xargs -r rm -rf
fi
say_what_is_built
