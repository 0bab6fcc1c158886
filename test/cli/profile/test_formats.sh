#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Writes a made-up recording of an AArch64 program in each format of `armpmu report --to`, opens it with the tool that
# the format belongs to, and compares what the tool says: the sum of each event, what each function cost itself, and
# what it cost with all that it called.  No tool may warn.  The tools are Debian's; test_formats_npm.sh has the others.
# Runs beside other tests.
. test/lib/tap.sh
: "${B:=build}"
need aarch64-linux-gnu-gcc aarch64-linux-gnu-objdump readelf python3
here=test/cli/profile/formats
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
events='INST_RETIRED L1D_CACHE BR_MIS_PRED'

. test/cli/profile/formats/export.sh
make_recordings || { not_ok "recordings for the formats" "$(tail -n 3 "$dir/err")"; summary; }

# Runs a tool and checks that it succeeds and that nothing is on stderr.
run() { # NAME OUTPUT COMMAND...
    name=$1 output=$2
    shift 2
    "$@" >"$output" 2>"$dir/err" </dev/null
    status=$?
    if [ "$status" -eq 0 ] && [ ! -s "$dir/err" ]; then
        ok "$name without a warning"
    else
        not_ok "$name without a warning" "exit status $status: $(head -n 3 "$dir/err" | tr '\n' ';')"
    fi
}

# Compares what a tool printed with what is expected of each event.
check() { # READER RECORDING FILE...
    reader=$1 expected=$dir/$2.expect
    shift 2
    for event in $events; do
        python3 "$here/check_format.py" "$reader" "$expected" "$event" "$@" >"$dir/log" 2>&1
        relay "$kind" $? "$dir/log"
    done
}

for kind in tree flat sampled; do
    export_all $kind

    if command -v callgrind_annotate >/dev/null; then
        run "callgrind_annotate opens $kind" "$dir/own" callgrind_annotate --threshold=100 --auto=no \
            "$dir/$kind.callgrind"
        run "callgrind_annotate adds up $kind" "$dir/inclusive" callgrind_annotate --threshold=100 --auto=no \
            --inclusive=yes "$dir/$kind.callgrind"
        run "callgrind_annotate shows the source of $kind" "$dir/source" callgrind_annotate --auto=yes \
            "$dir/$kind.callgrind"
        check callgrind $kind "$dir/own" "$dir/inclusive"
    else
        skip callgrind "no callgrind_annotate"
    fi

    if command -v perf >/dev/null && perf --version >/dev/null 2>&1; then
        run "perf report opens $kind" "$dir/report" perf report --stdio -i "$dir/$kind.perf-data"
        run "perf report gives the periods of $kind" "$dir/report" perf report --stdio -i "$dir/$kind.perf-data" \
            --no-children -g none --percent-limit 0 -F period,sym
        check perf_report $kind "$dir/report"
        run "perf annotate opens $kind" "$dir/annotate" perf annotate --stdio -i "$dir/$kind.perf-data" -s tree
        check annotate $kind "$dir/annotate"
        run "perf script opens $kind" "$dir/script" perf script --ns -i "$dir/$kind.perf-data" \
            -F comm,pid,tid,time,period,event,ip,sym,symoff,dso
        check perf_script $kind "$dir/script"
        perf buildid-list -i "$dir/$kind.perf-data" 2>&1 | grep -q "$(build_id) $dir/program"
        expect $? "perf finds the build id of $kind" "it does not"
    else
        skip perf "no perf"
    fi
    check perf_script $kind "$dir/$kind.perf-script"

    if pprof_program >/dev/null; then
        for event in $events; do
            run "pprof opens $kind: $event" "$dir/top" $(pprof_program) -noinlines -nodecount=0 -nodefraction=0 \
                -edgefraction=0 -top -sample_index="$event" "$dir/$kind.pprof"
            python3 "$here/check_format.py" pprof "$dir/$kind.expect" "$event" "$dir/top" >"$dir/log" 2>&1
            relay "$kind" $? "$dir/log"
        done
    else
        skip pprof "neither pprof nor go"
    fi

    for event in $events; do
        python3 "$here/check_format.py" collapsed "$dir/$kind.expect" "$event" "$dir/$kind.$event.collapsed" \
            >"$dir/log" 2>&1
        relay "$kind" $? "$dir/log"
    done

    if command -v protoc >/dev/null; then
        run "protoc decodes the trace of $kind" "$dir/trace" sh -c \
            "protoc --decode=perfetto.Trace -Icli/timeline perfetto.proto <'$dir/$kind.perfetto'"
        [ $kind = sampled ] || check perfetto $kind "$dir/trace" # the slices of samples have times, not counts
        check perfetto_counters $kind "$dir/trace"
    else
        skip perfetto "no protoc"
    fi
done
summary
