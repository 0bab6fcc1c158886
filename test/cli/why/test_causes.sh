#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests that cli/why/causes.def may have any number of rows.  Builds an `armpmu why` from a copy of the table with a
# hundred more rows, whose tests always hold: it names all of them in text and in JSON.  A table in which two rows have
# the same number does not compile.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}" "${CC:=cc}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
rows=100

# Writes the table with $rows more rows, numbered from FIRST.
add_rows() { # FIRST
    awk -v first="$1" -v rows="$rows" '
        /^#undef CAUSE_SYMPTOM/ {
            for (i = 0; i < rows; i++) {
                n = first + i
                printf "CAUSE(%d, cause_%d, zero, ODDS(1, 1, 1, 1, 1), \"\",", n, n
                printf " \"cause %d\", \"\", \"\", \"\", c != NULL)\n", n
            }
        }
        { print }' cli/why/causes.def >"$dir/cli/why/causes.def"
}

compile() { # SOURCE OBJECT
    "$CC" -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -Iinclude -c "$1" -o "$2"
}

cp -R cli "$dir/cli" || exit 2
add_rows 1001
for source in cli/*.c cli/*/*.c cli/*/*/*.c bind/tb/*.c bind/image/*.c qemu/classify/*.c qemu/user/*.c \
    qemu/user/host/*.c; do
    case $source in
    cli/export/serve_none.c) continue ;; # only for a static program
    bind/image/target*) continue ;;      # compiled for the machine
    cli/why.c | cli/audit.c | cli/why/*)
        object=$dir/$(echo "${source%.c}" | tr / -).o
        compile "$dir/$source" "$object" || exit 1 ;;
    *)
        object=$B/obj/${source%.c}.o ;;
    esac
    set -- "$@" "$object"
done
set -- "$@" "$B"/obj/gen/cli/*/*.o
"$CC" "$@" "$B/libarmpmu.a" -ljansson -lexpat -ldw -lelf -liberty -lprotobuf-c -lz -lmicrohttpd \
    -o "$dir/armpmu" || exit 1

printf 'ID_AA64PFR0_EL1 = 0x11\nPMCR_EL0 = 0x41030840\n' >"$dir/dump.txt"
text=$("$dir/armpmu" why -v "$dir/dump.txt" 2>"$dir/err" | grep -cE '^  1[01][0-9][0-9] cause ')
json=$("$dir/armpmu" why -j "$dir/dump.txt" 2>"$dir/err" | sed -n '/"causes"/,$p' |
    grep -cE '"number": 1[01][0-9][0-9],')
if [ "$text" -eq "$rows" ] && [ "$json" -eq "$rows" ]; then
    ok "all of $rows more causes are named"
else
    not_ok "all of $rows more causes are named" "$text in text, $json in JSON"
fi

add_rows 1
if compile "$dir/cli/why/causes.c" "$dir/twice.o" 2>"$dir/err"; then
    not_ok "two causes with one number do not compile" "they do"
elif grep -q WHY_CAUSE_1 "$dir/err"; then
    ok "two causes with one number do not compile"
else
    not_ok "two causes with one number do not compile" "the error does not name them: $(head -n 1 "$dir/err")"
fi
summary
