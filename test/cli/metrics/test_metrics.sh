#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests armpmu stat -M and armpmu list --metrics: stat counts with the engine of test/cli/engine.c, whose counts and
# core this test chooses.  metrics.py compares the value of every metric with values.csv, and where ../shared lies
# beside the checkout that file with Arm's formulas.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
. test/cli/link_stat.sh
: "${B:=build}" "${CC:=cc}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
unset ARMPMU_ENGINE

link_stat 'metrics: stat links with the engine of the tests'

lists=
[ -r ../shared/facts/metrics.csv ] && lists='../shared/facts/metrics.csv ../shared/facts/topdown_tree.csv'
[ -n "$lists" ] || skip 'metrics: formulas and decision trees of Arm' 'no ../shared/facts'
# shellcheck disable=SC2086 # words
python3 test/cli/metrics/metrics.py test/cli/metrics/values.csv "$B/armpmu" "$dir/stat" $lists >"$dir/out" 2>"$dir/err"
[ ! -s "$dir/err" ] || echo "not ok metrics.py: $(tail -n 1 "$dir/err")" >>"$dir/out"
while IFS= read -r line; do
    case $line in
    'not ok '*) not_ok "${line#not ok }" '' ;;
    *) ok "${line#ok }" ;;
    esac
done <"$dir/out"

# Checks that stat with these arguments, after VARIABLE=VALUE for the engine, prints OUTPUT and ends with STATUS.
stat() { # NAME STATUS OUTPUT ARG...
    name=$1 status=$2 output=$3
    shift 3
    env "$@" >"$dir/out" 2>&1
    got=$?
    sed '/^ Performance counter/d; /^ .* seconds /d; /^ covers /d; s/ *$//; /^$/d' "$dir/out" >"$dir/lines"
    if [ $got -eq "$status" ] && [ "$(cat "$dir/lines")" = "$output" ]; then ok "metrics: $name"; else
        not_ok "metrics: $name" "status $got, $(cat "$dir/lines")"
    fi
}
s=$dir/stat

# How it is printed.
stat 'beside its first event' 7 '                10      INST_RETIRED@1             #     0.5000 per cycle  ipc
                20      CPU_CYCLES@2' "$s" -M ipc x
stat 'two beside one event' 7 '                10      BR_MIS_PRED_RETIRED@1      #     0.5000 per branch  '\
'branch_misprediction_ratio
                                                   #     333.33 MPKI  branch_mpki
                20      BR_RETIRED@2
                30      INST_RETIRED@4' "$s" -M branch_misprediction_ratio,branch_mpki x
stat 'as fields' 7 '10,,BR_MIS_PRED_RETIRED@1,100000000,100.00,0.5000,per branch  branch_misprediction_ratio
,,,,,333.33,MPKI  branch_mpki
20,,BR_RETIRED@2,100000000,100.00,,
30,,INST_RETIRED@4,100000000,100.00,,' "$s" -x, -M branch_misprediction_ratio -M branch_mpki x
json='s/COUNT/"counter-value": "/; s/EVENT/", "unit": "", "event": "/; s/VALUE/"metric-value": /; '\
's/UNIT/"metric-unit": /
    s/TIME/"event-runtime": 100000000, "pcnt-running": 100.0, /; s/TRUST/, "trust": "measured"/'
stat 'as JSON' 7 "$(sed "$json" <<'END'
{COUNT10.000000EVENTBR_MIS_PRED_RETIRED@1", TIMEVALUEnull, UNIT"MPKI  branch_mpki (division by zero)"TRUST}
{VALUE0.333333333333333, UNIT"per branch  branch_misprediction_ratio"TRUST}
{COUNT0.000000EVENTINST_RETIRED@2", TIMEVALUE0.0, UNIT""TRUST}
{COUNT30.000000EVENTBR_RETIRED@4", TIMEVALUE0.0, UNIT""TRUST}
END
)" TICKS_ZERO=8 "$s" -j -M branch_mpki,branch_misprediction_ratio x
stat 'at intervals, of each interval' 7 '     0.100000000,10,,INST_RETIRED@1,100000000,100.00,0.5000,per cycle  ipc
     0.100000000,20,,CPU_CYCLES@2,100000000,100.00,,
     0.200000000,10,,INST_RETIRED@1,100000000,100.00,0.5000,per cycle  ipc
     0.200000000,20,,CPU_CYCLES@2,100000000,100.00,,
     0.300000000,10,,INST_RETIRED@1,100000000,100.00,0.5000,per cycle  ipc
     0.300000000,20,,CPU_CYCLES@2,100000000,100.00,,
armpmu: remark: first
armpmu: remark: second' "$s" -x, -I 100 -M ipc x
stat 'seconds are those of an interval' 7 '     0.100000000,10,,INST_RETIRED@1,100000000,100.00,100.00,rate
     0.200000000,10,,INST_RETIRED@1,100000000,100.00,100.00,rate
     0.300000000,10,,INST_RETIRED@1,100000000,100.00,100.00,rate
armpmu: remark: first
armpmu: remark: second' "$s" -x, -I 100 -M 'rate=INST_RETIRED / seconds' x
stat 'an estimate says so' 7 '                10      INST_RETIRED@1             #     0.2500 per cycle  ipc '\
'(estimate)
                40      CPU_CYCLES@2                                (50.00%)' TICKS_PART=11 "$s" -M ipc x
stat 'beside an estimate' 7 \
    '                20      INST_RETIRED@1             #       1.00 per cycle  ipc (estimate) (50.00%)
                20      CPU_CYCLES@2' TICKS_PART=8 "$s" -M ipc x
stat 'division by zero' 7 '10,,INST_RETIRED@1,100000000,100.00,nan,per cycle  ipc (division by zero)
0,,CPU_CYCLES@2,100000000,100.00,,' TICKS_ZERO=11 "$s" -x, -M ipc x
stat 'an event that never had a counter' 7 \
    '10,,INST_RETIRED@1,100000000,100.00,nan,per cycle  ipc (an event was not counted)
<not counted>,,CPU_CYCLES@2,0,0.00,,' TICKS_NEVER=11 "$s" -x, -M ipc x
stat 'the mark of an event is that of the metric' 7 \
    '                10      BR_MIS_PRED@1              #     0.5000 per predictable branch  '\
'branch_prediction_miss_ratio (modelled:core)
                20      BR_PRED@2                  # modelled:core' "$s" -M branch_prediction_miss_ratio x
stat 'a mark and a metric of the same mark are one line of text' 7 \
    '                10      BR_PRED@1                  #     0.5000 m (modelled:core)
                20      CPU_CYCLES@3' "$s" -e BR_PRED -M 'm=BR_PRED / CPU_CYCLES' x
stat 'as fields they are two' 7 '10,,BR_PRED@1,100000000,100.00,,modelled:core
,,,,,0.5000,m (modelled:core)
20,,CPU_CYCLES@3,100000000,100.00,,' "$s" -x, -e BR_PRED -M 'm=BR_PRED / CPU_CYCLES' x

# Which events.
stat 'events are shared, with those of --event, too' 7 '10,,CPU_CYCLES@1,100000000,100.00,0.5000,cycles per '\
'instruction  cpi
20,,INST_RETIRED@1,100000000,100.00,2.00,per cycle  ipc' "$s" -x, -e '{CPU_CYCLES,INST_RETIRED}' -M cpi,ipc x
stat 'a comment beside counts that were chosen anyway' 7 '10,,INST_RETIRED@1,100000000,100.00,0.5000,insn per cycle
20,,CPU_CYCLES@2,100000000,100.00,,
30,,L1D_CACHE_REFILL@3,100000000,100.00,75.00,% of all L1D cache accesses
40,,L1D_CACHE@4,100000000,100.00,,
50,,L2D_CACHE_REFILL@5,100000000,100.00,5000.00,MPKI' \
    "$s" -x, -e INST_RETIRED,CPU_CYCLES,L1D_CACHE_REFILL,L1D_CACHE,L2D_CACHE_REFILL x
stat 'no comment on counts of different levels' 7 '10,,INST_RETIRED@1,100000000,100.00,,
20,,CPU_CYCLES@2,100000000,100.00,,' "$s" -x, -e INST_RETIRED:u,CPU_CYCLES:k x
stat 'a formula of the user' 7 '10,,EXC_SVC@1,100000000,100.00,500000.00,calls
20,,INST_RETIRED@2,100000000,100.00,,' "$s" -x, -M 'calls=EXC_SVC / INST_RETIRED * 1000000' x
stat 'two kinds of cores' 7 '10,,INST_RETIRED@2,100000000,100.00,0.5000,per cycle  big/ipc/
20,,CPU_CYCLES@4,100000000,100.00,,
30,,INST_RETIRED@7,100000000,100.00,0.7500,per cycle  little/ipc/
40,,CPU_CYCLES@9,100000000,100.00,,' TICKS_KINDS=1 "$s" -x, -M ipc x

# Metrics of our own, which are in no list.
own() { # NAME OUTPUT METRIC: checks each metric with the count on its line
    env TICKS_LINE=64 "$s" -x, -M "$3" x 2>&1 | cut -d, -f1,6,7 | sed '/,,/d; s/,[^,]*  /,/' >"$dir/lines"
    if [ "$(cat "$dir/lines")" = "$2" ]; then ok "metrics: $1"; else
        not_ok "metrics: $1" "$(cat "$dir/lines")"
    fi
}
own 'bandwidth in cycles; there are 20' '10,0.5000,memory_access_rate
30,1.50,bus_access_rate
40,128.00,l1d_refill_bytes_per_cycle
50,160.00,l2_refill_bytes_per_cycle
60,192.00,l2_write_back_bytes_per_cycle
70,224.00,l3_refill_bytes_per_cycle
80,256.00,ll_read_miss_bytes_per_cycle' bandwidth
own 'bandwidth in time, a tenth of a second' '10,0.0064,l1d_refill_bandwidth
20,0.0128,l2_refill_bandwidth
30,0.0192,l2_write_back_bandwidth
40,0.0256,l3_refill_bandwidth
50,0.0320,ll_read_miss_bandwidth' bandwidth_in_time
own 'shares of 20 instructions' '10,50.00,load_retired_percentage
30,150.00,store_retired_percentage
40,200.00,integer_dp_retired_percentage
50,250.00,scalar_fp_retired_percentage
60,300.00,simd_retired_percentage
70,350.00,sve_retired_percentage
80,400.00,crypto_retired_percentage
90,450.00,branch_retired_percentage' instruction_mix
own 'branches and cycles' '10,0.5000,instructions_per_branch
,0.3333,instructions_per_call
40,-1.00,branch_taken_ratio
50,2.50,branch_conditional_ratio
60,6.00,cpi
70,0.8750,branch_prediction_miss_ratio (modelled:core)' "$(echo instructions_per_branch instructions_per_call \
    branch_taken_ratio branch_conditional_ratio cpi branch_prediction_miss_ratio | tr ' ' ,)"

# What is lacking.
stat 'a metric without its event' 3 \
    'armpmu stat: metric ipc: it lacks CPU_CYCLES: ticks does not count this; count another' TICKS_LACKS=11 "$s" \
    -M ipc x
stat 'a group without an event of one metric' 7 '10,,STALL_FRONTEND@1,100000000,100.00,50.00,% of cycles  '\
'frontend_stalled_cycles
20,,CPU_CYCLES@2,100000000,100.00,,
30,,ZA_ACTIVE@3,100000000,100.00,150.00,% of cycles  za_active_cycles_ratio
armpmu: remark: metrics left out: backend_stalled_cycles (STALL_BACKEND): ticks does not count this' \
    TICKS_LACKS=24 "$s" -x, -M Cycle-Accounting x
stat 'a group of which nothing is left' 3 \
    'armpmu stat: metric backend_stalled_cycles: it lacks CPU_CYCLES: ticks does not count this; count another' \
    TICKS_LACKS=11 "$s" -M cycle_accounting x
stat 'slots are not known' 3 'armpmu stat: metric frontend_bound: the slots of a cycle of this core are not '\
'known; choose a metric without slots' \
    "$s" -M topdown x
stat 'one kind of core lacks it' 7 '10,,INST_RETIRED@3,100000000,100.00,0.5000,per cycle  little/ipc/
20,,CPU_CYCLES@5,100000000,100.00,,
armpmu: remark: metrics left out: big/ipc/ (CPU_CYCLES): ticks does not count this' \
    TICKS_KINDS=1 TICKS_LACKS=11 "$s" -x, -M ipc x

# What is wrong.
stat 'a name that does not exist' 2 'armpmu stat: --metrics: no metric or group is named retirin; the nearest are '\
'retiring (topdown_l1), ipc (general), cpi (general); armpmu list --metrics lists them all' "$s" -M retirin x
stat 'an empty name' 2 'armpmu stat: --metrics: a name is empty; separate the names by one comma' "$s" -M ipc,,cpi x
stat 'a formula with an unknown event' 2 'armpmu stat: --metrics: m=1 / NONE: there is no event of this name at '\
'"NONE"; use a name that armpmu list prints, or a number, rHHHH or 0xHHHH' "$s" -M 'm=1 / NONE' x
stat 'a formula without an event' 2 'armpmu stat: --metrics: m=1 + slots: it has no event at ""; use numbers, '\
'events, slots, line and seconds with + - * / and parentheses: BR_MIS_PRED / BR_PRED * 100' "$s" -M 'm=1 + slots' x

# Top-down analysis.
tree() { # NAME OUTPUT ARG...: checks what is printed after the counts
    name=$1 output=$2
    shift 2
    env "$@" 2>&1 | sed -n '/^ Top-down/,/seconds time/p' | sed '/^$/d; /seconds time/d' >"$dir/lines"
    if [ "$(cat "$dir/lines")" = "$output" ]; then ok "metrics: $name"; else
        not_ok "metrics: $name" "$(cat "$dir/lines")"
    fi
}
tree 'level 1, and what to look at next' \
    ' Top-down analysis; what is indented is a part of the stalls above it:
 frontend_bound                     4.17 %  ##......................................
 backend_bound                      8.33 %  ###.....................................
 retiring                          70.00 %  ############################............
 bad_speculation                   17.50 %  #######.................................
 look next at: -M operation_mix  (retiring is the largest)
 look next at: -M branch  (bad_speculation is the largest loss)' TICKS_SLOTS=4 "$s" \
    -e STALL_SLOT_FRONTEND,STALL_SLOT_BACKEND,STALL_SLOT,OP_RETIRED,OP_SPEC,CPU_CYCLES -M topdown x
tree 'level 2 below its parent' ' Top-down analysis; what is indented is a part of the stalls above it:
 frontend_bound                    10.00 %  ####....................................
 backend_bound                     60.00 %  ########################................
   backend_core_bound              50.00 %  ####################....................
   backend_mem_bound               75.00 %  ##############################..........
 retiring                          26.67 %  ###########.............................
 bad_speculation                    3.33 %  #.......................................
 look next at: -M backend_mem_cache_bound,backend_mem_tlb_bound,backend_mem_store_bound'\
'  (backend_mem_bound is the largest)' \
    TICKS_SLOTS=2 "$s" -e STALL_SLOT_FRONTEND,STALL_BACKEND_CPUBOUND,STALL_BACKEND_MEMBOUND,STALL_BACKEND \
    -M topdown,backend_core_bound,backend_mem_bound x
tree 'a core without slots: stalls of cycles' \
    ' Top-down analysis of Neoverse N1; what is indented is a part of the stalls above it:
 frontend_stalled_cycles           50.00 %  ####################....................
 backend_stalled_cycles           150.00 %  ########################################
 look next at: -M dtlb,l1d,l2,ll,operation_mix  (backend_stalled_cycles is the largest)
 samples of STALL_BACKEND show where in the program' "TICKS_CORE=Neoverse N1" "$s" -M topdown x
events=STALL_SLOT_FRONTEND,STALL_SLOT_BACKEND,STALL_SLOT,OP_RETIRED,OP_SPEC,STALL_BACKEND_CPUBOUND
tree 'level 2 of a core whose own tree has level 1 alone' \
    ' Top-down analysis of Neoverse V1; what is indented is a part of the stalls above it:
 frontend_bound                     1.39 %  #.......................................
 backend_bound                      2.78 %  #.......................................
   backend_core_bound              75.00 %  ##############################..........
   backend_mem_bound               87.50 %  ###################################.....
 bad_speculation                   19.17 %  ########................................
 retiring                          76.67 %  ###############################.........
 look next at: -M operation_mix  (retiring is the largest)
 samples of OP_RETIRED, OP_SPEC show where in the program
 look next at: -M branch  (bad_speculation is the largest loss)
 samples of STALL_SLOT, BR_MIS_PRED show where in the program' 'TICKS_CORE=Neoverse V1' TICKS_ZERO=10 "$s" \
    -e $events,STALL_BACKEND_MEMBOUND,STALL_BACKEND,CPU_CYCLES -M topdown,backend_core_bound,backend_mem_bound x
tree 'a group below level 1' ' Top-down analysis of Neoverse V3; what is indented is a part of the stalls above it:
 backend_core_bound               250.00 %  ########################################
   backend_core_rename_bound      120.00 %  ########################################
 backend_mem_bound                350.00 %  ########################################
   backend_mem_cache_bound        100.00 %  ########################################
     backend_cache_l1d_bound       42.86 %  #################.......................
     backend_cache_l2d_bound       57.14 %  #######################.................
   backend_mem_tlb_bound          128.57 %  ########################################
   backend_mem_store_bound        114.29 %  ########################################
 backend_busy_bound                50.00 %  ####################....................
 look next at: -M dtlb  (backend_mem_tlb_bound is the largest)' \
    'TICKS_CORE=Neoverse V3' "$s" -M topdown_backend x

# The list.
list() { # NAME STATUS OUTPUT ARG...
    name=$1 status=$2 output=$3
    shift 3
    "$B/armpmu" list --metrics "$@" >"$dir/out" 2>&1
    got=$?
    if [ $got -eq "$status" ] && [ "$(cat "$dir/out")" = "$output" ]; then ok "metrics: list: $name"; else
        not_ok "metrics: list: $name" "status $got, $(cat "$dir/out")"
    fi
}
list 'a metric of every core' 0 'ipc                                   per cycle             general
        Instructions retired in a cycle
        = INST_RETIRED / CPU_CYCLES' ipc
list 'by the formula of a core' 0 'backend_bound                         % of slots            topdown_l1
        Slots that got no operation because the back end could take none
        = (STALL_SLOT_BACKEND / (slots * CPU_CYCLES) - 3 * BR_MIS_PRED / CPU_CYCLES) * 100; slots = 8
        if it is large, look at: dtlb l1d l2 ll operation_mix' --core V2 backend_bound
list 'of ARM11' 0 'ipc                                   per cycle             general
        instructions executed in a cycle; stall cycles do not make up the rest (AN195 6)
        = INSTR_EXEC / CPU_CYCLES' --core ARM1176 ipc
list 'only what the core has events for' 1 \
    'armpmu list: no metric has all of these words; armpmu list --metrics lists them all' --core A53 topdown_l1
list 'no such word' 1 \
    'armpmu list: no metric has all of these words; armpmu list --metrics lists them all' nothing_like_it
summary
