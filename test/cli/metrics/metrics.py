#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""metrics.py VALUES TOOL STAT [FACTS TREE]: checks the metrics of armpmu, and prints "ok" and "not ok" lines.

VALUES is test/cli/metrics/values.csv: for each metric of each core its unit, groups, events and slots, and the value
that follows from the counts of STAT.  TOOL is armpmu, whose "list --metrics" must say the same.  STAT is armpmu stat
with the engine of test/cli/engine.c, which counts each event by a rule; its "-M" must print the values.

FACTS and TREE are lists of Arm's formulas and decision trees, which lie outside the repository.  With them, VALUES must
be what Python computes from these formulas and the counts that STAT prints, and the trees must be the same.
"metrics.py --write VALUES TOOL STAT FACTS TREE" writes VALUES so."""
import csv
import json
import os
import re
import subprocess
import sys

COLUMNS = ("core", "name", "unit", "group", "events", "slots", "value")
# Cores of the lists that are not simply named so: the name for TOOL, and the MIDR.
NAMES = {"ARM11": ("ARM1176", 0), "generic PMUv3p4": (None, 0), "Neoverse N2": ("Neoverse N2", 0x410FD490),
         "Neoverse N2 r0p3": ("Neoverse N2", 0x410FD493)}
SLOTS = 6  # of a core without a name
writes = sys.argv[1] == "--write"
values_path, tool, stat, *lists = sys.argv[2 if writes else 1:]
status = 0


def report(name, faults, checked):
    global status
    if faults or not checked:
        status = 1
        print(f"not ok {name}: {'; '.join(faults[:3]) or 'nothing was checked'}")
    else:
        print(f"ok {name}: {checked}")


def rows_of(path):
    """Returns the rows of a list, by core."""
    rows = {}
    with open(path, newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            rows.setdefault(line["core"], []).append(line)
    return rows


def run(arguments, **variables):
    environment = {**os.environ, **{key: str(value) for key, value in variables.items()}}
    done = subprocess.run(arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.decode()


def close(a, b):
    return abs(a - b) <= 1e-9 * max(1, abs(a))


def count(core, names):
    """Returns the counts by event, and the values by metric, that STAT prints for a core, and all of its output."""
    name, midr = NAMES.get(core, (core, 0))
    variables = {"TICKS_CORE": name} if name else {"TICKS_SLOTS": SLOTS}
    text = run([stat, "-j", "-M", ",".join(names), "x"], TICKS_RANDOM=1, TICKS_MIDR=hex(midr), **variables)
    counts, values = {}, {}
    for item in (json.loads(line) for line in text.splitlines() if line.startswith("{")):
        if "event" in item:
            counts[item["event"].split("@")[0]] = float(item["counter-value"])
        if item["metric-unit"]:
            values[item["metric-unit"].split("  ")[-1].split(" (")[0]] = item["metric-value"]
    return counts, values, text


def listed(core):
    """Returns the metrics that TOOL lists for a core, by name."""
    name, midr = NAMES.get(core, (core, 0))
    text = run([tool, "list", "--metrics", "-j"] + (["--core", hex(midr) if midr else name] if name else []))
    return {metric["metric"]: metric for metric in json.loads(text)}


def events_of(formula):
    return sorted(set(re.findall(r"[A-Z]\w*", formula)) - {"SLOTS"})


def check_list(core, rows):
    mine = listed(core)
    faults = []
    for row in rows:
        metric = mine.get(row["name"])
        if metric is None:
            faults.append(f"{row['name']} is not listed")
            continue
        said = {"unit": metric["unit"], "group": " ".join(metric["groups"]),
                "events": " ".join(sorted(metric["events"])), "slots": str(metric.get("slots", row["slots"]))}
        faults += [f"{row['name']}: {key} {said[key]}" for key in said if said[key] != row[key]]
        if events_of(metric["formula"]) != row["events"].split():
            faults.append(f"{row['name']}: the formula has other events")
    report(f"metrics: {core}: units, groups, events and slots", faults, len(rows))


def check_values(core, rows):
    _, values, text = count(core, [row["name"] for row in rows])
    faults = [f"{row['name']}: {values.get(row['name'], text[-200:])}, and not {row['value']}" for row in rows
              if row["name"] not in values or not close(float(row["value"]), values[row["name"]])]
    report(f"metrics: {core}: values", faults, len(rows))


def evaluate(formula, counts, slots):
    """Computes a formula of Arm's list.  Its names are replaced by numbers, and the rest is Python."""
    text = re.sub(r"[A-Z]\w*", lambda m: repr(float(slots if m[0] == "SLOTS" else counts[m[0]])), formula)
    if re.search(r"[^-+*/(). 0-9e]", text):
        raise ValueError(text)
    return eval(text)  # digits and signs only


def compute(core, facts):
    """Returns the rows of VALUES for a core, by Arm's list.  Of ARM11 the list has one group where we may have two."""
    counts, _, _ = count(core, [row["name"] for row in facts])
    mine = listed(core)
    rows = []
    for row in facts:
        groups = row["group"].replace(";", " ")
        if core == "ARM11" and set(groups.split()) <= set(mine[row["name"]]["groups"]):
            groups = " ".join(mine[row["name"]]["groups"])
        rows.append({"core": core, "name": row["name"], "unit": row["unit"].replace("percent of", "% of"),
                     "group": groups, "events": " ".join(events_of(row["formula"])),
                     "slots": row["slots"] if row["slots"].isdigit() else "",
                     "value": repr(evaluate(row["formula"], counts, SLOTS))})
    return rows


def check_formulas(core, facts, rows):
    faults = []
    for want, row in zip(compute(core, facts), rows):
        if not close(float(want["value"]), float(row["value"])) or \
                any(want[key] != row[key] for key in COLUMNS if key != "value"):
            faults.append(f"{row['name']}: {row}, and the list gives {want}")
    if len(facts) != len(rows):
        faults.append(f"{len(rows)} rows, and the list has {len(facts)}")
    report(f"metrics: {core}: {os.path.basename(values_path)} is what Arm's formulas give", faults, len(rows))


def check_tree(core, tree):
    mine = listed(core)
    names = set(mine) | {group for metric in mine.values() for group in metric["groups"]}

    def item(text):
        """Returns the name that we have for a metric or group of the list."""
        word = text.lower()
        return word if word in names else re.sub("(_cache)?_effectiveness$", "", word)

    faults = []
    for row in tree:
        metric = mine.get(row["metric"], {})
        items = [item(text) for text in row["next_items"].split(";") if text]
        if metric.get("next") != items or metric.get("root") != (row["root"] == "Y") or \
                metric.get("sample") != [event for event in row["sample_events"].split(";") if event]:
            faults.append(f"{row['metric']}: {metric.get('next')}, and the list has {items}")
    more = {name for name in mine if "next" in mine[name]} - {row["metric"] for row in tree}
    report(f"metrics: {core}: the decision tree", faults + [f"{name} is not in the list" for name in more], len(tree))


if writes:
    with open(values_path, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for a_core, its_facts in rows_of(lists[0]).items():
            writer.writerows(compute(a_core, its_facts))
    sys.exit(0)
all_rows = rows_of(values_path)
for a_core, its_rows in all_rows.items():
    check_list(a_core, its_rows)
    check_values(a_core, its_rows)
if lists:
    for a_core, its_facts in rows_of(lists[0]).items():
        check_formulas(a_core, its_facts, all_rows.get(a_core, []))
    for a_core, its_tree in rows_of(lists[1]).items():
        check_tree(a_core, its_tree)
sys.exit(status)
