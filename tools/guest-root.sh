#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# guest-root.sh [headers]: makes $B/root-guest (B: build) out of Debian's arm64 packages, for the Linux guest of the
# tests: the kernel, boot/vmlinuz; a static busybox; libraries to link for the guest: those of the tool and, if there is
# one, PAPI. With "headers" also what builds a module for that kernel, if there is such a package: its headers, in
# usr/src, and the tools for this machine, in usr/lib.
#
# It is quick once that is done.  Exit status 77: the packages cannot be had here.
set -eu
: "${B:=build}"
cd "$(dirname "$0")/.."
root=$B/root-guest

libraries='libjansson-dev libexpat1-dev libdw-dev libelf-dev libiberty-dev zlib1g-dev liblzma-dev libbz2-dev'
libraries="$libraries libzstd-dev libprotobuf-c-dev"
made=$(cat "$root/.done" 2>/dev/null || true)
[ "$made" = "$libraries headers" ] && exit 0
[ "$made" = "$libraries" ] && [ $# -eq 0 ] && exit 0
new=$root.new # so that what is there stays if the packages cannot be had
rm -rf "$new"
mkdir -p "$new/boot"
. tools/packages.sh
packages_of same "arm64${1:+ $(dpkg --print-architecture)}"
kernel_of linux-image-arm64
# shellcheck disable=SC2086
run download "$kernel_package" busybox-static $libraries
download libpapi-dev libpfm4-dev >"$apt/log" 2>&1 || true # the bench says so
if [ $# -gt 0 ]; then
    headers=linux-headers-${kernel#linux-image-}
    download "$headers" "$(depends "$headers" 'linux-headers-.*-common')" \
        "$(depends "$headers" 'linux-kbuild-[^ :]*'):$(dpkg --print-architecture)" >"$apt/log" 2>&1 || true # and so
fi
unpack "$new" "$new/boot/vmlinuz"
rm -rf "$apt"
echo "$libraries${1:+ headers}" >"$new/.done"
rm -rf "$root"
mv "$new" "$root"
