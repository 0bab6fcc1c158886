#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks the model against the traces, and checks that replay finds what is wrong with a file.
# Runs beside other tests.
set -u
. test/lib/tap.sh
replay=$B/test/replay
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

plain() { # FILE: prints it without its comments and the masks of reads
    grep -v '^#' "$1" | sed '/^r arm11 /s/ 0x[0-9a-f]*$//'
}

# Replays each trace with UNKNOWN fields as 0 and as 1, because no result may depend on them.
for file in test/data/traces/*.trace ../shared/traces/*.trace.gz; do
    [ -f "$file" ] || continue
    case $file in
    */a32.trace.gz)
        gzip -dc "$file" | sed -f test/model/replay/errata.sed >"$dir/a32.trace"
        file=$dir/a32.trace
        ;;
    esac
    for fill in 0 0xffffffffffffffff; do
        line=$("$replay" -u $fill "$file" 2>"$dir/err" | tail -n 1)
        [ ! -s "$dir/err" ]
        silent=$?
        case $line in
        *": 0 traces,"*) expect 1 "trace $line, UNKNOWN is $fill" "nothing was replayed" ;;
        *", 0 mismatches") expect $silent "trace $line, UNKNOWN is $fill" "$(cat "$dir/err")" ;;
        *) expect 1 "trace $file, UNKNOWN is $fill" "$line $(cat "$dir/err")" ;;
        esac
    done
done
[ -d ../shared/traces ] || skip traces "the whole files are not beside this checkout; the subset ran"

# Results are the same with and without gzip compression.
for file in test/data/traces/*.trace; do
    gzip -c "$file" >"$dir/${file##*/}"
    [ "$("$replay" "$dir/${file##*/}")" = "$("$replay" "$file")" ]
    expect $? "replay reads ${file##*/} gzip'ed" "$("$replay" "$dir/${file##*/}" 2>&1 | tail -n 1)"
    # Recording a trace with the model gives the same trace, except for the masks of bits that are known after a reset.
    plain "$file" >"$dir/plain"
    "$replay" -r "$file" >"$dir/recorded" && plain "$dir/recorded" | cmp -s - "$dir/plain" &&
        "$replay" "$dir/recorded" >"$dir/out"
    expect $? "replay records ${file##*/} as it is" "$(plain "$dir/recorded" | diff - "$dir/plain" | head -n 3)"
done

example=test/data/traces/example.trace

# One wrong answer of each kind gives one mismatch, shown in full.
wrong() { # NAME SED_COMMAND
    sed "$2" "$example" >"$dir/wrong.trace"
    "$replay" "$dir/wrong.trace" >"$dir/out"
    [ $? -eq 1 ] && grep -q '^wrong.trace: .* 1 mismatches' "$dir/out" &&
        grep -q '^wrong.trace:[0-9]*: trace example: ' "$dir/out" && grep -q '^    the model gives ' "$dir/out"
    expect $? "replay finds a wrong $1" "$(cat "$dir/out")"
}
wrong value 's/-> ok 0x100000000/-> ok 0x0/'
wrong outcome 's/-> trap 2 0x18/-> undef/'
wrong "Exception level" 's/-> trap 2 0x18/-> trap 1 0x18/'
wrong "exception class" 's/-> trap 2 0x18/-> trap 2 0x19/'
wrong counts 's/^counts 0 -> 1/counts 0 -> 0/'
wrong irq 's/^irq -> 1/irq -> 0/'

sed 's/^irq -> 1$/&&/; s/irq -> 1irq -> 1/irq -> 0/; /^irq/{p;p;p;p;p;p;p;p;p;p;p;}' "$example" >"$dir/many.trace"
"$replay" "$dir/many.trace" >"$dir/out"
[ "$(grep -c '^many.trace:[0-9]*: trace' "$dir/out")" -eq 10 ] && grep -q ', 12 mismatches$' "$dir/out"
expect $? "replay shows the first ten mismatches" "$(tail -n 1 "$dir/out")"

unreadable() { # NAME FILE
    "$replay" "$2" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" -eq 1 ]
    expect $? "replay refuses $1" "$(cat "$dir/out" "$dir/err")"
}
broken() { # NAME SED_COMMAND
    sed "$2" "$example" >"$dir/broken.trace" || expect 1 "replay refuses $1" "sed cannot break it"
    cmp -s "$example" "$dir/broken.trace" && expect 1 "replay refuses $1" "the test broke nothing"
    unreadable "$1" "$dir/broken.trace"
}
unreadable "no file at all" -r
unreadable "an option that it does not know" -z
unreadable "a file that is not there" "$dir/none.trace"
: >"$dir/empty.trace"
unreadable "an empty file" "$dir/empty.trace"
gzip -c "$example" | head -c 200 >"$dir/cut.trace.gz"
unreadable "a gzip'ed file that is cut" "$dir/cut.trace.gz"
broken "another format" '1s/1/2/'
broken "an action that it does not know" 's/^counts/count/'
broken "a register that it does not know" 's/PMOVSSET_EL0/PMOVSET_EL0/'
broken "a counter that does not exist" 's/PMEVCNTR0_EL0/PMEVCNTR31_EL0/'
broken "a view that it does not know" 's/a64/a65/'
broken "a key of pe that it does not know" 's/mdcr_el2/mdcr/'
broken "a key of config that it does not know" 's/pmmir/pmmid/'
broken "an outcome that it does not know" 's/-> trap/-> trapped/'
broken "a number that is none" 's/^cycles 2/cycles two/'
broken "an event without a count" 's/0x8\*1/0x8/'
broken "a result that is missing" 's/^irq.*/irq/'
broken "a reset that it does not know" 's/^irq.*/reset hot/'
broken "an action of another kind of unit" 's/^irq/fiq/'
broken "an action before config" '/^config/d'
broken "a second config" '/^config/p'
broken "a trace without end" '$d'
broken "an action outside a trace" '/^trace/d'
summary
