#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's Prometheus scrapes `armpmu export` in three Linux guests for SCRAPE_SECONDS, 40 if that is not set: every
# sample is what perf stat counts in the guest, while exporters begin again and CPUs come and go.
set -u
: "${STOCK:=qemu-system-aarch64}" "${SCRAPE_SECONDS:=40}"
. test/qemu/system/linux/boot.sh
need prometheus python3 "$STOCK"
"$STOCK" -M virt -netdev help 2>/dev/null | grep -q '^user$' || skip_all "$STOCK has no user networking"
here=test/qemu/system/scrape
libraries='libmicrohttpd-dev libjansson-dev libexpat1-dev libdw-dev libelf-dev libiberty-dev zlib1g-dev'
libraries="$libraries libprotobuf-c-dev"
# shellcheck disable=SC2086 # words
if ! why=$(B=$B sh tools/linux-root.sh arm64 &&
    B=$B sh tools/arm64-root.sh root-export sqlite3 gzip busybox util-linux $libraries); then
    skip_all "no Linux: $why"
fi
export_root=$B/root-export

# The tool with its HTTP server is linked dynamically.
${MAKE:-make} --no-print-directory -s B="$B/arm64-export" CC="${CROSS}gcc" AR="${CROSS}ar" \
    CFLAGS="-O2 -g -isystem $export_root/usr/include" LDFLAGS="--sysroot=$export_root" "$B/arm64-export/armpmu" \
    >"$tmp/log" 2>&1 || { not_ok scrape "armpmu does not build for AArch64: $(grep -m 1 error "$tmp/log")"; summary; }

# Copies the libraries that PROGRAM names, and those that they name.
copy_libraries() { # PROGRAM
    for library in $(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'); do
        [ ! -e "$root/lib/$library" ] || continue
        cp -L "$export_root/usr/lib/aarch64-linux-gnu/$library" "$root/lib/" || return 1
        copy_libraries "$root/lib/$library" || return 1
    done
}
begin_root arm64 $here/run.sh && cp "$B/linux-arm64/e1000.ko" "$root/" &&
    cp "$B/arm64-export/armpmu" "$root/bin/" && cp "$export_root/usr/bin/setpriv" "$root/" &&
    copy_libraries "$root/bin/armpmu" && copy_libraries "$root/setpriv" &&
    "${CROSS}gcc" -nostdlib -static -o "$root/bin/work" $here/work.S && end_root ||
    { not_ok scrape "the guest's root cannot be made"; summary; }
relay_python scrape $here/scrape.py "$QEMU_SYSTEM" "$STOCK" "$B/linux-arm64/vmlinuz" "$root.cpio" "$tmp" \
    "$SCRAPE_SECONDS"
summary
