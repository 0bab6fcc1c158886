#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The builds of QEMU use the user's cache folder.  What was built once is not built again after `make clean` or in a
# second checkout.  If the edits of that one differ, ninja alone runs.  The next build is right after one that failed or
# was interrupted, and so are two at the same time.
# The source, its configure and ninja are the test's own, and record their calls.
# Runs beside other tests.
set -u
. test/lib/tap.sh
need apt-get dpkg-deb flock sha256sum python3
unset NEWEST ARMPMU_QEMU QEMU_STOCK
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cat >"$work/bin/apt-cache" <<'END'
#!/bin/sh
for version in ${LISTED:-1:10.0.1-1}; do printf 'Package: qemu\nVersion: %s\n\n' "$version"; done
END
cat >"$work/bin/apt-get" <<'END'
#!/bin/sh
case $* in *--download-only*) echo fetch >>"$CALLS"; echo >qemu_10.dsc ;; esac
END
cat >"$work/bin/dpkg-source" <<'END'
#!/bin/sh
for folder in "$@"; do :; done
mkdir -p "$folder/target/arm" && : >"$folder/target/arm/helper.c"
printf '#!/bin/sh\necho configure >>"$CALLS"\n' >"$folder/configure" && chmod +x "$folder/configure"
END
cat >"$work/bin/ninja" <<'END'
#!/bin/sh
echo ninja >>"$CALLS"
[ -z "${FAIL:-}" ] || exit 1
[ -z "${HANG:-}" ] || { echo "$$" >"$HANG"; exec sleep 60; }
sleep 0.3
cd "$2"
for emulator in "$@"; do
    case $emulator in qemu-*) printf '#!/bin/sh\necho QEMU version\n' >"$emulator" && chmod +x "$emulator" ;; esac
done
END
cat >"$work/bin/strip" <<'END'
#!/bin/sh
cp "$3" "$2"
END
printf '#!/bin/sh\n' >"$work/bin/python3" # the edits
printf '#!/bin/sh\necho 1.7\n' >"$work/bin/meson"
chmod +x "$work"/bin/*
CALLS=$work/calls
export CALLS

# Runs a build script; $result has its exit status, and $calls how often each command was called.
build() { # B user/emulator|system VARIABLE=VALUE...
    : >"$CALLS"
    out=$1 which=$2
    shift 2
    env PATH="$work/bin:$PATH" XDG_CACHE_HOME="$work/cache" SUITE=trixie B="$work/$out" "$@" \
        sh "$from/qemu/$which/build.sh" >"$work/log" 2>&1
    result=$?
    calls=$(sort "$CALLS" | uniq -c | awk '{ printf "%s%s %d", comma, $2, $1; comma = ", " }')
}
# Checks the exit status and the calls of a build, and that FILE is an emulator.
built() { # NAME STATUS CALLS [FILE]
    if [ "$result" -ne "$2" ] || [ "$calls" != "$3" ]; then
        not_ok "$1" "exit status $result, not $2; calls: $calls, not $3; it printed: $(tr '\n' '|' <"$work/log")"
    else
        [ $# -le 3 ] || [ "$("$work/$4" 2>&1)" = "QEMU version" ]
        expect $? "$1" "${4:-} is no emulator"
    fi
}
from=. # the checkout
user=qemu/armpmu-qemu-arm system=qemu/armpmu-qemu-system-aarch64

build one user/emulator FAIL=1
built "user emulators: a build that fails" 1 "configure 1, fetch 1, ninja 1"
env PATH="$work/bin:$PATH" XDG_CACHE_HOME="$work/cache" SUITE=trixie B="$work/one" HANG="$work/pid" \
    setsid sh qemu/user/emulator/build.sh >"$work/log" 2>&1 &
waited=0
until [ -s "$work/pid" ] || [ $waited -ge 100 ]; do
    sleep 0.1
    waited=$((waited + 1))
done
kill -9 -- "-$!" 2>/dev/null || kill -9 $! # the whole session of the build, with its ninja
wait 2>/dev/null
build one user/emulator
built "user emulators: after one that failed and one that was killed, only ninja runs again" 0 "ninja 1" "one/$user"
build one user/emulator
built "user emulators: a second time nothing is built" 0 "" "one/$user"
rm -rf "$work/one"
build one user/emulator
built "user emulators: nor after make clean" 0 "" "one/$user"
build two user/emulator
built "user emulators: nor in a second checkout" 0 "" "two/$user"
build two system
built "system emulator: the source is there" 0 "configure 1, ninja 1" "two/$system"
build one system
built "system emulator: not built again in a second checkout" 0 "" "one/$system"
build one user/emulator NEWEST=10.1
built "a lower limit of versions that this one is within: nothing is built" 0 "" "one/$user"
build one user/emulator NEWEST=99.0
built "a higher limit, and the suite has none newer: nothing is built" 0 "" "one/$user"
build one user/emulator NEWEST=99.1 LISTED="1:10.0.1-1 1:98.2.1-1"
built "a higher limit, and the suite has a newer one: fetched and built anew" 0 "configure 1, fetch 1, ninja 1" \
    "one/$user"
truncate -s 0 "$work"/cache/armpmu/qemu-trixie-on-*/user-????????????????/armpmu-qemu-arm
build one user/emulator NEWEST=99.1
built "a kept emulator that does not run is built again" 0 "ninja 1" "one/$user"

# A checkout with other edits.
from=$work/checkout
mkdir -p "$from/lib" "$from/include"
cp -RL tools qemu tables "$from"
cp -RL lib/model lib/names "$from/lib"
cp -RL include/armpmu "$from/include"
build two user/emulator NEWEST=99.1
built "a checkout with the same edits: nothing is built" 0 "" "two/$user"
build two system NEWEST=99.1
built "the same for the system emulator, after it was built" 0 "configure 1, ninja 1" "two/$system"
for changed in qemu/user/emulator/emulator.h tools/qemu_source.py; do
    echo >>"$from/$changed"
    build two user/emulator NEWEST=99.1
    built "user emulators: $changed changes: only ninja runs" 0 "ninja 1" "two/$user"
done
build two system NEWEST=99.1
built "system emulator: tools/qemu_source.py changes: only ninja runs" 0 "ninja 1" "two/$system"
from=.
build one user/emulator NEWEST=99.1
built "the other edits are kept beside: nothing is built" 0 "" "one/$user"

# Two at once: one builds, the other waits for it and takes what it built.
rm -rf "$work/cache"
: >"$CALLS"
for checkout in one two; do
    env PATH="$work/bin:$PATH" XDG_CACHE_HOME="$work/cache" SUITE=trixie B="$work/$checkout" \
        sh qemu/user/emulator/build.sh >"$work/log.$checkout" 2>&1 &
done
wait
[ "$(sort "$CALLS" | uniq -c | awk '{ printf "%s%d", $2, $1 }')" = configure1fetch1ninja1 ] &&
    [ "$("$work/one/$user")" = "$("$work/two/$user")" ]
expect $? "two builds at once: one builds, the other waits" "calls: $(tr '\n' ' ' <"$CALLS")"

# At most three results of a kind are kept.
for kind in user system; do
    for n in 1 2 3 4 5; do
        (cd "$work"/cache/armpmu/qemu-trixie-on-* && mkdir "$kind-000000000000000$n")
    done
done
build one system
for kind in user system; do
    kept=$(find "$work/cache" -name "$kind-????????????????" | wc -l)
    [ "$kept" -le 3 ] && [ "$("$work/one/$system" 2>&1)" = "QEMU version" ]
    expect $? "three of the kind $kind are kept" "$kept are"
done
summary
