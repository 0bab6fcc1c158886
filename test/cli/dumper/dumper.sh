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
    "$B/armpmu" decode -f "$@" 2>>"$dir/err" | awk '/^[A-Z]/ { for (i = 2; i < NF; i++) if ($i == "=") {
        sub(":$", "", $(i + 1)); print $1, $(i + 1); break } }' | sort
}

# differences READ MODEL: prints the registers of READ that MODEL has with another value; both are of values().  Fails
# if they share fewer than ten.
differences() {
    join "$1" "$2" >"$dir/both"
    awk '$2 != $3' "$dir/both"
    [ "$(wc -l <"$dir/both")" -ge 10 ] || echo "only $(wc -l <"$dir/both") registers in both"
}

# difference NAME FILE: prints by how much the second reading of a register in FILE is above the first, in decimal.
difference() {
    # shellcheck disable=SC2046
    set -- $(awk -v name="$1" '$1 == name { print $3 }' "$2")
    echo $(($2 - $1))
}
