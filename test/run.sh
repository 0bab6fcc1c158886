#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh [WORD...]: runs every test, or those whose path has one of the WORDs, and counts.  `make check` calls it with
# B, the build folder, and CC, the compiler.
#
# A test prints "ok NAME", "not ok NAME: why", "skip NAME: why" and "note NAME: ..." lines; exit status 77 skips all of
# it.  Any other status but 0 without a "not ok" line is one more failure, and so is a test that prints no line of the
# first three.  The "# N calls that act, M that ask" lines of properties are added up.  The last line is "N passed, N
# failed", and ", N skipped" if any.
set -u
: "${B:=build}" "${CC:=cc}"
export B CC
cd "$(dirname "$0")/.." || exit 2
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0 acting=0 asking=0

# Runs one test, counts its lines, and prints those that matter.
run() { # NAME COMMAND...
    name=$1
    shift
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    bad=$(grep -c '^not ok ' "$log")
    passed=$((passed + $(grep -c '^ok ' "$log")))
    skipped=$((skipped + $(grep -c '^skip ' "$log")))
    failed=$((failed + bad))
    acting=$((acting + $(awk '/^# [0-9]+ calls that act,/ { n += $2 } END { print n + 0 }' "$log")))
    asking=$((asking + $(awk '/^# [0-9]+ calls that act,/ { n += $6 } END { print n + 0 }' "$log")))
    if [ "$status" -eq 77 ]; then
        skipped=$((skipped + 1))
        echo "skip $name: $(tail -n 1 "$log")"
    elif ! grep -qE '^(ok|not ok|skip) ' "$log" && [ "$status" -eq 0 ]; then
        failed=$((failed + 1))
        echo "not ok $name: it checked nothing"
    elif [ "$bad" -ne 0 ] || [ "$status" -ne 0 ]; then
        [ "$bad" -eq 0 ] && failed=$((failed + 1)) && echo "not ok $name: exit status $status"
        sed 's/^/    /' "$log"
    else
        grep -E '^(skip|note) ' "$log"
        echo "ok $name: $(grep -c '^ok ' "$log")"
    fi
}

# Succeeds if the test with this path was chosen.
wanted() { # PATH
    [ -z "$only" ] && return 0
    for word in $only; do
        case $1 in *"$word"*) return 0 ;; esac
    done
    return 1
}
only=$*

for dir in model/table model/unit model/prop explain driver core bind cli/state cli/doctor cli/profile fuzz; do
    for program in "$B/test/$dir"/*; do
        [ -x "$program" ] && [ -f "$program" ] && wanted "test/$dir/${program##*/}" &&
            run "$dir/${program##*/}" "$program"
    done
done
# The tests of test/qemu/system/ need an emulator of their own, so they run only if a WORD chooses them.
if [ -z "$only" ]; then
    skipped=$((skipped + 1))
    echo "skip qemu: \`make check-qemu\` runs these"
fi
for script in $(find test -name 'test_*.sh' | LC_ALL=C sort); do
    case ${only:+chosen}$script in test/qemu/system/*) continue ;; esac
    wanted "$script" && run "${script#test/}" sh "$script"
done

[ -z "${TOTALS:-}" ] || echo "$passed $failed $skipped" >>"$TOTALS"
[ "$acting" -eq 0 ] || echo "$acting random calls that act, $asking that ask"
[ "$skipped" -ne 0 ] && tail=", $skipped skipped" || tail=
echo "$passed passed, $failed failed$tail"
[ "$failed" -eq 0 ]
