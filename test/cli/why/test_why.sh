#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests the causes of cli/why/causes.def.  For each dump NN-name.txt, armpmu why with the options of the dump's line
# "# options:" names the causes of its line "# expect:" and no others.  Every cause that registers can show has a dump,
# and --symptom lists every row.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
found=' '
list=$(mktemp) || exit 2
trap 'rm -f "$list"' EXIT

for dump in test/cli/why/[0-9]*.txt; do
    name=${dump##*/} name=${name%.txt}
    expect=$(sed -n 's/^# expect: //p' "$dump")
    options=$(sed -n 's/^# options: //p' "$dump")
    # shellcheck disable=SC2086 # several words
    causes=$("$B/armpmu" why -v $options "$dump" 2>/dev/null |
        sed -n '/^KNOWN CAUSES/,/^$/s/^  *\([0-9][0-9]*\) .*/\1/p' | tr '\n' ' ')
    if [ "$causes" = "$expect " ]; then
        found="$found$causes"
        ok "why $name"
    else
        not_ok "why $name" "named $causes, not $expect"
    fi
done

# Every row is listed, and every row with a test has its dump.
"$B/armpmu" why --symptom all -j >"$list"
expect $? "why --symptom all" "exit status $?"
rows=$(grep -cE '^CAUSE(_OUTSIDE)?\(' cli/why/causes.def)
numbers=$(sed -n 's/^  "number": \([0-9]*\),/\1/p' "$list" | sort -n | uniq | wc -l)
if [ "$rows" -eq 0 ] || [ "$numbers" -ne "$rows" ]; then
    not_ok "why --symptom" "$numbers causes, but the table has $rows"
else
    ok "why --symptom: $rows causes"
fi
undumped=$(awk '/"number"/ { gsub(/[^0-9]/, ""); n = $0 } /"registers": true/ { print n }' "$list" |
    while read -r n; do case "$found" in *" $n "*) ;; *) printf ' %s' "$n" ;; esac; done)
if [ -n "$undumped" ]; then
    not_ok "why causes with a dump" "these lack one:$undumped"
else
    # shellcheck disable=SC2086 # several words
    ok "why causes with a dump: $(printf '%s\n' $found | sort -u | wc -l)"
fi
summary
