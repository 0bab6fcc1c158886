#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes the quick proofs (`make proof` makes all), and checks that a proof fails for a wrong statement and for undefined
# behaviour.
# Runs beside other tests.
set -u
. test/lib/tap.sh
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
sh tools/cbmc.sh >"$dir/where" || skip_all "$(cat "$dir/where")"
: "${B:=build}"
[ ! -d "$B/cbmc" ] || ln -s "$(cd "$B/cbmc" && pwd)" "$dir/cbmc"
sh tools/proof.sh test/model/proof/proofs.txt fast
expect $? "the quick proofs" "one of them failed"

cat >"$dir/wrong.c" <<'C'
#include "lib/model/internal.h"
#include "test/model/prop/any.h"

static bool counts_always(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;

    any_unit(c, &p);
    any_engine_pe(c, &p.cfg, &pe);
    return apmu_why(&p, &pe, APMU_CYCLE) != 0;
}

static bool shifts_too_far(struct choices *c)
{
    return apmu_ones((unsigned)pick(c, 7)) == 1 && pick(c, 1) == 2;
}

PROPERTIES({"it always counts", counts_always, .rounds = 1}, {"it shifts", shifts_too_far, .rounds = 1})
C
cat >"$dir/proofs.txt" <<ROWS
wrong $dir/wrong.c counts_always 34 fast the cycle counter always counts
undefined $dir/wrong.c shifts_too_far 34 fast every shift is defined
ROWS
B=$dir C_INCLUDE_PATH=. sh tools/proof.sh "$dir/proofs.txt" >"$dir/out"
for name in wrong undefined; do
    grep -q "^not ok proof $name: .*FAILURE, see " "$dir/out"
    expect $? "a proof of what is $name fails" "$(cat "$dir/out")"
done
summary
