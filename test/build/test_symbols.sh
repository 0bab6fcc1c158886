#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every global symbol of the archive, of the shared library and of the amalgamation begins with apmu_, whichever
# compiler built it, so a program may use any other name.  The archive exports what the shared library does, and a
# program is linked with what it calls only.  A program that defines names which the archive once took links and runs.
# Runs beside other tests.
set -u
. test/lib/tap.sh
unset MAKEFLAGS MFLAGS # of a parallel make check
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# Checks that nm lists at least FEWEST global symbols, and that all of them begin with apmu_.
prefixed() { # NAME FEWEST NM-ARGUMENTS...
    name=$1 fewest=$2
    shift 2
    # Only in nm's lines of three fields is the last one a symbol; those of sanitizers are not the library's.
    nm -g --defined-only "$@" 2>/dev/null | awk 'NF == 3 && $2 != "A" { print $3 }' |
        grep -v '^__\(asan\|odr_asan\|ubsan\|sanitizer\)' | LC_ALL=C sort -u >"$dir/symbols"
    wrong=$(grep -v '^apmu_' "$dir/symbols" | tr '\n' ' ')
    [ -z "$wrong" ] && [ "$(wc -l <"$dir/symbols")" -ge "$fewest" ]
    expect $? "symbols: $name: $(wc -l <"$dir/symbols") of apmu_" \
        "without the prefix: ${wrong:-none, but there are too few}"
}

prefixed "archive" 100 "$B/libarmpmu.a"
CC=$CC python3 tools/amalgamate.py "$dir/source" >"$dir/log" 2>&1
expect $? "symbols: the amalgamation is made" "$(tail -n 1 "$dir/log")"
# At -O1, not -O0: lib/model/config.c inlines a switch of a hundred gates for each field of each register, and without
# optimization no compiler folds it.  Then the model takes gcc 24 s instead of 2 s.
for cc in gcc clang; do
    if ! command -v $cc >/dev/null 2>&1; then
        skip symbols "no $cc"
        continue
    fi
    # $CC built $B/libarmpmu.a, which was checked above.
    if [ $cc != "${CC##*/}" ] && { [ $cc != gcc ] || [ "${CC##*/}" != cc ]; }; then
        make -s CC=$cc CFLAGS=-O1 B="$dir/$cc" "$dir/$cc/libarmpmu.a" >"$dir/log" 2>&1
        expect $? "symbols: archive by $cc is made" "$(tail -n 1 "$dir/log")"
        prefixed "archive by $cc" 100 "$dir/$cc/libarmpmu.a"
    fi
    (cd "$dir/source" && $cc -std=c11 -O1 -DAPMU_WITH_MODEL -c armpmu_model.c armpmu_driver.c) >"$dir/log" 2>&1
    expect $? "symbols: amalgamation by $cc compiles" "$(tail -n 1 "$dir/log")"
    prefixed "amalgamation by $cc" 50 "$dir/source/armpmu_model.o" "$dir/source/armpmu_driver.o"
done
for library in "$B"/libarmpmu.so.*; do
    prefixed "shared library" 100 -D "$library" # without one, nm lists too few
done

globals() {
    nm -g --defined-only "$@" | awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u
}
globals "$B/libarmpmu.a" | grep -v '^__' >"$dir/archive"
globals -D "$B"/libarmpmu.so.* >"$dir/shared"
differ=$(diff "$dir/archive" "$dir/shared" | grep '^[<>]' | tr '\n' ' ')
[ -z "$differ" ] && [ -s "$dir/archive" ]
expect $? "symbols: the archive exports what the shared library does" "< only the archive, > only the other: $differ"
printf '#include <armpmu/error.h>\nint main(void) { return apmu_error_text(APMU_OK) == 0; }\n' >"$dir/one.c"
$CC -std=c11 -Iinclude "$dir/one.c" "$B/libarmpmu.a" -Wl,-Map="$dir/one.map" -o "$dir/one" 2>"$dir/log"
linked=$(grep -o 'libarmpmu\.a([a-z0-9_]*\.o)' "$dir/one.map" | sort -u | tr '\n' ' ')
[ "$linked" = 'libarmpmu.a(driver_error.o) ' ]
expect $? "symbols: a program has what it calls only" "it has $linked; $(tail -n 1 "$dir/log")"

# Modules that the tool and the tests share: what a file exports begins with apmu_, cli_, or the name of its folder, of
# the file, or of a header beside it or in the folder above.
for folder in cli/state cli/trace cli/count cli/read cli/read/code cli/why cli/why/code cli/why/linux \
    cli/why/registers qemu/classify qemu/user qemu/user/host; do
    bare= exported=0 above=${folder%/*} above=${above##*/}
    for source in "$folder"/*.c; do
        stem=$(basename "$source" .c)
        for symbol in $(nm -g --defined-only "$B/obj/${source%.c}.o" 2>"$dir/log" | awk 'NF == 3 { print $3 }'); do
            exported=$((exported + 1))
            case $symbol in
            apmu_* | cli_* | "${folder##*/}"_* | "$above"_* | "$stem"_* | "$stem" | __asan* | __odr_asan* | __ubsan*) ;;
            *) [ -f "$folder/${symbol%%_*}.h" ] || [ -f "$folder/../${symbol%%_*}.h" ] ||
                bare="$bare $stem.c:$symbol" ;;
            esac
        done
    done
    [ -z "$bare" ] && [ $exported -gt 0 ]
    expect $? "symbols: $folder: $exported prefixed" \
        "without a prefix:${bare:- there are none at all; $(cat "$dir/log")}"
done
# The plugin exports what QEMU asks for.
nm -D --defined-only "$B/libarmpmu-qemu-user.so" | awk '$2 != "A" { print $3 }' | grep -v '^__' >"$dir/symbols"
[ -s "$dir/symbols" ] && ! grep -v '^qemu_plugin_' "$dir/symbols" >"$dir/log"
expect $? "symbols: the plugin exports what QEMU asks for" "$(tr '\n' ' ' <"$dir/log")"

# Names that the archive took until 0.1.0, and that a program may now use.
set -- explain_access explain_choose explain_every_range explain_level explain_looks explain_next explain_open \
    explain_set explain_space explain_unknown explain_word perf_check_wish perf_error perf_event_in perf_page_times \
    perf_pmus_in perf_read_number perf_scale
{
    echo '#include <armpmu/explain.h>'
    echo '#include <armpmu/perf.h>'
    n=0
    for name; do
        n=$((n + 1))
        echo "int $name = $n;"
    done
    echo 'int main(void)'
    echo '{'
    echo '    struct apmu_config cfg = {.size = sizeof cfg, .counters = 6};'
    echo '    static struct apmu_facts facts;'
    echo '    struct apmu_verdict verdict;'
    echo '    struct apmu_perf_pmu pmus[4];'
    echo '    cfg.features = apmu_features_closure(APMU_FEAT(PMUv3) | APMU_FEAT(AA64EL1));'
    echo '    apmu_facts_init(&facts, &cfg);'
    echo '    apmu_facts_at(&facts, APMU_STATE_NS_EL1);'
    echo '    apmu_verdict(&facts, 0, &verdict);'
    echo '    (void)apmu_perf_pmus(pmus, 4);'
    n=0
    for name; do
        n=$((n + 1))
        echo "    if ($name != $n) { return $n; }"
    done
    echo '    return verdict.is == APMU_ANSWER_DEPENDS ? 0 : 99;'
    echo '}'
} >"$dir/user.c"
for whole in "" -Wl,--whole-archive; do
    # shellcheck disable=SC2086
    $CC -std=c11 -Iinclude "$dir/user.c" $whole "$B/libarmpmu.a" -Wl,--no-whole-archive -o "$dir/user" 2>"$dir/log" &&
        "$dir/user" 2>>"$dir/log"
    expect $? "symbols: a program with those names${whole:+, whole archive}" \
        "status $?: $(grep -m 1 multiple "$dir/log")"
done
summary
