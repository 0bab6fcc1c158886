# SPDX-License-Identifier: BSD-2-Clause
# Functions by which the shell tests print their results and end.  A test begins with `. test/lib/tap.sh`, with the root
# of the tree as its working directory, and ends with `summary`.  test/run.sh counts the lines.
#
#     . test/lib/tap.sh
#     need awk                                  # or the whole test is skipped
#     sort -c "$list" 2>"$log"
#     expect $? "the list is sorted" "$(cat "$log")"
#     ./program >"$log" 2>&1                    # it prints its own "ok" and "not ok" lines
#     relay "program" $? "$log"
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

# Passes on the results that a program printed into FILE, with "NAME: " before each name, and counts them.  The program
# ended with STATUS; 77 skips it.  It is one failure more if the program printed no result, or if no "not ok" of it
# explains another status than 0.
relay() { # NAME STATUS FILE
    TAP_NAME=$1 awk '{ sub(/\r$/, "") }
        match($0, /^(ok|not ok|skip|note) /) {
            print substr($0, 1, RLENGTH) ENVIRON["TAP_NAME"] ": " substr($0, RLENGTH + 1)
        }' "$3"
    tap_good=$(grep -c '^ok ' "$3") tap_bad=$(grep -c '^not ok ' "$3")
    tap_checks=$((tap_checks + tap_good + tap_bad))
    if [ "$tap_bad" -gt 0 ]; then
        tap_failed=1
    elif [ "$2" -eq 77 ]; then
        skip "$1" "$(tail -n 1 "$3")"
    elif [ "$2" -ne 0 ]; then
        not_ok "$1" "exit status $2: $(tail -n 3 "$3" | tr -d '\r' | tr '\n' ';')"
    elif [ "$tap_good" -eq 0 ]; then
        not_ok "$1" "it printed no result"
    fi
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

# Runs a Python program of the tests with B in its environment, and passes on its results.  Skips without Python.
relay_python() { # NAME PROGRAM [ARGUMENT...]
    need python3
    tap_name=$1 tap_log=$(mktemp) || exit 2
    shift
    B="$B" python3 "$@" >"$tap_log" 2>&1
    relay "$tap_name" $? "$tap_log"
    rm -f "$tap_log"
}

# Ends the test: status 1 if a check failed, or if there was none.
summary() {
    [ "$tap_checks" -gt 0 ] || not_ok "$(basename "$0")" "it made no check"
    exit "$tap_failed"
}
