#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# doc/why.md is true: its files ("```text NAME") are written, each command of its "```console" blocks is run, and prints
# what stands below it.  With --write DOC the commands' output is put into DOC's blocks, to standard output.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${B:=build}"
case $B in /*) ;; *) B=$PWD/$B ;; esac
PATH=$B:$PATH
doc=doc/why.md
[ "${1-}" = --write ] && doc=$2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
awk -v dir="$dir" '/^```text / { file = dir "/" $2; next } /^```/ { file = "" } file { print > file }' "$doc"

if [ "${1-}" = --write ]; then
    while IFS= read -r line; do
        case $line in
        '$ '*) printf '%s\n' "$line"; (cd "$dir" && sh -c "${line#??}" 2>&1) ;;
        *) printf '%s\n' "$line" ;;
        esac
    done <"$doc"
    exit 0
fi

# Blocks without what was printed, filled again, must be the page.
awk '/^```console$/ { on = 1; print; next } /^```$/ { on = 0 } !on || /^\$ / { print }' "$doc" >"$dir/bare"
sh test/why/test_doc.sh --write "$dir/bare" >"$dir/filled"
if cmp -s "$dir/filled" "$doc"; then
    echo "ok doc/why.md: $(grep -c '^\$ ' "$doc") commands print what it says"
else
    echo "not ok doc/why.md: its commands print something else"
    diff "$doc" "$dir/filled" | head -n 20 | sed 's/^/    /'
    exit 1
fi
