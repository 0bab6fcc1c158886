#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands of doc/run.md that run the emulator work, with an image of the test's own in place of the reader's.  The
# run in README.md prints what stands below it.
set -u
. test/lib/tap.sh
: "${B:=build}"
case $B in /*) ;; *) B=$PWD/$B ;; esac
image=$B/target/a64/qemu-identity.elf
[ -x "$B/qemu/armpmu-qemu-system-aarch64" ] || skip_all "no $B/qemu/armpmu-qemu-system-aarch64: make qemu"
[ -f "$image" ] || skip_all "no $image: make run-qemu"
unset ARMPMU_QEMU_SYSTEM
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

ln -s "$B" "$tmp/build"
cp "$image" "$tmp/firmware.elf"
cp "$image" "$tmp/IMAGE"
# Lines that begin with four blanks and build/, with their continuations.
awk '/^    build\// { on = 1 } on { print } on && !/\\$/ { on = 0 }' doc/run.md |
    sed -e ':join' -e '/\\$/{N' -e 's/\\\n *//' -e 'b join' -e '}' -e 's/^ *//' >"$tmp/commands"

# Runs the command until its image has printed, or it has ended; then Ctrl-A x ends an emulator on the console.
run() { # COMMAND
    mkfifo "$tmp/in"
    (cd "$tmp" && exec timeout -k 5 100 sh -c "exec $1") <"$tmp/in" >"$tmp/out" 2>&1 &
    pid=$!
    exec 3>"$tmp/in"
    seconds=0
    while kill -0 $pid 2>/dev/null && [ $seconds -lt 90 ] && ! grep -q '^ok L1I_CACHE does not occur' "$tmp/out"; do
        sleep 1
        seconds=$((seconds + 1))
    done
    (printf '\001x' >&3) 2>/dev/null # the emulator may have ended
    exec 3>&-
    wait $pid
    status=$?
    rm "$tmp/in"
}

while read -r command; do
    run "$command" <&-
    grep -q '^ok L1I_CACHE does not occur' "$tmp/out" && [ $status -eq 0 ]
    expect $? "$command" "status $status, $(head -n 3 "$tmp/out" | tr '\n' ';')"
done <"$tmp/commands"
[ "$(grep -c . "$tmp/commands")" -ge 2 ]
expect $? "doc/run.md has commands that run the emulator" "$(cat "$tmp/commands")"
[ -s "$tmp/pmu.vcd" ]
expect $? "doc/run.md's wave" "no pmu.vcd"

# The "```console run" block of README.md: what is printed begins with the lines of the block.  How many instructions
# the image executes beside those that it measures depends on the compiler and on the driver, so the numbers of the
# report, from the line "CPU 0" on, are not compared.
report() { sed '/^CPU 0:/,$ { s/[0-9][0-9]*/N/g; s/  */ /g; }' "$1"; }
awk '/^```console run$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$tmp/block"
command=$(sed -n '1s/^\$ //p' "$tmp/block")
sed 1d "$tmp/block" >"$tmp/want"
(cd "$tmp" && PATH=$B:$PATH && timeout -k 5 100 $command 2>&1 </dev/null) | grep -v ': warning: ' |
    head -n "$(wc -l <"$tmp/want")" >"$tmp/out"
report "$tmp/want" >"$tmp/want.report"
report "$tmp/out" >"$tmp/out.report"
grep -q '^CPU N:' "$tmp/want.report" && cmp -s "$tmp/want.report" "$tmp/out.report"
expect $? "$command" "$(diff "$tmp/want.report" "$tmp/out.report" | head -n 4 | tr '\n' ';')"
summary
