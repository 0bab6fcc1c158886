#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The interface of the engines (cli/count/engine.h) and what stands above it include nothing of qemu/, and neither does
# the engine perf.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${CC:=cc}"
bad=0

# includes_qemu FILE: is a header of qemu/ among all that FILE includes?
includes_qemu() {
    "$CC" -std=c11 -Iinclude -MM "$1" >"$list" || { echo "not ok engine: $1 cannot be preprocessed"; exit 1; }
    grep -q '[ /]qemu/' "$list"
}
list=$(mktemp) || exit 2
trap 'rm -f "$list"' EXIT

# The check sees an include where there is one.
if includes_qemu cli/count/emulator.c; then echo "ok engine: emulator.c includes qemu/"; else
    echo "not ok engine: emulator.c includes nothing of qemu/, or this test does not find it"
    bad=1
fi
for file in cli/stat.c cli/count/engine.c cli/count/select.c cli/count/print.c cli/count/launch.c cli/count/perf.c \
    cli/count/engine.h cli/count/print.h cli/count/launch.h; do
    if includes_qemu "$file"; then
        echo "not ok engine: $file includes $(tr ' ' '\n' <"$list" | grep '[/]*qemu/' | tr '\n' ' ')"
        bad=1
    else
        echo "ok engine: $file includes nothing of qemu/"
    fi
done
exit $bad
