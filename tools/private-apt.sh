#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# private-apt.sh FOLDER SUITE [ARCHITECTURES] [source]: writes FOLDER/apt.conf, a configuration of apt with lists, cache
# and state of its own in FOLDER, and updates its lists.  The system's own stay as they are.  Use it by
# APT_CONFIG=FOLDER/apt.conf.
# private-apt.sh --suite: prints the name of the machine's suite, as its sources name it.
# private-apt.sh --mirrors: prints the addresses from which packages of the component main come.
#
# The sources are those of the machine's distribution, with the release's name replaced by SUITE.  SUITE "same" leaves
# it as it is, with updates.  ARCHITECTURES are the machine's unless they are given (also if they are ""), and a package
# is of the first one unless its name says otherwise.  With "source" there are source packages instead of binary ones.
#
# As root, apt downloads as its own user, _apt, which must be able to reach FOLDER.  Exit status 77, and a line that
# says why: it cannot be done here.
set -eu
etc=${APT_ETC:-/etc/apt} # the tests have sources of their own

# Prints each source as "OPTIONS|ADDRESS|SUITE|COMPONENTS"; deb822 files too.
sources() {
    for file in "$etc"/sources.list "$etc"/sources.list.d/*.list; do
        [ ! -f "$file" ] || sed -n 's/#.*//; s/^[[:space:]]*deb[[:space:]]\{1,\}//p' "$file"
    done | awk '{
        options = ""
        if (match($0, /^\[[^]]*\][ \t]*/)) {
            options = substr($0, 2, index($0, "]") - 2)
            $0 = substr($0, RLENGTH + 1)
        }
        address = $1; suite = $2
        $1 = $2 = ""
        sub(/^ */, "")
        print options "|" address "|" suite "|" $0
    }'
    for file in "$etc"/sources.list.d/*.sources; do
        [ ! -f "$file" ] || { grep -v '^#' "$file"; echo; }
    done | awk '
        function flush(  a, s, i, j, n, m) {
            if (types ~ /(^| )deb( |$)/ && enabled !~ /^(no|false|0)$/) {
                n = split(uris, a, " "); m = split(suites, s, " ")
                for (i = 1; i <= n; i++) for (j = 1; j <= m; j++)
                    print (signed == "" || signed ~ / / ? "" : "signed-by=" signed) "|" a[i] "|" s[j] "|" components
            }
            types = uris = suites = components = signed = enabled = ""
        }
        /^[ \t]*$/ { flush(); next }
        /^[ \t]/ { signed = signed " inline"; next }
        { key = tolower($1); $1 = ""; sub(/^ */, "") }
        key == "types:" { types = $0 }
        key == "uris:" { uris = $0 }
        key == "suites:" { suites = $0 }
        key == "components:" { components = $0 }
        key == "signed-by:" { signed = $0 }
        key == "enabled:" { enabled = tolower($0) }
        END { flush() }'
}

# Prints the name of the machine's suite.  os-release has the release's codename, but the sources of a machine that
# follows testing or unstable may name these instead.
own_suite() {
    codename=$(. "${OS_RELEASE:-/etc/os-release}" && echo "${VERSION_CODENAME:-stable}")
    for suite in "$codename" sid unstable testing stable; do
        if sources | cut -d '|' -f 3 | grep -qxF "$suite"; then
            echo "$suite"
            return
        fi
    done
    echo "$codename"
}

own=$(own_suite)
case ${1:-} in
--suite) echo "$own"; exit ;;
--mirrors) sources | awk -F '|' -v own="$own" '$3 == own && $4 ~ /(^| )main( |$)/ { print $2 }'; exit ;;
esac
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

sources | awk -F '|' -v own="$own" -v suite="$suite" -v type="$type" '
    $3 == own || (suite == "same" && index($3, own "-") == 1) {
        count = split($1, option, " ")
        kept = ""
        for (i = 1; i <= count; i++) if (option[i] !~ /^arch/) kept = kept " " option[i]
        print type, (kept == "" ? "" : "[" kept " ] ") $2, (suite == "same" ? $3 : suite), $4
    }' >"$apt/sources/machine.list"
[ -s "$apt/sources/machine.list" ] || { echo "$etc: has no source of $own, the suite of this machine" && exit 77; }

# shellcheck disable=SC2086 # words
list=$(printf '"%s"; ' $architectures)
cat >"$apt/apt.conf" <<CONF
APT::Architecture "${architectures%% *}";
APT::Architectures { $list};
APT::Install-Recommends "false";
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
