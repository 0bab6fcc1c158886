#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The dumper for OpenOCD, live: OpenOCD reaches the chip of test/hardware/openocd, whose PMU is the model, over JTAG.
# What it prints is the state of the model.  The forms for AArch32 run in OpenOCD with commands that stand for a target.
set -u
. test/lib/tap.sh
. test/cli/dumper/dumper.sh
openocd -c 'adapter list' -c shutdown 2>&1 | grep -q remote_bitbang || skip_all "no openocd that has remote_bitbang"
chip=
trap '[ -z "$chip" ] || kill "$chip" 2>/dev/null; rm -rf "$dir"' EXIT

# soon COMMAND...: waits until it succeeds, ten seconds at most.
soon() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || return 1
        sleep 0.1
    done
}

dumper "$dir/armpmu.tcl" openocd
cat >"$dir/board.cfg" <<BOARD
adapter driver remote_bitbang; remote_bitbang port 0; remote_bitbang host $dir/jtag
transport select jtag
gdb_port disabled; tcl_port disabled; telnet_port disabled
jtag newtap chip cpu -irlen 4 -expected-id 0x4ba00477; dap create chip.dap -chain-position chip.cpu
cti create chip.cti -dap chip.dap -ap-num 0 -baseaddr 0x80420000
target create chip.0 aarch64 -dap chip.dap -ap-num 0 -dbgbase 0x80410000 -cti chip.cti
target create chip.mem mem_ap -dap chip.dap -ap-num 0
BOARD
timeout 60 "$B/test/dap" "$dir/jtag" "$dir/frame" >"$dir/chip" 2>&1 &
chip=$!
soon grep -q listening "$dir/chip"
timeout 60 openocd -f "$dir/board.cfg" -f "$dir/armpmu.tcl" -c init -c armpmu_begin \
    -c 'armpmu_cpu 0 chip.0 chip.mem 0x80410000' -c armpmu_end -c shutdown >"$dir/dump" 2>"$dir/log"
expect $? "OpenOCD runs the script" "$(grep -v '^Info' "$dir/log" | tail -n 3 | tr '\n' ';')"
wait "$chip"
grep -q 'halted 2 times, restarted 2 times, running at EL1' "$dir/chip"
expect $? "the PE runs on as before" "$(tail -n 1 "$dir/chip")"
check_read "OpenOCD" "$dir/dump"
values "$dir/frame.bus" --base 0x80430000 >"$dir/model"
check_model "OpenOCD" "$dir/dump" 'MIDR_EL1|PMCR_EL0' 17
[ "$(grep -c '^PMCR_EL0 = 0x0000000041023041$' "$dir/dump")" -eq 2 ] # the frame does not show N
expect $? "OpenOCD: PMCR_EL0, twice" "$(grep '^PMCR_EL0' "$dir/dump" | tr '\n' ';')"
! grep '^#' "$dir/dump" >"$dir/err"
expect $? "OpenOCD: no read is refused" "$(head -n 1 "$dir/err")"

# A target for the commands arm mrc and arm mcr: its registers are in a list; others end the script.
cat >"$dir/target.tcl" <<'TARGET'
proc targets {args} {}
proc halt {args} {}
proc resume {args} {}
proc sleep {args} {}
proc core {args} { return running }
proc reg {args} { return "cpsr (/32): 0x600001d3" }
proc arm {what args} {
    global registers
    if {$what eq "mcr"} {
        set registers([lrange $args 0 4]) [lindex $args 5]
        return
    }
    set sel $registers(15\ 0\ 9\ 12\ 5)
    foreach key [list $args "$args $sel"] {
        if {[info exists registers($key)]} { return $registers($key) }
    }
    error "UNDEFINED: $args"
}
TARGET

# mock FORM REGISTERS: runs a form on a target with the registers.
mock() {
    dumper "$dir/mock.tcl" "$1"
    { cat "$dir/target.tcl"; echo "array set registers {$2}"; cat "$dir/mock.tcl"; } >"$dir/both.tcl"
    openocd -f "$dir/both.tcl" -c 'armpmu_begin; armpmu_cpu 0 core; armpmu_end; shutdown' >"$dir/dump" 2>"$dir/log"
    [ "$(tail -n 1 "$dir/dump")" = end ]
    expect $? "$1: no other register is read" "$(grep UNDEF "$dir/log")"
    check_read "$1" "$dir/dump"
}
ids='{15 0 0 1 0} 0x1131 {15 0 0 3 5} 0'
mock openocd-armv7 "$ids {15 0 0 0 0} 0x410fc075 {15 0 0 1 1} 0x11011 {15 0 0 1 2} 0x02010555
    {15 0 9 12 0} 0x41072001 {15 0 9 12 1} 0x80000003 {15 0 9 12 5} 2 {15 0 9 13 0} 0x1234 {15 0 9 14 0} 1
    {15 0 9 14 1} 0 {15 0 9 14 3} 2
    {15 0 9 13 1 0} 8 {15 0 9 13 1 1} 9 {15 0 9 13 1 2} 10 {15 0 9 13 1 3} 11 {15 0 9 13 1 31} 0x40000000
    {15 0 9 13 2 0} 0x100 {15 0 9 13 2 1} 0x101 {15 0 9 13 2 2} 0x102 {15 0 9 13 2 3} 0x103"
for line in 'PMEVTYPER3 = 0x0000000b' 'PMEVCNTR0 = 0x00000100' 'PMCCFILTR = 0x40000000' 'PMOVSSET = 0x00000002' \
    'PMSELR = 0x00000002'; do
    [ "$(grep -c "^$line\$" "$dir/dump")" -eq 2 ]
    expect $? "openocd-armv7: $line, twice" "$(grep "^${line%% *} " "$dir/dump" | tr '\n' ';')"
done
mock openocd-arm11 "{15 0 9 12 5} 0 {15 0 0 0 0} 0x410fb767 {15 0 15 12 0} 0x705020 {15 0 15 12 1} 5
    {15 0 15 12 2} 6 {15 0 15 12 3} 7"
[ "$(grep -c '^PMNC = 0x00705020$' "$dir/dump")" -eq 2 ]
expect $? "openocd-arm11: PMNC, twice" "$(cat "$dir/dump")"
summary
