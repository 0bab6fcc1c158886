#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# linux-root.sh ARCHITECTURE [SUITE]: makes $B/linux-ARCHITECTURE (B: build) out of Debian's packages for arm64 or
# armhf: the kernel, vmlinuz, and root/ with a static busybox and perf with the libraries that it needs.  For arm64
# there is e1000.ko, too, the driver of a network card.  SUITE, such as trixie, takes another suite than the machine's,
# for $B/linux-ARCHITECTURE-SUITE.
#
# It is quick once that is done.  Exit status 77, and a line that says why: the packages cannot be had here.
set -eu
: "${B:=build}"
cd "$(dirname "$0")/.."
case ${1:-} in
arm64) kernels=linux-image-arm64 loader=ld-linux-aarch64.so.1 ;;
armhf) kernels=linux-image-armmp loader=ld-linux-armhf.so.3 ;;
*) echo "usage: linux-root.sh arm64|armhf [SUITE]" >&2; exit 2 ;;
esac
out=$B/linux-$1${2:+-$2}

[ -e "$out/.done" ] && { [ "$1" != arm64 ] || [ -e "$out/e1000.ko" ]; } && exit 0
command -v readelf >/dev/null || { echo "readelf: not here: apt-get install binutils"; exit 77; }
rm -rf "$out"
mkdir -p "$out/root" "$out/all"
. tools/packages.sh
packages_of "${2:-same}" "$1"
kernel_of $kernels
# Takes the libraries that perf is linked to, not those that run its scripts.
packages=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances linux-perf | grep -E '^(lib|zlib|linux-perf)' |
    grep -vE '^lib(python3-|.*-(common|stdlib|modules))' | sort -u)
# shellcheck disable=SC2086
run download "$kernel_package" busybox-static $packages
unpack "$out/all" "$out/vmlinuz"
[ "$1" != arm64 ] || module_of e1000 "$out/e1000.ko"

# Copies perf, the loader, and every library that one of these names.
perf=$(find "$out/all/usr/bin" -type f -name 'perf*' -size +1000k | head -n 1)
[ -n "$perf" ] || { echo "linux-perf: has no perf"; exit 77; }
mkdir -p "$out/root/bin" "$out/root/lib"
cp "$out/all/bin/busybox" "$out/root/bin/"
cp "$perf" "$out/root/bin/perf"
needs() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'; }
want="$loader $(needs "$perf")"
while [ -n "$want" ]; do
    next=
    for name in $want; do
        [ -e "$out/root/lib/$name" ] && continue
        file=$(find "$out/all" -name "$name" | head -n 1)
        [ -n "$file" ] || { echo "$name: in none of the packages"; exit 77; }
        cp -L "$file" "$out/root/lib/$name"
        next="$next $(needs "$file")"
    done
    want=$next
done
rm -rf "$apt" "$out/all"
touch "$out/.done"
