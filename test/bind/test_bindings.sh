#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The same 10,000 actions give the same bytes through each binding: C++, SystemC with TLM-2.0, SystemVerilog by DPI-C in
# Verilator and by VPI in Icarus Verilog.  What the bindings repeat agrees with bind/tb/.
set -u
. test/lib/tap.sh
need g++
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
lib=$(cd "$B" && pwd)
link="$lib/libarmpmu-tb.so -Wl,-rpath,$lib"
src=test/bind/bindings

# Compares the file $work/NAME with what C++ printed, and removes what a simulator adds.
compare() { # NAME WHAT
    grep -v '^- .*Verilog \$finish' "$work/$1" >"$work/$1.lines"
    cmp -s "$work/c++" "$work/$1.lines"
    expect $? "$2: 10,000 actions" "$(diff "$work/c++" "$work/$1.lines" | head -n 3 | tr '\n' ' ')"
}

# shellcheck disable=SC2086 # words
g++ -std=c++17 -Wall -Wextra -O1 "$src/trace.cc" $link -o "$work/trace" && "$work/trace" >"$work/c++"
[ "$(grep -c '^[0-9]* \(MRS\|MSR\|load\|store\)' "$work/c++")" -gt 1500 ] && grep -q '^9999 ' "$work/c++"
expect $? "C++: 10,000 actions" "$(tail -n 2 "$work/c++")"

if echo '#include <systemc>' | g++ -std=c++17 -E -x c++ - >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # words
    g++ -std=c++17 -Wall -Wextra -O0 "$src/trace_tlm.cc" $link -lsystemc -o "$work/trace_tlm" 2>"$work/log" &&
        SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 "$work/trace_tlm" >"$work/tlm"
    expect $? "SystemC: it builds and runs" "$(head -n 3 "$work/log")"
    compare tlm "SystemC, TLM-2.0"
else
    skip "SystemC, TLM-2.0" "no libsystemc-dev"
fi

if command -v verilator >/dev/null 2>&1; then
    verilator --binary -j 2 -Ibind/sv --Mdir "$work/verilator" --top-module trace bind/sv/apmu_pkg.sv "$src/trace.sv" \
        -LDFLAGS "$link" >"$work/log" 2>&1 && "$work/verilator/Vtrace" >"$work/dpi"
    expect $? "Verilator: it builds and runs" "$(grep -m 3 '%' "$work/log")"
    compare dpi "SystemVerilog, DPI-C, Verilator"
else
    skip "SystemVerilog, DPI-C, Verilator" "no verilator"
fi

if command -v iverilog >/dev/null 2>&1 && [ -f "$B/armpmu.vpi" ]; then
    iverilog -g2012 -Ibind/sv -o "$work/trace.vvp" "$lib/armpmu.vpi" bind/vpi/apmu_pkg.sv "$src/trace.sv" \
        >"$work/log" 2>&1 && vvp -n "$work/trace.vvp" >"$work/vpi"
    expect $? "Icarus Verilog: it builds and runs" "$(head -n 3 "$work/log")"
    compare vpi "SystemVerilog, VPI, Icarus"
else
    skip "SystemVerilog, VPI, Icarus" "no iverilog, or armpmu.vpi was built without it"
fi

# The numbers of states and slots are those of the tables.
{
    sed -n 's/^APMU_TB_PE(\(\w*\),.*/\1/p' bind/tb/states.def | awk '{ print "APMU_PE_" $1 " = " NR - 1 }'
    sed -n 's/^APMU_TB_SLOT(\(\w*\),.*/\1/p' bind/tb/slots.def | awk '{ print "APMU_SLOT_" $1 " = " NR + 65 }'
} | sort >"$work/rows"
grep -oE 'APMU_(PE|SLOT)_[A-Za-z0-9_]+ = [0-9]+' bind/sv/apmu_types.svh |
    grep -vE 'APMU_PE_COUNT|APMU_SLOT_(PMCCNTR|PMICNTR|TYPER) ' | sort >"$work/constants"
[ "$(grep -c . "$work/rows")" -gt 50 ] && cmp -s "$work/rows" "$work/constants"
expect $? "apmu_types.svh has the rows of bind/tb/" "$(diff "$work/rows" "$work/constants" | head -n 3 | tr '\n' ' ')"

# Each function of tb.h is in both packages, in the module, and in the library.
grep -oE '\bapmu_tb_[a-z_]+\(' bind/tb/tb.h | tr -d '(' | sort -u >"$work/tb.h"
grep -oE 'import "DPI-C".* (apmu_tb_[a-z_]+)\(' bind/sv/apmu_pkg.sv | grep -oE 'apmu_tb_[a-z_]+\(' | tr -d '(' |
    sort -u >"$work/dpi.names"
grep -oE '^  (function|task).* apmu_tb_[a-z_]+\(' bind/vpi/apmu_pkg.sv | grep -oE 'apmu_tb_[a-z_]+\(' | tr -d '(' |
    grep -v '^apmu_tb_usable$' | sort -u >"$work/vpi.names"
sed -n 's/^APMU_VPI_[A-Z]*(\(\w*\),.*/\1/p' bind/vpi/calls.def | sort -u >"$work/calls.names"
nm -D --defined-only "$B/libarmpmu-tb.so" | awk '{ print $3 }' | sort -u >"$work/so.names"
for list in dpi vpi calls so; do
    cmp -s "$work/tb.h" "$work/$list.names"
    expect $? "$list: the functions of tb.h" "$(diff "$work/tb.h" "$work/$list.names" | head -n 3 | tr '\n' ' ')"
done

# The rules of the rows of coverage are in SPEC.md, or functions of the pseudocode.
"$B/test/bind/tb" --rules >"$work/rules"
missing=$(cut -f 1 "$work/rules" | tr ' ' '\n' | sort -u | while read -r rule; do
    grep -qF "$rule" SPEC.md || echo "$rule"
done)
[ -z "$missing" ] && [ "$(grep -c . "$work/rules")" -gt 100 ]
expect $? "the rules of coverage are in SPEC.md" "$missing"
summary
