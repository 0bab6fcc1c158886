#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Python package: its example, types and errors, the same 10,000 actions as the other bindings, and pip's wheel.
set -u
. test/lib/tap.sh
need python3
need g++
# Debian's Python has Debian's packages; another one may come first in PATH.
python=python3
/usr/bin/python3 -c 'import cffi' 2>/dev/null && python=/usr/bin/python3
$python -c 'import cffi' 2>/dev/null || { skip "the Python package" "no cffi: apt-get install python3-cffi"; summary; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
lib=$(cd "$B" && pwd)
export PYTHONPATH="$lib/python" PYTHONDONTWRITEBYTECODE=1

$python -c 'import doctest, sys, armpmu; sys.exit(doctest.testmod(armpmu).failed)' >"$work/log" 2>&1
expect $? "the example of the package" "$(grep -m 3 -A 3 '^Failed' "$work/log" | tr '\n' ' ')"

sed -n '/^```python$/,/^```$/p' doc/python.md | sed '/^```/d' >"$work/page.py"
[ "$(grep -c . "$work/page.py")" -gt 20 ] && $python "$work/page.py" >"$work/page" 2>"$work/log"
expect $? "doc/python.md: it runs" "$(tail -n 2 "$work/log")"
sed -n '/^```output$/,/^```$/p' doc/python.md | sed '/^```/d' | cmp -s - "$work/page"
expect $? "doc/python.md: its output" "$(head -n 5 "$work/page" | tr '\n' ' ')"

g++ -std=c++17 -O1 test/bind/bindings/trace.cc "$lib/libarmpmu-tb.so" "-Wl,-rpath,$lib" -o "$work/trace" &&
    "$work/trace" >"$work/c++"
$python test/bind/bindings/trace.py >"$work/python" && grep -q '^9999 ' "$work/python" &&
    cmp -s "$work/c++" "$work/python"
expect $? "10,000 actions" "$(diff "$work/c++" "$work/python" | head -n 3 | tr '\n' ' ')"

$python - "$work" >"$work/log" 2>&1 <<'END'
import sys

import armpmu

work = sys.argv[1]

def refuses(what, kind, words):
    try:
        what()
    except kind as error:
        if words not in str(error):
            print(f"{words!r} is not in {str(error)!r}")
        return
    print(f"nothing was raised that says {words!r}")

unit = armpmu.Unit("features=PMUv3p7,AA64EL0,AA64EL1 counters=6")
refuses(lambda: armpmu.Unit("counters=6 features=NOTHING"), ValueError, "NOTHING")
refuses(lambda: armpmu.Unit("nothing=1"), ValueError, "nothing")
refuses(lambda: unit["PMCR_EL0"], armpmu.AccessError, "PMUSERENR_EL0.EN")
refuses(lambda: unit["PMCFGR"], KeyError, "PMCFGR")
refuses(lambda: unit.state["nothing"], KeyError, "nothing")
refuses(lambda: unit.state.__setitem__("el", 4), ValueError, "2 bits")
refuses(lambda: unit.line(0, 0x10008), ValueError, "16 bits")
refuses(lambda: unit.line(0, -1), ValueError, "16 bits")
refuses(lambda: unit.read(-1), ValueError, "16 bits")
refuses(lambda: unit.write(0xFFFFF, 0), ValueError, "16 bits")
refuses(lambda: unit.step(1, {32: 1}), ValueError, "line 32")
refuses(lambda: unit.why(33), ValueError, "33")
refuses(lambda: unit.reset(3), ValueError, "3")
refuses(lambda: unit.compare({"PMUSERENR_EL0": 1, "nothing": 1}), KeyError, "nothing")
refuses(lambda: armpmu.event("nothing"), KeyError, "nothing")
refuses(lambda: armpmu.register("nothing"), KeyError, "nothing")
refuses(lambda: armpmu.register("PMCR_EL0")["nothing"], KeyError, "nothing")
refuses(lambda: armpmu.register("PMCR_EL0")["N"].put(32), ValueError, "15:11")
refuses(lambda: armpmu.core("nothing"), KeyError, "nothing")

trap = unit.read("PMCCNTR_EL0")
assert (trap.el, trap.esr(5)) == (1, 0x6230E4BB), trap
absent = unit.read(0xFFFF)
assert (absent.outcome, absent.el, absent.esr(5)) == (armpmu.Outcome.UNDEFINED, 0, 0x2000000), absent
typer = armpmu.register("PMEVTYPER0_EL0")["U"].put(1)
unit.state["el"] = 1
for n, name in {3: "PMEVTYPER3_EL0", 31: "PMCCFILTR_EL0"}.items():
    unit[name] = typer
    assert unit.read("PMCR_EL0").esr(5) == 0
unit.state["el"] = 0
for n, name in {3: "PMEVTYPER3_EL0", 31: "PMCCFILTR_EL0"}.items():
    assert f"filtered at EL0: {name}.U is 1" in unit.why_text(n), unit.why_text(n)

saved = unit.copy()
unit.state["el"] = 1
unit["PMCR_EL0"] = 1
assert unit["PMCR_EL0"] & 1 == 1 and saved.state["el"] == 0
unit.save(f"{work}/state")
unit.restore(saved)
assert unit.state["el"] == 0
unit.load(f"{work}/state")
assert unit.state["el"] == 1 and unit["PMCR_EL0"] & 1 == 1
refuses(lambda: unit.load(f"{work}/nothing"), ValueError, "No such file")
stranger = armpmu.Unit("features=PMUv3,AA64EL0,AA64EL1")
refuses(lambda: stranger.load(f"{work}/state"), ValueError, "another configuration")
unit.restore(saved)
assert armpmu.event(8) == armpmu.event("inst_retired") and armpmu.event(8).architectural
assert len(list(armpmu.events())) > 500 and len({e.number for e in armpmu.events()}) == len(list(armpmu.events()))
assert armpmu.register("PMEVTYPER3_EL0").key == armpmu.register("PMEVTYPER0_EL0").key + 3
assert armpmu.core(0x410FD083).name == "Cortex-A72" and armpmu.core("cortex-a72").counters == 6
assert armpmu.decode("PMCR_EL0", 0x41023001)["N"] == 6
assert "FEAT_PMUv3p9" in armpmu.features()
dfr0 = armpmu.id_value("ID_AA64DFR0_EL1", ["PMUv3p7", "FEAT_AA64EL1"])
assert armpmu.register("ID_AA64DFR0_EL1")["PMUVer"].of(dfr0) == 7, hex(dfr0)
merged = armpmu.id_merge("ID_AA64DFR0_EL1", 0x10305408, ["PMUv3p7"])
assert merged >> 8 & 15 == 7 and merged >> 12 & 15 == 5, hex(merged)
found = armpmu.features_from_ids({"ID_AA64DFR0_EL1": dfr0, "ID_AA64PFR0_EL1": 0x11})
assert "FEAT_PMUv3p7" in found and "FEAT_AA64EL1" in found and "FEAT_PMUv3p8" not in found, found
assert armpmu.features_from_ids({}) == []
refuses(lambda: armpmu.id_value("nothing", []), KeyError, "nothing")
refuses(lambda: armpmu.id_value("ID_AA64DFR0_EL1", ["nothing"]), KeyError, "nothing")
for _ in unit.actions(1, 20000):
    pass
reached = unit.coverage()
assert sum(hits > 0 for hits in reached.values()) > 0.8 * len(reached), reached
unit.merge_coverage(f"{work}/coverage")
unit.merge_coverage(f"{work}/coverage")
assert unit.coverage() == {name: 2 * hits for name, hits in reached.items()}
END
[ $? -eq 0 ] && [ ! -s "$work/log" ]
expect $? "values and errors" "$(tail -n 3 "$work/log")"

if $python -m mypy --version >/dev/null 2>&1; then
    (cd "$B/python" && $python -m mypy --strict --cache-dir "$work/mypy" -p armpmu) >"$work/log" 2>&1
    expect $? "types, by mypy --strict" "$(tail -n 3 "$work/log")"
else
    skip "types" "no mypy"
fi

# Debian's setuptools replaces distutils, so it comes before pip, which imports it.  Releases before 70.1 need wheel.
if $python -c 'import setuptools, pip
try:
    import setuptools.command.bdist_wheel
except ImportError:
    import wheel' 2>/dev/null; then
    cp -r "$B/python" "$work/source"
    $python -m pip wheel --quiet --no-deps --no-index --no-build-isolation -w "$work/wheel" "$work/source" \
        >"$work/log" 2>&1 && unset PYTHONPATH &&
        $python -m pip install --quiet --no-deps --no-index --target "$work/installed" "$work"/wheel/*.whl \
            >>"$work/log" 2>&1
    PYTHONPATH=$work/installed $python -c \
        'import armpmu, os; print(os.path.dirname(armpmu.__file__), armpmu.version())' \
        >"$work/where" 2>>"$work/log"
    grep -q "^$work/installed/armpmu [0-9]" "$work/where"
    expect $? "pip builds a wheel and installs it" "$(tail -n 2 "$work/log")"
else
    skip "a wheel" "no pip with setuptools and wheel"
fi
summary
