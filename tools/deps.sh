#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# deps.sh WHAT: installs what a target of the Makefile needs, with apt-get, as root or through sudo; otherwise prints the
# one command to run and exits 3.  Says nothing where nothing is missing.  WHAT is build, demo, check, bench, qemu or
# check-qemu.
set -eu

build='gcc make libc6-dev libjansson-dev libexpat1-dev'
demo="$build qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
check="$demo g++ clang cmake pkg-config python3 gcc-arm-linux-gnueabihf gcc-arm-linux-gnueabi libc6-dev-armhf-cross libc6-dev-armel-cross mandoc
       zlib1g-dev qemu-system-arm cpio openocd"
qemu='gcc make libc6-dev binutils ninja-build pkg-config libglib2.0-dev libfdt-dev python3 python3-venv dpkg-dev xz-utils'

case ${1:-} in
build) want=$build ;;
demo) want=$demo ;;
check) want=$check ;;
bench) want="$demo qemu-system-arm gcc-arm-linux-gnueabihf gcc-arm-linux-gnueabi valgrind cpio python3" ;;
qemu) want=$qemu ;;
check-qemu) want="$check $qemu gcc-arm-none-eabi" ;;
*) echo "usage: deps.sh build|demo|check|bench|qemu|check-qemu" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "armpmu: not a Debian system: please see to it that these are installed:" $want >&2
    exit 0
fi
missing=
for package in $want; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
    *' installed') ;;
    *) missing="$missing $package" ;;
    esac
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
    sudo=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    sudo=sudo
else
    echo "armpmu: packages are missing; install them with: sudo apt-get install --no-install-recommends$missing" >&2
    exit 3
fi
echo "armpmu: installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
if ! { $sudo apt-get update && $sudo apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "armpmu: apt-get could not install$missing" >&2
    exit 3
fi
