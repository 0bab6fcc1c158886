# SPDX-License-Identifier: BSD-2-Clause
# The JSON output is valid and has the same answers as the text.
cat >dump.txt <<'END'
ID_AA64PFR0_EL1 = 0x11
ID_AA64DFR0_EL1 = 0x10305608
PMCR_EL0 = 0x41030840
PMCNTENSET_EL0 = 0x80000001
PMEVTYPER0_EL0 = 0x8
PMCCFILTR_EL0 = 0
END
armpmu why -j dump.txt >out.json
python3 - <<'END'
import json
d = json.load(open("out.json"))
for counter in d["counters"]:
    for state, answer in counter["states"].items():
        print(counter["counter"], counter["event_name"], state, answer["answer"], *answer["always"])
print([r["reason"] for r in d["reasons"]], [c["number"] for c in d["causes"]])
END
armpmu why -j --symptom 22
printf 'MIDR = 0x410FB767\nPMNC = 0x00700000\n' | armpmu why -j - |
    python3 -c 'import json, sys; print([c["answer"] for c in json.load(sys.stdin)["counters"]])'
