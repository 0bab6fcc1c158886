# SPDX-License-Identifier: BSD-2-Clause
# For the scripts that take programs, libraries and kernels out of Debian's packages without installing them: sourced at
# the top of the checkout.  What cannot be had ends the script with status 77 and a line that says why.

# packages_of FOLDER SUITE [ARCHITECTURES]: apt is that of tools/private-apt.sh from now on; $apt is the folder.
packages_of() {
    rm -rf "$1/debs"
    mkdir -p "$1/debs/partial"
    sh tools/private-apt.sh "$@"
    apt=$(cd "$1" && pwd)
    APT_CONFIG=$apt/apt.conf
    export APT_CONFIG
}

# Runs a command whose failure ends the script.
run() {
    "$@" >"$apt/log" 2>&1 && return
    echo "$*: $(grep -m 1 '^E:' "$apt/log" || tail -n 1 "$apt/log")"
    exit 77
}

# download PACKAGE...: these themselves, without what they would need to be installed.
download() {
    (cd "$apt/debs" && apt-get -q download "$@")
}

# depends PACKAGE PATTERN: the first package that it depends on whose name is of the pattern.
depends() {
    apt-cache depends "$1" 2>/dev/null | sed -n "s/^ *Depends: \($2\)\$/\1/p" | head -n 1
}

# kernel_of METAPACKAGE: the package of the kernel that it stands for.
kernel_of() {
    kernel=$(depends "$1" 'linux-image-[0-9][^ ]*')
    [ -n "$kernel" ] || { echo "$1: not in this machine's sources" && exit 77; }
}

# unpack TO [VMLINUZ]: what was downloaded; of a kernel only itself, to VMLINUZ.
unpack() {
    for deb in "$apt"/debs/*.deb; do
        case $deb in
        */linux-image-*)
            dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$apt" --wildcards './boot/vmlinuz-*'
            mv "$apt"/boot/vmlinuz-* "$2" ;;
        *) run dpkg-deb -x "$deb" "$1" ;;
        esac
    done
}
