#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# armpmu stat on two emulators, with two versions of the plugin interface.  Every exact event has the same count on
# both, also with threads, forks and faults.  The tests of test/qemu/user that run programs pass on both.
#
# For programs without a C library whole counts are compared.  Others start differently if the emulator offers more (a
# vDSO).  For those, the test compares how much more they count with a longer input.  CPU and layout of memory are then
# the same, because C libraries look at both.
. test/lib/tap.sh
: "${B:=build}"
case $B in /*) ;; *) B=$PWD/$B ;; esac
other=$B/qemu/armpmu-qemu-aarch64
[ -x "$other" ] || skip_all "no $other: make qemu-user"
. tools/emulator.sh
has_plugins "$(command -v qemu-aarch64)" || skip_all "no other emulator than $other has plugins here"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
unset ARMPMU_QEMU
export QEMU_CPU=max # not the default of each: that of Debian's 10.2 has no pointer authentication
events=$("$B/armpmu" list exact | awk '/^0x/ { printf "%s%s", comma, $2; comma = "," }')

# Writes lines "EVENT COUNT" of a program's run to FILE.
counts() { # EMULATOR FILE PROGRAM...
    emulator=$1 file=$2
    shift 2
    ln -sf "$(command -v "$emulator")" "$tmp/emulator" # the same name for both: the program finds it in its environment
    ARMPMU_QEMU=$tmp/emulator timeout 120 "$B/armpmu" stat -v -x, -e "$events" -o "$tmp/out" "$@" \
        >/dev/null 2>"$tmp/err.${emulator##*/}"
    awk -F, '/^[0-9]/ { print $3, $1 }' "$tmp/out" >"$file"
}
# Compares the counts of both emulators.
same() { # NAME
    if [ "$(wc -l <"$tmp/counts.qemu-aarch64")" -lt 20 ]; then
        not_ok "$1" "nothing was counted: $(head -n 1 "$tmp/err.qemu-aarch64")"
    elif ! cmp -s "$tmp/counts.qemu-aarch64" "$tmp/counts.${other##*/}"; then
        not_ok "$1" "$(diff "$tmp/counts.qemu-aarch64" "$tmp/counts.${other##*/}" | head -n 8 | tr '\n' ';')"
    else
        instructions=$(sed -n 's/^INST_RETIRED //p' "$tmp/counts.qemu-aarch64")
        ok "$1: $(wc -l <"$tmp/counts.qemu-aarch64") events, $instructions instructions"
    fi
}

for source in test/qemu/user/asm/*.S; do
    name=${source##*/}
    [ "$name" = timer.S ] && continue # it waits for signals of a timer
    if ! aarch64-linux-gnu-gcc -nostdlib -static -march=armv8.5-a "$source" -o "$tmp/program" 2>"$tmp/cc"; then
        not_ok "$name" "$(head -n 1 "$tmp/cc")"
        continue
    fi
    for emulator in qemu-aarch64 "$other"; do
        counts "$emulator" "$tmp/counts.${emulator##*/}" "$tmp/program"
    done
    same "$name"
done
for emulator in qemu-aarch64 "${other##*/}"; do
    said=$(sed -n 's/.* plugin interface \([0-9]*\)$/\1/p' "$tmp/err.$emulator" | tail -n 1)
    case $emulator$said in
    qemu-aarch64[1-9]|armpmu-qemu-aarch64[3-9]) ok "$emulator: it says interface $said" ;;
    *) not_ok "$emulator" "it says '$said'" ;;
    esac
done

# Compares how much more a program counts with the input LONG than with SHORT.
longer() { # NAME SHORT LONG PROGRAM...
    name=$1 short=$2 long=$3
    shift 3
    for emulator in qemu-aarch64 "$other"; do
        counts "$emulator" "$tmp/short" --sysroot "$root" -- "$@" <"$short"
        counts "$emulator" "$tmp/long" --sysroot "$root" -- "$@" <"$long"
        awk 'NR == FNR { short[$1] = $2; next } { print $1, $2 - short[$1] }' "$tmp/short" "$tmp/long" \
            >"$tmp/counts.${emulator##*/}"
    done
    if [ "$(sed -n 's/^INST_RETIRED //p' "$tmp/counts.qemu-aarch64")" -gt 1000000 ]; then
        same "$name"
    else
        not_ok "$name" "the longer input makes no difference: $(cat "$tmp/err.qemu-aarch64")"
    fi
}
if why=$(sh tools/arm64-root.sh); then
    root=$B/root-arm64
    QEMU_CPU=cortex-a72 QEMU_RESERVED_VA=0x1000000000
    export QEMU_RESERVED_VA
    cat test/qemu/user/*.c qemu/classify/*.c >"$tmp/long-text"
    head -c 20000 "$tmp/long-text" >"$tmp/short-text"
    cat >"$tmp/short-sql" <<'SQL'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
SQL
    cat "$tmp/short-sql" - >"$tmp/long-sql" <<'SQL'
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO t SELECT i, 'row ' || (i * 7919 % 5003), i / 3.0 FROM n;
CREATE INDEX x ON t(b);
SELECT count(*), sum(a), avg(c), max(b) FROM t WHERE b LIKE '%9%';
SELECT substr(b, 1, 5), count(*), round(sum(c), 3) FROM t GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5;
SQL
    longer gzip "$tmp/short-text" "$tmp/long-text" "$root/bin/gzip" -9 -c
    longer busybox-awk "$tmp/short-text" "$tmp/long-text" "$root/bin/busybox" awk \
        '{ n[$1] += NF; s += NF / 7 } END { print length(n), s }'
    longer sqlite3 "$tmp/short-sql" "$tmp/long-sql" "$root/usr/bin/sqlite3" :memory:
    QEMU_CPU=max
    unset QEMU_RESERVED_VA
else
    skip "Debian's arm64 programs" "$why"
fi

# The tests of the engine, on each emulator.
for emulator in "$(command -v qemu-aarch64)" "$other"; do
    for script in asm el0 process compare record; do
        ARMPMU_QEMU=$emulator B=$B sh test/qemu/user/test_$script.sh >"$tmp/log" 2>&1
        relay "${emulator##*/}" $? "$tmp/log"
    done
done
summary
