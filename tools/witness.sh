#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# witness.sh: compares the encodings of tables/registers.def with those of every AArch64 assembler on this machine.  A
# name that an assembler does not know yet is no mismatch, but at most UNKNOWN names may be unknown to all of them.
# Prints "ok" and "not ok" lines.  Exit status 1: a mismatch; 77: there is no assembler here.
set -u
: "${B:=build}" "${CC:=cc}"
UNKNOWN=46 # as many as neither binutils 2.40 nor LLVM 14 knows
cd "$(dirname "$0")/.." || exit 2
dir=$B/tools
mkdir -p "$dir" || exit 2
$CC -std=c11 -Iinclude tools/registers.c lib/names/regs.c -o "$dir/registers" || exit 2
"$dir/registers" >"$dir/table" || exit 2
sed 's/^[^ ]* //' "$dir/table" >"$dir/table.s"

# Each witness prints "LINE WORD" for the lines of table.s that it can assemble, the bytes of WORD in memory order.
gnu() {
    "$1" -march=armv9.3-a+profile -aln="$dir/gnu.lst" "$dir/table.s" -o "$dir/gnu.o" 2>"$dir/gnu.err"
    awk '$2 ~ /^([0-9a-f]+|\?+)$/ && length($3) == 8 { print $1, $3 }' "$dir/gnu.lst"
}

# llvm-mc prints the encodings without line numbers, in order, and names the lines that it cannot assemble.
llvm() {
    "$1" -triple=aarch64 -mattr=+v8.8a,+v9.3a,+spe,+all -show-encoding "$dir/table.s" >"$dir/llvm.out" 2>"$dir/llvm.err"
    awk -v table="$dir/table.s" -v errors="$dir/llvm.err" '
        BEGIN {
            while ((getline line < errors) > 0)
                if (match(line, /:[0-9]+:[0-9]+: error:/)) { split(substr(line, RSTART + 1), at, ":"); bad[at[1]] = 1 }
            while ((getline line < table) > 0) { n++; if (!(n in bad)) good[++count] = n }
        }
        match($0, /encoding: \[.*\]/) {
            word = substr($0, RSTART + 11, RLENGTH - 12)
            gsub(/0x|,/, "", word)
            print good[++seen], word
        }
        END { if (seen != count) print "0 lost" }' "$dir/llvm.out"
}

# Compares $dir/words with the table, and writes the numbers of the lines that agree to $dir/known.
compare() { # NAME
    awk -v name="$1" -v known="$dir/known" '
        NR == FNR { want[FNR] = $1; text[FNR] = $2 " " $3 " " $4; rows = FNR; next }
        {
            word = toupper(substr($2, 7, 2) substr($2, 5, 2) substr($2, 3, 2) substr($2, 1, 2))
            if (word == want[$1]) { same++; print $1 >known }
            else { wrong++; first = first == "" ? text[$1] ": table " want[$1] ", assembler " word : first }
        }
        END {
            if (wrong > 0) printf "not ok %s: %d encodings differ, the first: %s\n", name, wrong, first
            else if (same == 0) printf "not ok %s: it assembled nothing\n", name
            else printf "ok %s: %d encodings agree, it does not know %d\n", name, same, rows - same
            exit wrong > 0 || same == 0
        }' "$dir/table" "$dir/words"
}

status=0 witnesses=0
: >"$dir/all"
for tool in aarch64-linux-gnu-as aarch64-none-elf-as llvm-mc llvm-mc-14 llvm-mc-16 llvm-mc-19 llvm-mc-22; do
    command -v "$tool" >/dev/null || continue
    case $tool in
    llvm*) llvm "$tool" >"$dir/words" ;;
    *) gnu "$tool" >"$dir/words" ;;
    esac
    : >"$dir/known"
    compare "$tool" || status=1
    cat "$dir/known" >>"$dir/all"
    witnesses=$((witnesses + 1))
done
if [ "$witnesses" -eq 0 ]; then
    echo "no AArch64 assembler here: install binutils-aarch64-linux-gnu or llvm"
    exit 77
fi

awk 'NR == FNR { known[$1] = 1; next } !(FNR in known) { sub(/^[^ ]* m[rs]* /, ""); print }' \
    "$dir/all" "$dir/table" | sed 's/x0//; s/[, ]//g' >"$dir/unknown"
# awk's first file may be empty: then every name is unknown
[ -s "$dir/all" ] || sed 's/x0//; s/[, ]//g' "$dir/table.s" >"$dir/unknown"
count=$(wc -l <"$dir/unknown")
if [ "$count" -gt "$UNKNOWN" ]; then
    echo "not ok names: $count are unknown to all assembler(s), at most $UNKNOWN are expected:" $(cat "$dir/unknown")
    status=1
else
    echo "ok names: $count unknown to all assembler(s):" $(cat "$dir/unknown")
fi
exit "$status"
