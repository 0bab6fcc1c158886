# SPDX-License-Identifier: BSD-2-Clause
# Functions by which the shell tests print their results and end.  A test begins with `. test/lib/tap.sh`, with the root
# of the tree as its working directory, and ends with `summary`.  test/run.sh counts the lines.
#
#     . test/lib/tap.sh
#     need awk                                  # or the whole test is skipped
#     sort -c "$list" 2>"$log"
#     expect $? "the list is sorted" "$(cat "$log")"
#     summary

tap_checks=0 tap_failed=0

# Reports that the check NAME passed.
ok() { # NAME
    tap_checks=$((tap_checks + 1))
    echo "ok $1"
}

# Reports that the check NAME failed.
not_ok() { # NAME WHY
    tap_checks=$((tap_checks + 1)) tap_failed=1
    echo "not ok $1: $2"
}

# Passes the check NAME if STATUS is 0; WHY is printed if it is not.
expect() { # STATUS NAME WHY
    if [ "$1" -eq 0 ]; then ok "$2"; else not_ok "$2" "$3"; fi
}

# Reports that the check NAME was skipped.
skip() { # NAME WHY
    echo "skip $1: $2"
}

# Skips the whole test.
skip_all() { # WHY
    echo "$1"
    exit 77
}

# Skips the whole test where one of the programs is missing.
need() { # PROGRAM...
    for tap_tool; do
        command -v "$tap_tool" >/dev/null 2>&1 || skip_all "no $tap_tool"
    done
}

# Ends the test: status 1 if a check failed, or if there was none.
summary() {
    [ "$tap_checks" -gt 0 ] || not_ok "$(basename "$0")" "it made no check"
    exit "$tap_failed"
}
