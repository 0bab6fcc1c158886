#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests armpmu coverage: 40 programs whose counts are known, sums against armpmu stat, planted intents, what a
# comparison finds, orders and smallest sets, images, wrong inputs, the page.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
. tools/emulator.sh
: "${B:=build}" "${CROSS:=aarch64-linux-gnu-}"
need "${CROSS}gcc" python3
aarch64_emulator >/dev/null || skip_all "no emulator with plugins: make qemu-user"
root=$(pwd)
armpmu=$(cd "$B" && pwd)/armpmu
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
checker=$root/test/cli/coverage.py

build() { # NAME KIND ROUNDS [OPTION...]
    name=$1 kind=$2 rounds=$3
    shift 3
    "${CROSS}gcc" -nostdlib -static -DKIND_"$kind" -DN="$rounds" "$@" test/cli/programs/stimulus.S -o "$dir/$name"
}
python3 "$checker" list >"$dir/names"
while read -r name kind rounds; do
    build "$name" "$kind" "$rounds" || skip_all 'stimulus.S cannot be assembled'
    printf '%s\t-- ./%s\n' "$name" "$name"
done <"$dir/names" >"$dir/list"
python3 "$checker" intents >"$dir/intents"
cd "$dir" || exit 2

# Runs the tool, and checks its status; its output is in stdout and stderr.
run() { # NAME STATUS ARG...
    name=$1 status=$2
    shift 2
    "$armpmu" coverage "$@" >stdout 2>stderr
    got=$?
    [ "$got" -eq "$status" ]
    expect $? "$name" "status $got, not $status: $(head -n 2 stderr)"
}
has() { # NAME TEXT...
    name=$1
    shift
    for text in "$@"; do
        grep -qF -e "$text" stdout || { not_ok "$name" "no '$text' in: $(tail -n 15 stdout | tr '\n' ';')"; return; }
    done
    ok "$name"
}

# Counts, intents, order and set.
run 'a list of 40 programs, of which some miss their intents' 1 --jobs list -P 2 --core cortex-a72 \
    --intents intents --save old.json -o rows -j
cmp -s stdout old.json
expect $? '-j and --save are the same' "$(cmp stdout old.json 2>&1)"
python3 "$checker" counts old.json >log 2>&1
relay 'known content' $? log
events=$(python3 -c 'import json; print(",".join(e["event"] for e in json.load(open("old.json"))["events"]))')
while read -r name kind rounds; do
    "$armpmu" stat --engine=qemu-user --core cortex-a72 -j -e "$events" -o "stat.$name" -- "./$name" || break
done <names
python3 "$checker" sums old.json stat.* >log 2>&1
relay 'sums' $? log
python3 "$checker" sets "$armpmu" "$dir" >log 2>&1
relay 'sets' $? log
run 'results that were counted before' 1 -i rows --intents intents --baseline old.json -j
python3 - <<'END' >log 2>&1
import json
old, new = json.load(open("old.json")), json.load(open("stdout"))
assert new["baseline"]["changes"] == [], new["baseline"]["changes"][:3]
assert {k: v for k, v in old.items() if k != "baseline"} == {k: v for k, v in new.items() if k != "baseline"}
END
expect $? 'they give the same, and the comparison finds nothing' "$(tail -n 1 log)"
sed -n 1,20p rows >rows.1
sed -n 21,40p rows >rows.2
run 'results of two parts' 1 -i rows.1 -i rows.2 --intents intents -j
python3 -c 'import json; assert json.load(open("stdout")) == json.load(open("old.json"))' 2>log
expect $? 'two parts give what one list gives' "$(tail -n 1 log)"
run 'programs as operands' 0 ./alu_0 load_1
has 'without --core, events that are counted exactly' 'tests: 2, failed: 0; events: 44' \
    'LD_RETIRED                          1                  116  load_1' 'a set of 1 keeps all'
grep -q L1D_CACHE stdout
[ $? -eq 1 ]
expect $? 'and none of a core' "$(grep L1D_CACHE stdout)"
run '--reached' 0 --reached 100 -e LD_RETIRED,INST_RETIRED,ST_RETIRED ./load_0 ./load_2
has '--reached: events below it are not reached' 'events: 3, reached: 2' 'LD_RETIRED                          1 ' \
    'no test reaches' 'ST_RETIRED'

# The page of the documentation: its programs, and its intents.
page=$root/doc/coverage.md
cd "$root" || exit 2
for program in branch:500 call:300 float:200 atomic:400; do
    build "${program%:*}" "${program%:*}" "${program#*:}"
done
cd "$dir" || exit 2
run 'the programs of doc/coverage.md' 0 atomic branch call float
awk '/^```text$/ && !n++ { on = 1; next } /^```$/ { on = 0 } on && $0 != "" && $0 != "..."' "$page" >shown
missing=$(grep -vxF -f stdout shown)
[ -z "$missing" ] && [ "$(wc -l <shown)" -ge 15 ]
expect $? 'doc/coverage.md: what it shows is printed' "$missing"
awk '/^```text intents.txt$/ { on = 1; next } /^```$/ { on = 0 } on' "$page" >intents.txt
run 'the intents of doc/coverage.md' 1 -i rows --intents intents.txt -v
has 'doc/coverage.md: the intents' 'EXC_TAKEN == EXC_SVC  (1 and 1; intents.txt:4)' \
    'switch_*                  BR_MIS_PRED_RETIRED / BR_RETIRED > 0.05  (no test has such a name; intents.txt:3)'

# What a comparison finds: a test that is gone, one that fails, one that does less, an event that nothing reaches, an
# intent that is missed now.
cd "$root" || exit 2
build branch_2 branch 200
build store_3 store 593 -DFAIL=3
build new_0 alu 1
build stride_2 alu 240
cd "$dir" || exit 2
grep -v -e '^simd' -e '^load_2' list >list2
printf 'new_0\t./new_0\n' >>list2
run 'a commit that loses coverage' 1 --jobs list2 -P 2 --core cortex-a72 --intents intents --baseline old.json
cp stdout losses
run '-v prints all counts that fell' 1 --jobs list2 -P 2 --core cortex-a72 --intents intents --baseline old.json -v
[ "$(grep -c 'count fell' stdout)" -gt "$(grep -c 'count fell' losses)" ] && grep -q 'more counts fell' losses
expect $? '-v: more of them' "$(grep -c 'count fell' stdout), $(grep -c 'count fell' losses)"
has 'the losses' 'test lost          load_2' 'test lost          simd_3' 'event lost         ASE_RETIRED' \
    '(4 tests reached it, most of all simd_3)' 'test fails now     store_3: the program ended with status 3' \
    'count fell         branch_2  BR_RETIRED  474 -> 400' 'intent missed now  stride_2  L1D_CACHE_REFILL >= 0.2K' \
    'no longer reached  stride_2  LD_RETIRED  236 -> 0' 'new test           new_0' \
    'failed: store_3: the program ended with status 3'
run 'a tolerance' 1 --jobs list2 -P 2 --core cortex-a72 --intents intents --baseline old.json --tolerance 20%
grep -q 'count fell         branch_2  BR_RETIRED' stdout
[ $? -eq 1 ]
expect $? '--tolerance: what fell by less is no loss' "$(grep 'count fell' stdout | head -n 3)"
head -n 1 list >list3
run 'without the core' 1 --jobs list3 --baseline old.json
has 'counts that mean something else are not compared' 'not compared       L1D_CACHE: it is not counted now' \
    'not compared       CPU_CYCLES'
run 'nothing to compare' 3 --baseline old.json ./new_0
has 'it is said' 'nothing was compared'

# Counts without those of a test that does nothing, and what is printed of them.
run 'without a test' 0 -i rows --minus alu_0 --save minus.json --summary
has 'without a test: it is said' 'tests: 39, failed: 0;' '; counts are without those of alu_0'
! grep -q '^branches$\|^tests and events' stdout && grep -q '^what each test adds' stdout
expect $? '--summary: no list of events and no table' "$(grep -n '^branches$\|^tests and events\|^what each' stdout)"
python3 - 2>log <<'END'
import json
whole, rest = json.load(open("old.json")), json.load(open("minus.json"))
counts = {t["test"]: t["counts"] for t in whole["tests"]}
assert whole["minus"] is None and rest["minus"] == "alu_0" and len(rest["tests"]) == len(whole["tests"]) - 1
for t in rest["tests"]:
    pairs = list(zip(counts[t["test"]], counts["alu_0"]))
    assert t["counts"] == [None if a is None or b is None else max(a - b, 0) for a, b in pairs], t["test"]
assert sum(e["sum"] or 0 for e in rest["events"]) == sum(c or 0 for t in rest["tests"] for c in t["counts"]) > 0
END
expect $? 'without a test: each count' "$(tail -n 1 log)"
run 'without the same test' 0 -i rows --minus alu_0 --baseline minus.json
run 'without it before only' 2 -i rows --baseline minus.json
run 'without it now only' 2 -i rows --minus alu_0 --baseline old.json

# Images, by a script in place of the emulator: it writes a report.
cat >emulator <<'END'
#!/bin/sh
printf 'armpmu-report 1\ncpu 0 1000 pmuv3\n' >"$ARMPMU_REPORT"
printf 'counter %s\nreason_time 900 0\n' '0 0x8 700' '1 0x6 -5' '2 0x8 650' '3 0x3 12 modelled:cortex-a72' \
    '4 0x17 0 silent' '31 0x11 900' >>"$ARMPMU_REPORT"
printf 'counter 5 0x21 44\nreason_time 900 1\n' >>"$ARMPMU_REPORT"
printf 'cpu 1 1000 pmuv3\ncounter 0 0x8 30\nreason_time 30 0\n' >>"$ARMPMU_REPORT"
END
chmod +x emulator
printf '*: INST_RETIRED == 730, CPU_CYCLES == 900, L1D_CACHE_REFILL >= 10\n' >of_image
cp alu_0 image.elf
ARMPMU_QEMU_SYSTEM=$dir/emulator run 'an image' 0 --images --intents of_image -v image.elf
has 'an image: CPUs are added up, the greatest of two counters counts' 'tests: 1, failed: 0; events: 3' \
    'intents: 3 met, 0 missed' 'modelled:cortex-a72'

# The page: its data, and what a browser shows.
printf '@TITLE@\n@DATA@' >page.html
ARMPMU_LIBDIR=$dir "$armpmu" coverage -i rows --intents intents -j --html data >stdout 2>stderr
python3 - 2>log <<'END'
import base64, gzip, json
data = json.loads(gzip.decompress(base64.b64decode(open("data").read().split("\n")[1])))
assert data["format"] == 1 and data["kind"] == "coverage" and data["coverage"] == json.load(open("stdout"))
END
expect $? 'page: it has what -j prints' "$(tail -n 1 log) $(cat stderr)"
rm page.html
ARMPMU_LIBDIR=$dir run 'no page' 3 -i rows --html data
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$chromium" ] && (cd "$root" && sh tools/page.sh) >log 2>&1; then
    (grep -v '^load_2' list && printf 'new_0\t./new_0\n') >list4
    run 'a page' 1 --jobs list4 -P 2 --core cortex-a72 --intents intents --baseline old.json --html coverage.html
    timeout 300 node "$root/$B/page/test/browser.mjs" "$chromium" coverage.html >log 2>&1
    relay 'page: in Chromium' $? log
else
    skip 'page: what a browser shows' "no chromium, or no npm: $(tail -n 1 log)"
fi

# Wrong inputs.
wrong() { # NAME STATUS TEXT INTENTS ARG...
    name=$1 status=$2 text=$3
    printf '%b' "$4" >bad
    shift 4
    "$armpmu" coverage "$@" >stdout 2>stderr
    got=$?
    [ $got -eq "$status" ] && [ "$(wc -l <stderr)" -eq 1 ] && grep -qF -e "$text" stderr && [ ! -s stdout ]
    expect $? "wrong: $name" "status $got: $(cat stderr)"
}
intent() { # NAME TEXT INTENTS
    wrong "$1" 2 "$2" "$3" -i rows --intents bad
}
intent 'an event' 'bad:2:16: no event is named LD_RETIERD; the nearest are LD_RETIRED' '#\na: ST_SPEC > 2*LD_RETIERD\n'
intent 'no tests' 'bad:1:1: there are no tests before a colon' 'LD_RETIRED > 3\n'
intent 'nothing before the colon' 'bad:1:1: there are no tests' ' : LD_RETIRED > 3\n'
intent 'no comparison' 'bad:1:4: nothing is compared' 'a: LD_RETIRED\n'
intent 'no condition' 'bad:1:20: nothing is compared' 'a: LD_RETIRED > 3, \n'
intent 'a single =' 'bad:1:15: no such comparison; there are >= <= > < == and !=' 'a: LD_RETIRED = 3\n'
intent 'two comparisons' 'bad:1:21: a condition compares once' 'a: 3 < LD_RETIRED   < 4\n'
intent 'no formula' 'bad:1:16: this is no formula' 'a: (LD_RETIRED > 3) \n'
intent 'a unit' 'bad:1:18: this is no formula' 'a: LD_RETIRED > 3k\n'
intent 'a constant' 'bad:1:4: slots, line and seconds are not known' 'a: seconds > 3\n'
intent 'a zero byte' 'it has a zero byte' 'a: LD_RETIRED > 3\0000\n'
wrong 'an event of intents that is not counted' 3 'the model of a core does, such as --core cortex-a72' \
    'a: L1D_CACHE > 3\n' --intents bad ./alu_0
wrong 'no tests' 2 'there are no tests; give programs' '' --reached 3
wrong '--reached 0' 2 '0 is reached by every test' '' -i rows --reached 0
wrong '--reached x' 2 'x is no such number' '' -i rows --reached x
wrong '--tolerance alone' 2 'there is no baseline' '' -i rows --tolerance 3
wrong '--tolerance 101' 2 'give per cent, 0 to 100' '' -i rows --tolerance 101 --baseline old.json
wrong 'no such test to subtract' 3 '--minus none: there is no such test' '' -i rows --minus none
wrong 'an option behind a program' 2 '--html: it stands behind a program' '' ./alu_0 --html page
wrong 'programs beside a list' 2 'programs are in the list' '' --jobs list ./alu_0
wrong 'two programs of a name' 2 'alu_0: two programs have this name' '' ./alu_0 "$dir/alu_0"
wrong 'two results of a name' 3 'alu_0: two tests have this name' '' -i rows.1 -i rows
wrong 'a row that is none' 3 'bad:2: it is no result of a job' "$(head -n 1 rows | sed 's/\\/\\\\/g')\n{}\n" -i bad
wrong 'a torn row' 3 'bad:1: it is no result of a job' '{"job": "a", ' -i bad
wrong 'no rows' 3 'there are no tests in what was given' '' -i bad
wrong 'no file of rows' 3 'none: cannot be read' '' -i none
wrong 'a baseline that is none' 3 'bad: it is no result of armpmu coverage' '{}' -i rows --baseline bad
wrong 'events for images' 2 'an image programs its counters itself' '' --images -e LD_RETIRED x.elf
wrong 'events without a run' 2 '--event: no test is run' '' -i rows -e LD_RETIRED
wrong 'a core without a run' 2 '--core: no test is run' '' -i rows --core cortex-a72
wrong 'no such event' 2 'no such event' '' -e NO_SUCH ./alu_0
"$armpmu" coverage -i rows --save no/such >stdout 2>stderr
[ $? -eq 3 ] && grep -q 'no/such: cannot be written' stderr
expect $? 'wrong: a file that cannot be written' "$(cat stderr)"
summary
