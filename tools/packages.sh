# SPDX-License-Identifier: BSD-2-Clause
# For the scripts that take programs, libraries, kernels and sources out of Debian's packages without installing them;
# source it at the top of the checkout.  If something cannot be had, the script ends with status 77 and a line that says
# why.

# packages_of SUITE [ARCHITECTURES] [source]: has apt use the configuration of tools/private-apt.sh from now on, in the
# folder $apt, which is removed when the script ends.  It is outside the checkout because apt's own user, _apt,
# downloads into it and can read neither /root nor most homes.
packages_of() {
    apt=$(mktemp -d "${TMPDIR:-/var/tmp}/armpmu-apt.XXXXXX") || exit 1
    trap 'rm -rf "$apt"' EXIT
    trap 'exit 130' HUP INT TERM
    chmod 755 "$apt"
    mkdir -p "$apt/debs/partial"
    if [ "$(id -u)" -eq 0 ]; then
        chown _apt "$apt/debs" "$apt/debs/partial" 2>/dev/null || true # apt downloads as root where there is no _apt
    fi
    sh tools/private-apt.sh "$apt" "$@"
    APT_CONFIG=$apt/apt.conf
    export APT_CONFIG
}

# Runs a command, and ends the script with status 77 if it fails.
run() {
    "$@" >"$apt/log" 2>&1 && return
    echo "$*: $(grep -m 1 '^E:' "$apt/log" || tail -n 1 "$apt/log")"
    exit 77
}

# download PACKAGE...: downloads the packages themselves, without those on which they depend.
download() {
    (cd "$apt/debs" && apt-get -q download "$@")
}

# depends PACKAGE PATTERN: prints the first package on which PACKAGE depends whose name matches PATTERN.
depends() {
    apt-cache depends "$1" 2>/dev/null | sed -n "s/^ *Depends: \($2\)\$/\1/p" | head -n 1
}

# kernel_of METAPACKAGE: sets $kernel to the package of the kernel for which it stands, and $kernel_package to the one
# that has the kernel's file, which is another package from Debian 14 on.
kernel_of() {
    kernel=$(depends "$1" 'linux-image-[0-9][^ ]*')
    [ -n "$kernel" ] || { echo "$1: not in this machine's sources" && exit 77; }
    kernel_package=$(depends "$kernel" 'linux-binary-[0-9][^ ]*')
    kernel_package=${kernel_package:-$kernel}
}

# unpack_one DEB TO [FILES]: unpacks DEB, or its FILES (a pattern), into the folder TO, without set-user-ID and
# set-group-ID bits.  It follows the links that unpack() made.
unpack_one() {
    dpkg-deb --fsys-tarfile "$1" >"$apt/data.tar" &&
        tar -x -f "$apt/data.tar" -C "$2" --no-same-owner --no-same-permissions --keep-directory-symlink \
            ${3:+--wildcards "$3"}
    unpacked=$?
    rm -f "$apt/data.tar"
    return $unpacked
}

# unpack TO [VMLINUZ]: unpacks what was downloaded, but only the kernel itself of a kernel's package, to VMLINUZ.  TO
# becomes a root with merged /usr as base-files makes it: /bin, /sbin and /lib are links, because from Debian 13 on the
# packages have no files there, while programs name their loader in /lib.
unpack() {
    for folder in bin sbin lib; do
        mkdir -p "$1/usr/$folder"
        [ -e "$1/$folder" ] || ln -s "usr/$folder" "$1/$folder"
    done
    for deb in "$apt"/debs/*.deb; do
        case $deb in
        */linux-image-* | */linux-binary-*)
            mkdir "$apt/kernel"
            run unpack_one "$deb" "$apt/kernel" '*/vmlinuz*'
            mv "$(find "$apt/kernel" -type f -name 'vmlinuz*' | head -n 1)" "$2" ;;
        *) run unpack_one "$deb" "$1" ;;
        esac
    done
}

# module_of NAME TO: takes the module NAME of the $kernel that kernel_of set to the file TO: out of its package or, from
# Debian 14 on, out of the one with its modules.
module_of() {
    modules_package=$(depends "$kernel" 'linux-modules-[0-9][^ ]*')
    ls "$apt/debs/${modules_package:=$kernel}"_*.deb >/dev/null 2>&1 || run download "$modules_package"
    mkdir -p "$apt/modules"
    run unpack_one "$(find "$apt/debs" -name "${modules_package}_*.deb")" "$apt/modules" "*/$1.ko*"
    found=$(find "$apt/modules" -name "$1.ko*" | head -n 1)
    case $found in
    *.xz) run xz -d "$found" && found=${found%.xz} ;;
    *.zst) run zstd -q -d "$found" && found=${found%.zst} ;;
    esac
    run mv "$found" "$2"
}
