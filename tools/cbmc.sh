#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cbmc.sh: prints the command that runs CBMC.  Where the machine has none, it fetches Debian's package of the next release
# into $B/cbmc (B: build), with the C library that it needs, and runs it there; the system stays as it is.
#
# The package comes from the machine's own sources with the release's name replaced (SUITE), through a configuration of
# apt that lives in $B.  Quick when it is done.  Exit status 77, and a line that says why: not here.
set -eu
: "${B:=build}" "${SUITE:=trixie}"
cd "$(dirname "$0")/.."
if command -v cbmc >/dev/null 2>&1; then
    echo cbmc
    exit 0
fi
for tool in apt-get dpkg-deb; do
    command -v $tool >/dev/null || { echo "cbmc: not here, and no $tool to fetch it with" && exit 77; }
done
mkdir -p "$B/cbmc"
root=$(cd "$B/cbmc" && pwd)
answer() {
    echo "$root/run"
    exit 0
}
[ -e "$root/.done" ] && answer

apt=$root/apt
rm -rf "$apt" "$root/tree"
mkdir -p "$apt/sources" "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/state" "$apt/debs" "$root/tree"
: >"$apt/status"
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
for file in /etc/apt/sources.list.d/*.sources; do
    if [ -f "$file" ] && grep -qE "^Suites:(.*[[:space:]])?$codename([[:space:]]|\$)" "$file"; then
        sed "/^Suites:/s/.*/Suites: $SUITE/" "$file" | awk -v suite="$codename" 'BEGIN { RS = ""; ORS = "\n\n" } !/security/' \
            >"$apt/sources/${file##*/}"
    fi
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] && sed -n "s/^\(deb \(\[[^]]*\] \)\{0,1\}[^ ]*\) $codename \(.*\)\$/\1 $SUITE \3/p" "$file" >>"$apt/sources/machine.list"
done
cat >"$apt/apt.conf" <<CONF
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Acquire::Retries "2";
Debug::NoLocking "true";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt/sources";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$apt/state";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
CONF
export APT_CONFIG="$apt/apt.conf"

run() {
    "$@" >"$apt/log" 2>&1 && return
    echo "cbmc: $1 $2: $(grep -m 1 '^E:' "$apt/log" || tail -n 1 "$apt/log")"
    exit 77
}
run apt-get update -q
cd "$apt/debs"
run apt-get download -q cbmc libc6 libstdc++6 libgcc-s1 minisat zlib1g
for deb in *.deb; do
    run dpkg-deb -x "$deb" "$root/tree"
done
cd "$root"
loader=$(find tree -name 'ld-linux*.so*' | head -n 1)
program=$(find tree -name cbmc -type f | head -n 1)
libraries=$(find tree -name 'libc.so.6' -o -name 'libstdc++.so.6' -o -name 'libgcc_s.so.1' -o -name 'libminisat.so.2' -o -name 'libz.so.1' | sed 's|/[^/]*$||' | sort -u |
    sed "s|^|$root/|" | tr '\n' ':')
[ -n "$loader" ] && [ -n "$program" ] || { echo "cbmc: the packages have no cbmc and no loader" && exit 77; }
printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$root/$loader" "${libraries%:}" "$root/$program" >run
chmod +x run
version=$(./run --version 2>&1) || { echo "cbmc: does not run: $version" && exit 77; }
rm -rf "$apt/cache" "$apt/lists" "$apt/debs"
touch .done
answer
