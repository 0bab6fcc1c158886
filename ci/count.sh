#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# count.sh [OPTION...] -- PROGRAM [ARGUMENT...]: counts an AArch64 program of a git repository as it was at the commit
# BASE and as it is at HEAD, in deterministic runs under armpmu, and says what differs.  Run it in the repository.
#
#     --base COMMIT       the commit to compare with, such as that of the target branch
#     --build COMMAND     a shell command that builds PROGRAM in a checkout; it is run in both
#     --fail-above LIMIT  as armpmu stat has it; default 1%
#     --events EVENTS     as armpmu stat -e has it; default INST_RETIRED,LD_RETIRED,ST_RETIRED,BR_RETIRED
#     --options OPTIONS   more options of armpmu, words separated by blanks: -L ROOT, --env NAME=VALUE
#     --runs N            count each N times; default 1
#     --name NAME         what the comment calls the program; default PROGRAM
#     --out FOLDER        where results go; default armpmu-results.  What is in it is replaced.
#     --armpmu FILE       the tool; default the one beside this folder, or that in PATH
#
# FOLDER gets old/ and new/, the checkouts; old.json and new.json, the counts; old.data and new.data, the recordings;
# comment.md, what differs.  Exit status 0: nothing is past its limit; 1: something is; 3: it could not be judged.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
base= build=: fail_above=1% events=INST_RETIRED,LD_RETIRED,ST_RETIRED,BR_RETIRED options= runs=1 name=
out=armpmu-results armpmu=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    [ $# -gt 1 ] || { echo "count.sh: $1: a value is missing" >&2; exit 2; }
    case $1 in
    --base) base=$2 ;;
    --build) build=$2 ;;
    --fail-above) fail_above=$2 ;;
    --events) events=$2 ;;
    --options) options=$2 ;;
    --runs) runs=$2 ;;
    --name) name=$2 ;;
    --out) out=$2 ;;
    --armpmu) armpmu=$2 ;;
    *) echo "count.sh: $1: no such option" >&2; exit 2 ;;
    esac
    shift 2
done
[ $# -gt 1 ] || { echo "usage: count.sh [OPTION...] -- PROGRAM [ARGUMENT...]" >&2; exit 2; }
shift
: "${name:=$1}"
if [ -z "$armpmu" ]; then
    for armpmu in "$here/../build/armpmu" "$here/../../../bin/armpmu" armpmu; do
        command -v "$armpmu" >/dev/null 2>&1 && break
    done
fi
# In a container the checkout may belong to another user.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
git rev-parse --verify -q "$base^{commit}" >/dev/null ||
    { echo "count.sh: --base: \"$base\" is no commit here: fetch it (fetch-depth: 0, or GIT_DEPTH: 0)" >&2; exit 3; }

mkdir -p "$out"
out=$(cd "$out" && pwd)
git worktree prune
for tree in old new; do
    [ ! -e "$out/$tree" ] || git worktree remove --force "$out/$tree" 2>/dev/null || rm -rf "${out:?}/$tree"
done
git worktree prune
rm -f "$out/old.json" "$out/new.json" "$out/old.data" "$out/new.data" "$out/comment.md" "$out/table.md"
remove_trees() {
    git worktree remove --force "$out/old" || true
    git worktree remove --force "$out/new" || true
}

# Both checkouts have paths of one length, and the program is run in them by the same name: paths are in its memory.
make_tree() { # NAME COMMIT
    git worktree add --quiet --detach "$out/$1" "$2"
    git -C "$out/$1" submodule --quiet update --init --recursive
    (cd "$out/$1" && sh -ec "$build") >"$out/$1.log" 2>&1 && return
    tail -n 20 "$out/$1.log" >&2
    return 1
}
# Runs a verb of armpmu with the options of all, in a checkout.  The program's output is not the result.
run() { # NAME VERB OPTION... -- PROGRAM...
    tree=$1 verb=$2
    shift 2
    # shellcheck disable=SC2086 # words
    (cd "$out/$tree" && "$armpmu" $verb --deterministic $options -e "$events" "$@" >>"$out/$tree.log" </dev/null)
}

make_tree new HEAD || { echo "count.sh: HEAD: the build failed" >&2; exit 3; }
if ! make_tree old "$base"; then
    echo "count.sh: $base: the build failed, so there is nothing to compare with" >&2
    echo "\`$name\`: nothing to compare with: the target branch does not build" >"$out/comment.md"
    exit 3
fi
run old stat -r "$runs" --save "$out/old.json" -- "$@" || { echo "count.sh: $base: $name failed" >&2; exit 3; }
status=0
run new stat -r "$runs" --save "$out/new.json" --baseline "$out/old.json" --fail-above "$fail_above" \
    --markdown "$out/table.md" -- "$@" || status=$?
[ -e "$out/table.md" ] || { echo "count.sh: HEAD: $name failed" >&2; exit 3; }

# Which functions it was: only where something differs.
{
    cat "$out/table.md"
    if ! grep -q '^\*\*equal' "$out/table.md"; then
        if run old record -o "$out/old.data" -- "$@" && run new record -o "$out/new.data" -- "$@"; then
            # The gate is above; this names the functions.
            "$armpmu" diff --color=never --no-pager -n 10 -e "${events%%,*}" "$out/old.data" "$out/new.data" \
                >"$out/functions.txt" || true
            printf '\n<details open><summary>Functions that changed most, by %s</summary>\n\n~~~\n' "${events%%,*}"
            tr -d '~' <"$out/functions.txt"
            printf '~~~\n</details>\n'
        else
            printf '\nThe functions could not be recorded.\n'
        fi
    fi
} >"$out/comment.md"
rm -f "$out/table.md"
cat "$out/comment.md"
remove_trees
exit $status
