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
for name in export verbs_export options complain count/core count/engine count/select count/metrics count/signals \
    export/cgroups export/gather export/expose export/serve export/textfile; do
    objects="$objects $B/obj/cli/$name.o"
done
# shellcheck disable=SC2086 # words
if ! "$CC" -std=c11 -Iinclude ${CFLAGS:-} test/cli/export_engine.c $objects "$B/libarmpmu.a" -lmicrohttpd \
    -o "$dir/export" 2>"$dir/err"; then
    not_ok 'export links' "$(head -n 3 "$dir/err" | tr '\n' ' ')"
    summary
fi
folder=package/prometheus
if command -v promtool >/dev/null 2>&1; then
    promtool check rules $folder/rules.yml >"$dir/out" 2>&1
    expect $? 'promtool check rules' "$(tr '\n' ' ' <"$dir/out")"
    promtool test rules $folder/rules_test.yml >"$dir/out" 2>&1
    expect $? 'promtool test rules' "$(tr '\n' ' ' <"$dir/out")"
else
    skip 'promtool check rules' 'no promtool'
fi
if command -v systemd-analyze >/dev/null 2>&1; then
    mkdir "$dir/unit"
    sed "s|^ExecStart=[^ ]*|ExecStart=$dir/export|; /^Documentation=/d" $folder/armpmu-export.service \
        >"$dir/unit/armpmu-export.service"
    systemd-analyze verify "$dir/unit/armpmu-export.service" >"$dir/out" 2>&1 && [ ! -s "$dir/out" ]
    expect $? 'systemd-analyze verify' "$(tr '\n' ' ' <"$dir/out")"
else
    skip 'systemd-analyze verify' 'no systemd-analyze'
fi
# The dashboard and the rules name series of the exporter, or of the rules, alone.
python3 -m json.tool $folder/dashboard.json >/dev/null && grep -q '"expr"' $folder/dashboard.json
expect $? 'the dashboard is JSON' 'it is not, or has no expression'
for series in $(grep -hoE '\barmpmu_[a-z_]+' $folder/dashboard.json $folder/rules.yml | sort -u); do
    grep -qE "\"${series%_info}\"|\"${series%_total}\"" cli/export/expose.c
    expect $? "there is a series $series" 'the exporter has none'
done
relay_python 'export' test/cli/export.py "$dir/export" "$dir"
summary
