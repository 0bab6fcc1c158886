#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Usage: check_callgrind.py THEIRS OURS FOLDER

Compares two files in callgrind's format: valgrind's, of a program built for this machine, and armpmu's, of the same
source built for AArch64.  Both hold the same functions of FOLDER, called equally often, and their ten most expensive
ones are the same in the same order.  The instructions of a function differ between the machines, so two functions whose
costs are as near to each other as that have no order.
"""
import re
import sys
from collections import defaultdict

TEN = 10
# How far a function's share may differ: compilers agree better on all that a function calls than on it alone.
NEAR = {"self": 1.4, "inclusive": 1.2}


class Costs:
    """What the functions of a file cost, and how often each was called."""
    def __init__(self, path):
        self.of = {"self": defaultdict(int), "inclusive": defaultdict(int)}
        self.calls = defaultdict(int)
        self.files = defaultdict(set)
        names, function, file, columns, called = {}, None, "", 1, None
        for line in open(path, encoding="utf-8"):
            head = re.match(r"(fl|fi|fe|cfi|cfl|fn|cfn|ob|cob)=\((\d+)\)(?: (.*))?$", line.rstrip())
            if head:
                kind, number, text = head.groups()
                table = {"f": "fn" if kind in ("fn", "cfn") else "file", "c": "fn" if kind == "cfn" else "file"}
                key = ("ob" if kind in ("ob", "cob") else table[kind[0]], number)
                names[key] = text if text is not None else names[key]
                if kind == "fl":
                    file = names[key]
                elif kind == "fn":
                    function = self.name(names[key])
                    self.files[function].add(file)
                elif kind == "cfn":
                    callee = self.name(names[key])
            elif line.startswith("positions:"):
                columns = len(line.split()) - 1
            elif line.startswith("calls="):
                called = callee
                self.calls[callee] += int(line[6:].split()[0])
            elif re.match(r"[0-9+*-]", line) and function is not None:
                cost = int((line.split() + ["0"])[columns])
                if called is None:
                    self.of["self"][function] += cost
                if called != function:
                    self.of["inclusive"][function] += cost
                called = None

    @staticmethod
    def name(text):
        """Drops what compilers append to a name, and valgrind's mark of a recursion."""
        return re.sub(r"(\.(constprop|isra|part)\.\d+)+|'\d+$", "", text)


def say(name, faults):
    print(f"not ok {name}: {'; '.join(faults[:5])}" if faults else f"ok {name}")


def check_order(kind, theirs, ours):
    """Compares the ten most expensive functions."""
    near = NEAR[kind]
    ten = sorted(theirs, key=theirs.get, reverse=True)[:TEN]
    ours_ten = sorted(ours, key=ours.get, reverse=True)[:TEN]
    lists = [", ".join(f"{name} {costs[name]:,}" for name in names)
             for names, costs in ((ten, theirs), (ours_ten, ours))]
    rows = f"callgrind: {lists[0]}; armpmu: {lists[1]}"
    other = [name for name in ten if name not in ours_ten and theirs[name] > near * theirs[ten[-1]]]
    other += [name for name in ours_ten if name not in ten and ours[name] > near * ours[ours_ten[-1]]]
    say(f"{kind}: the ten most expensive functions are the same", other and other + [rows])
    pairs = [(a, b) for i, a in enumerate(ten) for b in ten[i + 1:] if theirs[a] > near * theirs[b]]
    wrong = [f"{a} before {b}" for a, b in pairs if ours[a] <= ours[b]]
    say(f"{kind}: they are in the same order ({len(pairs)} pairs)",
        wrong and wrong[:3] + [rows] or ([] if len(pairs) >= TEN else ["there are few pairs", rows]))


THEIRS, OURS, FOLDER = Costs(sys.argv[1]), Costs(sys.argv[2]), sys.argv[3]
MINE = sorted(name for name, files in THEIRS.files.items() if any(FOLDER in file for file in files))
say("there are functions", [] if len(MINE) >= 3 * TEN else [f"{len(MINE)}"])
say("each function is called equally often",
    [f"{name}: {OURS.calls[name]}, not {THEIRS.calls[name]}" for name in MINE
     if OURS.calls[name] != THEIRS.calls[name]])
for KIND in NEAR:
    check_order(KIND, *({name: costs.of[KIND][name] for name in MINE} for costs in (THEIRS, OURS)))
