#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Packages that are taken apart, not installed (tools/packages.sh, tools/private-apt.sh): no set-user-ID bits, a root
# with the links of a merged /usr, sources of both formats read, and apt downloads as its own user where root runs it.
set -u
. test/lib/tap.sh
need dpkg-deb apt-get tar
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# Makes a package with all of it: files in /lib and in /usr/lib, programs with set-user-ID and set-group-ID bits.
mkdir -p "$work/deb/DEBIAN" "$work/deb/lib" "$work/deb/usr/lib" "$work/deb/bin" "$work/debs"
printf 'Package: bits\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: bits\n' \
    >"$work/deb/DEBIAN/control"
touch "$work/deb/lib/old" "$work/deb/usr/lib/new" "$work/deb/bin/suid" "$work/deb/bin/sgid"
chmod 4755 "$work/deb/bin/suid"
chmod 2755 "$work/deb/bin/sgid"
dpkg-deb --root-owner-group -b "$work/deb" "$work/debs/bits_1_all.deb" >/dev/null || exit 2
(
    . tools/packages.sh
    apt=$work
    unpack "$work/root"
)
[ -z "$(find "$work/root" -type f -perm /6000)" ] && [ -x "$work/root/bin/suid" ]
expect $? "no set-user-ID and set-group-ID bits" "$(find "$work/root" -perm /6000 | tr '\n' ' ')"
[ "$(readlink "$work/root/lib")" = usr/lib ] && [ -e "$work/root/usr/lib/old" ] && [ -e "$work/root/lib/new" ]
expect $? "a root with merged /usr" "$(cd "$work/root" && find . | tr '\n' ' ')"

# Sources of both formats.
# Makes the private apt of a machine whose sources are in $work/NAME; $found has its sources.
sources() { # NAME CODENAME SUITE
    echo "VERSION_CODENAME=$2" >"$work/os-release"
    (cd "$work" && mkdir -p bin && printf '#!/bin/sh\n' >bin/apt-get && chmod +x bin/apt-get)
    env PATH="$work/bin:$PATH" APT_ETC="$work/$1" OS_RELEASE="$work/os-release" \
        sh tools/private-apt.sh "$work/apt" "$3" >/dev/null 2>&1
    found=$(tr '\n' ';' <"$work/apt/sources/machine.list")
}
mkdir -p "$work/new/sources.list.d" "$work/old/sources.list.d" "$work/sid"
cat >"$work/new/sources.list.d/debian.sources" <<'END'
# a comment
Types: deb deb-src
URIs: http://one.example/debian
Suites: trixie trixie-updates
Components: main
Signed-By: /keys.gpg

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: trixie
Components: main
END
printf 'deb [arch=amd64 signed-by=/k.gpg]  http://two.example/debian   bookworm main contrib # here\n' \
    >"$work/old/sources.list"
printf '# deb http://off.example/ bookworm main\ndeb http://other.example/x stable main\n' \
    >"$work/old/sources.list.d/x.list"
printf 'deb http://three.example/debian sid main\n' >"$work/sid/sources.list"
found_is() { [ "$found" = "$2" ]; expect $? "$1" "$found"; } # NAME LINES
sources new trixie same
one='deb [ signed-by=/keys.gpg ] http://one.example/debian'
found_is "deb822: the same suite, with updates" "$one trixie main;$one trixie-updates main;"
sources new trixie sid
found_is "deb822: another suite" 'deb [ signed-by=/keys.gpg ] http://one.example/debian sid main;'
sources old bookworm trixie
found_is "one line: another suite" 'deb [ signed-by=/k.gpg ] http://two.example/debian trixie main contrib;'
sources sid forky same
found_is "a machine that follows sid" 'deb http://three.example/debian sid main;'

if [ "$(id -u)" -eq 0 ] && id _apt >/dev/null 2>&1; then
    chmod 755 "$work"
    said=$(
        TMPDIR=$work
        . tools/packages.sh
        packages_of same 2>&1
        apt-config dump APT::Sandbox::User
        cd "$apt/debs" && apt-get -q download base-files 2>&1
        grep -i unsandboxed "$apt/log"
    )
    case $said in
    *'apt-get update:'*) skip "apt as root downloads as its own user" "no network" ;;
    *)
        echo "$said" | grep -q 'APT::Sandbox::User "_apt"' && ! echo "$said" | grep -qi unsandboxed
        expect $? "apt as root downloads as its own user" "$(echo "$said" | tr '\n' ' ')" ;;
    esac
    [ -z "$(find "$work" -maxdepth 1 -name 'armpmu-apt.*')" ]
    expect $? "its folder is removed" "it is there"
fi
summary
