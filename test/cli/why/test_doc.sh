#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests that README.md and doc/*.md are true.  Writes the files of a page ("```text NAME"), runs each command of its
# "```console" blocks, and compares the command's output with what the page shows below it.
# With --write DOC it prints DOC with the commands' output in its blocks, and tests nothing.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
case $B in /*) ;; *) B=$PWD/$B ;; esac
PATH=$B:$PATH
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

if [ "${1-}" = --write ]; then
    doc=$2
    awk -v dir="$dir" '/^```text / { file = dir "/" $2; next } /^```/ { file = "" } file { print > file }' "$doc"
    block=
    while IFS= read -r line; do
        printf '%s\n' "$line"
        case $line in
        '```') block= ;;
        '```'*) block=$line ;;
        '$ '*) [ "$block" != '```console' ] || (cd "$dir" && sh -c "${line#??}" 2>&1) ;;
        esac
    done <"$doc"
    exit 0
fi

# The page without the output of its commands, filled in again, must be the page.
for doc in $(grep -l '^```console$' README.md doc/*.md); do
    awk '/^```console$/ { on = 1; print; next } /^```$/ { on = 0 } !on || /^\$ / { print }' "$doc" >"$dir/bare"
    sh test/cli/why/test_doc.sh --write "$dir/bare" >"$dir/filled"
    commands=$(grep -c '^\$ ' "$dir/bare")
    if [ "$commands" -eq 0 ]; then
        not_ok "$doc" "its console blocks have no command"
    elif cmp -s "$dir/filled" "$doc"; then
        ok "$doc: $commands commands print what it says"
    else
        not_ok "$doc" "its commands print something else"
        diff "$doc" "$dir/filled" | head -n 20 | sed 's/^/    /'
    fi
done
summary
