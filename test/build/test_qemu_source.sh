#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `make qemu` takes the right source of QEMU, from an apt of the test's own.  Its packages are empty, so that each build
# ends when it looks into the source.
set -u
. test/lib/tap.sh
need apt-get apt-cache dpkg-deb flock
unset SUITE NEWEST
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cat >"$work/bin/apt-cache" <<'END'
#!/bin/sh
for version in $LISTED; do echo "Package: qemu"; echo "Version: $version"; echo; done
END
cat >"$work/bin/apt-get" <<'END'
#!/bin/sh
for word in "$@"; do last=$word; done
case $last in
qemu=*)
    case " $THERE " in
    *" ${last#qemu=} "*) echo "$last" >"qemu_${last#*:}.dsc" ;;
    *) echo "E: Failed to fetch $last"; exit 100 ;;
    esac ;;
esac
END
cat >"$work/bin/dpkg-source" <<'END'
#!/bin/sh
for folder in "$@"; do :; done
mkdir "$folder"
END
chmod +x "$work"/bin/*

# Builds from a suite that lists the versions LISTED, of which those in THERE can be fetched.  $work/out has the output,
# and the exit status in its last line.
build() { # LISTED THERE VARIABLE=VALUE...
    listed=$1 there=$2
    shift 2
    env PATH="$work/bin:$PATH" XDG_CACHE_HOME="$work/cache" B="$work/build" LISTED="$listed" THERE="$there" "$@" \
        sh qemu/user/emulator/build.sh >"$work/out" 2>&1
    echo "exit status $?" >>"$work/out"
}
# Checks that the output has each LINE.
printed() { # NAME LINE...
    name=$1
    shift
    for line in "$@"; do
        grep -qxF "$line" "$work/out" && continue
        not_ok "$name" "it did not print '$line', but: $(tr '\n' '|' <"$work/out")"
        return
    done
    ok "$name"
}
# Checks that the output does not have TEXT.
never() { # NAME TEXT
    ! grep -qF "$2" "$work/out"
    expect $? "$1" "it printed: $(grep -F "$2" "$work/out")"
}
incomplete='qemu: the source package has no target/arm/helper.c'

all='1:11.2.0+ds-1 1:11.1.3+ds-1 1:10.0.9+ds-1 1:10.2.2+ds-1 1:10.0.13+ds-1'
build "$all" "$all" SUITE=trixie
printed "the newest version that the edits know" "qemu: fetching the source of 1:11.1.3+ds-1 (40 MB)" "$incomplete" \
    "exit status 1"
never "no other version" "11.2.0"
for limit in 11.2:1:11.2.0+ds-1 10.2:1:10.2.2+ds-1; do
    build "$all" "$all" SUITE=trixie NEWEST="${limit%%:*}"
    printed "NEWEST=${limit%%:*}: another limit" "qemu: fetching the source of ${limit#*:} (40 MB)" "$incomplete"
done
build "$all" "1:10.0.13+ds-1" SUITE=trixie
printed "a version that the mirror lists and lacks" "qemu: E: Failed to fetch qemu=1:11.1.3+ds-1" \
    "qemu: E: Failed to fetch qemu=1:10.2.2+ds-1" \
    "qemu: fetching the source of 1:10.0.13+ds-1 (40 MB)" "$incomplete"
build "$all" "" SUITE=trixie
printed "none can be had" "qemu: none of these versions can be had here" "exit status 77"
build "1:11.2.0+ds-1" "1:11.2.0+ds-1" SUITE=sid
printed "all versions are newer" "exit status 77" "qemu: sid has no source package of QEMU up to 11.1, the newest that \
the edits are known to fit: name another suite, or try with NEWEST=VERSION"
build "$all" "$all" SUITE=sid
[ -d "$work/cache/armpmu/qemu-sid-on-"* ] && [ -d "$work/cache/armpmu/qemu-trixie-on-"* ]
expect $? "each suite has a folder of its own" "$(ls "$work/cache/armpmu")"
rm -rf "$work/cache"
build "$all" "$all" XDG_CACHE_HOME= HOME=
printed "no cache folder" "exit status 1" \
    "qemu: there is no cache folder: neither XDG_CACHE_HOME nor HOME is set; set XDG_CACHE_HOME"
touch "$work/file"
build "$all" "$all" XDG_CACHE_HOME="$work/file"
printed "a cache folder that cannot be made" "exit status 1"
never "a cache folder that cannot be made: nothing is fetched" "fetching"
summary
