#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cbmc.sh: prints the command that runs CBMC.  Where the machine has none, it fetches the package of Debian's release
# SUITE into $B/cbmc (B: build), with the C library that it needs, and runs it there.  Nothing is installed.
#
# It is quick once that is done.  Exit status 77, and a line that says why: CBMC cannot be had here.
set -eu
: "${B:=build}" "${SUITE:=trixie}"
cd "$(dirname "$0")/.."
if command -v cbmc >/dev/null 2>&1; then
    echo cbmc
    exit 0
fi
mkdir -p "$B/cbmc"
root=$(cd "$B/cbmc" && pwd)
answer() {
    echo "$root/run"
    exit 0
}
[ -e "$root/.done" ] && answer

rm -rf "$root/tree"
mkdir -p "$root/tree"
. tools/packages.sh
packages_of "$SUITE"
run download cbmc libc6 libstdc++6 libgcc-s1 minisat zlib1g
unpack "$root/tree"
cd "$root"
loader=$(find tree -name 'ld-linux*.so*' | head -n 1)
program=$(find tree -name cbmc -type f | head -n 1)
libraries=$(find tree -name 'libc.so.6' -o -name 'libstdc++.so.6' -o -name 'libgcc_s.so.1' \
    -o -name 'libminisat.so.2' -o -name 'libz.so.1' | sed 's|/[^/]*$||' | sort -u |
    sed "s|^|$root/|" | tr '\n' ':')
[ -n "$loader" ] && [ -n "$program" ] || { echo "cbmc: the packages have no cbmc and no loader" && exit 77; }
printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$root/$loader" "${libraries%:}" "$root/$program" >run
chmod +x run
version=$(./run --version 2>&1) || { echo "cbmc: does not run: $version" && exit 77; }
touch .done
answer
