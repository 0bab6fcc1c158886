#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# has.sh compiler|libraries: succeeds if the compiler CC makes programs, or finds the headers of the libraries,
# with CFLAGS.  Else one line says what is missing and which command installs it, and the exit status is 1.
set -u
: "${CC:=cc}" "${CFLAGS:=}"

missing= apt= dnf=
has() { # HEADER APT'S PACKAGE DNF'S PACKAGE
    # shellcheck disable=SC2086 # words
    echo "#include <$1>" | $CC $CFLAGS -E -x c - >/dev/null 2>&1 && return
    missing="${missing:+$missing, }$1" apt="$apt $2" dnf="$dnf $3"
}
has_program() { # PROGRAM APT'S PACKAGE DNF'S PACKAGE
    command -v "$1" >/dev/null 2>&1 && return
    missing="${missing:+$missing, }the program $1" apt="$apt $2" dnf="$dnf $3"
}
case ${1:-} in
compiler)
    if ! command -v "${CC%% *}" >/dev/null 2>&1; then
        missing="the compiler ${CC%% *}" apt=' gcc libc6-dev' dnf=' gcc glibc-devel'
    else
        has stdio.h libc6-dev glibc-devel
    fi ;;
libraries)
    has jansson.h libjansson-dev jansson-devel
    has expat.h libexpat1-dev expat-devel
    has elfutils/libdw.h libdw-dev elfutils-devel
    has gelf.h libelf-dev elfutils-libelf-devel
    has libiberty/demangle.h libiberty-dev binutils-devel
    has protobuf-c/protobuf-c.h libprotobuf-c-dev protobuf-c-devel
    has_program protoc-c protobuf-c-compiler protobuf-c-compiler
    has zlib.h zlib1g-dev zlib-devel
    # A static program has no HTTP server.
    case ${LDFLAGS:-} in *-static*) ;; *) has microhttpd.h libmicrohttpd-dev libmicrohttpd-devel ;; esac ;;
*) echo "usage: has.sh compiler|libraries" >&2; exit 2 ;;
esac
[ -z "$missing" ] && exit 0
if command -v apt-get >/dev/null 2>&1; then
    cure="make deps, or sudo apt-get install$apt"
elif command -v dnf >/dev/null 2>&1; then
    cure="sudo dnf install$dnf (untested)"
else
    cure="the packages that have it are$apt on Debian and Ubuntu,$dnf on Fedora (untested)"
fi
echo "armpmu: missing: $missing; install with: $cure" >&2
exit 1
