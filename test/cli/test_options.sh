#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Links test/cli/options.c with cli/options.c and runs it: a verb may have any number of options.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
: "${B:=build}" "${CC:=cc}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# shellcheck disable=SC2086 # words
"$CC" -std=c11 -Iinclude ${CFLAGS:-} test/cli/options.c "$B/obj/cli/options.o" "$B/obj/cli/complain.o" \
    -o "$dir/options" 2>"$dir/err"
expect $? 'options: the parser links without the verbs' "$(head -n 3 "$dir/err" | tr '\n' ' ')"
"$dir/options"
expect $? 'options: all are parsed' 'see above'
summary
