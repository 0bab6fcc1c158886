# SPDX-License-Identifier: BSD-2-Clause
# link_stat TEST: links $dir/stat, which is armpmu stat with the engines of engine.c in this folder alone.  If that
# fails, TEST fails and the script ends.  Source it at the top of the checkout.
link_stat() {
    objects=
    for name in stat jobs jobs_list jobs_rows options complain count/core count/engine count/select count/metrics \
        count/topdown count/print \
        count/runs count/signals count/series count/result count/digest count/compare count/compare_print \
        count/variables count/intervals timeline/timeline; do
        objects="$objects $B/obj/cli/$name.o"
    done
    # shellcheck disable=SC2086 # words
    "$CC" -std=c11 -Iinclude ${CFLAGS:-} test/cli/engine.c $objects \
        "$B/obj/gen/cli/timeline/perfetto.pb-c.o" "$B/libarmpmu.a" -ljansson -lprotobuf-c -o "$dir/stat" \
        2>"$dir/err" && return
    not_ok "$1" "$(head -n 3 "$dir/err" | tr '\n' ' ')"
    summary
}
