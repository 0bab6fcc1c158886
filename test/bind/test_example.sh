#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The PMU of examples/rtl on the random bench in Icarus: nothing is found, and each fault planted in it is found with
# its cause.  Registers that no reset reaches are X, which is found at once.  The commands are those of
# doc/verification.md.
set -u
. test/lib/tap.sh
need iverilog
[ -f "$B/armpmu.vpi" ] || { skip "the example" "armpmu.vpi was built without Icarus"; summary; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cp examples/rtl/*.sv "$work"
grep -A 3 'iverilog.*-s top ' doc/verification.md | sed "s/^    //; s,examples/rtl/,$work/,g; s,build/,$B/,g" |
    sed "s,$B/example.vvp,$work/example.vvp,g" >"$work/commands"

# run OPTION...: runs the commands of the page, with OPTION in place of its own.
run() {
    sed "s/+actions=[0-9]*/$*/" "$work/commands" >"$work/now"
    sh -e "$work/now" >"$work/out" 2>&1
}

run +actions=20000
[ $? -eq 0 ] && grep -q '^PASS: 20000 actions, \([0-9]*\) of \1 rows' "$work/out"
expect $? "the example passes, and reaches each row" "$(tail -n 3 "$work/out" | tr '\n' ' ')"

# finds WHAT FILE EDIT SENTENCE: with the line changed, the bench ends with a status other than 0 and the sentence.
finds() {
    cp "$work/$2" "$work/kept"
    sed "$3" "$work/kept" >"$work/$2"
    run +actions=100000
    status=$?
    [ "$status" -ne 0 ] && ! cmp -s "$work/kept" "$work/$2" && grep -qF "$4" "$work/out"
    expect $? "$1" "status $status: $(tail -n 3 "$work/out" | tr '\n' ' ')"
    cp "$work/kept" "$work/$2"
}
finds "no reset of PMOVSSET_EL0" pmu.sv '/^      ovs = 0;/d' "  PMOVSSET_EL0 has X"
finds "no reset of PMSELR_EL0" pmu.sv '/^      selr = 0;/d' "  PMSELR_EL0 has X"
finds "an outcome of X" top.sv "s/outcome = APMU_UNDEFINED;/outcome = 3'bx;/" "  outcome has X"
finds "PMUIRQ without PMCR_EL0.E" pmu.sv 's/irq = pmcr\[0\] &&/irq =/' "PMUIRQ is 1 and must be 0: PMCR_EL0.E is 0"
finds "a filter that CHAIN ignores" pmu.sv "s/!filtered(types\[n\*32+:32\], user)/(& || types[n*32+:10] == 10'h1e)/" \
    "stops it at EL"
finds "counting in Debug state" pmu.sv 's/ \&\& !debug//' "Debug state stops it"
finds "a divider by 32" pmu.sv 's/phase == 0/phase[4:0] == 0/' "no phase of its divider explains this"
finds "a divider that never ticks" pmu.sv 's/phase == 0)/phase == 64)/' \
    "no phase of its divider explains this"
finds "RAZ/WI where UNDEFINED is pinned" top.sv 's/5.d12 + selr : 5.d31/5'"'"'d12 + selr : 5'"'"'d30/' \
    "and must be UNDEFINED (beyond=undefined); the model leaves it open (CONSTRAINED UNPREDICTABLE: n >= PMCR_EL0.N)"
finds "a wrong CONFIG" top.sv 's/features=/feature=/' \
    "FAIL: configuration: feature: there is no such setting; did you mean"
finds "the model's phase" top.sv 's/divider=any/divider=model/' "the architecture leaves its phase open (divider=any)"
summary
