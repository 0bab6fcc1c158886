#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# armhf-root.sh: makes $B/root-armhf (B: build) with the libraries that the tool links, from Debian's armhf packages.
#
# It is quick once that is done.  Exit status 77, and a line that says why: the packages cannot be had here.
set -eu
: "${B:=build}"
cd "$(dirname "$0")/.."
root=$B/root-armhf

[ -e "$root/.done" ] && exit 0
rm -rf "$root"
mkdir -p "$root"
. tools/packages.sh
packages_of same armhf
run download libjansson-dev libexpat1-dev libdw-dev libelf-dev libiberty-dev libprotobuf-c-dev zlib1g-dev liblzma-dev \
    libbz2-dev libzstd-dev
unpack "$root"
rm -rf "$apt"
touch "$root/.done"
