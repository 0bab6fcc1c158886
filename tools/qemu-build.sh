# SPDX-License-Identifier: BSD-2-Clause
# Functions for the scripts that build QEMU, which source this file at the top of the checkout:
# qemu/user/emulator/build.sh and qemu/system/build.sh.  They build the source package of a distribution's suite: SUITE,
# or the machine's own suite, or trixie on Debian 12.  They take its newest version up to NEWEST, the newest that the
# edits and the plugin know.
#
# Source, objects and results are kept in the user's cache folder, in one folder for each suite and release of the
# machine ($home).  So they are not built again after `make clean`, and checkouts whose edits are equal share a result;
# `make clean-cache` removes them.  Checkouts with different edits use the same objects in turn.  A lock keeps two
# builds out of one folder.  The output of a step gets its name only when the step is done, so a build never takes the
# incomplete output of an interrupted one.
#
# Exit status 77, with a line that says why: the source package or meson is not available here.
: "${B:=build}" "${NEWEST:=11.1}" "${JOBS:=$(nproc 2>/dev/null || echo 2)}"
repository=$(pwd)

fail() {
    echo "qemu: $*" >&2
    exit 1
}
not_here() {
    echo "qemu: $*" >&2
    exit 77
}

mkdir -p "$B/qemu"
results=$(cd "$B/qemu" && pwd)
cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
[ -n "$cache" ] || fail "there is no cache folder: neither XDG_CACHE_HOME nor HOME is set; set XDG_CACHE_HOME"
cache=$cache/armpmu
if [ -z "${SUITE:-}" ]; then
    SUITE=$(sh tools/private-apt.sh --suite)
    [ "$SUITE" != bookworm ] || SUITE=trixie
fi
machine=$(. /etc/os-release 2>/dev/null && echo "${ID:-linux}${VERSION_ID:-}")-$(uname -m)
home=$cache/qemu-$SUITE-on-$machine
mkdir -p "$home" 2>/dev/null || fail "$home: this folder cannot be made; name another cache folder in XDG_CACHE_HOME"
home=$(cd "$home" && pwd)

# Waits until no other build works in $home, and locks it until this script ends.
lock() {
    command -v flock >/dev/null || fail "flock is not here: install util-linux"
    exec 9>"$home/lock"
    flock -n 9 && return
    echo "qemu: waiting for another build in $home"
    flock 9
}

# Runs a command with its output in $home/NAME.log.  If it fails, shows the last lines and ends the script.
quietly() { # NAME COMMAND...
    log=$home/$1.log
    shift
    "$@" >"$log" 2>&1 9>&- || { tail -n 20 "$log" >&2; fail "it failed: $*; everything it said is in $log"; }
}

# Succeeds if version A is not newer than version B.
at_most() { # A B
    [ "$(printf '%s\n' "$1" "$2" | sort -V | tail -n 1)" = "$2" ]
}
# Prints the release of a package's version: 10.0 for 1:10.0.2+ds-1.
upstream() { # VERSION
    echo "${1#*:}" | cut -d . -f 1,2
}

# Prints the versions of the suite's source package that are not newer than NEWEST, the newest first.
versions() {
    apt-cache showsrc --only-source qemu | sed -n 's/^Version: //p' | sort -Vr |
        while read -r version; do
            ! at_most "$(upstream "$version")" "$NEWEST" || echo "$version"
        done
}

# Makes $home/source.new, with the folder qemu, the source without the firmware, which is not built, and the file
# .version.  Does nothing if $home/source has that version already.
unpack_source() {
    . tools/packages.sh
    packages_of "$SUITE" '' source >&2 || not_here "the source package cannot be had here"
    versions >"$apt/versions"
    [ -s "$apt/versions" ] || not_here "$SUITE has no source package of QEMU up to $NEWEST, the newest that" \
        "the edits are known to fit: name another suite, or try with NEWEST=VERSION"
    [ "$(head -n 1 "$apt/versions")" != "$(cat "$home/source/.version" 2>/dev/null)" ] || return 0
    while read -r version; do # a mirror may list a version that it lacks
        echo "qemu: fetching the source of $version (40 MB)"
        (cd "$apt/debs" && apt-get -q source --download-only "qemu=$version") >"$home/source.log" 2>&1 && break
        echo "qemu: $(grep -m 1 '^E:' "$home/source.log" || tail -n 1 "$home/source.log")" >&2
    done <"$apt/versions"
    package=$(find "$apt/debs" -name 'qemu_*.dsc')
    [ -n "$package" ] || not_here "none of these versions can be had here"
    mkdir "$home/source.new"
    quietly source dpkg-source -x --no-check "$package" "$home/source.new/qemu"
    [ -f "$home/source.new/qemu/target/arm/helper.c" ] || fail "the source package has no target/arm/helper.c"
    rm -rf "$home"/source.new/qemu/roms/*/
    echo "$version" >"$home/source.new/.version"
}

# Makes $home/source, the suite's newest version up to NEWEST, once.  The file .newest keeps NEWEST.  With a higher
# NEWEST the suite is asked again; with a lower one, only if the version is beyond it.  What was built from another
# version is removed.
fetch_source() {
    [ -s "$home/source/.version" ] && limit=$(cat "$home/source/.newest" 2>/dev/null) && at_most "$NEWEST" "$limit" &&
        at_most "$(upstream "$(cat "$home/source/.version")")" "$NEWEST" && return
    rm -rf "$home/source.new"
    (unpack_source)
    if [ -d "$home/source.new" ]; then
        for folder in source meson user-source user-objects system-source system-objects stock stock-objects; do
            rm -rf "${home:?}/$folder"
        done
        mv "$home/source.new" "$home/source"
    fi
    echo "$NEWEST" >"$home/source/.newest"
}

# Provides meson 1.5 or later: the installed one, or the suite's, which is unpacked once.  A suite of backports may have
# none; then the suite that it belongs to has one that is new enough.
new_meson() {
    if command -v meson >/dev/null && [ "$(printf '1.5\n%s\n' "$(meson --version)" | sort -V | head -n 1)" = 1.5 ]; then
        return
    fi
    for suite in "$SUITE" "${SUITE%-backports}"; do
        [ -d "$home/meson" ] || (
            . tools/packages.sh
            packages_of "$suite"
            run download meson
            rm -rf "$home/meson.new"
            unpack "$home/meson.new"
            mv "$home/meson.new" "$home/meson"
        ) >&2 || continue
    done
    [ -d "$home/meson" ] || not_here "meson 1.5 or later is neither here nor to be had"
    PYTHONPATH=$home/meson/usr/lib/python3/dist-packages
    export PYTHONPATH
}

# Prints the name of a result: a hash of everything that decides what is in it.
key() { # "FILE OR FOLDER OF THE CHECKOUT..." "OPTION..."
    {
        # shellcheck disable=SC2086 # words
        (cd "$repository" && find $1 -type f | LC_ALL=C sort | while read -r file; do echo "$file"; cat "$file"; done)
        cat "$home/source/.version"
        echo "$options $2"
    } | sha256sum | cut -c 1-16
}

# Makes $home/NAME-source, the source with the edits that the program EDIT makes.  It is a copy by hard links: the edits
# replace files and do not write into them.
edit_source() { # NAME EDIT
    if [ ! -d "$home/$1-source" ]; then
        rm -rf "$home/$1-source.new" "$home/$1-objects"
        cp -al "$home/source/qemu" "$home/$1-source.new"
        mv "$home/$1-source.new" "$home/$1-source"
    fi
    python3 "$2" "$home/$1-source" "$repository"
}

# Notes that a result is used.  Of the results of NAME the three used last are kept.
keep_latest() { # NAME RESULT
    touch "$2"
    # shellcheck disable=SC2012 # names without blanks
    (cd "$home" && ls -dt "$1"-????????????????) | tail -n +4 | while read -r old; do rm -rf "${home:?}/$old"; done
}

# How each emulator is configured, besides its targets.
options='--without-default-features --enable-tcg --enable-plugins --disable-install-blobs --disable-tools --disable-docs
    --disable-guest-agent --disable-werror --disable-debug-info'

# Builds emulators from the source $home/SOURCE with the objects in $home/NAME-objects.
build_emulators() { # NAME SOURCE "EMULATOR..." OPTIONS...
    name=$1 source=$2 emulators=$3
    shift 3
    objects=$home/$name-objects
    if [ "$(cat "$objects/.configured" 2>/dev/null)" != "$options $*" ]; then
        echo "qemu: configuring $emulators"
        rm -rf "$objects"
        mkdir "$objects"
        # shellcheck disable=SC2086 # words
        (cd "$objects" && quietly "$name-configure" "../$source/configure" --python=/usr/bin/python3 $options "$@")
        echo "$options $*" >"$objects/.configured"
    fi
    # shellcheck disable=SC2086 # words
    if [ -t 1 ]; then # ninja shows its progress in one line
        ninja -C "$objects" -j "$JOBS" $emulators 9>&-
    else
        echo "qemu: building $emulators"
        quietly "$name-build" ninja -C "$objects" -j "$JOBS" $emulators
    fi
}

# Succeeds if FILE is an emulator that runs here.
runs() { # FILE
    "$1" --version 2>/dev/null | grep -q version
}

# Strips $home/NAME-objects/EMULATOR into the file TO.
take() { # NAME EMULATOR TO
    strip -o "$3.new" "$home/$1-objects/$2"
    mv "$3.new" "$3"
}

# Copies each FILE to $B/qemu, unless the same content is there.
deliver() { # FILE...
    for file in "$@"; do
        name=$results/${file##*/}
        cmp -s "$file" "$name" && continue
        cp "$file" "$name.new"
        mv "$name.new" "$name"
    done
}
