#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# README.md and doc/*.md are true: writes their files ("```text NAME"), runs each command of their "```console" blocks,
# and compares what it prints with what the page shows below it.  With --write DOC prints DOC with the commands' output
# in its blocks.
set -u
cd "$(dirname "$0")/../../.." || exit 2
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

# Blocks without what was printed, filled again, must be the page.
status=0
for doc in $(grep -l '^```console$' README.md doc/*.md); do
    awk '/^```console$/ { on = 1; print; next } /^```$/ { on = 0 } !on || /^\$ / { print }' "$doc" >"$dir/bare"
    sh test/cli/why/test_doc.sh --write "$dir/bare" >"$dir/filled"
    if cmp -s "$dir/filled" "$doc"; then
        echo "ok $doc: $(grep -c '^\$ ' "$doc") commands print what it says"
    else
        echo "not ok $doc: its commands print something else"
        diff "$doc" "$dir/filled" | head -n 20 | sed 's/^/    /'
        status=1
    fi
done
exit $status
