#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs a program in roots as they are unpacked from packages with merged /usr: without /lib, and with links that lead
# out of them.  The refusal names a command, after which the program runs.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu
program=$B/test/c/process
libraries=$(dirname "$("${CROSS}gcc" -print-file-name=libc.so.6)")
loader=ld-linux-aarch64.so.1

# Makes the root $1, which has the libraries under usr/lib only.
plant() {
    mkdir -p "$1/usr/lib/aarch64-linux-gnu"
    cp -L "$libraries/libc.so.6" "$1/usr/lib/"
    cp -L "$libraries/$loader" "$1/usr/lib/aarch64-linux-gnu/"
    ln -s "aarch64-linux-gnu/$loader" "$1/usr/lib/$loader"
}
check() { # NAME ROOT CAUSE
    ours --sysroot "$2" -- "$program"
    if ! grep -q "^refused 3 .*process: its loader /lib/$loader $3: .*: ln -s" "$tmp/ours"; then
        not_ok "$1: is refused" "$(head -n 1 "$tmp/ours")"
        return
    fi
    ok "$1: is refused"
    sh -c "$(sed -n 's/^refused .*: \(ln -s.*\)$/\1/p' "$tmp/ours")"
    ours --sysroot "$2" -- "$program"
    if grep -q '^INST_RETIRED [1-9]' "$tmp/ours"; then
        ok "$1: the cure works"
    else
        not_ok "$1: the cure works" "$(head -n 1 "$tmp/ours" "$tmp/stderr" | tr '\n' ' ')"
    fi
}

plant "$tmp/merged"
check "a root without /lib" "$tmp/merged" \
    "is in $tmp/merged as /usr/lib/$loader, because /usr is merged, and no link leads to it"
plant "$tmp/absolute"
ln -s /usr/lib "$tmp/absolute/lib"
check "a root whose /lib is an absolute link" "$tmp/absolute" \
    "is not under $tmp/absolute, because $tmp/absolute/lib is a link to /usr/lib, which leads out of it"
plant "$tmp/loader"
target=/usr/lib/aarch64-linux-gnu/$loader
ln -s usr/lib "$tmp/loader/lib"
ln -sfn "$target" "$tmp/loader/usr/lib/$loader"
check "a root whose loader is an absolute link" "$tmp/loader" \
    "is not under $tmp/loader, because $tmp/loader/lib/$loader is a link to $target, which leads out of it"
summary
