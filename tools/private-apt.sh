#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# private-apt.sh FOLDER SUITE [ARCHITECTURES] [source]: writes FOLDER/apt.conf, a configuration of apt with lists, cache and
# state of its own in FOLDER, and brings its lists up to date: the system's stay as they are.  Use it by
# APT_CONFIG=FOLDER/apt.conf.
#
# The sources are the machine's own, those of its distribution, with the release's name replaced by SUITE ("same": as it
# is, with updates); ARCHITECTURES are the machine's unless they are given ("" too), and a package is the first one's
# unless its name says otherwise; "source": source packages instead of binary ones.  Exit status 77, and a line that says
# why: not here.
set -eu
[ $# -ge 2 ] || { echo "usage: private-apt.sh FOLDER SUITE [ARCHITECTURES] [source]" >&2; exit 2; }
for tool in apt-get dpkg-deb; do
    command -v $tool >/dev/null || { echo "$tool: not here, so no packages of $2" && exit 77; }
done
suite=$2 type=deb
architectures=${3:-$(dpkg --print-architecture)}
[ "${4:-}" = source ] && type=deb-src
rm -rf "$1/sources" "$1/lists" "$1/state"
mkdir -p "$1/sources" "$1/lists/partial" "$1/cache/archives/partial" "$1/state"
apt=$(cd "$1" && pwd)
: >"$apt/status"

codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
for file in /etc/apt/sources.list.d/*.sources; do
    if [ -f "$file" ] && grep -qE "^Suites:(.*[[:space:]])?$codename([[:space:]]|\$|-)" "$file"; then
        if [ "$suite" = same ]; then
            cat "$file"
        else # of each paragraph that names the release itself
            awk -v release="$codename" -v suite="$suite" 'BEGIN { RS = ""; ORS = "\n\n" }
                $0 ~ "\nSuites:([^\n]*[ \t])?" release "([ \t\n]|$)" { sub(/\nSuites:[^\n]*/, "\nSuites: " suite); print }' "$file"
        fi | sed -e '/^Architectures:/d' -e "s/^Types:.*/Types: $type/" >"$apt/sources/${file##*/}"
    fi
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] || continue
    if [ "$suite" = same ]; then
        sed -n "s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]* $codename[ -].*\)\$/$type \1\2/p" "$file"
    else
        sed -n "s/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) $codename \(.*\)\$/$type \1\2 $suite \3/p" "$file"
    fi | sed 's/arch=[^] ]*//' >>"$apt/sources/machine.list"
done

# shellcheck disable=SC2086 # words
list=$(printf '"%s"; ' $architectures)
cat >"$apt/apt.conf" <<CONF
APT::Architecture "${architectures%% *}";
APT::Architectures { $list};
APT::Install-Recommends "false";
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
# One of several lists may be missing, on a mirror that is being brought up to date: the others will do.
APT_CONFIG=$apt/apt.conf apt-get -q update >"$apt/log" 2>&1 ||
    find "$apt/lists" -type f | grep -qE '_(Packages|Sources)(\.|$)' || {
    echo "apt-get update: $(grep -m 1 '^E:' "$apt/log" || tail -n 1 "$apt/log")"
    exit 77
}
