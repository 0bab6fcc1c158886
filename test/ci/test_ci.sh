#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests the recipes for CI (ci/) on a small project: no change gives no difference in 20 runs; a slow-down of 1 % fails
# the job, and the comment names its function; the comment is made, changed and left as it is on an API of the test's
# own.  The GitHub action and the GitLab template are run step by step, but for the steps that install and build
# armpmu; `make check-ci` runs these too, in a place with nothing installed.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
. tools/emulator.sh
: "${B:=build}"
need git python3 aarch64-linux-gnu-gcc make
aarch64_emulator >/dev/null || skip_all "no emulator with plugins: make qemu-user"
top=$PWD
armpmu=$(cd "$B" && pwd)/armpmu
dir=$(mktemp -d) || exit 2
api=
end() {
    [ -z "$api" ] || kill "$api" 2>/dev/null
    rm -rf "$dir"
}
trap end EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a
export GIT_COMMITTER_EMAIL=a@example.com HOME="$dir"
unset ARMPMU_ENGINE

# The project: base; "same" changes a comment; "slow" makes one function slower, by 1 % of the whole; "broken".
cp -r test/ci/project "$dir/project"
cd "$dir/project" || exit 2
git init -q -b main && git add -A && git commit -qm base
base=$(git rev-parse HEAD)
git checkout -qb same && sed -i 's/three functions/3 functions/' count.c && git commit -qam same
git checkout -qb slow "$base" && sed -i 's/SLOWER 0u/SLOWER 110u/' count.c && git commit -qam slow
git checkout -qb broken "$base" && echo 'int main' >count.c && git commit -qam broken

# Runs count.sh on a branch; the comment is armpmu-results/comment.md.
count() { # NAME STATUS BRANCH OPTION...
    name=$1 status=$2
    git checkout -q "$3"
    shift 3
    sh "$top/ci/count.sh" --armpmu "$armpmu" --build make "$@" -- ./count >"$dir/out" 2>&1
    got=$?
    [ "$got" -eq "$status" ]
    expect $? "$name" "status $got, not $status: $(tail -n 4 "$dir/out" | tr '\n' ';')"
}
says() { # NAME REGULAR-EXPRESSION
    grep -Eq "$2" armpmu-results/comment.md
    expect $? "$1" "$(head -n 30 armpmu-results/comment.md 2>/dev/null | tr '\n' ';')"
}
count 'no change' 0 same --base "$base" --runs 20 --fail-above 0%
says 'no change: equal, in 20 runs of each' '^\*\*equal: all 4 events\*\*$'
python3 - armpmu-results/old.json armpmu-results/new.json >"$dir/log" 2>&1 <<'END'
import json, sys
for name in sys.argv[1:]:
    result = json.load(open(name))
    assert result["runs"] == 20 and all(e["min"] == e["max"] for e in result["events"]), result
END
expect $? 'no change: no difference in 20 runs' "$(tail -n 1 "$dir/log")"
[ -z "$(git worktree list | sed 1d)" ]
expect $? 'no checkout is left' "$(git worktree list)"
count 'a slow-down of 1 % fails' 1 slow --base "$base" --fail-above 0.5%
says 'the event is above its limit' '^\| `INST_RETIRED` .* \+(0\.9|1\.[0-2])[0-9]* % \| \*\*above 0.5 %\*\* \|$'
says 'its function is named' '^ *[-+0-9.,]+.* mix$|\bmix\b'
! grep -Eq '\b(scan|fold)\b' armpmu-results/comment.md
expect $? 'no other function is named' "$(cat armpmu-results/comment.md)"
count 'below the limit it passes' 0 slow --base "$base" --fail-above 3%
count 'a program that does not build' 3 broken --base "$base"
count 'a base that does not build' 3 same --base "$(git rev-parse broken)"
says 'a base that does not build is said' 'does not build'
count 'no such commit' 3 same --base 0123456789
grep -q 'is no commit here' "$dir/out"
expect $? 'no such commit is said' "$(cat "$dir/out")"

# Comments.
python3 "$top/test/ci/api.py" "$dir/port" "$dir/calls" >"$dir/api.log" 2>&1 &
api=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -e "$dir/port" ] && break
    sleep 0.25
done
GITHUB_API_URL=http://127.0.0.1:$(cat "$dir/port") GITHUB_REPOSITORY=o/p GITHUB_TOKEN=good
CI_API_V4_URL=$GITHUB_API_URL CI_PROJECT_ID=7 GITLAB_TOKEN=good
export GITHUB_API_URL GITHUB_REPOSITORY GITHUB_TOKEN CI_API_V4_URL CI_PROJECT_ID GITLAB_TOKEN
comment() { # NAME STATUS TEXT ARGUMENT...
    name=$1 status=$2 text=$3
    shift 3
    python3 "$top/ci/comment.py" "$@" >"$dir/out" 2>&1
    got=$?
    [ "$got" -eq "$status" ] && grep -qF "$text" "$dir/out" && ! grep -q good "$dir/out"
    expect $? "$name" "status $got: $(cat "$dir/out")"
}
echo '**equal**' >text
comment '--dry-run prints' 0 '<!-- armpmu counts -->' github --number 12 --dry-run text
[ ! -s "$dir/calls" ]
expect $? '--dry-run calls nobody' "$(cat "$dir/calls")"
comment 'github: a comment' 0 'a comment was made' github --number 12 text
comment 'github: the same comment' 0 'up to date' github --number 12 text
echo '**more**' >text
comment 'github: another text changes it' 0 'was changed' github --number 12 text
comment 'github: another name is another comment' 0 'a comment was made' github --number 12 --name other text
comment 'gitlab: the comment that is there' 0 'up to date' gitlab --number 12 text
comment 'gitlab: another name' 0 'a comment was made' gitlab --number 12 --name third text
grep -q '^PATCH /repos/o/p/issues/comments/121 200$' "$dir/calls" &&
    grep -q '^POST /projects/7/merge_requests/12/notes 201$' "$dir/calls"
expect $? 'the calls are those of the APIs' "$(cat "$dir/calls")"
GITHUB_TOKEN=reader comment 'a token that may only read' 3 'status 403' github --number 12 --name fourth text
GITHUB_TOKEN='' comment 'no token' 3 'GITHUB_TOKEN is not set' github --number 12 text
GITHUB_API_URL=http://127.0.0.1:1 comment 'nobody answers' 3 'comment.py: GET' github --number 12 text
comment 'a number that is none' 3 'is no number' github --number x text
comment 'no file' 3 'No such file' github --number 12 none

# The recipes, step by step.
if python3 -c 'import yaml' 2>/dev/null; then
    BASE_SHA=$base REQUEST=12
    export BASE_SHA REQUEST
    mkdir -p "$dir/opt" && ln -s "$top" "$dir/opt/armpmu"
    sed "s|/opt/armpmu|$dir/opt/armpmu|g" "$top/ci/gitlab.yml" >"$dir/gitlab.yml"
    PATH=$(dirname "$armpmu"):$PATH
    recipe() { # NAME STATUS BRANCH COMMAND...
        name=$1 status=$2
        git checkout -q "$3"
        shift 3
        python3 "$top/test/ci/recipe.py" "$@" >"$dir/out" 2>&1
        got=$?
        [ "$got" -eq "$status" ]
        expect $? "$name" "status $got, not $status: $(tail -n 4 "$dir/out" | tr '\n' ';')"
    }
    posted() { # NAME REGULAR-EXPRESSION
        python3 -c 'import os, urllib.request as u
call = u.Request(os.environ["GITHUB_API_URL"] + "/comments", headers={"Authorization": "Bearer good"})
print(u.urlopen(call).read().decode())' >"$dir/comments"
        grep -Eq "$2" "$dir/comments"
        expect $? "$1" "$(tail -c 600 "$dir/comments")"
    }
    for host in github gitlab; do
        case $host in
        github) set -- github "$top/ci/action.yml" --skip 'Build armpmu' run=./count build=make fail-above=0.5% name= ;;
        gitlab) set -- gitlab "$dir/gitlab.yml" --skip before_script ARMPMU_RUN=./count ARMPMU_BUILD=make \
            ARMPMU_FAIL_ABOVE=0.5% ARMPMU_NAME= ;;
        esac
        recipe "$host: no change" 0 same "$@$host-same"
        posted "$host: the comment says equal" "equal: all 4 events[^}]*armpmu $host-same "
        recipe "$host: a slow-down of 1 % fails the job" 1 slow "$@$host-slow"
        posted "$host: the comment names the function" "mix[^}]*armpmu $host-slow "
    done
else
    skip 'the recipes, step by step' 'no python3-yaml'
fi
summary
