#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every public header compiles alone, as C11 and as C++17.
set -u
status=0
cxx=$(command -v g++ || command -v clang++) || cxx=
for header in include/armpmu/*.h; do
    name=${header#include/}
    for try in "C11:$CC -std=c11 -x c" ${cxx:+"C++17:$cxx -std=c++17 -x c++"}; do
        if printf '#include <%s>\n#include <%s>\nextern int not_empty;\n' "$name" "$name" |
            ${try#*:} -Iinclude -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only -; then
            echo "ok <$name> as ${try%%:*}"
        else
            echo "not ok <$name> as ${try%%:*}: does not compile alone"
            status=1
        fi
    done
done
[ -n "$cxx" ] || echo "skip headers as C++17: no C++ compiler"
exit $status
