#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The random bench on the toy PMU, built and run by the commands of doc/verification.md: without a bug it finds nothing,
# and each planted bug is found.  Half are found within a thousand actions, and the last one takes some seconds.  The
# bugs from 301 on are those of test/bind/toy/set_*.txt, which other hands planted.
set -u
. test/lib/tap.sh
need verilator g++
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
most=3000000 # actions: less than a minute of simulation

# The commands of the page, in the folder of this build.
awk '/^```sh verilator$/ { on = 1; next } /^```/ { on = 0 } on' doc/verification.md |
    sed "s,build/sim,$work/sim,g; s,\$PWD/build,$(cd "$B" && pwd),g; s,^make bind\$,:," >"$work/commands"
sh -e "$work/commands" >"$work/log" 2>&1
status=$?
grep -q '^PASS: 20000 actions' "$work/log" && grep -q '^FAIL' "$work/log" && [ "$status" -ne 0 ]
expect $? "the commands of doc/verification.md" "status $status: $(tail -n 3 "$work/log" | tr '\n' ' ')"
sim=$work/sim/Vtoy_top
[ -x "$sim" ] || { summary; }

# What the page shows of the run with a bug is printed.
awk '/^```sh verilator$/ { bench = 1 } bench && /^```text$/ { on = 1; next } /^```/ { if (on) exit } on' \
    doc/verification.md >"$work/shown"
missing=$(grep -vxFf "$work/log" "$work/shown")
[ -s "$work/shown" ] && [ -z "$missing" ]
expect $? "doc/verification.md shows what the bench prints" "$missing"

for seed in 1 2 3; do
    "$sim" +actions=200000 +seed=$seed >"$work/out"
    grep -q '^PASS' "$work/out"
    expect $? "no bug, seed $seed: nothing is found" "$(head -n 3 "$work/out" | tr '\n' ' ')"
done
rows=$(sed -n 's/^PASS: .*, \([0-9]*\) of \([0-9]*\) rows.*/\1 \2/p' "$work/out")
[ "${rows% *}" = "${rows#* }" ]
expect $? "every row of coverage is reached" "$rows"
"$sim" +actions=200000 +blind >"$work/out"
grep -q '^PASS' "$work/out"
expect $? "no bug, the state hidden: nothing is found" "$(head -n 3 "$work/out" | tr '\n' ' ')"

# refuses WHAT MESSAGE COMMAND...: the run fails, and says MESSAGE.
refuses() {
    what=$1 message=$2
    shift 2
    "$@" >"$work/out" 2>&1
    [ $? -ne 0 ] && grep -qF "$message" "$work/out" && ! grep -q '^PASS' "$work/out"
    expect $? "$what" "$(head -n 3 "$work/out" | tr '\n' ' ')"
}
"$sim" +actions=100 +seed=0x10 >"$work/out"
[ $? -eq 0 ] && grep -q '^PASS: 100 actions, .*, seed 16, features=PMUv3p7,' "$work/out"
expect $? "PASS ends with status 0 and repeats seed and CONFIG" "$(tail -n 2 "$work/out" | tr '\n' ' ')"
refuses "FAIL ends with a status other than 0" "FAIL: the design and the model differ" "$sim" +bug=186 +seed=2
refuses "a number of actions that is none" "FAIL: +actions is no number from 1 on" "$sim" +actions=abc
refuses "no actions" "FAIL: +actions is no number from 1 on" "$sim" +actions=0
refuses "a seed that is none" "FAIL: +seed is no number" "$sim" +seed=1x

# Coverage: every row with its rule, and the sum of several runs.
"$sim" +actions=300 +coverage=all >"$work/out"
reached=$(grep -c '^reached [1-9][0-9]* times: .* (.*)$' "$work/out")
missed=$(grep -c '^not reached: .* (.*)$' "$work/out")
[ "$missed" -gt 10 ] && grep -q ", $reached of $((reached + missed)) rows of coverage," "$work/out"
expect $? "+coverage=all prints each row" "$reached reached, $missed not: $(tail -n 1 "$work/out")"
for seed in 1 2 3; do
    "$sim" +actions=300 +seed=$seed +coverage "+merge=$work/coverage" >"$work/out.$seed"
done
less=$(sed -n 's/^PASS: .*, \([0-9]*\) of .*/\1/p' "$work/out.1" "$work/out.2" "$work/out.3" | tr '\n' ' ')
echo "$less" | awk '{ exit !($1 < $2 && $2 < $3) }' && grep -q '^# runs 3$' "$work/coverage" &&
    [ "$(grep -c '^not reached' "$work/out.3")" -eq "$(grep -c '^0	' "$work/coverage")" ]
expect $? "+merge adds the runs of several seeds" "rows reached: $less"
echo nothing >"$work/coverage"
refuses "+merge of a file that is none" "coverage: line 1 is no row of this configuration" "$sim" +actions=100 \
    "+merge=$work/coverage"

# plant WHAT BUG...: runs the bench on each bug.
plant() {
    what=$1 alive='' killed=0
    shift
    for bug; do
        if "$sim" "+bug=$bug" "+actions=$most" 2>"$work/log" | grep -q '^FAIL'; then
            killed=$((killed + 1))
        else
            alive="$alive $bug"
        fi
    done
    [ -z "$alive" ] && [ "$killed" -ge 20 ]
    expect $? "$what: each planted bug is found" "$killed of $#, not$alive"
    echo "note toy PMU, $what: $killed of $# planted bugs found"
}

planted=$(grep -ohE 'bug [!=]= [0-9]+' test/bind/toy/*.sv | grep -oE '[0-9]+' | sort -nu)
sets=$(awk '/^[0-9]/ { print $1 }' test/bind/toy/set_*.txt | sort -n)
[ "$(echo "$planted" | awk '$1 > 300')" = "$sets" ]
expect $? "the lists of bugs are those of the design" "$(echo "$sets" | wc -l) bugs are in lists"
# shellcheck disable=SC2046
plant "the bench's own" $(echo "$planted" | awk '$1 <= 300')
for set in test/bind/toy/set_*.txt; do
    # shellcheck disable=SC2046
    plant "$(basename "$set" .txt)" $(awk '/^[0-9]/ { print $1 }' "$set")
done

if command -v iverilog >/dev/null 2>&1 && [ -f "$B/armpmu.vpi" ]; then
    iverilog -g2012 -Ibind/sv -s toy_top -o "$work/toy.vvp" "$B/armpmu.vpi" bind/vpi/apmu_pkg.sv bind/sv/apmu_bench.sv \
        test/bind/toy/*.sv >"$work/log" 2>&1 && vvp -n "$work/toy.vvp" +actions=5000 >"$work/out"
    grep -q '^PASS' "$work/out"
    expect $? "Icarus: no bug, nothing is found" "$(head -n 3 "$work/log" "$work/out" | tr '\n' ' ')"
    refuses "Icarus: a planted bug is found, and the status says so" "FAIL: the design and the model differ" \
        vvp -n "$work/toy.vvp" +actions=50000 +bug=22
    refuses "Icarus: a seed that is none" "FAIL: +seed is no number" vvp -n "$work/toy.vvp" +seed=x
else
    skip "Icarus" "no iverilog, or armpmu.vpi was built without it"
fi
summary
