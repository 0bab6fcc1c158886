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
apt=$B/apt-arm64
rm -rf "$root"
mkdir -p "$root"
sh tools/private-apt.sh "$apt" same arm64
APT_CONFIG=$(cd "$apt" && pwd)/apt.conf
export APT_CONFIG

run() {
    "$@" >"$apt/log" 2>&1 && return
    echo "$*: $(grep -m 1 '^E:' "$apt/log" || tail -n 1 "$apt/log")"
    exit 77
}
# shellcheck disable=SC2086 # a list of words
run apt-get -q -y --download-only install $packages
for deb in "$apt"/cache/archives/*.deb; do
    run dpkg-deb -x "$deb" "$root"
done
for program in usr/bin/sqlite3 bin/gzip bin/busybox; do
    [ -x "$root/$program" ] || [ -x "$root/usr/$program" ] || { echo "$root/$program: not in the packages" && exit 77; }
done
touch "$root/.done"
