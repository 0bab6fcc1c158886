#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# arm64-root.sh [FOLDER PACKAGE...]: makes $B/FOLDER (B: build) with Debian's arm64 packages and the libraries that they
# need.  Without arguments it makes $B/root-arm64 with sqlite3, gzip and busybox.  ARCHITECTURE may name another
# architecture than arm64.
#
# It is quick once that is done.  Exit status 77: the packages cannot be had here.
set -eu
: "${B:=build}"
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- root-arm64 sqlite3 gzip busybox
root=$B/$1
shift

[ -e "$root/.done" ] && exit 0
rm -rf "$root"
mkdir -p "$root"
. tools/packages.sh
packages_of same "${ARCHITECTURE:-arm64}"
run apt-get -q -y --download-only -o Dir::Cache::archives="$apt/debs" install "$@"
unpack "$root"
for program in sqlite3 gzip busybox; do
    [ -x "$root/usr/bin/$program" ] || { echo "$program: not in its package" && exit 77; }
done
rm -rf "$apt"
touch "$root/.done"
