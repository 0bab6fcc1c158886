#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures what armpmu export costs, in two ways.  On this machine: processor time of a scrape over HTTP, with the
# engine of test/cli/export_engine.c, which reads a file for the counts of four CPUs.  In the Linux guest: instructions
# and time of ten seconds with the guest's own counters and a file.  `make bench` calls it.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${B:=build}" "${CC:=cc}" "${SCRAPES:=1000}"
. test/hardware/linux/guest.sh
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

for name in export verbs_export options complain count/engine count/select count/metrics count/signals export/cgroups \
    export/gather export/expose export/serve export/textfile; do
    set -- "$@" "$B/obj/cli/$name.o"
done
"$CC" -std=c11 -O2 -Iinclude test/cli/export_engine.c "$@" "$B/libarmpmu.a" -lmicrohttpd -o "$tmp/export" || exit 1
# Has every event of the four CPUs count NUMBER.
play() { # NUMBER
    for _ in 1 2 3 4; do echo "1 1 1 $(yes "$1:$1:$1" | head -n 8 | tr '\n' ' ')"; done >"$tmp/new"
    mv "$tmp/new" "$tmp/machine"
}
play 1000
MACHINE=$tmp/machine "$tmp/export" -e 0x1,0x2,0x3,0x4,0x5,0x6,0x8,0x11 --listen 127.0.0.1:0 2>"$tmp/err" &
exporter=$!
while ! grep -q http "$tmp/err"; do kill -0 $exporter || exit 1; sleep 0.1; done
play 1234567890
python3 - "$(grep -o 'http://[^ ]*' "$tmp/err")" "$SCRAPES" <<'PYTHON'
import re
import sys
import urllib.request

url, count = sys.argv[1], int(sys.argv[2])


def spent():
    with urllib.request.urlopen(url) as answer:
        text = answer.read().decode()
    return float(re.search(r"^armpmu_export_cpu_seconds_total (\S+)", text, re.M)[1]), len(text)


before, size = spent()
for _ in range(count):
    after, size = spent()
each = (after - before) / count
print(f"export, this machine: a scrape of 4 CPUs with 8 events each ({size} bytes): {1e6 * each:.0f} us of processor "
      f"time; every 10 s: {100 * each / 10:.4f} %")
PYTHON
kill $exporter
wait $exporter

guest_need
guest_make armpmu || exit 1
guest_root "$tmp/root"
cp "$B/arm64/armpmu" "$tmp/root/bin/"
cat >"$tmp/root/run" <<'RUN'
sysctl -q kernel.perf_event_paranoid=-1
armpmu export --textfile /tmp/a.prom --interval 10 2>err &
exporter=$!
until [ -s a.prom ]; do usleep 100000; done
series=$(grep -c '^armpmu_event_total' a.prom)
armpmu stat --engine=perf -x, -o x -e INST_RETIRED:u,INST_RETIRED:k -p $exporter -- sleep 10
awk -F, -v series="$series" '/INST_RETIRED/ { sum += $1 } END {
    printf "export, a guest with one CPU: %d events, a window of 10 s and its file: %d instructions, ", series, sum
    printf "%.4f %% of the 10^10 of a CPU with 1 GHz\n", sum / 1e8 }' x
RUN
guest_boot "$tmp/root" cortex-a57
