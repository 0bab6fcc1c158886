# SPDX-License-Identifier: BSD-2-Clause
# The lists of registers and cores in JSON: each row of the text is an object, which has all that the row says.
armpmu decode --registers >registers
armpmu decode --registers -j >registers.json
armpmu decode --cores >cores
armpmu decode -j --cores >cores.json
cat >check.py <<'END2'
import json
def lines(name): return open(name).read().splitlines()
registers, cores = json.load(open("registers.json")), json.load(open("cores.json"))
def compare(name, made, least):
    print("more than %d" % least if len(made) > least else len(made), name, "same" if made == lines(name) else "differ")
compare("registers", ["%-18s %-40s %s" % (r["register"], r["where"], r["text"]) for r in registers], 100)
def line(c):
    counters = "-" if c["counters"] is None else c["counters"]
    text = "%-22s %s  %-6s %2s" % (c["core"], c["midr"], c["pmu"] or "-", counters)
    return text + ("  " + c["note"] if c["note"] else "")
compare("cores", [line(c) for c in cores], 50)
for of in registers[0], cores[0]:
    print(json.dumps(of))
for name in "Apple M1", "Cortex-A9":
    print(json.dumps([c for c in cores if c["core"] == name]))
END2
python3 check.py
