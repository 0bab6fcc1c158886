#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that each of the 20 defects of released drivers (defects.h) has a test whose name begins with "defect N: ", in
# the file that defects.h names.
set -u
status=0

# find_test NUMBER FILE: looks for a test of the number in the file.
find_test() {
    if grep -q "\"defect $1: " "$2"; then
        echo "ok defect $1: has a test in $2"
    else
        echo "not ok defect $1: has a test: $2 has no name that begins with \"defect $1: \""
        status=1
    fi
}

for number in 1 2 3 7 8; do find_test $number test/driver/defects.c; done
for number in 9 10 15 16 17 18 19; do find_test $number test/driver/defects_counts.c; done
for number in 4 12 13; do find_test $number test/driver/defects_firmware.c; done
for number in 5 6 11; do find_test $number test/driver/perf.c; done
find_test 14 test/driver/arm11.c
find_test 20 test/driver/defects_external.c
exit $status
