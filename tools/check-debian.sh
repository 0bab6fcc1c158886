#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# check-debian.sh SUITE [TARGET...]: runs `make demo` and `make check`, or the targets given, as a new user of a Debian
# suite would: in a fresh chroot made by debootstrap, on the files of HEAD.  Prints for each how long it took and its
# last line; the complete output is in $B/check-debian-SUITE (B: build).  Runs as root, or as a user with subordinate
# user IDs (newuidmap).
#
# The packages come from the machine's own mirror.  The system that debootstrap made is kept in the user's cache folder
# and copied for each run.  Everything is fetched and built anew in the chroot, QEMU too, unless CACHE=1 lends it the
# user's cache folder.  Exit status 77, and a line that says why: it cannot run here.
set -eu
cd "$(dirname "$0")/.."
: "${B:=build}" "${CACHE:=0}" "${LIMIT:=3h}"
[ $# -ge 1 ] || { echo "usage: check-debian.sh SUITE [TARGET...]" >&2; exit 2; }

# The part that runs in namespaces of its own, so that its mounts and processes end with it.
if [ "$1" = --inside ]; then
    root=$2 suite=$3 log=$4
    shift 4
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount -t tmpfs tmpfs "$root/dev"
    for device in null zero full random urandom tty; do
        : >"$root/dev/$device"
        mount --bind "/dev/$device" "$root/dev/$device"
    done
    mkdir "$root/dev/pts" "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    mount -t tmpfs tmpfs "$root/dev/shm"
    chmod 1777 "$root/dev/shm"
    ln -s pts/ptmx "$root/dev/ptmx"
    ln -s /proc/self/fd "$root/dev/fd"
    if [ -d ../shared ]; then
        mkdir "$root/src/shared"
        mount --rbind -o ro "$(readlink -f ../shared)" "$root/src/shared"
    fi
    if [ "$CACHE" = 1 ]; then
        mkdir -p "$root/root/.cache/armpmu"
        mount --bind "$cache" "$root/root/.cache/armpmu"
    fi
    bad=
    for target; do
        echo "== $suite: make $target"
        start=$(date +%s) status=0
        timeout "$LIMIT" chroot "$root" \
            /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb \
            DEB_BUILD_PROFILES="${DEB_BUILD_PROFILES:-}" \
            sh -c 'command -v make >/dev/null ||
                    { apt-get -q update && apt-get -q -y install make; } >/tmp/make.log 2>&1
                cd /src/armpmu && exec make "$1"' sh "$target" >"$log/$target.log" 2>&1 </dev/null || status=$?
        grep '^not ok' "$log/$target.log" || true
        find "$root/src" -maxdepth 1 -type f -exec cp {} "$log" \; # packages, and logs of their build
        echo "$suite: make $target: exit status $status after $(($(date +%s) - start)) s:" \
            "$(grep . "$log/$target.log" | tail -n 1)"
        [ "$status" -eq 0 ] || bad="$bad $target"
    done
    [ -z "$bad" ]
    exit
fi

suite=$1
shift
[ $# -gt 0 ] || set -- demo check
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/armpmu
for tool in debootstrap unshare git timeout; do
    command -v $tool >/dev/null && continue
    echo "$tool: not here: apt-get install debootstrap util-linux git coreutils"
    exit 77
done
as=
if [ "$(id -u)" -ne 0 ]; then
    command -v newuidmap >/dev/null || { echo "newuidmap: not here: apt-get install uidmap, or run as root"; exit 77; }
    as='--user --map-auto --map-root-user'
fi
# Runs a command in namespaces of its own.  It is the first process there, so all others end when it does.
# shellcheck disable=SC2086 # words
apart() { unshare $as --mount --pid --fork --kill-child "$@"; }

base=$cache/debian-$suite
mkdir -p "$cache" "$B/check-debian-$suite"
log=$(cd "$B/check-debian-$suite" && pwd)
root=$(mktemp -d "${TMPDIR:-/var/tmp}/armpmu-debian.XXXXXX")
# shellcheck disable=SC2064 # now
trap "apart rm -rf '$root' '$base.new'" EXIT
trap 'exit 130' HUP INT TERM
chmod 755 "$root"
if [ ! -d "$base" ]; then
    echo "$suite: debootstrap, once (200 MB are kept in $base)"
    made=false
    for mirror in $(sh tools/private-apt.sh --mirrors); do
        apart rm -rf "$base.new"
        mkdir "$base.new"
        # In a user namespace no device can be made, as in one of LXC's containers.
        apart env ${as:+container=lxc} debootstrap --variant=minbase --include=ca-certificates \
            "$suite" "$base.new" "$mirror" >"$log/debootstrap.log" 2>&1 || continue
        made=true
        break
    done
    $made || { echo "$suite: debootstrap: $(grep '^E:' "$log/debootstrap.log" | tail -n 1 || true)"; exit 77; }
    mv "$base.new" "$base"
fi
apart cp -a --reflink=auto "$base/." "$root/"
apart sh -c 'echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/unsafe-io"; cp -L /etc/resolv.conf "$1/etc/resolv.conf"
    rm -rf "$1"/dev/*; mkdir -p "$1/src/armpmu"' sh "$root"
# Takes over how this machine's apt reaches the mirror: its proxies, and whether it accepts expired lists.
apt-config dump | grep -E '^Acquire::(Check-Valid-Until|https?::Proxy)' |
    apart tee "$root/etc/apt/apt.conf.d/90machine" >/dev/null
git archive HEAD | apart tar -x --no-same-owner -C "$root/src/armpmu"
export CACHE LIMIT cache
if apart sh tools/check-debian.sh --inside "$root" "$suite" "$log" "$@"; then
    echo "$suite: $* ended well"
else
    echo "$suite: not all of $* ended well: see $log"
    exit 1
fi
