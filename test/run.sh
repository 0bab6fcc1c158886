#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# run.sh [WORD...]: runs every test, or those whose path has one of the WORDs, and counts.  `make check` calls it with
# B, the build folder, and CC, the compiler.
#
# A test prints "ok NAME", "not ok NAME: why", "skip NAME: why" and "note NAME: ..." lines; exit status 77 skips all of
# it.  Any other status but 0 without a "not ok" line is one more failure, and so is a test that prints no line of the
# first three.  The "# N calls that act, M that ask" lines of properties are added up.  If all tests run, the longest
# are listed.  The last line is "N passed, N failed", and ", N skipped" if any.
#
# Programs, and scripts with the line "# Runs beside other tests.", are run first, JOBS at a time (one for each CPU).
# The other scripts measure time, listen to ports, install packages or build in B; they are run one after the other.
set -u
: "${B:=build}" "${CC:=cc}" "${JOBS:=$(nproc 2>/dev/null || echo 1)}"
export B CC
cd "$(dirname "$0")/.." || exit 2

# Prints what matters of the test $1, which ended with status $2 and wrote $3, and appends its counts to $work/counts.
report() { # NAME STATUS LOG
    bad=$(grep -c "^not ok " "$3") failed=$bad skipped=$(grep -c "^skip " "$3")
    if [ "$2" -eq 77 ]; then
        skipped=$((skipped + 1))
        echo "skip $1: $(tail -n 1 "$3")"
    elif ! grep -qE '^(ok|not ok|skip) ' "$3" && [ "$2" -eq 0 ]; then
        failed=$((failed + 1))
        echo "not ok $1: it checked nothing"
    elif [ "$bad" -ne 0 ] || [ "$2" -ne 0 ]; then
        [ "$bad" -eq 0 ] && failed=$((failed + 1)) && echo "not ok $1: exit status $2"
        sed 's/^/    /' "$3"
    else
        grep -E '^(skip|note) ' "$3"
        echo "ok $1: $(grep -c '^ok ' "$3")"
    fi
    awk -v counts="$(grep -c '^ok ' "$3") $failed $skipped" '/^# [0-9]+ calls that act,/ { acting += $2; asking += $6 }
        END { print counts, acting + 0, asking + 0 }' "$3" >>"$work/counts"
}

# Runs the test at $1, a path; others may run at the same time.
run() { # PATH
    log=$(mktemp "$work/log.XXXXXX") || exit 2
    name=${1#"$B/"} name=${name#test/} began=$(date +%s)
    case $1 in
    *.sh) sh "$1" ;;
    *) "$1" ;;
    esac >"$log" 2>&1 </dev/null
    status=$?
    took=$(($(date +%s) - began))
    (flock 9 && report "$name" "$status" "$log" && echo "$took $name" >>"$work/times") 9>>"$work/lock"
    rm -f "$log"
}

if [ "${1:-}" = --one ]; then # a test of those that run beside others: WORK PATH
    work=$2
    run "$3"
    exit 0
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
: >"$work/counts" >"$work/times" >"$work/beside" >"$work/alone"

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
            echo "$program" >>"$work/beside"
    done
done
# The tests of test/qemu/system/ need an emulator of their own, so they run only if a WORD chooses them.
others=0
if [ -z "$only" ]; then
    others=1
    echo "skip qemu: \`make check-qemu\` runs these"
fi
for script in $(find test -name 'test_*.sh' | LC_ALL=C sort); do
    case ${only:+chosen}$script in test/qemu/system/*) continue ;; esac
    list=alone
    ! grep -q '^# Runs beside other tests\.$' "$script" || list=beside
    wanted "$script" && echo "$script" >>"$work/$list"
done
[ ! -s "$work/beside" ] || xargs -P "$JOBS" -n 1 sh test/run.sh --one "$work" <"$work/beside"
while read -r script; do
    run "$script"
done <"$work/alone"

lost=$(($(cat "$work/beside" "$work/alone" | wc -l) - $(wc -l <"$work/counts")))
[ "$lost" -eq 0 ] || echo "not ok run.sh: $lost tests were not run to their end"
echo "0 $lost $others 0 0" >>"$work/counts"
read -r passed failed skipped acting asking <<EOF
$(awk "{ for (i = 1; i <= 5; i++) n[i] += \$i } END { for (i = 1; i <= 5; i++) printf \"%d \", n[i] }" "$work/counts")
EOF
[ -n "$only" ] || sort -rn "$work/times" | awk 'NR <= 12 && $1 != 0 { print "# " $1 " s: " $2 }'
[ -z "${TOTALS:-}" ] || echo "$passed $failed $skipped" >>"$TOTALS"
[ "$acting" -eq 0 ] || echo "$acting random calls that act, $asking that ask"
[ "$skipped" -ne 0 ] && tail=", $skipped skipped" || tail=
echo "$passed passed, $failed failed$tail"
[ "$failed" -eq 0 ]
