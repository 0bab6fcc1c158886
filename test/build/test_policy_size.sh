#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Secure policy fits into firmware at EL3: computing it takes at most 8 KB of code and tables at -Os for AArch64,
# and an entry with its return at most 60 instructions.
# Runs beside other tests.
set -u
. test/lib/tap.sh
cc=aarch64-linux-gnu-gcc
if ! command -v $cc >/dev/null 2>&1; then
    skip "size of the policy" "no $cc: apt-get install gcc-aarch64-linux-gnu"
    summary
fi
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# Links a program that uses FUNCTIONS, and prints the bytes of its code and tables, with texts, less the table of uses.
bytes_of() { # FLAGS FUNCTIONS...
    flags=$1
    shift
    rm -f "$dir/all.a" "$dir"/*.o
    {
        echo '#include <armpmu/policy.h>'
        echo 'const void *const uses[] = {'
        for name; do
            echo "    (const void *)$name,"
        done
        echo '};'
    } >"$dir/uses.c"
    # shellcheck disable=SC2086
    for file in lib/driver/*.c lib/names/*.c lib/driver/backend/*.c; do
        $cc -std=c11 -Os -ffreestanding -fno-pic -fno-asynchronous-unwind-tables $flags -Iinclude -c "$file" \
            -o "$dir/$(basename "$file" .c).o" || return
    done
    ar rcs "$dir/all.a" "$dir"/*.o
    $cc -std=c11 -Iinclude "$dir/uses.c" -nostdlib -static -Wl,-e,0 "$dir/all.a" -o "$dir/firmware" 2>"$dir/log" ||
        return
    aarch64-linux-gnu-size -A "$dir/firmware" |
        awk '/^\.(text|rodata)/ { sum += $2 } END { print sum - uses }' uses=$((8 * $#))
}
fits() { # NAME MOST FLAGS FUNCTIONS...
    name=$1 most=$2
    shift 2
    bytes=$(bytes_of "$@")
    [ "${bytes:-0}" -gt 1000 ] && [ "$bytes" -le "$most" ]
    expect $? "policy: $name: $bytes bytes" "want at most $most: $(head -n 1 "$dir/log" 2>/dev/null)"
}
fits "computed" 8192 "" apmu_policy apmu_policy_value
fits "computed and written, without names" 8192 -DAPMU_WITHOUT_NAMES apmu_policy apmu_policy_value apmu_policy_apply \
    apmu_policy_entry apmu_policy_enter apmu_policy_leave

cat >"$dir/entry.c" <<'END'
#include <armpmu/native.h>
void enter(const struct apmu_policy_entry *entry, struct apmu_policy_saved *saved)
{
    apmu_native_policy_enter(entry, saved);
}
void leave(const struct apmu_policy_entry *entry, const struct apmu_policy_saved *saved)
{
    apmu_native_policy_leave(entry, saved);
}
END
$cc -std=c11 -Os -ffreestanding -Iinclude -c "$dir/entry.c" -o "$dir/entry.o" &&
    instructions=$(aarch64-linux-gnu-objdump -d "$dir/entry.o" | grep -c '^ *[0-9a-f]*:')
[ "${instructions:-0}" -gt 10 ] && [ "$instructions" -le 60 ]
expect $? "policy: an entry and its return are ${instructions:-no} instructions" "want at most 60"
summary
