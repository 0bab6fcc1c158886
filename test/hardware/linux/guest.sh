# SPDX-License-Identifier: BSD-2-Clause
# Builds and boots Linux guests for the scripts that source it, with the top of the checkout as the current folder and
# B as the build folder.  The guest is Debian's arm64 kernel on qemu-system-aarch64, with a folder that guest_root makes
# as its root.  Time is the number of executed instructions (-icount), so the counts are the same in every run.
: "${B:=build}" "${CROSS:=aarch64-linux-gnu-}" "${QEMU_SYSTEM:=qemu-system-aarch64}"
guest_libs=$B/root-guest/usr/lib/aarch64-linux-gnu

# guest_make FILE...: builds FILEs of $B for the guest, in $B/arm64.  The tool is linked with static libraries.
guest_make() {
    for file; do set -- "$@" "$B/arm64/$file"; shift; done
    ${MAKE:-make} --no-print-directory -s B="$B/arm64" CC="${CROSS}gcc" AR="${CROSS}ar" \
        CFLAGS="-O2 -g -isystem $B/root-guest/usr/include" LDFLAGS="-static -L$guest_libs" "$@" | grep -v '^  [A-Z]'
    for file; do [ -f "$file" ] || return 1; done
}

# guest_need [headers]: exits with 77, and says why, where there can be no guest.  "headers" also gets what guest_module
# needs, where it is available.
guest_need() {
    for pair in "$QEMU_SYSTEM:qemu-system-arm" "${CROSS}gcc:gcc-aarch64-linux-gnu" cpio:cpio; do
        command -v "${pair%%:*}" >/dev/null || { echo "${pair%%:*}: not here: apt-get install ${pair#*:}"; exit 77; }
    done
    why=$(B=$B sh tools/guest-root.sh "$@") || { echo "no kernel for the guest: $why"; exit 77; }
}

# guest_cc OUT FILE.c... [FLAGS...]: builds a program for the guest, linked statically with libarmpmu.
guest_cc() {
    out=$1
    shift
    "${CROSS}gcc" -std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror -Iinclude \
        -isystem "$B/root-guest/usr/include" -static -o "$out" "$@" "$B/arm64/libarmpmu.a" -lpthread
}

# guest_module DIR VARIABLES...: builds the module that DIR/Kbuild describes for the guest's kernel.  Prints why if it
# fails.
guest_module() {
    module=$(cd "$1" && pwd)
    shift
    for folder in "$B"/root-guest/usr/src/linux-headers-*-arm64 "$B"/root-guest/usr/src/linux-headers-*-common; do
        [ -d "$folder" ] || { echo "no package of ${folder##*/}: rm -r $B/root-guest to try again"; return 1; }
    done
    common=$(cd "$folder" && pwd)
    MAKEFLAGS='' ${MAKE:-make} -C "${folder%-common}-arm64" -f "$common/Makefile" ARCH=arm64 \
        CROSS_COMPILE="$CROSS" CC="${CROSS}gcc" M="$module" "$@" modules >"$module/log" 2>&1 && return
    echo "the module does not build: $(grep -m 1 -E 'error|Error|\*\*\*' "$module/log" || tail -n 1 "$module/log")"
    return 1
}

# guest_root DIR: makes the root folder of a guest, with busybox.  The guest runs DIR/run, a script that the caller
# adds.
guest_root() {
    mkdir -p "$1/bin"
    cp "$B/root-guest/bin/busybox" "$1/bin/"
    guest_init "$1"
}

# guest_init DIR: makes the rest of a root folder that already has a busybox.
guest_init() {
    mkdir -p "$1/proc" "$1/sys" "$1/dev" "$1/tmp"
    ln -sf busybox "$1/bin/sh"
    cat >"$1/init" <<'INIT'
#!/bin/sh
export PATH=/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
exec </dev/null >/dev/console 2>&1
cd /tmp
read -r line </proc/cmdline
eval "sh /run ${line##*run=}"
echo "guest: end"
poweroff -f
INIT
    chmod +x "$1/init"
}

# guest_boot DIR CPU ARGUMENTS...: boots the guest and prints what "DIR/run ARGUMENTS..." prints.  Returns 1 if the
# guest did not reach its end.
guest_boot() {
    dir=$1 cpu=$2
    shift 2
    (cd "$dir" && find . | cpio --quiet -o -H newc) >"$dir.cpio"
    timeout 150 "$QEMU_SYSTEM" -M virt -cpu "$cpu" -m 128 -icount shift=0 -display none -nodefaults -serial stdio \
        -kernel "$B/root-guest/boot/vmlinuz" -initrd "$dir.cpio" -no-reboot \
        -append "console=ttyAMA0 quiet panic=-1 cma=0 cryptomgr.notests run=$*" </dev/null 2>&1 | tr -d '\r' >"$dir.log"
    sed -e '/^guest: end$/,$d' "$dir.log"
    grep -q '^guest: end$' "$dir.log"
}
