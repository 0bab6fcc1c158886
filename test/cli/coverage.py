#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks armpmu coverage against counts that are known, and prints "ok" and "not ok" lines.

coverage.py list           prints a line for each of the 40 programs: its name, its kind, its rounds
coverage.py intents        prints intents of which it is known whether they are met
coverage.py counts FILE    checks the results in FILE, made with these intents, against the known counts and outcomes
coverage.py sums FILE STAT...   checks that the sum of each event is that of what armpmu stat -j counted
coverage.py sets TOOL DIR  checks orders and smallest sets of random tables; brute force gives the right answers
"""
import itertools
import json
import random
import subprocess
import sys

KINDS = "alu load store stride branch call simd float atomic unaligned".split()
ROUNDS = (12, 57, 233, 590)
PROGRAMS = {f"{kind}_{i}": (kind, n + k) for k, kind in enumerate(KINDS) for i, n in enumerate(ROUNDS)}
failed = False


def check(holds, name, why=""):
    global failed
    failed |= not holds
    print(f"ok {name}" if holds else f"not ok {name}: {str(why)[:300]}")


def counts_of(kind, n):
    """Returns what a program of this kind with n rounds executes."""
    per_round = {"alu": 3, "load": 4, "store": 3, "stride": 4, "branch": 3, "call": 4, "simd": 3, "float": 3,
                 "atomic": 5, "unaligned": 3}[kind]
    odd = (n + 1) // 2 if kind == "branch" else 0  # rounds that do not skip the NOP
    address = kind in ("load", "store", "stride", "atomic", "unaligned")
    return {
        "INST_RETIRED": per_round * n + odd + 5 + address,
        "LD_RETIRED": {"load": 2, "stride": 1, "atomic": 1, "unaligned": 1}.get(kind, 0) * n,
        "ST_RETIRED": n if kind in ("store", "atomic") else 0,
        "BR_RETIRED": {"branch": 2, "call": 3}.get(kind, 1) * n,
        "BR_COND_TAKEN_RETIRED": n - 1 + (n // 2 if kind == "branch" else 0),
        "BL_TAKEN_RETIRED": n if kind == "call" else 0,
        "BR_RETURN_RETIRED": n if kind == "call" else 0,
        "ASE_RETIRED": n if kind == "simd" else 0,
        "VFP_RETIRED": n if kind == "float" else 0,
        "UNALIGNED_LDST_RETIRED": n if kind == "unaligned" else 0,
        "CRYPTO_RETIRED": 0,
        "EXC_SVC": 1,
    }


COUNTS = {name: counts_of(*program) for name, program in PROGRAMS.items()}

# Names of tests, the intent, and whether it is met as a function of the counts and rounds; None: it is undecided.
INTENTS = [
    ("stride_?", "L1D_CACHE_REFILL >= 0.2K", lambda c, n: n >= 200),
    ("stride_*", "L1D_CACHE_REFILL / L1D_CACHE > 90%", lambda c, n: True),
    ("load_*", "L1D_CACHE_REFILL > 10", lambda c, n: False),
    ("branch_? call_?", "BR_RETIRED / INST_RETIRED > 50%", lambda c, n: c["BR_RETIRED"] * 2 > c["INST_RETIRED"]),
    ("alu_*", "BR_RETIRED / INST_RETIRED > 0.4", lambda c, n: False),
    ("*_3", "INST_RETIRED >= 2K", lambda c, n: c["INST_RETIRED"] >= 2000),
    ("*_3", "INST_RETIRED < 1M", lambda c, n: True),
    ("*", "BR_RETIRED != 12", lambda c, n: c["BR_RETIRED"] != 12),
    ("simd_*", "ASE_RETIRED == BR_RETIRED", lambda c, n: True),
    ("call_*", "(BR_RETURN_RETIRED + BL_TAKEN_RETIRED) * 1.5 == BR_RETIRED", lambda c, n: True),
    ("float_?", "vfp_retired <= 300", lambda c, n: n <= 300),
    ("evict_*", "INST_RETIRED > 0", None),
    ("store_0", "ST_RETIRED / LD_RETIRED > 1", None),
]


def matching(pattern):
    import fnmatch
    return [name for name in PROGRAMS if any(fnmatch.fnmatchcase(name, p) for p in pattern.split())]


def expected_verdicts():
    """Returns {(test, intent): verdict}."""
    verdicts = {}
    for pattern, text, met in INTENTS:
        for name in matching(pattern) or [pattern]:
            outcome = None if met is None else met(COUNTS[name], PROGRAMS[name][1])
            verdicts[name, text] = {None: "undecided", True: "met", False: "missed"}[outcome]
    return verdicts


def table_of(results):
    """Returns {test: {event: count}} of the results."""
    names = [event["event"] for event in results["events"]]
    return {test["test"]: dict(zip(names, test["counts"])) for test in results["tests"]}


def check_counts(path):
    results = json.load(open(path))
    table = table_of(results)
    check(list(table) == list(PROGRAMS), "40 tests, in the order of the list", list(table))
    wrong = [f"{name} {event}: {table[name].get(event)}, not {count}" for name, counts in COUNTS.items()
             for event, count in counts.items() if table.get(name, {}).get(event) != count]
    check(not wrong, f"{sum(map(len, COUNTS.values()))} counts are the known ones", wrong)
    wrong = [name for name, (kind, n) in PROGRAMS.items() if kind == "stride" and
             table[name]["L1D_CACHE_REFILL"] != n]
    check(not wrong, "each round of stride misses", wrong)
    for event in results["events"]:
        counts = [table[name].get(event["event"]) for name in PROGRAMS]
        if sum(count > 0 for count in counts) != event["tests"] or sum(counts) != event["sum"]:
            wrong.append(event["event"])
    check(not wrong, "events: tests that reach them, and sums", wrong)
    verdicts = {(v["test"], v["intent"]): v["verdict"] for v in results["intents"]}
    wanted = expected_verdicts()
    wrong = [(key, verdicts.get(key), wanted.get(key)) for key in wanted.keys() | verdicts.keys()
             if verdicts.get(key) != wanted.get(key)]
    check(not wrong and len(wanted) > 80, f"{len(wanted)} intents are met and missed as planted", wrong)
    causes = {v["test"]: v["cause"] for v in results["intents"] if v["verdict"] == "undecided"}
    wanted = {"evict_*": "no test has such a name", "store_0": "it divides by 0"}
    check(causes == wanted, "undecided: the causes", causes)
    check_rank(results, "programs")


def reaches_of(results):
    """Returns {test: the events that it reaches}."""
    names = [event["event"] for event in results["events"]]
    return {test["test"]: {name for name, count in zip(names, test["counts"])
                           if count is not None and count >= results["reached"]} for test in results["tests"]}


def check_rank(results, name):
    """Checks the order against its definition, and that the set keeps all events.  Returns {test: events}."""
    reaches = reaches_of(results)
    everything = set().union(*reaches.values())
    seen, faults = set(), []
    adds = {test["test"]: test["adds"] for test in results["tests"]}
    for test in results["order"]:
        most = max(len(events - seen) for events in reaches.values())
        if len(reaches[test] - seen) != most or adds[test] != most:
            faults.append(test)
        seen |= reaches[test]
    if seen != everything or any(adds[test] for test in reaches if test not in results["order"]):
        faults.append("the end")
    kept = set().union(*(reaches[test] for test in results["set"]))
    if kept != everything or not results["set_at_least"] <= len(results["set"]) <= len(results["order"]):
        faults.append("the set")
    check(not faults, f"{name}: the greedy order, and a set that keeps all", faults)
    return reaches


def check_sums(path, files):
    results = json.load(open(path))
    sums = {}
    for file in files:
        for line in open(file):
            row = json.loads(line)
            if "event" not in row:  # a metric
                continue
            sums[row["event"]] = sums.get(row["event"], 0) + float(row["counter-value"])
    wrong = [event["event"] for event in results["events"] if sums.get(event["event"]) != event["sum"]]
    check(not wrong and len(sums) == len(results["events"]) > 200 and len(files) == 40,
          f"the sums of {len(sums)} events are those of armpmu stat", wrong or len(sums))


def rows_of(table):
    """Returns the lines of results for {test: {event: count}}."""
    lines = []
    for name, counts in table.items():
        events = [{"event": event, "trust": "exact", "mark": "", "mean": float(count), "min": count, "max": count,
                   "spread": 0.0} for event, count in counts.items()]
        result = {"format": "armpmu-counts", "version": 1, "armpmu": "0", "program": name, "arguments": [],
                  "content": "", "status": 0, "runs": 1, "engine": "perf", "emulator": "", "core": "",
                  "deterministic": False, "remarks": [], "events": events, "metrics": []}
        lines.append(json.dumps({"job": name, "command": "", "status": 0, "cause": "", "seconds": 1.0,
                                 "result": result}))
    return "\n".join(lines) + "\n"


def run(tool, folder, table):
    path = f"{folder}/table"
    open(path, "w").write(rows_of(table))
    done = subprocess.run([tool, "coverage", "-j", "-i", path], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def smallest(reaches):
    """Returns the size of the smallest set that keeps all events, by trying all sets."""
    everything = set().union(*reaches.values())
    for size in range(len(reaches) + 1):
        for tests in itertools.combinations(reaches.values(), size):
            if set().union(*tests) == everything:
                return size
    return None


def check_sets(tool, folder):
    faults, beaten = [], 0
    random.seed(17)
    for i in range(40):
        tests, events, part = random.randint(1, 12), random.randint(1, 30), random.choice((0.1, 0.2, 0.4))
        table = {f"t{t}": {f"E{e}": int(random.random() < part) for e in range(events)} for t in range(tests)}
        results = run(tool, folder, table)
        wanted = smallest(reaches_of(results))
        beaten += len(results["set"]) < len(results["order"])
        if len(results["set"]) != wanted or results["set_at_least"] != wanted:
            faults.append((i, len(results["set"]), wanted))
    check(not faults and beaten > 0, f"sets of 40 tables are smallest, {beaten} smaller than the order", faults)
    trap = {"big": range(2, 6), "odd": (0, 2, 4), "even": (1, 3, 5)}  # greedy takes big first, and needs all three
    results = run(tool, folder, {name: {f"E{e}": int(e in events) for e in range(6)} for name, events in trap.items()})
    check(results["set"] == ["odd", "even"] and results["order"][0] == "big", "a set where greedy is wrong",
          results["set"])
    table = {f"t{t}": {f"E{e}": int(random.random() < 0.03) for e in range(300)} for t in range(300)}
    results = run(tool, folder, table)
    check_rank(results, "300 tests")
    check(results["set_at_least"] < len(results["set"]), "a set that is too hard to prove has a bound",
          f"{results['set_at_least']} of {len(results['set'])}")


if __name__ == "__main__":
    what = sys.argv[1]
    if what == "list":
        print("\n".join(f"{name} {kind} {n}" for name, (kind, n) in PROGRAMS.items()))
    elif what == "intents":
        print("# planted\n" + "\n".join(f"{names}: {text}" for names, text, _ in INTENTS))
    elif what == "counts":
        check_counts(sys.argv[2])
    elif what == "sums":
        check_sums(sys.argv[2], sys.argv[3:])
    else:
        check_sets(*sys.argv[2:])
    sys.exit(failed)
