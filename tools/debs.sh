#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# debs.sh [ARCHITECTURE...]: builds the packages of debian/ (debian/README.source) for this machine, or for the given
# architectures (amd64 arm64), on a Debian system that is there for it, since it installs what the build needs:
# `make deb` runs it in a fresh chroot.  The packages and the logs are left in the folder above.
#
# The build has no network and is not root.  lintian may find neither errors nor warnings.  For this machine's own
# architecture a second build, in another folder, time zone and language, must have the same bytes; installing and
# removing the packages must leave no file behind; and the packages pass debian/tests under autopkgtest.  Prints "ok"
# and "not ok" lines.
set -u
cd "$(dirname "$0")/.." || exit 2
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
native=$(dpkg --print-architecture)
# With the profile pkg.armpmu.emulators QEMU is built for this machine, too, of whose source no source package is made.
own_profiles=$(echo "${DEB_BUILD_PROFILES:-}" | tr ' ' ,)
unset DEB_BUILD_PROFILES
case ,$own_profiles, in *,pkg.armpmu.emulators,*) own_kind=binary ;; *) own_kind=full ;; esac
[ $# -gt 0 ] || set -- "$native"
out=$(cd .. && pwd)
failed=0
log=$out/debs.log
: >"$log"

# Runs COMMAND, with its output in the log, and reports whether it succeeded.
step() { # NAME COMMAND...
    name=$1
    shift
    echo "== $name: $*" >>"$log"
    if "$@" >>"$log" 2>&1 </dev/null; then
        echo "ok $name"
    else
        failed=1
        echo "not ok $name: $(grep -v -e '^ *$' -e '^N:' "$log" | tail -n 1)"
        return 1
    fi
}
install() { apt-get -q -y install --no-install-recommends "$@"; }

# Builds in FOLDER, which is made, as a user without rights, in a network of its own that reaches nothing but itself.
build() { # FOLDER ARCHITECTURE OPTIONS [VARIABLE=VALUE...]
    [ "$2" = "$native" ] && kind=$own_kind profiles=$own_profiles || kind=any profiles=cross,nocheck
    folder=$1 architecture=$2 options=$3
    shift 3
    rm -rf "$folder"
    mkdir "$folder" && cp -a . "$folder/armpmu" && chown -R builder "$folder" || return 1
    unshare --net sh -c 'ip link set lo up && cd "$1/armpmu" && shift &&
        exec setpriv --reuid=builder --regid=builder --clear-groups --inh-caps=-all env "$@"' sh "$folder" \
        HOME=/nonexistent DEB_BUILD_OPTIONS="parallel=2 $options" "$@" \
        dpkg-buildpackage --no-sign "--build=$kind" "--host-arch=$architecture" "--build-profiles=$profiles"
}

# Builds once more, and compares the packages.
build_again() {
    build "$out/again" "$native" nocheck TZ=Asia/Tokyo LC_ALL=C LANGUAGE=de || return 1
    for package in "$out/build-$native"/*.deb; do
        diffoscope "$package" "$out/again/${package##*/}" || return 1
    done
}

# Prints every file of the system but those that dpkg, apt and this script write.
files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path "$out" -o -path /var/log \
        -o -path /var/cache -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -print | sort
}

# Installs the packages, removes them with what they needed, and compares the files before and after.
come_and_go() {
    names=$(for package in "$out"/*_"$native".deb; do dpkg-deb -f "$package" Package; done)
    apt-get -q -y --purge autoremove && files >"$out/before" || return 1
    # shellcheck disable=SC2086 # words
    install "$out"/*_"$native".deb && apt-get -q -y purge $names && apt-get -q -y --purge autoremove &&
        files >"$out/after" && diff "$out/before" "$out/after"
}

# Runs debian/tests on the packages, for which it installs them.  A test may be skipped.
run_tests() {
    autopkgtest --no-built-binaries "$out/build-$native/armpmu" "$out"/*_"$native".deb -- null
    status=$?
    [ $status -eq 0 ] || [ $status -eq 2 ]
}

step "tools" install dpkg-dev debhelper lintian util-linux fakeroot iproute2 diffoscope-minimal autopkgtest || exit 1
id builder >/dev/null 2>&1 || useradd --create-home builder || exit 1
for architecture; do
    if [ "$architecture" != "$native" ]; then
        dpkg --add-architecture "$architecture"
        step "$architecture: lists" apt-get -q update || continue
        step "$architecture: compiler" install "crossbuild-essential-$architecture" || continue
        step "$architecture: dependencies" apt-get -q -y --no-install-recommends build-dep \
            --host-architecture "$architecture" --build-profiles cross,nocheck ./ || continue
    else
        step "$architecture: dependencies" apt-get -q -y --no-install-recommends build-dep \
            --build-profiles "$own_profiles" ./ || continue
        if [ $own_kind = binary ]; then
            step "$architecture: the source of QEMU" debian/rules qemu-source || continue
        fi
    fi
    built=$out/build-$architecture
    step "$architecture: packages, without network and root" build "$built" "$architecture" "" || continue
    cp "$built"/*.deb "$built"/*.buildinfo "$built"/*.changes "$out"
    step "$architecture: lintian" lintian --allow-root --fail-on error,warning --info "$built"/armpmu_*.changes
    if [ "$architecture" = "$native" ]; then
        step "$architecture: a second build has the same bytes" build_again
        step "$architecture: installation and removal" come_and_go
        step "$architecture: debian/tests" run_tests
    fi
done
grep -E '^[EW]: |^[^ ]+ +(PASS|FAIL|SKIP)' "$log"
exit $failed
