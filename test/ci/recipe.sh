#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# recipe.sh: runs both recipes of ci/ as they stand, from the installation of packages to the comment, on a place where
# nothing is installed: `make check-debian SUITE=bookworm TARGETS=check-ci` gives it a fresh chroot.  It installs
# packages and makes /opt/armpmu, so it runs as root, and not where that folder is.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
[ "$(id -u)" -eq 0 ] || { echo "recipe.sh: it installs packages: run it as root, in a chroot" >&2; exit 2; }
[ ! -e /opt/armpmu ] || { echo "recipe.sh: /opt/armpmu is there: run it in a fresh chroot" >&2; exit 2; }
dir=$(mktemp -d) || exit 2
api=
end() {
    [ -z "$api" ] || kill "$api" 2>/dev/null
    rm -rf "$dir"
}
trap end EXIT

# What a runner has before the recipe begins, and what reads the recipes here.
{ apt-get -q update && apt-get -q -y install --no-install-recommends git python3 python3-yaml; } >"$dir/apt.log" 2>&1 ||
    { tail -n 5 "$dir/apt.log"; exit 1; }
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.com

# armpmu's repository, and the project's: three requests against its main branch.
mkdir "$dir/armpmu"
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$dir/armpmu"
(cd "$dir/armpmu" && git init -q -b main && git add -A && git commit -qm armpmu) || exit 1
cp -r test/ci/project "$dir/project"
cp test/ci/recipe.py test/ci/api.py "$dir"
cd "$dir/project" || exit 2
git init -q -b main && git add -A && git commit -qm base
BASE_SHA=$(git rev-parse HEAD) REQUEST=12
git checkout -qb same && sed -i 's/three functions/3 functions/' count.c && git commit -qam same
git checkout -qb slow main && sed -i 's/SLOWER 0u/SLOWER 110u/' count.c && git commit -qam slow
python3 "$dir/api.py" "$dir/port" "$dir/calls" >"$dir/api.log" 2>&1 &
api=$!
while [ ! -e "$dir/port" ]; do sleep 0.25; done
GITHUB_API_URL=http://127.0.0.1:$(cat "$dir/port") GITHUB_REPOSITORY=o/p GITHUB_TOKEN=good
CI_API_V4_URL=$GITHUB_API_URL CI_PROJECT_ID=7 GITLAB_TOKEN=good
export BASE_SHA REQUEST GITHUB_API_URL GITHUB_REPOSITORY GITHUB_TOKEN CI_API_V4_URL CI_PROJECT_ID GITLAB_TOKEN

recipe() { # NAME STATUS BRANCH WORD ARGUMENT...
    name=$1 status=$2 word=$4
    git checkout -q "$3"
    shift 4
    start=$(date +%s)
    python3 "$dir/recipe.py" "$@" >"$dir/out" 2>&1
    got=$?
    echo "note $name: $(($(date +%s) - start)) s"
    [ "$got" -eq "$status" ] && grep -Eq "$word" armpmu-results/comment.md
    expect $? "$name" "status $got, not $status: $(tail -n 6 "$dir/out" | tr '\n' ';')"
}
set -- github "$dir/armpmu/ci/action.yml" run=./count build=make fail-above=0.5%
recipe 'github, everything: a slow-down of 1 % is named and fails the job' 1 slow '\bmix\b' "$@" name=slow
recipe 'github: no change' 0 same '^\*\*equal: all 4 events' "$@" --skip 'Build armpmu' name=same
set -- gitlab "$dir/armpmu/ci/gitlab.yml" "ARMPMU_URL=$dir/armpmu" ARMPMU_RUN=./count ARMPMU_BUILD=make \
    ARMPMU_FAIL_ABOVE=0.5%
recipe 'gitlab, everything: a slow-down of 1 % is named and fails the job' 1 slow '\bmix\b' "$@" ARMPMU_NAME=lab-slow
set -- "$@" --skip before_script
recipe 'gitlab: no change' 0 same '^\*\*equal: all 4 events' "$@" ARMPMU_NAME=lab-same
[ "$(grep -c '^POST .* 201$' "$dir/calls")" -eq 4 ]
expect $? 'four comments were made' "$(tail -n 5 "$dir/calls")"
make -s >"$dir/log" 2>&1
/opt/armpmu/build/armpmu stat --deterministic -r 20 --save "$dir/result" -- ./count >/dev/null 2>"$dir/err"
python3 -c 'import json, sys
result = json.load(open(sys.argv[1]))
assert result["runs"] == 20 and all(e["min"] == e["max"] for e in result["events"])' "$dir/result" 2>"$dir/log"
expect $? 'no difference in 20 runs' "$(tail -n 2 "$dir/err" "$dir/log")"
summary
