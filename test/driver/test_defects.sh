#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that each of the 20 defects of released drivers, which the head of defects.h lists, has a test in each file
# that the list names.  The name of such a test begins with "defect N: ".
# Runs beside other tests.
set -u
. test/lib/tap.sh
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

# Prints "NUMBER FILE" for each file of each entry of the list.
awk '/^ \* +[0-9]+ [^ ]/ {
    number = $2
    while (match($0, /\([a-z0-9_]+\.c\)/)) {
        print number, substr($0, RSTART + 1, RLENGTH - 2)
        $0 = substr($0, RSTART + RLENGTH)
    }
}' test/driver/defects.h >"$log"

while read -r number file; do
    grep -q "\"defect $number: " "test/driver/$file"
    expect $? "defect $number: has a test in $file" "no name there begins with \"defect $number: \""
done <"$log"
[ "$(cut -d' ' -f1 "$log" | uniq | tr '\n' ' ')" = "$(seq -s ' ' 1 20) " ]
expect $? "defects.h lists defects 1 to 20, each with a file" "$(tr '\n' ',' <"$log")"
summary
