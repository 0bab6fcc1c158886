#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# archive.sh ARCHIVE MAP OBJECT...: makes the archive ARCHIVE, whose only global symbols are those of MAP, the version
# script of the shared library (tools/symbols.sh).
#
# Objects that use each other's internal functions become one member, in which these functions are local.  All others
# stay members of their own, so that a program is linked with what it calls only.  CC links the members, AR, NM and
# OBJCOPY are for its target.
set -eu
: "${CC:=cc}" "${AR:=ar}" "${NM:=nm}" "${OBJCOPY:=objcopy}" "${CFLAGS:=}"
archive=$1 map=$2
shift 2
work=$archive.members
rm -rf "$archive" "$work"
mkdir -p "$work"
sed -n 's/^    \(apmu_[a-z0-9_]*\);$/\1/p' "$map" >"$work/public"
[ -s "$work/public" ] || { echo "archive.sh: $map: names no symbol" >&2; exit 1; }
for object; do
    $NM -g "$object" | awk -v object="$object" '{ print object, $(NF - 1), $NF }'
done >"$work/symbols"

# Prints the objects of each member, one member a line: objects are joined where one uses an internal symbol of another.
awk '
    function root(o) { while (joined[o] != o) { o = joined[o] } return o }
    NR == FNR { public[$1] = 1; next }
    !($1 in joined) { joined[$1] = $1; order[++objects] = $1 }
    $3 in public || $3 ~ /^__/ { next }
    $2 == "U" { users[++uses] = $1; used[uses] = $3; next }
    { home[$3] = $1 }
    END {
        for (i = 1; i <= uses; i++) {
            if (used[i] in home) { joined[root(users[i])] = root(home[used[i]]) }
        }
        for (i = 1; i <= objects; i++) {
            o = root(order[i])
            if (!(o in line)) { first[++members] = o }
            line[o] = line[o] " " order[i]
        }
        for (i = 1; i <= members; i++) { print line[first[i]] }
    }' "$work/public" "$work/symbols" >"$work/members"

# Names a member after the folder and the file of its first object.
# shellcheck disable=SC2086 # words
while read -r first rest; do
    folder=${first%/*}
    member=$work/${folder##*/}_${first##*/}
    if [ -n "$rest" ]; then
        $CC $CFLAGS -r -nostdlib $first $rest -o "$member.whole"
    else
        cp "$first" "$member.whole"
    fi
    $OBJCOPY --keep-global-symbols="$work/public" "$member.whole" "$member"
    set -- "$member"
    $AR qcs "$archive" "$@"
done <"$work/members"
rm -rf "$work"
