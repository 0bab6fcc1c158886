#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# symbols.sh NODE: prints the linker's version script of libarmpmu.so, which exports what the public headers declare for
# the target of CC, and nothing else.  A header that this target cannot include declares nothing.
set -eu
cd "$(dirname "$0")/.."
: "${CC:=cc}"
echo "$1 {"
echo "global:"
for header in include/armpmu/*.h; do
    $CC -std=c11 -Iinclude -DAPMU_INLINE=extern -E -P "$header" 2>/dev/null || :
done | sed -nE -e '/^ *(static|typedef|struct [a-z0-9_]+ \{)/d' \
    -e 's/^ *(extern )?(const )?((struct|enum) )?[A-Za-z0-9_]+ \**(apmu_[a-z0-9_]+)\(.*/    \5;/p' \
    -e 's/^ *extern const struct [a-z0-9_]+ (apmu_[a-z0-9_]+);.*/    \1;/p' | LC_ALL=C sort -u
echo "local:"
echo "    *;"
echo "};"
