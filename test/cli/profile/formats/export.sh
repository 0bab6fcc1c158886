# SPDX-License-Identifier: BSD-2-Clause
# Functions of the tests of export formats.  They use $B, $dir and $here.

# Makes the program, and of it the recordings tree, with calls; flat, without; and sampled, with calls.
make_recordings() {
    aarch64-linux-gnu-gcc -O1 -g -Wl,--build-id -o "$dir/program" "$here/program.c" 2>"$dir/err" || return
    for kind in tree flat sampled; do
        python3 "$here/random_recording.py" "$dir/program" "$dir/$kind.expect" $kind >"$dir/lines" 2>"$dir/err" &&
            "$B/test/build_recording" "$dir/$kind.data" <"$dir/lines" 2>"$dir/err" || return
    done
}

build_id() {
    readelf -nW "$dir/program" | sed -n 's/.*Build ID: //p'
}

# Writes $dir/NAME.data in a format.
export_as() { # NAME FORMAT FILE [EVENT]
    "$B/armpmu" report --to "$2" ${4:+-e "$4"} -o "$3" "$dir/$1.data" 2>"$dir/err" && [ -s "$3" ]
    expect $? "$1 as $2${4:+, $4}" "$(head -n 1 "$dir/err")"
}

# Writes $dir/NAME.data in all formats.
export_all() { # NAME
    for format in callgrind perf-data pprof speedscope firefox perfetto perf-script; do
        export_as "$1" $format "$dir/$1.$format"
    done
    for event in INST_RETIRED L1D_CACHE BR_MIS_PRED; do
        export_as "$1" collapsed "$dir/$1.$event.collapsed" $event
    done
}

# Prints the command that opens the files of pprof.
pprof_program() {
    if command -v pprof >/dev/null && pprof -help 2>&1 | grep -q sample_index; then
        echo pprof
    elif command -v go >/dev/null; then
        echo go tool pprof
    else
        return 1
    fi
}
