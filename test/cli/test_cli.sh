#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Golden tests of the tool.  A case is the script cases/NAME.sh with its expected results: NAME.stdout.exact,
# NAME.stderr.glob (a shell pattern for each line) and NAME.exit.  A file that is absent means that nothing is printed,
# or status 0.  A case runs in an empty directory with the tool and the programs in PATH.  `test_cli.sh NAME...` runs
# only these cases; with --set-exact-output it writes their results to NAME.stdout.exact and NAME.exit.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
: "${B:=build}" "${CROSS:=aarch64-linux-gnu-}"
top=$PWD
case $B in /*) ;; *) B=$top/$B ;; esac
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/empty"
export LC_ALL=C PATH="$B:$work/bin:$PATH" B top work
export ARMPMU_ENGINE=qemu-user # on an Arm machine too; test/hardware/linux tests perf
unset ARMPMU_QEMU ARMPMU_QEMU_ARM ARMPMU_LIBDIR QEMU_LD_PREFIX
ulimit -c 0

# The programs, and files that are not: the heads of an x86-64 and a 32-bit Arm ELF file, a script, a text.
have_programs=yes
for source in test/cli/programs/*.S; do
    name=${source##*/}
    "${CROSS}gcc" -nostdlib -static -o "$work/bin/${name%.S}" "$source" 2>/dev/null || have_programs=no
done
zeros() { dd if=/dev/zero bs="$1" count=1 2>/dev/null; }
{ printf '\177ELF\002\001\001'; zeros 9; printf '\002\000\076\000\001\000\000\000'; zeros 44; } >"$work/bin/x86"
{ printf '\177ELF\001\001\001'; zeros 9; printf '\002\000\050\000\001\000\000\000'; zeros 32; } >"$work/bin/arm32"
printf '#!/bin/sh\necho script\n' >"$work/bin/script"
printf 'text\n' >"$work/bin/text"
chmod +x "$work/bin/x86" "$work/bin/arm32" "$work/bin/script" "$work/bin/text"

# Succeeds if each line of FILE matches the pattern in the same line of PATTERNS.  There a character that is special in
# a pattern, such as [, is written as ?.
matches() { # FILE PATTERNS
    while IFS= read -r pattern <&4; do
        IFS= read -r line <&3 || return 1
        # shellcheck disable=SC2254 # it is a pattern
        case $line in $pattern) ;; *) return 1 ;; esac
    done 3<"$1" 4<"$2"
    [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ]
}

set_output=no
[ "${1-}" = --set-exact-output ] && set_output=yes && shift
found=0
for case in test/cli/cases/*.sh; do
    name=${case##*/} name=${name%.sh}
    expected=${case%.sh}
    if [ $# -ne 0 ]; then
        case " $* " in *" $name "*) ;; *) continue ;; esac
    fi
    found=$((found + 1))
    if [ $have_programs = no ] && grep -q '^# needs: programs' "$case"; then
        skip "cli $name" "no ${CROSS}gcc"
        continue
    fi
    rm -rf "$work/dir" && mkdir "$work/dir"
    (cd "$work/dir" && timeout 60 sh "$top/$case" >"$work/out" 2>"$work/err" </dev/null)
    status=$?
    if [ $status -eq 77 ]; then
        skip "cli $name" "$(tail -n 1 "$work/err")"
        continue
    fi
    if [ $set_output = yes ]; then
        if [ -s "$work/out" ]; then cp "$work/out" "$expected.stdout.exact"; fi
        if [ $status -ne 0 ]; then echo $status >"$expected.exit"; fi
    fi
    for file in stdout.exact stderr.glob; do
        if [ -f "$expected.$file" ]; then cp "$expected.$file" "$work/$file"; else : >"$work/$file"; fi
    done
    want=0
    [ -f "$expected.exit" ] && read -r want <"$expected.exit"
    why=
    [ "$status" -eq "$want" ] || why="exit status $status, not $want;"
    cmp -s "$work/out" "$work/stdout.exact" || why="$why stdout differs;"
    matches "$work/err" "$work/stderr.glob" || why="$why stderr differs;"
    if [ -z "$why" ]; then
        ok "cli $name"
    else
        not_ok "cli $name" "$why"
        sed 's/^/    stdout: /' "$work/out"
        sed 's/^/    stderr: /' "$work/err"
    fi
done
if [ $# -ne 0 ] && [ $found -ne $# ]; then
    not_ok cli "$found of $# cases found: $*"
fi
strays=
for file in test/cli/cases/*; do
    name=${file##*/}
    [ -f "test/cli/cases/${name%%.*}.sh" ] || strays="$strays $name"
done
if [ -z "$strays" ]; then ok 'cli every file belongs to a case'; else
    not_ok 'cli every file belongs to a case' "no case has these:$strays"; fi
summary
