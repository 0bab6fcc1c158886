# SPDX-License-Identifier: BSD-2-Clause
# Functions for the tests of dumpers, which source this file after tap.sh: writing one, splitting what it printed, and
# comparing that with the model.
: "${B:=build}"
case $B in /*) ;; *) B=$PWD/$B ;; esac
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
exact=$B/qemu/armpmu-qemu-system-aarch64

# dumper OUT FORM OPTIONS...: writes a dumper to OUT.
dumper() {
    out=$1
    shift
    "$B/armpmu" why --dumper "$@" >"$out" 2>"$dir/err"
}

# first_reading FILE: prints a dump up to its second reading.  second_reading FILE prints that.
first_reading() { sed '/^again/,$d' "$1"; }
second_reading() { sed '1,/^again/d; /^end/d' "$1"; }

# values FILE OPTIONS...: prints "NAME VALUE" for each register that armpmu decode finds in FILE.
values() {
    "$B/armpmu" decode -f "$@" 2>>"$dir/err" | names_and_values
}

# names_and_values: makes "NAME VALUE" out of what armpmu decode prints.
names_and_values() {
    awk '/^[A-Z]/ { for (i = 2; i < NF; i++) if ($i == "=") { sub(":$", "", $(i + 1)); print $1, $(i + 1); break } }' |
        sort
}

# differences READ MODEL LEAST: prints the registers of READ that MODEL has with another value; both are of values().
# Says so if they share fewer than LEAST.
differences() {
    join "$1" "$2" >"$dir/both"
    awk '$2 != $3' "$dir/both"
    [ "$(wc -l <"$dir/both")" -ge "$3" ] || echo "only $(wc -l <"$dir/both") registers in both"
}

# difference NAME FILE: prints by how much the second reading of a register in FILE is above the first, in decimal.
difference() {
    # shellcheck disable=SC2046
    set -- $(awk -v name="$1" '$1 == name { print $3 }' "$2")
    echo $(($2 - $1))
}

# level NAME: prints the part of $dir/out that the level NAME printed.
level() {
    awk -v name="$1" '/^level / { on = $2 == name; next } /^done/ { exit } on' "$dir/out"
}

# check_read NAME [OPTION...] DUMP: armpmu why reads both readings without a remark.  Its status says what it finds.
check_read() {
    what=$1
    shift
    "$B/armpmu" why "$@" >"$dir/why" 2>"$dir/err"
    [ $? -ne 2 ] && [ ! -s "$dir/err" ] && [ -s "$dir/why" ]
    expect $? "$what: armpmu why reads it without a remark" "$(head -n 1 "$dir/err")"
}

# check_model NAME DUMP EXCEPT [LEAST]: both readings have the values of $dir/model, at least LEAST of them.  EXCEPT is
# a pattern of the registers that differ.
check_model() {
    for reading in first second; do
        ${reading}_reading "$2" >"$dir/$reading"
        values "$dir/$reading" | grep -vE "^(${3}) " >"$dir/read"
        differences "$dir/read" "$dir/model" "${4:-10}" >"$dir/differ"
        [ ! -s "$dir/differ" ]
        expect $? "$1: the $reading reading is the model's state" "$(head -n 3 "$dir/differ" | tr '\n' ';')"
    done
}

# check_complete NAME DUMP EXCEPT: the first reading has every register of $dir/model but those of the pattern EXCEPT.
check_complete() {
    first_reading "$2" >"$dir/first"
    values "$dir/first" >"$dir/read"
    join -v 2 "$dir/read" "$dir/model" | grep -vE "^($3) " >"$dir/differ"
    [ ! -s "$dir/differ" ]
    expect $? "$1: every register is there" "$(head -n 5 "$dir/differ" | tr '\n' ';')"
}

# check_counts NAME DUMP COUNTER: the counter counted the loop between the readings.
check_counts() {
    count=$(difference "$3" "$2")
    [ "$count" -ge 2000 ] && [ "$count" -lt 3500 ]
    expect $? "$1: $3 counts the 2000 instructions between" "$count"
}
