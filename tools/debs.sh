#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# debs.sh [ARCHITECTURE...]: builds the packages of debian/ for this machine, or for the given architectures (amd64
# arm64), on a Debian system that is there for it, since it installs what the build needs: `make deb` runs it in a fresh
# chroot.  The packages and the logs are left in the folder above.
#
# The build has no network and is not root.  lintian may find neither errors nor warnings, and the packages for this
# machine are installed and pass debian/tests.  Prints "ok" and "not ok" lines.
set -u
cd "$(dirname "$0")/.." || exit 2
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
native=$(dpkg --print-architecture)
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
        echo "not ok $name: $(grep -v '^ *$' "$log" | tail -n 1)"
        return 1
    fi
}

# Builds as a user without rights, in a network of its own that reaches nothing but itself.
build() { # ARCHITECTURE
    [ "$1" = "$native" ] && profiles= || profiles=cross,nocheck
    rm -rf "$out/build-$1"
    mkdir "$out/build-$1" && cp -a . "$out/build-$1/armpmu" && chown -R builder "$out/build-$1" || return 1
    unshare --net sh -c 'ip link set lo up && cd "$1/armpmu" &&
        exec setpriv --reuid=builder --regid=builder --clear-groups --inh-caps=-all \
            env HOME=/nonexistent DEB_BUILD_OPTIONS=parallel=2 \
            dpkg-buildpackage --no-sign --build=binary --host-arch="$2" --build-profiles="$3"' \
        sh "$out/build-$1" "$1" "$profiles"
}

step "tools" apt-get -q -y install --no-install-recommends dpkg-dev debhelper lintian util-linux fakeroot \
    iproute2 || exit 1
id builder >/dev/null 2>&1 || useradd --create-home builder || exit 1
for architecture; do
    if [ "$architecture" != "$native" ]; then
        dpkg --add-architecture "$architecture"
        step "$architecture: lists" apt-get -q update || continue
        step "$architecture: compiler" apt-get -q -y install --no-install-recommends \
            "crossbuild-essential-$architecture" || continue
        step "$architecture: dependencies" apt-get -q -y --no-install-recommends build-dep \
            --host-architecture "$architecture" --build-profiles cross,nocheck ./ || continue
    else
        step "$architecture: dependencies" apt-get -q -y --no-install-recommends build-dep ./ || continue
    fi
    step "$architecture: packages, without network and root" build "$architecture" || continue
    built=$out/build-$architecture
    cp "$built"/*.deb "$built"/*.buildinfo "$built"/*.changes "$out"
    step "$architecture: lintian" lintian --allow-root --fail-on error,warning --info \
        "$out"/armpmu_*_"$architecture".changes
done

# Installs what was built for this machine.
if ls "$out"/armpmu_*_"$native".deb >/dev/null 2>&1; then
    step "$native: installation" apt-get -q -y install "$out"/*_"$native".deb
    step "$native: what the tests need" apt-get -q -y install --no-install-recommends gcc libc6-dev pkg-config \
        $([ "$native" != amd64 ] || echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
    for test in debian/tests/*; do
        case $test in */control) continue ;; esac
        step "$native: $test" sh "$test"
    done
    step "$native: removal" apt-get -q -y purge armpmu libarmpmu-dev libarmpmu0.1
fi
grep -v '^ ' "$log" | grep '^[EWI]: ' | sort -u
exit $failed
