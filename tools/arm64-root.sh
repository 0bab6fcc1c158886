#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# arm64-root.sh [programs|guest]: unpacks packages of Debian's arm64 into a folder of $B (B: build).
#
#   programs  root-arm64: sqlite3, gzip and busybox with the libraries that they need
#   guest     root-guest: the kernel, boot/vmlinuz, a static busybox, and libraries to link for it: jansson, and, where it
#             can be had, PAPI
#
# The packages come from the machine's own sources, through a configuration of apt that lives in $B: its lists, cache
# and architectures are private, and the system's stay as they are.  Quick when it is done.  Exit status 77: not here.
set -eu
: "${B:=build}"
cd "$(dirname "$0")/.."
what=${1:-programs}
case $what in
programs) root=$B/root-arm64 ;;
guest) root=$B/root-guest ;;
*) echo "usage: arm64-root.sh [programs|guest]" >&2; exit 2 ;;
esac

[ -e "$root/.done" ] && exit 0
for tool in apt-get dpkg-deb; do
    command -v $tool >/dev/null || { echo "$tool: not here, so no arm64 packages" && exit 77; }
done

apt=$(mkdir -p "$B/apt-arm64" && cd "$B/apt-arm64" && pwd)
rm -rf "$apt/sources" "$root"
mkdir -p "$apt/sources" "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/state" "$apt/$what" "$root"
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

programs() {
    run apt-get -q -y --download-only install sqlite3 gzip busybox
    for deb in "$apt"/cache/archives/*.deb; do
        run dpkg-deb -x "$deb" "$root"
    done
    for program in usr/bin/sqlite3 bin/gzip bin/busybox; do
        [ -x "$root/$program" ] || [ -x "$root/usr/$program" ] ||
            { echo "$root/$program: not in the packages" && exit 77; }
    done
}

# These packages themselves, without what they would need to be installed.
download() {
    (cd "$apt/guest" && apt-get -q download "$@") >"$apt/log" 2>&1
}

guest() {
    kernel=$(apt-cache depends linux-image-arm64 2>/dev/null |
        sed -n 's/^ *Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1)
    rm -f "$apt/guest"/*.deb
    [ -n "$kernel" ] || { echo "linux-image-arm64: not in this machine's sources" && exit 77; }
    run download "$kernel" busybox-static libjansson-dev
    download libpapi-dev libpfm4-dev || echo "libpapi-dev: cannot be had" >"$root/papi-is-missing"
    for deb in "$apt/guest"/*.deb; do
        case $deb in
        */linux-image-*)
            dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --wildcards './boot/vmlinuz-*'
            mv "$root"/boot/vmlinuz-* "$root/boot/vmlinuz" ;;
        *) run dpkg-deb -x "$deb" "$root" ;;
        esac
    done
}

$what
rm -rf "$apt/guest"
touch "$root/.done"
