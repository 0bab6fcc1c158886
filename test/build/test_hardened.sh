#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installed programs and libraries bind at once and have no writable table of functions.  The tool and the plugin, which
# read other people's files, have the checks of the compiler and of the C library.
set -u
. test/lib/tap.sh
command -v readelf >/dev/null || { echo "no readelf"; exit 77; }
for file in armpmu libarmpmu.so.*.*.* libarmpmu-qemu-user.so; do
    for path in "$B"/$file; do
        readelf -dW "$path" | grep -q 'BIND_NOW'
        expect $? "$file: binds at once" "no BIND_NOW"
        readelf -lW "$path" | grep -q 'GNU_RELRO'
        expect $? "$file: tables are read-only" "no GNU_RELRO"
    done
done
for file in armpmu libarmpmu-qemu-user.so; do
    readelf --dyn-syms -W "$B/$file" >"$B/hardened.syms"
    grep -q ' __[a-z]*_chk' "$B/hardened.syms"
    expect $? "$file: _FORTIFY_SOURCE" "calls no checking function"
    grep -q ' __stack_chk_fail' "$B/hardened.syms"
    expect $? "$file: stack protector" "does not call __stack_chk_fail"
    rm -f "$B/hardened.syms"
done
# The user's flags win.  Without optimization there is no _FORTIFY_SOURCE, because the C library would warn of it.
for flags in -O0 "-O2 -O0" "" "-O2 -fsanitize=address" "-O2 -D_FORTIFY_SOURCE=3"; do
    make -n V=1 B="$B/hardened" CC="$CC" CFLAGS="$flags" "$B/hardened/obj/cli/main.o" 2>&1 | grep -q 'U_FORTIFY_SOURCE'
    [ $? -ne 0 ]
    expect $? "CFLAGS=\"$flags\": no _FORTIFY_SOURCE of ours" "there is"
done
make -n V=1 B="$B/hardened" CC="$CC" CFLAGS="-O0 -O2" "$B/hardened/obj/cli/main.o" | grep -q 'D_FORTIFY_SOURCE=2'
expect $? "CFLAGS=\"-O0 -O2\": _FORTIFY_SOURCE" "is not there"
summary
