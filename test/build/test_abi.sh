#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The binary interface is that of package/abi.txt, but for what may be added (doc/abi.md), and the comparison finds what
# was taken away: a function, a parameter, a member, a value, a smaller structure.  debian/ has every symbol.
set -u
. test/lib/tap.sh
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
set -- "$B"/libarmpmu.so.*
symbols=$(ls debian/libarmpmu*.symbols)
case $(uname -m) in
aarch64 | arm*) sed 's/^ (arch=[^)]*)/ /' "$symbols" ;;
*) grep -v '^ (arch=' "$symbols" ;; # what only libraries of Arm have
esac | sed -n 's/^ \([^@]*\)@.*/\1/p' | LC_ALL=C sort >"$dir/listed"
nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort >"$dir/exported"
differ=$(diff "$dir/listed" "$dir/exported" | grep '^[<>]' | tr '\n' ' ')
[ -z "$differ" ] && [ -s "$dir/exported" ]
expect $? "abi: $symbols" "make abi-baseline writes it: $differ"

need abidw python3
[ "$(uname -m)" = x86_64 ] || { skip "abi" "package/abi.txt is for x86-64"; summary; }
python3 tools/abi.py "$1" include package/abi.txt >"$dir/log" 2>&1
relay "abi" $? "$dir/log"

python3 tools/abi.py "$1" include >"$dir/now" 2>"$dir/log"
functions=$(nm -D --defined-only "$1" | grep -c ' T ')
listed=$(sed -n 's/^function .*[ *]\(apmu_[a-z0-9_]*\)(.*/\1/p' "$dir/now" | sort -u | wc -l)
[ "$functions" -gt 100 ] && [ "$listed" -eq "$functions" ]
expect $? "abi: a line for each of $functions functions" "$listed are listed"
# Compares with a baseline that has one more line, for something that the library therefore lacks.
lacks() { # NAME LINE
    name=$1 line=$2
    { cat "$dir/now"; echo "$line"; } >"$dir/baseline"
    python3 tools/abi.py "$library" include "$dir/baseline" >"$dir/log" 2>&1
    [ $? -eq 1 ] && grep -qF "no longer there: $line" "$dir/log"
    expect $? "abi: $name is missed" "$(tail -n 1 "$dir/log")"
}
library=$1
lacks "a function" "function void apmu_gone(void)"
lacks "another parameter" \
    "$(sed -n 's/^function \(.*\)(struct apmu \*,/function \1(struct apmu_pe *,/p' "$dir/now" | head -n 1)"
lacks "a member at another place" "$(sed -n 's/^\(member apmu_pe\.el: .* at \).*/\1999/p' "$dir/now")"
lacks "another value" "$(sed -n 's/^\(enumerator APMU_E_SIZE = \).*/\1-7/p' "$dir/now")"
lacks "a structure that shrank" "$(sed -n 's/^\(struct apmu_config: \).*/\14000 bytes, and may grow/p' "$dir/now")"
lacks "a fixed structure that grew" "$(sed -n 's/^\(struct apmu_pe: \).*/\18 bytes/p' "$dir/now")"
sed 's/^\(struct apmu_config: \).*/\18 bytes, and may grow/' "$dir/now" >"$dir/baseline"
python3 tools/abi.py "$library" include "$dir/baseline" >"$dir/log" 2>&1
expect $? "abi: a structure with .size may grow" "$(tail -n 1 "$dir/log")"
summary
