#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The names of the checkout, of PREFIX and of DESTDIR may have blanks and quotes.  What is installed there works, and
# uninstall removes it and nothing else.  A build folder with blanks is refused, because make has no such targets.
set -u
. test/lib/tap.sh
unset MAKEFLAGS MFLAGS
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# A checkout like this one, built but for two objects.  The archive has POSIX's format, because the older ones round
# times down to seconds, and an object that was made in the second of its source would look older than that.
clone="$dir/a b/my clone"
mkdir -p "$clone/build" "$clone/test"
cp -a test/test.mk "$clone/test/"
for file in Makefile bind cli include lib package qemu tables tools; do
    cp -a "$file" "$clone/"
done
(cd "$B" && tar -c --format=posix --exclude=obj/test \
    obj gen so pic libarmpmu* armpmu armpmu*.1 .has-* .places) | tar -x -C "$clone/build"
rm "$clone/build/obj/cli/main.o" "$clone/build/pic/qemu/user/protocol.o"
make -C "$clone" CC="$CC" >"$dir/log" 2>&1
expect $? "a checkout with blanks: make" "$(tail -n 2 "$dir/log" | tr '\n' ' ')"
rebuilt=$(grep -c '^  CC ' "$dir/log")
[ "$rebuilt" -eq 2 ]
expect $? "a checkout with blanks: nothing else is built" \
    "$rebuilt files: $(grep '^  CC ' "$dir/log" | head -n 3 | tr '\n' ' ')"
! grep -qa "my clone" "$clone/build/obj/cli/main.o"
expect $? "a checkout with blanks: its name is in no object" "it is"

for names in "$dir/x/my apps|" "$dir/it's|" "/usr|$dir/stage two"; do
    prefix=${names%%|*} destdir=${names#*|}
    to=$destdir$prefix
    mkdir -p "$dir/x/my" "$dir/stage"
    touch "$dir/x/my/kept" "$dir/stage/kept"
    make -s -C "$clone" CC="$CC" PREFIX="$prefix" DESTDIR="$destdir" install >"$dir/log" 2>&1
    [ $? -eq 0 ] && "$to/bin/armpmu" --version >"$dir/log" 2>&1 && [ -f "$to/include/armpmu/tables/events.def" ]
    expect $? "install to ${to#"$dir"}" "$(tail -n 2 "$dir/log" | tr '\n' ' ')"
    case $to in *\'*) quoted=1 ;; *) quoted=0 ;; esac # pkg-config does not quote a quote
    if [ $quoted -eq 0 ] && command -v pkg-config >/dev/null; then
        printf '#include <armpmu/model.h>\nint main(void) { struct apmu unit; (void)unit; return 0; }\n' >"$dir/use.c"
        flags=$(PKG_CONFIG_PATH="$to/lib/pkgconfig" pkg-config --cflags --libs armpmu)
        eval "$CC -std=c11 '$dir/use.c' $flags -o '$dir/use'" >"$dir/log" 2>&1
        expect $? "pkg-config in ${to#"$dir"}" "$(tail -n 2 "$dir/log" | tr '\n' ' ')"
    fi
    make -s -C "$clone" CC="$CC" PREFIX="$prefix" DESTDIR="$destdir" uninstall >"$dir/log" 2>&1
    left=$(find "$to" ! -type d | tr '\n' ' ')
    [ -z "$left" ] && [ -e "$dir/x/my/kept" ] && [ -e "$dir/stage/kept" ]
    expect $? "uninstall from ${to#"$dir"}" "left: $left; or it removed another folder"
done

make -C "$clone" B="$dir/a b/out" >"$dir/log" 2>&1
[ $? -ne 0 ] && grep -q 'make takes no name with blanks for the build folder; choose another one' "$dir/log"
expect $? "a build folder with blanks is refused" "$(tail -n 1 "$dir/log")"
summary
