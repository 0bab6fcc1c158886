#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# proof.sh FILE [fast | NAME...]: proves with CBMC the rows of FILE (test/model/proof/proofs.txt), all by default, and
# prints an "ok" or "not ok" line for each.  A proof may take LIMIT seconds (1800) and 8 GiB; if it fails, its trace is
# in $B/proof.  Exit status 77, and a line that says why: there is no CBMC.
set -u
: "${B:=build}" "${LIMIT:=1800}"
cd "$(dirname "$0")/.." || exit 2
rows=$1
shift
wanted=" ${*:-all} "
cbmc=$(sh tools/cbmc.sh) || { echo "$cbmc" && exit 77; }
mkdir -p "$B/proof"
status=0 proofs=0

# Proves one row.  The loop over the registers, in apmu_derive(), has a bound of its own, because there are more of
# them than UNWIND.
prove() { # NAME FILE FUNCTION UNWIND
    begin=$(date +%s)
    (
        ulimit -v 8388608
        timeout "$LIMIT" nice "$cbmc" -Iinclude -DARMPMU_PROOF="$3" --unwind "$4" --unwindset apmu_derive.0:65 \
            --unwinding-assertions --object-bits 12 --drop-unused-functions --slice-formula --undefined-shift-check \
            --signed-overflow-check --sat-solver cadical --trace "$2" lib/model/*.c lib/names/*.c test/lib/prose.c
    ) >"$B/proof/$1.txt" 2>&1
    result=$?
    took="$(($(date +%s) - begin)) s"
    if [ $result -eq 0 ] && grep -q '^VERIFICATION SUCCESSFUL$' "$B/proof/$1.txt"; then
        echo "ok proof $1: $took"
        return
    fi
    status=1
    case $result in
    124) echo "not ok proof $1: not done in $LIMIT s" ;;
    10) echo "not ok proof $1: $(grep -m 1 ': FAILURE$' "$B/proof/$1.txt"), see $B/proof/$1.txt" ;;
    *) echo "not ok proof $1: cbmc: exit status $result: $(grep -v '^$' "$B/proof/$1.txt" | tail -n 1)" ;;
    esac
}

while read -r name file function unwind when _; do
    case $name in '' | '#'*) continue ;; esac
    case $wanted in
    *" all "* | *" $when "* | *" $name "*)
        proofs=$((proofs + 1))
        prove "$name" "$file" "$function" "$unwind" </dev/null ;;
    esac
done <"$rows"
[ "$proofs" -gt 0 ] || { echo "not ok proof: $rows has no row for:$wanted"; status=1; }
exit $status
