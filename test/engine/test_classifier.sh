#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The classifier by encoding against the one by name, over words from the whole encoding space that binutils knows.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/engine/lib.sh
need "${CROSS}objdump" binutils-aarch64-linux-gnu

for seed in 1 2 3; do
    "$B/test/words" make $seed 100000 | sort -u | sed 's/$/ 1 1 0 0 0 0 0/' >"$tmp/sorted"
    name_words
    # Not what is unallocated, what binutils takes for a System register with op0 = 0, and transactions; nor what is in
    # SME's part of the encoding space and does without ZA: whether that is an SVE instruction no name tells.
    grep -v -E 'undefined|NYI| s0_| tcommit| tstart| ttest| tcancel' "$tmp/named" |
        awk '!($1 ~ /^[8ace][01]/ && $0 !~ /[ {]za|zt0/)' >"$tmp/known"
    awk -f test/engine/classify.awk "$tmp/known" >"$tmp/theirs"
    "$B/test/words" sum <"$tmp/known" >"$tmp/ours"
    wrong=$(differences)
    known=$(wc -l <"$tmp/known")
    if [ "$known" -lt 20000 ]; then
        not_ok "classifier, seed $seed" "only $known words with a name"
    elif [ -n "$wrong" ]; then
        not_ok "classifier, seed $seed" "$wrong"
    else
        ok "classifier, seed $seed: $known words"
    fi
done
exit $bad
