#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks in a small tree that tools/mutate.py finds what the tests let pass, and requires an argument for it.  Checks
# that each argument about the model names a mutant that exists.
set -u
. test/lib/tap.sh
: "${CC:=cc}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

shows() { # NAME COMMAND...: passes the check NAME if the command succeeds
    name=$1
    shift
    "$@"
    expect $? "$name" "$(tail -n 20 "$dir/out" | tr '\n' ' ')"
}

judge() { # OPTION...: runs mutate.py; $judged is its exit status, $dir/out what it prints
    timeout 100 python3 tools/mutate.py --root "$dir" --dir build --cc "$CC" --jobs 1 "$@" >"$dir/out" 2>&1
    judged=$?
}

says() { grep -q -- "$1" "$dir/out"; }

ends_with() { [ "$judged" -eq "$1" ]; }

mkdir -p "$dir/lib/model" "$dir/include" "$dir/test/model/unit" "$dir/test/model/mutation" "$dir/build"
cat >"$dir/lib/model/tiny.h" <<'C'
int apmu_least(int a, int b);
static inline int twice(int a)
{
    return a + a + 0;
}
C
cat >"$dir/lib/model/tiny.c" <<'C'
#include "tiny.h"

int apmu_least(int a, int b)
{
    if (a < b) {
        return twice(a);
    }
    return twice(b);
}
C
cat >"$dir/test/model/unit/tiny.c" <<'C'
#include "../../../lib/model/tiny.h"

int main(void)
{
    return apmu_least(1, 2) != 2 || apmu_least(4, 3) != 6;
}
C
: >"$dir/test/model/mutation/equivalent.txt"
build() {
    for file in lib/model/tiny test/model/unit/tiny; do
        mkdir -p "$dir/build/obj/${file%/*}"
        "$CC" -O2 -fPIC -c "$dir/$file.c" -o "$dir/build/obj/$file.o" || exit 2
    done
}
build

judge --list
shows "it lists the mutants of files and headers" [ "$(grep -c '^lib/model/tiny\.' "$dir/out")" -eq 3 ]

judge
shows "a negated condition is killed" says '^lib/model/tiny.c  *2  *0  *1 '
shows "a constant of a header that matters is killed" says '^lib/model/tiny.h  *1  *0  *1 '
shows "what no test notices survives" says '^- `<` to `<=`$'
shows "and requires an argument" ends_with 1

printf 'lib/model/tiny.c apmu_least\n> if (a < b) {\n- `<` to `<=`\nThe same from both.\n' \
    >"$dir/test/model/mutation/equivalent.txt"
judge
shows "an argued survivor is in its own column" says '^lib/model/tiny.c .* 1 *0 '
shows "and a score below the goal is not enough" ends_with 1

printf '\nlib/model/tiny.c apmu_least\n> if (a < b) {\n- negate `a < b`\nIt is killed.\n' \
    >>"$dir/test/model/mutation/equivalent.txt"
judge
shows "an argument about a killed mutant is an error" says 'equivalent.txt:6: argued, but killed'

printf '\nlib/model/tiny.c apmu_least\n> if (a > b) {\n- `>` to `>=`\nThere is none.\n' \
    >>"$dir/test/model/mutation/equivalent.txt"
judge --check
shows "an argument about no mutant is an error" says 'equivalent.txt:11: there is no such mutant'

sed -i 's/!= 2/!= 3/' "$dir/test/model/unit/tiny.c"
build
judge
shows "tests that fail anyway judge nothing" says 'the tests fail without any mutant: model/unit/tiny'

python3 tools/mutate.py --check >"$dir/out" 2>&1
judged=$?
shows "test/model/mutation/equivalent.txt names mutants of the model" ends_with 0
summary
