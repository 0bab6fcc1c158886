#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares qemu/classify/a64.c, which classifies by encoding, with classify.awk, which classifies by binutils' name.
# The words are from the whole encoding space, as far as binutils knows it.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "${CROSS}objdump" binutils-aarch64-linux-gnu

# Instructions that binutils knows from 2.45 on and classify.awk does not: FEAT_CMPBR, FPRCVT, LSFE, LSUI, LSCP,
# PAuth_LR, PCDPHINT, SVE_AES2, MOPS_GO.
later='cb[bh]?(eq|ne|ge|gt|hi|hs|lo|lt)|fcvt[amnpz][su]|[su]cvtf|(ld|st)b?f(add|max|min|maxnm|minnm)(a|l|al)?'
later="$later|(ld|st)t(add|clr|set)(a|l|al)?|swpt(a|l|al)?|(ld|st)tn?p|lda?txr|stl?txr|ldapp?|stlp"
later="$later|reta[ab]sppcr?|stcph|stmopa|pmlal|pmull|setgo.*"
version=$("${CROSS}objdump" --version | sed -n '1s/.* \([0-9]*\.[0-9]*\).*/\1/p')
[ "$(printf '2.45\n%s\n' "$version" | sort -V | head -n 1)" = 2.45 ] || later=none

for seed in 1 2 3; do
    "$B/test/words" make $seed 100000 | sort -u | sed 's/$/ 1 1 0 0 0 0 0/' >"$tmp/sorted"
    name_words
    # Leaves out unallocated words, words that binutils takes for a System register with op0 = 0, and transactions.
    # Leaves out words in SME's part of the encoding space that do not use ZA, because their names do not tell whether
    # they belong to SVE.
    grep -v -E 'undefined|NYI| s0_| tcommit| tstart| ttest| tcancel' "$tmp/named" |
        awk -v later="^($later)\$" '!($1 ~ /^[8ace][01]/ && $0 !~ /[ {]za|zt0/) && $9 !~ later' >"$tmp/known"
    awk -f test/qemu/user/classify.awk "$tmp/known" >"$tmp/theirs"
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
summary
