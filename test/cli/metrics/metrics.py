#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""metrics.py FACTS TREE TOOL STAT: compares the metrics of armpmu with lists of Arm's; prints "ok" and "not ok".

FACTS is a CSV file with the columns core, name, formula, unit, group and slots.  TOOL is armpmu: "list --metrics" must
have each row, with the same unit and groups, over the same events.  TREE has the decision trees: core, metric, root,
next_items and sample_events.  STAT is armpmu stat with the engine of
test/cli/engine.c, whose counts are large and different: each value that "-M" prints must be that of the list's formula,
which this script computes by Python's own arithmetic from the counts that are printed beside it."""
import csv
import json
import os
import re
import subprocess
import sys

facts, tree, tool, stat = sys.argv[1:5]
# The name for TOOL and the MIDR for STAT of the rows whose core is not simply named.
NAMES = {"ARM11": ("ARM1176", 0), "generic PMUv3p4": (None, 0), "Neoverse N2": ("Neoverse N2", 0x410FD490),
         "Neoverse N2 r0p3": ("Neoverse N2", 0x410FD493)}
status = 0


def report(name, faults, checked):
    global status
    if faults or not checked:
        status = 1
        print(f"not ok {name}: {'; '.join(faults[:3]) or 'nothing was checked'}")
    else:
        print(f"ok {name}: {checked}")


def run(arguments, **variables):
    environment = {**os.environ, **{key: str(value) for key, value in variables.items()}}
    done = subprocess.run(arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.decode(), done.returncode


def events(formula):
    return set(re.findall(r"[A-Z]\w*", formula)) - {"SLOTS"}


def evaluate(formula, counts, slots):
    """Computes a formula of the list.  Its names are replaced by numbers, and the rest is Python."""
    text = re.sub(r"[A-Z]\w*", lambda m: repr(float(slots if m[0] == "SLOTS" else counts[m[0]])), formula)
    if re.search(r"[^-+*/(). 0-9e]", text):
        raise ValueError(text)
    return eval(text)  # digits and signs only


def listed(core):
    """Returns the metrics that armpmu lists for a core, by name."""
    name, midr = NAMES.get(core, (core, 0))
    text, _ = run([tool, "list", "--metrics", "-j"] + (["--core", hex(midr) if midr else name] if name else []))
    return {metric["metric"]: metric for metric in json.loads(text)}


def check_list(core, rows):
    mine = listed(core)
    faults = []
    for row in rows:
        metric = mine.get(row["name"])
        groups = set(row["group"].split(";"))
        if metric is None:
            faults.append(f"{row['name']} is not listed")
            continue
        if metric["unit"].replace("%", "percent") != row["unit"]:
            faults.append(f"{row['name']}: unit {metric['unit']}")
        # The list has one group of each metric of ARM11, and ours may have two.
        if set(metric["groups"]) != groups and not (core == "ARM11" and groups <= set(metric["groups"])):
            faults.append(f"{row['name']}: groups {metric['groups']}")
        if set(metric["events"]) != events(row["formula"]) or set(metric["events"]) != events(metric["formula"]):
            faults.append(f"{row['name']}: events {metric['events']}")
        if "slots" in metric and str(metric["slots"]) != row["slots"]:
            faults.append(f"{row['name']}: slots {metric['slots']}")
    report(f"metrics: {core}: each is listed with its unit, groups, events and slots", faults, len(rows))


def item_of(text, mine):
    """Returns the name that we have for a metric or group of the tree's list."""
    word = text.lower()
    groups = {group for metric in mine.values() for group in metric["groups"]}
    return word if word in groups or word in mine else re.sub("(_cache)?_effectiveness$", "", word)


def check_tree(core, rows):
    mine = listed(core)
    faults = []
    for row in rows:
        metric = mine.get(row["metric"], {})
        items = [item_of(item, mine) for item in row["next_items"].split(";") if item]
        if metric.get("next") != items or metric.get("root") != (row["root"] == "Y") or \
                metric.get("sample") != [event for event in row["sample_events"].split(";") if event]:
            faults.append(f"{row['metric']}: {metric.get('next')}, and the list has {items}")
    more = {name for name in mine if "next" in mine[name]} - {row["metric"] for row in rows}
    report(f"metrics: {core}: the decision tree", faults + [f"{name} is not in the list" for name in more], len(rows))


def check_values(core, rows):
    name, midr = NAMES.get(core, (core, 0))
    variables = {"TICKS_CORE": name} if name else {"TICKS_SLOTS": 6}
    variables.update({"TICKS_RANDOM": 1, "TICKS_MIDR": hex(midr)})
    names = ",".join(row["name"] for row in rows)
    text, _ = run([stat, "-j", "-M", names, "x"], **variables)
    counts, values = {}, {}
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        item = json.loads(line)
        if "event" in item:
            counts[item["event"].split("@")[0]] = float(item["counter-value"])
        if item["metric-unit"]:
            values[item["metric-unit"].split("  ")[-1].split(" (")[0]] = item["metric-value"]
    faults, checked = [], 0
    for row in rows:
        if row["name"] not in values:
            faults.append(f"{row['name']}: no value in {text.splitlines()[-1][:200] if text else 'nothing'}")
            continue
        value = evaluate(row["formula"], counts, variables.get("TICKS_SLOTS", 0))
        checked += 1
        if abs(value - values[row["name"]]) > 1e-9 * max(1, abs(value)):
            faults.append(f"{row['name']}: {values[row['name']]}, and the list's formula gives {value}")
    report(f"metrics: {core}: values are those of the list's formulas", faults, checked)


def rows_of(path):
    """Returns the rows of a list, by core."""
    rows = {}
    with open(path, newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            rows.setdefault(line["core"], []).append(line)
    return rows


cores, trees = rows_of(facts), rows_of(tree)
report("metrics: cores of the list", [], len(cores))
for core in cores:
    check_list(core, cores[core])
    check_values(core, cores[core])
for core in trees:
    check_tree(core, trees[core])
sys.exit(status)
