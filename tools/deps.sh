#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# deps.sh WHAT: installs what a target of the Makefile needs, with apt-get, as root or through sudo.  If it may not, it
# prints the one command to run and exits with status 3.  It prints nothing if nothing is missing.  WHAT is build, demo,
# check, bench, qemu-user, qemu, check-qemu, check-debian, viewers, simulators, documents or rust.
#
# For demo, check and bench this includes an emulator with plugins: the distribution's if its package has plugins
# (Debian 12), else what is needed to build one (qemu/user/emulator/build.sh).
set -eu
: "${B:=build}"
cd "$(dirname "$0")/.."
. tools/emulator.sh

build='gcc make libc6-dev libjansson-dev libexpat1-dev libdw-dev libelf-dev libiberty-dev libprotobuf-c-dev
       protobuf-c-compiler zlib1g-dev libmicrohttpd-dev'
demo="$build gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
check="$demo fish zsh g++ g++-aarch64-linux-gnu clang clang-format cmake pkg-config python3 gcc-arm-linux-gnueabihf
       gcc-arm-linux-gnueabi libc6-dev-armhf-cross libc6-dev-armel-cross mandoc qemu-system-arm cpio openocd
       gdb-multiarch git python3-yaml parallel"
user='gcc make libc6-dev binutils ninja-build pkg-config libglib2.0-dev python3 python3-venv dpkg-dev xz-utils
      util-linux'
qemu="$user libfdt-dev"

# Tools that read what armpmu report and armpmu export write, for tests that are skipped without them.
viewers='chromium golang-go linux-perf prometheus protobuf-compiler valgrind'
command -v npm >/dev/null 2>&1 || viewers="$viewers nodejs npm"

# Simulators of RTL, for tests that are skipped without them.
simulators="$build g++ verilator iverilog libsystemc-dev libxml2-utils mypy python3-cffi python3-pip python3-setuptools
            python3-typeshed python3-wheel"

# Tools that read the binary interface and its documents, for tests that are skipped without them.
documents="$build abigail-tools doxygen git groff-base mandoc python3"
# What makes and tests the Rust crates, for a test that is skipped without it.
rust="$build bindgen cargo rustc"

emulator=false
case ${1:-} in
build) want=$build ;;
demo) want=$demo emulator=true ;;
check) want=$check emulator=true ;;
bench) want="$demo qemu-system-arm gcc-arm-linux-gnueabihf gcc-arm-linux-gnueabi valgrind cpio python3" emulator=true ;;
qemu-user) want=$user ;;
qemu) want=$qemu ;;
check-qemu) want="$check $qemu gcc-arm-none-eabi u-boot-qemu" emulator=true ;;
check-debian) want='debootstrap git util-linux' ;;
viewers) want=$viewers ;;
simulators) want=$simulators ;;
documents) want=$documents ;;
rust) want=$rust ;;
*)
    echo "usage: deps.sh build|demo|check|bench|qemu-user|qemu|check-qemu|check-debian|viewers|simulators|documents|" \
        "rust" >&2
    exit 2
    ;;
esac
! $emulator || ! aarch64_emulator >/dev/null || emulator=false

# Prints Fedora's names of packages, which no test has tried.
fedora_names() {
    for package; do
        case $package in
        libc6-dev) echo glibc-devel ;;
        libjansson-dev) echo jansson-devel ;;
        libexpat1-dev) echo expat-devel ;;
        zlib1g-dev) echo zlib-devel ;;
        libdw-dev) echo elfutils-devel ;;
        libelf-dev) echo elfutils-libelf-devel ;;
        libiberty-dev) echo binutils-devel ;;
        libmicrohttpd-dev) echo libmicrohttpd-devel ;;
        libprotobuf-c-dev) echo protobuf-c-devel ;;
        libglib2.0-dev) echo glib2-devel ;;
        libfdt-dev) echo libfdt-devel ;;
        libsystemc-dev) echo systemc-devel ;;
        libxml2-utils) echo libxml2 ;;
        libc6-dev-arm64-cross) echo 'sysroot-aarch64-*-glibc' ;;
        abigail-tools) echo libabigail ;;
        libc6-dev-arm*-cross | g++-aarch64-linux-gnu | python3-venv | gcc-arm-linux-gnueabihf) ;;
        gcc-arm-linux-gnueabi) echo gcc-arm-linux-gnu ;;
        gcc-arm-none-eabi) echo arm-none-eabi-gcc-cs ;;
        g++) echo gcc-c++ ;;
        clang-format) echo clang-tools-extra ;;
        pkg-config) echo pkgconf-pkg-config ;;
        xz-utils) echo xz ;;
        qemu-system-arm) echo qemu-system-arm qemu-system-aarch64 ;;
        *) echo "$package" ;;
        esac
    done
}
if ! command -v dpkg-query >/dev/null 2>&1; then
    $emulator && want="$want qemu-user"
    # shellcheck disable=SC2046,SC2086 # words
    echo "armpmu: not a Debian system: please make sure that these packages are installed:" \
        "on Ubuntu by sudo apt-get install" $want "; on Fedora (untested) by sudo dnf install" $(fedora_names $want) >&2
    exit 0
fi

missing=
add_missing() { # PACKAGE...
    for package; do
        case "$missing " in *" $package "*) continue ;; esac
        case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
        *' installed') ;;
        *) missing="$missing $package" ;;
        esac
    done
}
# shellcheck disable=SC2086 # words
add_missing $want
[ -z "$missing" ] && ! $emulator && exit 0

if [ "$(id -u)" -eq 0 ]; then
    sudo=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    sudo=sudo
else
    sudo=none
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
give_up() {
    tail -n 20 "$log" >&2
    echo "armpmu: apt-get could not install$missing" >&2
    exit 3
}
[ "$sudo" = none ] || $sudo apt-get update >"$log" 2>&1 || give_up
if $emulator; then # a package whose emulators are dynamic programs has some that load plugins
    if apt-cache show --no-all-versions qemu-user 2>/dev/null | grep -q '^Depends:.*libglib2'; then
        add_missing qemu-user
    else
        # shellcheck disable=SC2086 # words
        add_missing $user
    fi
fi
[ -z "$missing" ] && exit 0
if [ "$sudo" = none ]; then
    echo "armpmu: packages are missing; install them with: sudo apt-get install --no-install-recommends$missing" >&2
    exit 3
fi
echo "armpmu: installing$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
$sudo apt-get install -y --no-install-recommends $missing >"$log" 2>&1 || give_up
