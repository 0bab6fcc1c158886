# SPDX-License-Identifier: BSD-2-Clause
# Functions of the tests of armpmu record.  Source it at the top of the checkout, with the tool in $armpmu and a folder
# in $tmp.

# Records a program with the events $events.  Its tables go to $tmp/rows, its exit status to $status.
record() { # [OPTION...] [--] PROGRAM...
    rm -f "$tmp/data"
    env --default-signal "$armpmu" record -o "$tmp/data" -e "$events" "$@" >"$tmp/stdout" 2>"$tmp/stderr"
    status=$?
    "$B/test/dump_recording" "$tmp/data" >"$tmp/rows" 2>"$tmp/dump.err"
}

# Prints the sum of each event over all rows of $tmp/rows, as "EVENT SUM".
sums() {
    awk '$1 == "event" { name[n++] = $2 } $1 == "code" { for (i = 0; i < n; i++) sum[i] += $(8 + i) }
         END { for (i = 0; i < n; i++) printf "%s %.0f\n", name[i], sum[i] }' "$tmp/rows"
}
