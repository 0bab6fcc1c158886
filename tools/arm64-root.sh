#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes $B/root-arm64 (B: build) with Debian's arm64 sqlite3, gzip and busybox and the libraries that they need.
#
# The packages come from the machine's own sources, through a configuration of apt that lives in $B: its lists, cache
# and architectures are private, and the system's stay as they are.  Quick when it is done.  Exit status 77: not here.
set -eu
: "${B:=build}"
cd "$(dirname "$0")/.."
packages='sqlite3 gzip busybox'
root=$B/root-arm64

[ -e "$root/.done" ] && exit 0
for tool in apt-get dpkg-deb; do
    command -v $tool >/dev/null || { echo "$tool: not here, so no arm64 packages" && exit 77; }
done

apt=$(mkdir -p "$B/apt-arm64" && cd "$B/apt-arm64" && pwd)
rm -rf "$apt/sources" "$root"
mkdir -p "$apt/sources" "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/state" "$root"
: >"$apt/status"

# Of the machine's sources those of its own distribution.
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
for file in /etc/apt/sources.list.d/*.sources; do
    if [ -f "$file" ] && grep -qE "^Suites:.*[[:space:]]$codename([[:space:]]|\$|-)" "$file"; then
        grep -v '^Architectures:' "$file" >"$apt/sources/${file##*/}"
    fi
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] && sed -n "s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]* $codename[ -].*\|[^ ]* $codename\)\$/&/p" "$file" |
        sed 's/arch=[^] ]*//' >>"$apt/sources/machine.list"
done

cat >"$apt/apt.conf" <<CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "2";
Debug::NoLocking "true";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt/sources";
Dir::State "$apt/state";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
CONF
export APT_CONFIG="$apt/apt.conf"

run() {
    "$@" >"$apt/log" 2>&1 && return
    echo "$*: $(grep -m 1 '^E:' "$apt/log" || tail -n 1 "$apt/log")"
    exit 77
}
run apt-get -q update
# shellcheck disable=SC2086 # a list of words
run apt-get -q -y --download-only install $packages
for deb in "$apt"/cache/archives/*.deb; do
    run dpkg-deb -x "$deb" "$root"
done
for program in usr/bin/sqlite3 bin/gzip bin/busybox; do
    [ -x "$root/$program" ] || [ -x "$root/usr/$program" ] || { echo "$root/$program: not in the packages" && exit 77; }
done
touch "$root/.done"
