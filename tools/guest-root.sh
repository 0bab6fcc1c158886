#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# guest-root.sh [headers]: makes $B/root-guest (B: build), what the Linux guest of the tests is made from: of Debian's
# arm64 packages the kernel, boot/vmlinuz, a static busybox, and libraries to link for it: jansson, expat, and, where it
# can be had, PAPI.  With "headers" also what builds a module for that kernel, where it can be had: its headers, in
# usr/src, and the tools for this machine, in usr/lib.
#
# Quick when it is done.  Exit status 77: not here.
set -eu
: "${B:=build}"
cd "$(dirname "$0")/.."
root=$B/root-guest

libraries='libjansson-dev libexpat1-dev'
made=$(cat "$root/.done" 2>/dev/null || true)
[ "$made" = "$libraries headers" ] && exit 0
[ "$made" = "$libraries" ] && [ $# -eq 0 ] && exit 0
apt=$B/apt-guest
rm -rf "$root" "$apt/debs"
mkdir -p "$root" "$apt/debs"
sh tools/private-apt.sh "$apt" same "arm64${1:+ $(dpkg --print-architecture)}"
APT_CONFIG=$(cd "$apt" && pwd)/apt.conf
export APT_CONFIG

run() {
    "$@" >"$apt/log" 2>&1 && return
    echo "$*: $(grep -m 1 '^E:' "$apt/log" || tail -n 1 "$apt/log")"
    exit 77
}

# These packages themselves, without what they would need to be installed.
download() {
    (cd "$apt/debs" && apt-get -q download "$@")
}

# depends PACKAGE PATTERN: the first package that it depends on of this name.
depends() {
    apt-cache depends "$1" 2>/dev/null | sed -n "s/^ *Depends: \($2\)\$/\1/p" | head -n 1
}

kernel=$(depends linux-image-arm64 'linux-image-[0-9][^ ]*')
[ -n "$kernel" ] || { echo "linux-image-arm64: not in this machine's sources" && exit 77; }
# shellcheck disable=SC2086
run download "$kernel" busybox-static $libraries
download libpapi-dev libpfm4-dev >"$apt/log" 2>&1 || true # the bench says so
if [ $# -gt 0 ]; then
    headers=linux-headers-${kernel#linux-image-}
    download "$headers" "$(depends "$headers" 'linux-headers-.*-common')" \
        "$(depends "$headers" 'linux-kbuild-[^ :]*'):$(dpkg --print-architecture)" >"$apt/log" 2>&1 || true # and so
fi
for deb in "$apt"/debs/*.deb; do
    case $deb in
    */linux-image-*)
        dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --wildcards './boot/vmlinuz-*'
        mv "$root"/boot/vmlinuz-* "$root/boot/vmlinuz" ;;
    *) run dpkg-deb -x "$deb" "$root" ;;
    esac
done
rm -rf "$apt"
echo "$libraries${1:+ headers}" >"$root/.done"
