#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that each of the 20 defects of released drivers (defects.h) has a test whose name begins with "defect N: ", in
# the file that defects.h names.
set -u
status=0

# find_test NUMBER FILE...: looks for a test of the number in the files.  A file that does not exist yet has none.
find_test() {
    number=$1
    shift
    for file in "$@"; do
        [ -f "$file" ] && grep -q "\"defect $number: " "$file" && echo "ok defect $number: has a test in $file" && return
    done
    for file in "$@"; do
        [ -f "$file" ] || { echo "skip defect $number: no $file, where its test is"; return; }
    done
    echo "not ok defect $number: has a test: none of $* has a name that begins with \"defect $number: \""
    status=1
}

for number in 1 2 3 7 8; do find_test $number test/driver/defects.c; done
for number in 9 10 15 16 17 18 19; do find_test $number test/driver/defects_counts.c; done
for number in 4 12 13; do find_test $number test/driver/defects_firmware.c; done
for number in 5 6 11; do find_test $number test/driver/perf.c; done
find_test 14 test/driver/arm11.c
find_test 20 test/driver/defects_external.c
exit $status
