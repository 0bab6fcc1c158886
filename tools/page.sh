#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# page.sh: builds $B/page.html, the page that --html of report, run and coverage fills with data.  It needs npm,
# and the npm registry once: the libraries of page/package-lock.json are kept in npm's own cache.  It builds in a copy,
# so nothing is written into page/.
#
# page.sh test: runs the tests of its modules instead.
set -eu
: "${B:=build}"
cd "$(dirname "$0")/.."
command -v npm >/dev/null 2>&1 || {
    echo 'armpmu: the page needs npm (20 or later) to be built: sudo apt-get install nodejs npm' >&2
    exit 3
}
copy=$B/page
mkdir -p "$copy"
# The files of the copy are replaced; its node_modules stays.
for part in src test; do rm -rf "${copy:?}/$part"; done
(cd page && tar -c --exclude=node_modules .) | tar -x -C "$copy"
if ! cmp -s page/package-lock.json "$copy/node_modules/.installed"; then
    (cd "$copy" && npm ci --ignore-scripts --no-progress >npm.log 2>&1) || {
        echo "armpmu: npm could not fetch the libraries of the page: $(grep -m 1 'npm error' "$copy/npm.log")" >&2
        exit 3
    }
    cp page/package-lock.json "$copy/node_modules/.installed"
fi
case ${1:-} in
test) exec sh -c "cd '$copy' && node --test test/*.test.mjs" ;;
esac
node "$copy/build.mjs" "$B/page.html"
