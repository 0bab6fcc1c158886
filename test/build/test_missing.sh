#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A plain `make` on a machine that lacks the compiler or a library prints one line with the command to run, and no error
# of a compiler.
set -u
. test/lib/tap.sh
unset MAKEFLAGS MFLAGS
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
# Makes a compiler that finds no header named in $LACKS.
cat >"$dir/cc" <<'END'
#!/bin/sh
for word in "$@"; do
    [ "$word" != - ] || { text=$(cat); for header in $LACKS; do case $text in *"<$header>"*) exit 1 ;; esac; done
        printf '%s\n' "$text" | "$REAL" "$@"; exit; }
done
exec "$REAL" "$@"
END
chmod +x "$dir/cc"
REAL=${CC%% *}
export REAL
check() { # NAME LACKS COMPILER TARGET TEXT...
    name=$1 lacks=$2 compiler=$3 target=$4
    shift 4
    LACKS=$lacks make B="$dir/build" CC="$compiler" "$target" >"$dir/out" 2>&1
    result=$?
    said=$(grep -c '^armpmu: missing: ' "$dir/out")
    wrong=
    for text; do grep -q "^armpmu: missing: .*$text" "$dir/out" || wrong="$wrong '$text' is not in it;"; done
    if [ "$result" -eq 0 ] || [ "$said" -ne 1 ] || [ -n "$wrong" ] || grep -qE 'error:|not found$' "$dir/out"; then
        not_ok "$name" "exit status $result; $said lines;$wrong it said: $(tail -n 4 "$dir/out" | tr '\n' '|')"
    else
        ok "$name"
    fi
}
check "no compiler" "" no-such-compiler all 'the compiler no-such-compiler; install with: '
check "no C library" "stdio.h" "$dir/cc" all 'stdio\.h; install with: '
check "no jansson" "jansson.h" "$dir/cc" "$dir/build/armpmu" 'jansson\.h; install with: '
check "no jansson and no expat" "jansson.h expat.h" "$dir/cc" "$dir/build/armpmu" \
    'jansson\.h, expat\.h; install with: ' 'jansson' 'expat'
check "no zlib" "zlib.h" "$dir/cc" "$dir/build/test/replay" 'zlib\.h; install with: '
LACKS="jansson.h expat.h" make -s B="$dir/build" CC="$dir/cc" "$dir/build/obj/lib/model/why.o" >"$dir/out" 2>&1
[ -f "$dir/build/obj/lib/model/why.o" ]
expect $? "the library needs none of them" "$(tail -n 1 "$dir/out")"

# On a system without dpkg tools/deps.sh prints the names of packages for apt and for dnf.
mkdir "$dir/bin"
for tool in sh dirname grep; do
    ln -s "$(command -v $tool)" "$dir/bin/"
done
PATH=$dir/bin B=$dir/build sh tools/deps.sh demo >"$dir/out" 2>&1
[ $? -eq 0 ] && grep -q 'on Ubuntu by sudo apt-get install gcc .*libjansson-dev.* qemu-user ;' "$dir/out" &&
    grep -q ' on Fedora (untested) by sudo dnf install gcc .*jansson-devel.* qemu-user$' "$dir/out"
expect $? "not a Debian system: names of packages" "$(tail -n 1 "$dir/out")"
summary
