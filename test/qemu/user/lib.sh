# SPDX-License-Identifier: BSD-2-Clause
# Functions that the scripts of this folder share.  A script sources it with the root of the tree as its working
# directory.  B (build), QEMU (an emulator) and the prefixes CROSS and CROSS32 of cross tools may be set.
: "${B:=build}" "${CROSS:=aarch64-linux-gnu-}" "${CROSS32:=arm-linux-gnueabihf-}"
. test/lib/tap.sh
. tools/emulator.sh
QEMU=${QEMU:-$(aarch64_emulator || echo qemu-aarch64)}
ARMPMU_LIBDIR=$(cd "$B" && pwd)
export ARMPMU_LIBDIR
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# Skips the whole test if a command is missing.
need_package() { # COMMAND PACKAGE
    command -v "$1" >/dev/null || skip_all "$1 is not here: apt-get install $2"
}

# Runs a program and counts its events; totals go to $tmp/ours, the program's output to $tmp/stdout.  Here and in
# theirs() no signal is ignored: gzip handles SIGHUP unless it is ignored, as it is after nohup but not after timeout.
ours() {
    env --default-signal "$B/test/run_program" -o "$tmp/ours" "$@" >"$tmp/stdout" 2>"$tmp/stderr"
}

# Has binutils name the words that begin the lines of $tmp/sorted, and appends each name to its line, in $tmp/named.
name_words() {
    awk '{ printf ".inst 0x%s\n", $1 }' "$tmp/sorted" >"$tmp/words.s"
    "${CROSS}as" "$tmp/words.s" -o "$tmp/words.o" &&
        "${CROSS}objdump" -d --no-show-raw-insn -m aarch64 "$tmp/words.o" |
        sed -n 's/^ *[0-9a-f]*:[ \t]*//p' | tr '\t' ' ' >"$tmp/text"
    paste -d ' ' "$tmp/sorted" "$tmp/text" >"$tmp/named"
}

# Runs a program with the counting plugin, for $theirs_seconds at most, and has binutils and classify.awk make totals
# of its counts, in $tmp/theirs.  The command $theirs_filter, if it is set, may change $tmp/words in between.
theirs_seconds=300
theirs() { # [-L ROOT] PROGRAM...
    rm -f "$tmp/words"
    timeout -k 5 "$theirs_seconds" env --default-signal "$QEMU" -plugin "$B/test/count_plugin.so,out=$tmp/words" "$@" \
        >"$tmp/stdout.theirs" 2>"$tmp/stderr.theirs"
    case $? in
    124 | 137) not_ok "count_plugin: $*" "not done in $theirs_seconds s"; : >"$tmp/words" ;;
    esac
    ${theirs_filter:-:}
    awk '{ words[$1]; for (i = 2; i <= NF; i++) sum[$1, i] += $i }
         END { for (w in words) { printf "%s", w; for (i = 2; i <= NF; i++) printf " %d", sum[w, i]; print "" } }' \
        "$tmp/words" | sort >"$tmp/sorted"
    name_words
    awk -f test/qemu/user/classify.awk "$tmp/named" >"$tmp/theirs"
}

# Prints the events whose total in $tmp/ours differs from that in $tmp/theirs.
differences() {
    awk 'NR == FNR { theirs[$1] = $2; next }
         $1 ~ /^[A-Z]/ && $2 != theirs[$1] + 0 { printf "%s %s, not %d; ", $1, $2, theirs[$1] }' \
        "$tmp/theirs" "$tmp/ours"
}

# Counts PROGRAM, and checks the totals that the header of its source FILE expects.
by_inspection() { # FILE PROGRAM
    checked=$(grep -c '^ \* expect ' "$1")
    for mode in '' --outcomes; do
        # shellcheck disable=SC2086 # no mode is no argument
        ours $mode -- "$2"
        wrong=$(sed -n 's/^ \* expect //p' "$1" | awk -v mode="$mode" '
            NR == FNR { got[$1] = $2; next }
            (mode != "" || $1 in got) && got[$1] != $2 { printf "%s %s, not %s; ", $1, got[$1], $2 }' "$tmp/ours" -)
        if [ "$checked" -eq 0 ] || [ ! -s "$tmp/ours" ]; then
            not_ok "${2##*/} $mode" "nothing was counted"
        elif [ -n "$wrong" ]; then
            not_ok "${2##*/} $mode" "$wrong"
        else
            ok "${2##*/} $mode"
        fi
    done
}
