#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Records programs.  The counts of all instructions must add up to what stat counts, and those of each instruction must
# be what count_plugin.c, which calls back for each instruction, counted at its address.  Then: places that change, JIT
# code, threads, processes, faults, A32, full tables; recorders and programs that are killed; files that cannot be
# written.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu
# Addresses are the same in each run in memory set aside, and CPUs without SVE are the same in each emulator.
QEMU_RESERVED_VA=0x1000000000 QEMU_CPU=max,sve=off ARMPMU_QEMU=$QEMU
export QEMU_RESERVED_VA QEMU_CPU ARMPMU_QEMU
armpmu=$PWD/$B/armpmu
case $B in /*) armpmu=$B/armpmu ;; esac
cross_root=$(dirname "$(dirname "$("${CROSS}gcc" -print-file-name=libc.so.6)")")
[ -e "$cross_root/lib/ld-linux-aarch64.so.1" ] || cross_root=/usr/aarch64-linux-gnu
all=$("$armpmu" list exact | awk '/^0x/ { printf "%s%s", c, $2; c = "," }')

. test/qemu/user/record.sh

# Compares the sums of $tmp/rows with stat's counts of the same program.
check_sums() { # NAME [-L ROOT] PROGRAM...
    name=$1
    shift
    env --default-signal "$armpmu" stat -x, -o "$tmp/stat" -e "$events" "$@" >"$tmp/stdout.stat" 2>"$tmp/stderr.stat"
    if [ $? -ne $status ]; then
        not_ok "$name: ends as under stat" "status $status: $(head -n 3 "$tmp/stderr" | tr '\n' ' ')"
        return
    fi
    awk -F, '$3 != "" && !/^#/ { print $3, $1 }' "$tmp/stat" >"$tmp/stat.sums"
    sums >"$tmp/sums"
    if [ ! -s "$tmp/sums" ] || ! awk '$2 > 0 { found = 1 } END { exit !found }' "$tmp/sums"; then
        not_ok "$name: adds up to stat's counts" "nothing was recorded: $(cat "$tmp/stderr" "$tmp/dump.err")"
    elif ! cmp -s "$tmp/sums" "$tmp/stat.sums"; then
        not_ok "$name: adds up to stat's counts" "$(diff "$tmp/sums" "$tmp/stat.sums" | head -n 4 | tr '\n' ' ')"
    else
        ok "$name: adds up to stat's counts, $(sed -n 's/^INST_RETIRED //p' "$tmp/sums") instructions"
    fi
}

a32= plain= # for 32-bit programs: not empty, and their emulator
# Compares the rows of $tmp/rows with what count_plugin.c counts of the same program: executions of each instruction,
# and taken branches if conditional branches and taken branches are recorded.
check_each() { # NAME [-L ROOT] PROGRAM...
    name=$1
    shift
    rm -f "$tmp/words"
    timeout -k 5 300 env --default-signal "${plain:-$QEMU}" \
        -plugin "$B/test/count_plugin.so,out=$tmp/words,by=address" "$@" >"$tmp/stdout.theirs" 2>/dev/null
    wrong=$(awk -v a32="$a32" '
        # In T32 the plugin knows no words, and a jump is not what does not go 4 bytes on.
        FILENAME ~ /words$/ { key = $2 " " (a32 ? "" : $3); executed[key] += $4; jumps[key] += $6; next }
        $1 == "event" { column[$2] = 8 + n++ }
        $1 == "code" {
            key = $5 " " (a32 ? "" : $6); got[key] += $column["INST_RETIRED"]; taken[key] += $column["PC_WRITE_RETIRED"]
            conditional[key] += $column["BR_COND_RETIRED"]
        }
        END {
            for (key in executed) {
                split(key, part, " ")
                # BRK, HLT, UDF and what is undefined are no instructions that retire.
                trap = part[2] ~ /^(d4[2-7]|0000)/
                if (!trap && got[key] != executed[key] && ++bad <= 3)
                    printf "%s executed %d times, recorded %d; ", key, executed[key], got[key]
                if (!a32 && conditional[key] > 0 && taken[key] != jumps[key] && ++bad <= 3)
                    printf "%s taken %d times, recorded %d; ", key, jumps[key], taken[key]
                compared++
            }
            for (key in got) {
                if (!(key in executed) && got[key] != 0 && ++bad <= 3) {
                    printf "%s recorded %d times, never executed; ", key, got[key]
                }
            }
            if (bad > 3) { printf "%d more", bad - 3 }
            if (compared == 0) { printf "nothing was compared" }
            print compared >"/dev/stderr"
        }' "$tmp/words" "$tmp/rows" 2>"$tmp/compared")
    if [ -n "$wrong" ]; then
        not_ok "$name: each instruction" "$wrong"
    else
        ok "$name: each of $(cat "$tmp/compared") instructions"
    fi
}

# Checks both.
check() { # NAME [-L ROOT] PROGRAM...
    name=$1
    shift
    events=$all
    record "$@"
    check_sums "$name" "$@"
    check_each "$name" "$@"
}

# Checks that a line of $tmp/rows matches a pattern.
has_row() { # NAME PATTERN
    if grep -qE "$2" "$tmp/rows"; then
        ok "$1"
    else
        not_ok "$1" "no row matches $2: $(grep -v '^code' "$tmp/rows" | head -n 12 | tr '\n' ';')"
    fi
}

# Checks a count of INST_RETIRED, the one event recorded: of the instruction whose row matches, in one map of a kind.
has_count() { # NAME COUNT ADDRESS-PATTERN WORD
    got=$(awk -v address="$3" -v word="$4" '
        $1 == "code" && $5 ~ address && $6 == word { sum += $8 } END { print sum + 0 }' "$tmp/rows")
    if [ "$got" -eq "$2" ]; then
        ok "$1"
    else
        not_ok "$1" "$got, not $2"
    fi
}

section() { # NAME: returns false if $SECTIONS chooses others
    case " ${SECTIONS:-$1} " in *" $1 "*) return 0 ;; esac
    return 1
}

if section asm; then
    for name in loop pairs exclusives calls svc simd threads signal fork shared alternate; do
        check $name "$B/test/asm/$name"
    done
    events=$all
    for name in rewritten exec edge segv segv_threads killed crowd blocks; do
        record "$B/test/asm/$name"
        check_sums "$name" "$B/test/asm/$name"
    done
    has_row 'more blocks than counters: rows without an address' '^code 0 0 - 0 00000000 0 '
    has_row 'more blocks than counters: a remark' '^remark code for which the tables had no room has its counts in rows'
fi

if section a32; then
    plain=$B/qemu/armpmu-qemu-arm
    if [ -x "$plain" ] && command -v "${CROSS32}gcc" >/dev/null; then
        a32=yes ARMPMU_QEMU_ARM=$plain
        export ARMPMU_QEMU_ARM
        QEMU_CPU=max
        unset QEMU_RESERVED_VA # it is more than 32 bits
        for source in test/qemu/user/asm32/*.S; do
            name=$(basename "$source" .S)
            "${CROSS32}gcc" -nostdlib -static "$source" -o "$tmp/$name"
            case $name in
            fault) events=$all; record "$tmp/$name"; check_sums "a32 $name" "$tmp/$name" ;;
            *) check "a32 $name" "$tmp/$name" ;;
            esac
        done
        for set in arm thumb; do
            "${CROSS32}gcc" -O2 -m$set -static test/qemu/system/arm32.c -o "$tmp/$set"
            check "a32 $set" "$tmp/$set"
        done
        has_row 'T32 has instructions of 2 bytes' '^code 0 0 [0-9]+ [0-9a-f]+ 0000[0-9a-f]{4} 2 '
        a32= QEMU_CPU=max,sve=off QEMU_RESERVED_VA=0x1000000000
        export QEMU_RESERVED_VA
    else
        skip 'A32' "no $plain, or no ${CROSS32}gcc"
    fi
    plain=
fi

# In programs that fault an instruction may begin and not retire, so only its sum is compared.
if section faults; then
    for events in INST_RETIRED,LD_RETIRED,BR_RETIRED "$all"; do
        for way in loop places cuts bus barrier other-stack leaf leave nested sent rewritten late forked; do
            record "$B/test/c/faults-static" $way
            check_sums "faults $way, $(echo "$events" | tr ',' '\n' | wc -l) events" "$B/test/c/faults-static" $way
        done
    done
fi

code=$B/test/c/code
if section places; then
    for n in 1 2; do
        printf 'long work(long x) { return (x * %d + 1) & 255; }\n' "$((n + 1))" >"$tmp/lib$n.c"
        "${CROSS}gcc" -O1 -shared -fPIC "$tmp/lib$n.c" -o "$tmp/lib$n.so"
    done
    events=$all
    check 'libraries that take turns' -L "$cross_root" "$code" load "$tmp/lib1.so" "$tmp/lib2.so" "$tmp/lib1.so"
    if [ "$(sed '$d' "$tmp/stdout" | sort -u | wc -l)" -eq 1 ]; then
        ok 'the libraries lie at one place'
    else
        not_ok 'the libraries lie at one place' "$(tr '\n' ' ' <"$tmp/stdout")"
    fi
    for n in 1 2; do
        has_row "lib$n.so has a map and a build id" \
            "^map [0-9]+ 0 0 [0-9a-f]+ [0-9a-f]+ [0-9a-f]+ [0-9a-f]{40} $tmp/lib$n.so"
    done
    events=INST_RETIRED
    record -L "$cross_root" "$code" load "$tmp/lib1.so" "$tmp/lib2.so" "$tmp/lib1.so"
    at=$(head -n 1 "$tmp/stdout")
    awk -v at="${at#0x}" '$1 == "map" { name[$2] = $NF; sub(/.*\//, "", name[$2]) }
        $1 == "code" && $5 == at { print name[$4], $8 }' "$tmp/rows" | sort >"$tmp/turns"
    printf 'lib1.so 2000\nlib2.so 1000\n' >"$tmp/turns.right"
    if cmp -s "$tmp/turns" "$tmp/turns.right"; then
        ok 'each library has its own counts'
    else
        not_ok 'each library has its own counts' "$(tr '\n' ' ' <"$tmp/turns")"
    fi

    # Four threads load and unload libraries at the same time: which lies where changes all the time.
    record -L "$cross_root" "$code" race "$tmp/lib1.so" "$tmp/lib2.so" "$tmp/lib1.so" "$tmp/lib2.so"
    awk '$1 == "map" { name[$2] = $NF; sub(/.*\//, "", name[$2]) }
        $1 == "code" && $6 == "92401c00" { sum[name[$4]] += $8 }
        END { for (lib in sum) print lib, sum[lib] }' "$tmp/rows" | sort >"$tmp/turns"
    printf 'lib1.so 40000\nlib2.so 40000\n' >"$tmp/turns.right"
    if cmp -s "$tmp/turns" "$tmp/turns.right"; then
        ok 'libraries that threads load at the same time'
    else
        not_ok 'libraries that threads load at the same time' "$(tr '\n' ' ' <"$tmp/turns"; head -n 2 "$tmp/stderr")"
    fi

    # The same code in two files, mapped at one place one after another: only the file differs.
    printf '.inst 0x91000400, 0xd65f03c0\n' >"$tmp/same.s"
    "${CROSS}as" "$tmp/same.s" -o "$tmp/same.o" && "${CROSS}objcopy" -O binary "$tmp/same.o" "$tmp/first"
    truncate -s 65536 "$tmp/first"
    cp "$tmp/first" "$tmp/second"
    record -L "$cross_root" "$code" swap "$tmp/first" "$tmp/second" "$tmp/second"
    awk '$1 == "map" { name[$2] = $NF; sub(/.*\//, "", name[$2]) }
        $1 == "code" && $5 == "700000000" { print name[$4], $8 }' "$tmp/rows" | sort >"$tmp/turns"
    printf 'first 1000\nsecond 2000\n' >"$tmp/turns.right"
    if cmp -s "$tmp/turns" "$tmp/turns.right"; then
        ok 'two files with the same code'
    else
        not_ok 'two files with the same code' "$(tr '\n' ' ' <"$tmp/turns")"
    fi
fi

if section jit; then
    check 'a JIT compiler' -L "$cross_root" "$code" jit
    events=INST_RETIRED
    record -L "$cross_root" "$code" jit
    for n in 1 2 3; do
        has_count "the generated instruction $n" 2000 '^700000000$' "$(printf '91000%x00' $((n * 4)))"
    done
    has_row 'generated code has a map' '^map [0-9]+ 0 2 700000000 '
    has_row 'generated code has its name' '^symbol 0 700000000 8 adds three$'
    if [ "$(grep -c '^symbol' "$tmp/rows")" -eq 1 ]; then
        ok 'what is no name is left out'
    else
        not_ok 'what is no name is left out' "$(grep '^symbol' "$tmp/rows" | tr '\n' ';')"
    fi
    for kind in fifo link huge; do
        rm -f "/tmp/perf-$(awk '$1 == "image" { print $3 }' "$tmp/rows").map"*
        record -L "$cross_root" "$code" names $kind
        seen=$(grep -c '^symbol 0 1000 8 name$' "$tmp/rows")
        if [ $status -eq 0 ] && { [ $kind = huge ] || [ "$seen" -eq 0 ]; }; then
            ok "names of generated code in a $kind: $seen"
        else
            not_ok "names of generated code in a $kind" "status $status, $seen: $(head -n 2 "$tmp/stderr")"
        fi
    done
    rm -f "/tmp/perf-$(awk '$1 == "image" { print $3 }' "$tmp/rows").map"*
fi

if section threads; then
    events=INST_RETIRED
    for n in 3 80; do # how often they wait for each other differs, but record compares its own sum and total
        record -L "$cross_root" "$code" threads $n
        if [ $status -eq 0 ] && [ "$(sums | awk '{ print ($2 > 100000) }')" -eq 1 ]; then
            ok "$n threads: $(sums)"
        else
            not_ok "$n threads" "status $status: $(head -n 3 "$tmp/stderr" | tr '\n' ' ')"
        fi
        steps=$(awk '$1 == "code" && $6 == "91000400" && $8 % 1000 == 0 { sum += $8 } END { print sum }' "$tmp/rows")
        if [ "$steps" -eq $((n * (n + 1) * 500)) ]; then
            ok "what $n threads executed"
        else
            not_ok "what $n threads executed" "$steps"
        fi
    done
    record -L "$cross_root" "$code" threads 3
    for n in 1 2 3; do
        has_row "thread $n has its name" "^thread [0-9]+ 0 [0-9]+ worker-$n\$"
        got=$(awk -v name="worker-$n" '$1 == "thread" { names[$2] = $5 }
            $1 == "code" && $6 == "91000400" && $8 % 1000 == 0 && names[$3] == name { sum += $8 } END { print sum }' \
            "$tmp/rows")
        if [ "$got" = "${n}000" ]; then
            ok "what thread $n executed"
        else
            not_ok "what thread $n executed" "$got"
        fi
    done
    record -L "$cross_root" "$B/test/c/process" churn 30
    seen=$(grep -c '^thread' "$tmp/rows")
    if [ $status -eq 0 ] && [ "$seen" -eq 30 ]; then
        ok 'threads that follow each other'
    else
        not_ok 'threads that follow each other' "$seen"
    fi
fi

if section processes; then
    process=$B/test/c/process
    events=INST_RETIRED
    record -L "$cross_root" "$process" spawn "$process" exit 9
    check_sums 'fork and exec' -L "$cross_root" "$process" spawn "$process" exit 9
    has_row 'the first image' '^image 0 [0-9]+ - begun process .*process spawn .*process exit 9$'
    has_row 'the child of fork' '^image 1 [0-9]+ 0 forked process .*process spawn .*process exit 9$'
    has_row 'what it became' '^image 2 [0-9]+ 1 begun process .*process exit 9$'
    record "$process-static" signal 9
    if [ $status -eq 137 ] && grep -q '^complete 1' "$tmp/rows"; then
        ok 'a program that is killed'
    else
        not_ok 'a program that is killed' "status $status"
    fi
    has_row 'and its remark' '^remark 1 process did not exit'
    rm -f "$tmp/data"
    "$armpmu" record -o "$tmp/data" -L "$cross_root" "$code" wait >/dev/null 2>"$tmp/stderr" &
    recorder=$!
    sleep 4
    kill -KILL $recorder
    wait $recorder 2>/dev/null
    "$B/test/dump_recording" "$tmp/data" >"$tmp/rows" 2>"$tmp/dump.err"
    if grep -q '^complete 0' "$tmp/rows" && [ "$(sums | awk '{ print ($2 > 1000) }')" -eq 1 ]; then
        ok "a recorder that is killed: $(sums)"
    else
        not_ok 'a recorder that is killed' "$(head -n 3 "$tmp/rows" "$tmp/dump.err" | tr '\n' ';')"
    fi
fi

real() {
    root=$B/root-record
    why=$(B=$B sh tools/arm64-root.sh root-record sqlite3 gzip busybox zstd luajit ninja-build) || {
        skip "Debian's arm64 programs" "$why"
        return
    }
    cat test/qemu/user/*.c qemu/classify/*.c >"$tmp/text"
    mkdir -p "$tmp/ninja"
    awk 'BEGIN { print "rule cc\n  command = true $in $out"
        for (i = 0; i < 300; i++) printf "build out%d: cc out%d\n", i, i + 1; print "build out300: cc" }' \
        >"$tmp/ninja/build.ninja"
    echo 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        SELECT count(*), sum(i), max(i * 7919 % 5003), group_concat(i % 7) FROM n;' >"$tmp/sql"
    check sqlite3 -L "$root" "$root/usr/bin/sqlite3" :memory: ".read $tmp/sql"
    check gzip -L "$root" "$root/bin/gzip" -9 -c "$tmp/text"
    check 'ninja, of C++' -L "$root" "$root/usr/bin/ninja" -C "$tmp/ninja" -n
    events=$all
    # These have threads that wait for each other, or choose addresses at random.  So no two runs are equal, and only
    # record's own comparison of its sums with the totals that stat would print decides.
    record -L "$root" "$root/usr/bin/pzstd" -p 3 -q -f -o "$tmp/text.zst" "$tmp/text"
    recorded 'pzstd, with threads' 3
    cat >"$tmp/loop.lua" <<'LUA'
local t, s = {}, 0
for i = 1, 300000 do t[i % 100] = (t[(i * 7) % 100] or 0) + i % 3; s = (s + t[i % 100] * 31) % 65521 end
print(s)
LUA
    record -L "$root" "$root/usr/bin/luajit" "$tmp/loop.lua"
    recorded 'luajit, with a JIT compiler' 1
    part=$(awk '$1 == "map" { kind[$2] = $4 } $1 == "event" { column[$2] = 8 + n++ }
        $1 == "code" { all += $column["INST_RETIRED"]; if (kind[$4] == 2) jit += $column["INST_RETIRED"] }
        END { printf "%d", 100 * jit / all }' "$tmp/rows")
    if [ "${part:-0}" -ge 30 ]; then
        ok "luajit: $part % of its instructions are generated code"
    else
        not_ok 'luajit: its generated code' "$part %"
    fi
}

# Checks that the run succeeded, and that at least so many threads have counts.
recorded() { # NAME THREADS
    seen=$(awk '$1 == "code" { threads[$3] } END { print length(threads) }' "$tmp/rows")
    if [ $status -eq 0 ] && [ "$seen" -ge "$2" ]; then
        ok "$1: adds up, $(sums | sed -n 's/^INST_RETIRED //p') instructions in $seen rows of threads"
    else
        not_ok "$1" "status $status, $seen threads: $(head -n 3 "$tmp/stderr" | tr '\n' ' ')"
    fi
}
if section real; then
    real
fi

if section signals; then
    for signal in TERM INT; do
        rm -f "$tmp/data"
        env --default-signal setsid "$armpmu" record -o "$tmp/data" -L "$cross_root" "$code" wait >/dev/null \
            2>"$tmp/stderr" &
        recorder=$!
        sleep 2
        case $signal in # a terminal sends SIGINT to both
        TERM) right=143; kill -TERM $recorder ;;
        INT) right=130; kill -INT -$recorder ;;
        esac
        wait $recorder
        status=$?
        "$B/test/dump_recording" "$tmp/data" >"$tmp/rows" 2>"$tmp/dump.err"
        if [ $status -eq $right ] && grep -q '^complete 1' "$tmp/rows"; then
            ok "SIG$signal ends program and recording"
        else
            not_ok "SIG$signal ends program and recording" "status $status: $(head -n 2 "$tmp/stderr" "$tmp/dump.err")"
        fi
    done
fi

if section files; then
    events=INST_RETIRED
    refused() { # NAME PATTERN FILE
        "$armpmu" record -o "$3" "$B/test/asm/loop" >"$tmp/stdout" 2>"$tmp/stderr"
        status=$?
        if [ $status -eq 3 ] && [ "$(wc -l <"$tmp/stderr")" -eq 1 ] &&
            grep -qE "^armpmu record: .*$2" "$tmp/stderr"; then
            ok "$1"
        else
            not_ok "$1" "status $status: $(head -n 3 "$tmp/stderr" | tr '\n' ';')"
        fi
    }
    echo text >"$tmp/text"
    refused 'a file that is no recording is kept' 'text: .*no recording' "$tmp/text"
    [ "$(cat "$tmp/text")" = text ] || not_ok 'a file that is no recording is kept' 'it was changed'
    refused 'a folder' 'folder: ' "$(mkdir -p "$tmp/folder" && echo "$tmp/folder")"
    refused 'a folder that is not there' 'nowhere/data: ' "$tmp/nowhere/data"
    refused 'a full disk' 'full: ' /dev/full
    refused 'a special file' 'null: ' /dev/null
    record -L "$cross_root" "$B/test/c/process" args
    cp "$tmp/data" "$tmp/again"
    "$armpmu" record -o "$tmp/again" -L "$cross_root" "$B/test/c/process" exit 5 >/dev/null 2>"$tmp/stderr"
    if [ $? -eq 5 ] && ! cmp -s "$tmp/data" "$tmp/again"; then
        ok 'a recording is replaced'
    else
        not_ok 'a recording is replaced' "$(cat "$tmp/stderr")"
    fi
    for n in 1 2; do
        "$armpmu" record --deterministic -o "$tmp/equal$n" -L "$cross_root" "$B/test/c/process" args >/dev/null \
            2>"$tmp/stderr"
    done
    if [ -s "$tmp/equal1" ] && cmp -s "$tmp/equal1" "$tmp/equal2"; then
        ok 'equal runs, equal files'
    else
        not_ok 'equal runs, equal files' "$(head -n 3 "$tmp/stderr")"
    fi
    "$armpmu" record -o "$tmp/none" "$tmp/no-program" 2>"$tmp/stderr"
    if [ $? -eq 127 ] && [ ! -e "$tmp/none" ] && [ "$(wc -l <"$tmp/stderr")" -eq 1 ]; then
        ok 'no such program'
    else
        not_ok 'no such program' "$(cat "$tmp/stderr")"
    fi
fi

summary
