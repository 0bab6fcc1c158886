#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# symbols.sh NODE: prints the linker's version script of libarmpmu.so: what the public headers declare, and nothing else.
set -eu
cd "$(dirname "$0")/.."
echo "$1 {"
echo "global:"
sed -nE -e '/static inline|^(typedef|#|struct [a-z0-9_]+ \{)/d' \
    -e 's/^(const )?((struct|enum) )?[a-z0-9_]+ \**(apmu_[a-z0-9_]+)\(.*/    \4;/p' \
    -e 's/^extern const struct [a-z_]+ (apmu_[a-z0-9_]+);.*/    \1;/p' include/armpmu/*.h | LC_ALL=C sort
echo "local:"
echo "    *;"
echo "};"
