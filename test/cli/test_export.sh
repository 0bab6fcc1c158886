#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests armpmu export with the engine of export_engine.c: export.py asks it over HTTP and reads its file.  The rules for
# Prometheus and the unit of systemd in package/prometheus/ are checked by promtool and systemd-analyze.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
: "${B:=build}" "${CC:=cc}"
need python3
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

objects=
for name in export verbs_export options complain count/engine count/select count/metrics count/signals export/gather \
    export/expose export/serve export/textfile; do
    objects="$objects $B/obj/cli/$name.o"
done
# shellcheck disable=SC2086 # words
if ! "$CC" -std=c11 -Iinclude ${CFLAGS:-} test/cli/export_engine.c $objects "$B/libarmpmu.a" -lmicrohttpd \
    -o "$dir/export" 2>"$dir/err"; then
    not_ok 'export links' "$(head -n 3 "$dir/err" | tr '\n' ' ')"
    summary
fi
relay_python 'export' test/cli/export.py "$dir/export" "$dir"
summary
