#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Loads plugins into emulator.c with each version of QEMU's plugin interface: they declare the version that is there,
# and are called in its shape.  The plugin of armpmu stat refuses a version that it does not know.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
: "${CC:=cc}"

build() { # NAME OLDEST CURRENT RELEASE: $tmp/NAME
    # shellcheck disable=SC2086 # $CC may have options
    $CC -std=c11 -O1 -w -rdynamic -DOLDEST="$2" -DCURRENT="$3" "-DRELEASE=\"$4\"" test/qemu/user/emulator.c \
        -o "$tmp/$1" -ldl 2>"$tmp/cc" || { not_ok "$1" "$(head -n 1 "$tmp/cc")"; exit 1; }
}
# shellcheck disable=SC2086
$CC -std=c11 -O1 -Wall -Wextra -Wno-pedantic -fPIC -shared test/qemu/user/events_plugin.c -o "$tmp/events.so" \
    2>"$tmp/cc" || { not_ok "a plugin with every callback" "$(head -n 1 "$tmp/cc")"; exit 1; }
calls='vcpu_init 3;tb_trans 0;syscall 3 64 1 2 3 4 5;flush;was_reset;tb_trans 0;at_exit;'

check() { # NAME OLDEST CURRENT RELEASE VERSION
    build emulator "$2" "$3" "$4"
    got=$("$tmp/emulator" -plugin "$tmp/events.so" 2>&1 | tr '\n' ';')
    if [ "$got" = "version $5;$calls" ]; then
        ok "$1"
    else
        not_ok "$1" "$got"
    fi
}
check 'QEMU 8.2: 1' 0 1 8.2.0 1
check 'QEMU 9.1: 3' 2 3 9.1.0 3
check 'QEMU 10.0: 4' 2 4 '10.0.13 (Debian 1:10.0.13+ds-0+deb13u1)' 4
check 'QEMU 10.2: 5' 2 5 10.2.2 5
check 'QEMU 11.0: 6' 2 6 11.0.0 6
check 'QEMU 11.0.9: 6' 2 6 '11.0.9 (v11.0.9)' 6
check 'on the way to QEMU 11.1: 7' 7 7 11.0.50 7
check 'QEMU 11.1: 7' 7 7 '11.1.3 (Debian 1:11.1.3+ds-1)' 7
check 'QEMU 12.0, if that has 7: 7' 7 7 12.0.0 7
check 'a release that says nothing: 7' 7 7 unknown 7
check 'a later version that takes 7' 7 8 12.0.0 '7, which is not this one'

if [ -x "$B/test/asm/loop" ]; then
    answer='^refused 3 .*did not take the plugin .*its message is above.*'
    answer="${answer}name an emulator in ARMPMU_QEMU .* 1, 3 to 7: .*"
    refused() { # NAME STDERR: the emulator is refused, after a message that says why
        ARMPMU_QEMU=$tmp/emulator "$B/test/run_program" -o "$tmp/ours" -- "$B/test/asm/loop" \
            >"$tmp/stdout" 2>"$tmp/stderr"
        if ! grep -qxF "$2" "$tmp/stderr"; then
            not_ok "$1" "it said: $(cat "$tmp/stderr")"
        elif ! grep -q "$answer" "$tmp/ours"; then
            not_ok "$1" "$(cat "$tmp/ours")"
        else
            ok "$1"
        fi
    }
    refused 'stat: a later version that takes 7' "armpmu: this emulator has version 8 of QEMU's plugin interface, \
which is none of those known here, 1 and 3 to 7 (QEMU 11.1); name another emulator in ARMPMU_QEMU"
    build emulator 8 8 12.0.0
    refused 'stat: a later version that does not' 'emulator: the plugin declares version 7, and 8 to 8 are taken'
else
    skip 'stat: a later version' "no $B/test/asm/loop: apt-get install gcc-aarch64-linux-gnu"
fi
summary
