#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The dependencies of DESIGN.md, and the licences: who may include what, and an SPDX line in every file.
set -u
status=0

# allow NAME PATTERN FILE...: every #include of the files matches the pattern
allow() {
    name=$1 pattern=$2
    shift 2
    bad=$(grep -HnE '^[[:space:]]*#[[:space:]]*include' "$@" /dev/null | grep -vE "$pattern" | head -n 3)
    if [ -n "$bad" ]; then
        echo "not ok layers of $name: $bad"
        status=1
    else
        echo "ok layers of $name"
    fi
}

plain='<(stdint|stdbool|stddef)\.h>'
tables='<armpmu/(tables/[a-z0-9_]+\.def|regs\.h)>'
allow model "$plain|$tables|<armpmu/(model|arm11|arm11_regs)\.h>|\"(internal|registers|masks)\.h\"" model/*
allow names "$plain|$tables|<armpmu/(model|arm11_regs)\.h>" names/*
allow tables 'none' tables/*
# shellcheck disable=SC2046
allow driver "$plain|$tables|<armpmu/(driver|backend|native|error|events|mmio|arm11_driver|policy)\.h>|\"[a-z_]+\.h\"" \
    driver/*.[ch] $(ls driver/backend/*.[ch] | grep -v 'model\.c$')
allow "the joint of driver and model" "$plain|$tables|<armpmu/(backend|driver|model|error|arm11|arm11_driver)\.h>|\"[a-z_/.]+\.h\"" \
    driver/backend/*model.c
allow "the driver over perf_event" "<[a-z/_]+\.h>|<armpmu/(perf|driver|error|events)\.h>|\"internal\.h\"" driver/perf/*.[ch]
allow explain "$plain|<string\.h>|<armpmu/(explain|model|policy)\.h>|<armpmu/tables/[a-z0-9_]+\.def>|\"internal\.h\"" explain/*
allow "public headers" "$plain|<armpmu/" include/armpmu/*.h
allow cli '<[a-z/_]+\.h>|<armpmu/[a-z0-9]+\.h>|<armpmu/tables/(causes|policy|reasons)\.def>|"(state/)?[a-z_]+\.h"|"\.\./(engine/engine|source/(source|feed))\.h"' cli/*.[ch]
allow "the states of the tool" '<[a-z/_]+\.h>|<armpmu/[a-z0-9]+\.h>|<armpmu/tables/[a-z0-9_]+\.def>|"[a-z0-9_]+\.h"|"\.\./(cli|\.\./trace/trace)\.h"' cli/state/*.[ch]
allow trace '<[a-z]+\.h>|<armpmu/[a-z0-9]+\.h>|"trace\.h"' trace/*.[ch]

unlicensed=$(git ls-files 2>/dev/null | grep -vE '^(LICENSE|COPYING|\.gitignore)|\.(exact|glob|exit|csv|txt|md)$|/COPYING$' |
    while read -r f; do [ -f "$f" ] && [ ! -L "$f" ] && ! head -n 3 "$f" | grep -q SPDX && echo "$f"; done | head -n 5)
if [ -n "$unlicensed" ]; then
    echo "not ok SPDX: no licence line in $unlicensed"
    status=1
else
    echo "ok SPDX"
fi
exit $status
