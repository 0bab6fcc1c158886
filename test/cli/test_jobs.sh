#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests armpmu stat --jobs: rows in the order of the list, several jobs at a time, failures as rows, parts, --resume,
# CSV, wrong lists; GNU parallel where it is installed.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
. tools/emulator.sh
: "${B:=build}" "${CROSS:=aarch64-linux-gnu-}"
need "${CROSS}gcc" python3
aarch64_emulator >/dev/null || skip_all "no emulator with plugins: make qemu-user"
armpmu=$(cd "$B" && pwd)/armpmu
export ARMPMU_ENGINE=qemu-user
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cat >"$dir/count.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    volatile unsigned n = 0;
    for (unsigned i = argc > 1 ? (unsigned)atoi(argv[1]) : 0; i > 0; i--) {
        n++;
    }
    if (argc > 2 && atoi(argv[2]) < 0) {
        abort();
    }
    printf("%s %u\n", argc > 3 ? argv[3] : "-", n + (unsigned)getchar());
    return argc > 2 ? atoi(argv[2]) : 0;
}
END
"${CROSS}gcc" -O1 -static "$dir/count.c" -o "$dir/count" || { not_ok 'count.c' 'it cannot be compiled'; summary; }
cd "$dir" || exit 2

# Checks what Python says of the rows in out, which it has as `rows`, and of the CSV in csv, as `csv_rows`.
check() { # NAME EXPRESSION
    python3 - "$2" >log 2>&1 <<'END'
import csv, json, os, sys
rows = [json.loads(line) for line in open("out")] if os.path.exists("out") else []
csv_rows = list(csv.DictReader(open("csv"))) if os.path.exists("csv") else []
def count(row, event="INST_RETIRED"):
    return [e["mean"] for e in row["result"]["events"] if e["event"] == event][0]
names = [row["job"] for row in rows]
sys.exit(not eval(sys.argv[1]))
END
    expect $? "$1" "$(cat log out 2>/dev/null | cut -c1-400 | tr '\n' ';')"
}
run() { # NAME STATUS ARG...
    name=$1 status=$2
    shift 2
    "$armpmu" stat -e INST_RETIRED,LD_RETIRED "$@" >stdout 2>stderr
    got=$?
    [ "$got" -eq "$status" ]
    expect $? "$name" "status $got, not $status: $(head -n 2 stderr)"
}

printf '# a list\n\nslow\t-- ./count 300000\nfast\t-r 2 -- ./count 10\n  \n' >list
printf 'quoted\t-- ./count 5 0 "a b"\\ '"'c\"d'"'\nfails\t-- ./count 7 3\ndies\t-- ./count 7 -1\n' >>list
printf 'none\t-- ./none\nwrong\t--core x -- ./count\nlast\t-- ./count 20\n' >>list
run 'some of eight jobs fail' 1 --jobs list -P 3 -o out --csv csv --job-logs logs
check 'rows are in the order of the list' \
    'names == "slow fast quoted fails dies none wrong last".split()'
check 'a job does what it does alone' 'abs(count(rows[0]) - count(rows[7]) - 299980 * 5) < 299980 * 4'
check 'a failed program has its status and its counts' \
    'rows[3]["status"] == 3 and rows[3]["cause"] == "the program ended with status 3" and count(rows[3]) > 0'
check 'a program that died says of what' 'rows[4]["status"] == 134 and "Abort" in rows[4]["cause"]'
check 'no such program: the cause' \
    'rows[5]["status"] == 127 and "no such program" in rows[5]["cause"] and rows[5]["result"] is None'
check 'a wrong option of one job: the cause' 'rows[6]["status"] in (2, 3) and "--core" in rows[6]["cause"]'
check 'options of one job' 'rows[1]["result"]["runs"] == 2 and rows[0]["result"]["runs"] == 1'
grep -q "^a b c\"d 4$" logs/quoted.log
expect $? 'words are split as a shell does, stdin is empty, and the log has the output' "$(cat logs/quoted.log)"
check 'CSV: the columns' 'list(csv_rows[0]) == "job status cause seconds program engine emulator core runs event mean \
min max spread trust mark".replace("\\", "").split()'
check 'CSV: a row for each event, one for a job without counts' \
    '[r["job"] for r in csv_rows].count("slow") == 2 and [r["event"] for r in csv_rows if r["job"] == "none"] == [""]'
check 'CSV: the same numbers' \
    'all(float(r["mean"]) == count(rows[0], r["event"]) for r in csv_rows if r["job"] == "slow")'
if python3 -c 'import pyarrow' 2>/dev/null; then
    python3 -c 'import pyarrow.csv, pyarrow.parquet as p; p.write_table(pyarrow.csv.read_csv("csv"), "x.parquet")' 2>log
    expect $? 'CSV: pyarrow writes it as Parquet' "$(cat log)"
else
    skip 'CSV: pyarrow writes it as Parquet' 'no pyarrow'
fi

cp out first
sed -i 's|./none|./count|; s|--core x ||; s|7 3|7 0|; s|7 -1|7|' list
run '--resume does what failed' 0 --jobs list -P 2 -o out --csv csv --resume
check '--resume: rows in the order of the list' 'names == "slow fast quoted fails dies none wrong last".split()'
[ "$(sed -n 1p out)" = "$(sed -n 1p first)" ]
expect $? '--resume keeps what was done' "$(sed -n 1p out)"
cp out first
head -c "$(($(wc -c <out) - 20))" out >cut && mv cut out # a run was killed while it wrote the last row
run '--resume after a torn line' 0 --jobs list -o out --resume
[ "$(sed 7q out)" = "$(sed 7q first)" ] && [ "$(wc -l <out)" -eq 8 ]
expect $? '--resume: the torn row is done again' "$(wc -l <out) rows"
sed -n 8p out | cut -c1-60 >eighth
"$armpmu" stat -e BR_RETIRED --jobs list -o out --resume 2>stderr
check '--resume: with other events all is done again' \
    'all(r["result"]["events"][0]["event"] == "BR_RETIRED" for r in rows)'

rm -f csv
for part in 1 2 3; do
    run "part $part of 3" 0 --jobs list --job-part $part/3 -o part.$part
done
cat part.1 part.2 part.3 >out
check 'parts have all jobs, once' 'sorted(names) == sorted("slow fast quoted fails dies none wrong last".split())'
SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_STEP=1 \
    "$armpmu" stat -e INST_RETIRED --jobs list --job-part slurm -o out 2>stderr
check 'slurm: the variables of an array choose a part' 'names == ["fast", "dies", "last"]'
run 'without -o rows go to stdout' 0 --jobs list --job-part 8/8
[ "$(wc -l <stdout)" -eq 1 ]
expect $? 'one row on stdout' "$(cat stdout)"

if command -v parallel >/dev/null; then
    cut -f 1 list | grep -E '^[a-z]+$' >names
    parallel --will-cite -j 2 "grep '^{}	' list >list.{} && \"$armpmu\" stat -e INST_RETIRED --jobs list.{} -o row.{}" \
        <names >log 2>&1
    status=$?
    sed 's/.*/row.&/' names | xargs cat >out
    [ $status -eq 0 ]
    expect $? 'GNU parallel' "status $status: $(head -n 3 log)"
    check 'GNU parallel: all rows' 'len(rows) == 8 and all(r["status"] == 0 for r in rows)'
else
    skip 'GNU parallel' 'no parallel'
fi

wrong() { # NAME TEXT LIST OPTION...
    name=$1 text=$2
    printf '%b' "$3" >bad
    shift 3
    "$armpmu" stat --jobs bad "$@" >stdout 2>stderr
    got=$?
    { [ $got -eq 2 ] || [ $got -eq 3 ]; } && [ "$(wc -l <stderr)" -eq 1 ] && grep -qF -e "$text" stderr
    expect $? "wrong: $name" "status $got: $(cat stderr)"
}
wrong 'no tab' 'bad:2: there is no tab' '# x\nname ./count\n'
wrong 'a name of a path' 'bad:1: a name has letters' '../x\t-- ./count\n'
wrong 'two of a name' 'two jobs are named a' 'a\t./count\nb\t./count\na\t./count\n'
wrong 'no command' 'bad:1: there is no command' 'a\t  \n'
wrong 'an open quote' 'bad:1: a quote is not closed' "a\t-- './count\n"
wrong 'a zero byte' 'it has a zero byte' 'a\t\0000\n'
wrong 'a program beside the list' 'programs are in the list' 'a\t./count\n' ./count
wrong '--save for all' '--jobs, --save' 'a\t./count\n' --save x
wrong 'part 0' '0/3 is no part' 'a\t./count\n' --job-part 0/3
wrong 'part 4 of 3' '4/3 is no part' 'a\t./count\n' --job-part 4/3
wrong 'no array' 'slurm: SLURM_ARRAY_TASK_ID' 'a\t./count\n' --job-part slurm
wrong '--resume without a file' 'give -o FILE too' 'a\t./count\n' --resume
wrong 'an output that cannot be' 'cannot be written' 'a\t./count\n' -o no/such
"$armpmu" stat -P 2 ./count >stdout 2>stderr
[ $? -eq 2 ] && grep -q 'there are no jobs' stderr
expect $? 'wrong: options of jobs without jobs' "$(cat stderr)"
"$armpmu" stat --jobs none 2>stderr
[ $? -eq 3 ] && grep -q 'cannot be read' stderr
expect $? 'wrong: no list' "$(cat stderr)"
summary
