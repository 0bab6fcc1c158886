#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes $B/root-arm64 (B: build) with Debian's arm64 sqlite3, gzip and busybox and the libraries that they need.
#
# Quick when it is done.  Exit status 77: not here.
set -eu
: "${B:=build}"
cd "$(dirname "$0")/.."
packages='sqlite3 gzip busybox'
root=$B/root-arm64

[ -e "$root/.done" ] && exit 0
rm -rf "$root"
mkdir -p "$root"
. tools/packages.sh
packages_of same arm64
# shellcheck disable=SC2086 # a list of words
run apt-get -q -y --download-only -o Dir::Cache::archives="$apt/debs" install $packages
unpack "$root"
for program in $packages; do
    [ -x "$root/usr/bin/$program" ] || { echo "$program: not in its package" && exit 77; }
done
rm -rf "$apt"
touch "$root/.done"
