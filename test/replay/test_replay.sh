#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The model against traces; and replay itself, which must find what is wrong with a file.
set -u
status=0
replay=$B/test/replay
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

say() { # CONDITION NAME DETAIL
    if [ "$1" -eq 0 ]; then echo "ok $2"; else echo "not ok $2: $3"; status=1; fi
}

none_differs() { # NAME, the trace on standard input
    line=$("$replay" - | tail -n 1)
    case $line in *" 0 actions checked"*) ;; *", 0 mismatches"*) say 0 "trace $1: ${line#-: }"; return ;; esac
    say 1 "trace $1" "$line"
}

none_differs basic.trace <test/replay/basic.trace
none_differs aarch32.trace <test/replay/aarch32.trace
for file in ../shared/traces/a64.trace.gz ../shared/traces/a32.trace.gz ../shared/traces/ext.trace.gz; do
    corrected=cat
    [ "${file##*/}" = a32.trace.gz ] && corrected="sed -f test/replay/errata.sed"
    [ -f "$file" ] && gzip -dc "$file" | $corrected | { none_differs "${file##*/}"; exit "$status"; } || [ ! -f "$file" ] || status=1
done
[ -d ../shared/traces ] || echo "skip traces: the large files are not beside this checkout; the traces of test/replay ran"

sed 's/^irq -> 1/irq -> 0/; s/ok 0xc8/ok 0xc9/' test/replay/basic.trace >"$dir/wrong"
"$replay" "$dir/wrong" >"$dir/out"
[ $? -eq 1 ] && grep -q ', 2 mismatches' "$dir/out" && grep -q 'model: ok 0xc8' "$dir/out"
say $? "replay finds two wrong answers" "$(cat "$dir/out")"

refuses() { # NAME
    "$replay" "$dir/bad" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && [ ! -s "$dir/out" ] && [ -s "$dir/err" ]
    say $? "replay refuses $1" "$(cat "$dir/out" "$dir/err")"
}
: >"$dir/bad"
refuses "an empty file"
{ cat test/replay/basic.trace; echo "dance 1"; } | sed '/^end/d' >"$dir/bad"
refuses "an unknown action"
sed 's/PMEVCNTR4_EL0/PMEVCNTR31_EL0/' test/replay/basic.trace >"$dir/bad"
refuses "an unknown register"
sed 's/^pe el=2/pe elevation=2/' test/replay/basic.trace >"$dir/bad"
refuses "an unknown key"
exit $status
