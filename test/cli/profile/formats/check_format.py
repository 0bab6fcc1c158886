#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Usage: check_format.py READER EXPECT EVENT FILE...

Compares what a tool says of a file with what random_recording.py expects of one event: the sum, what each function cost
itself, and what it cost with all that it called.  READER tells which tool printed FILE.  Prints an "ok" or "not ok"
line for each comparison.
"""
import json
import re
import sys
from collections import defaultdict

NAMELESS = ("[unknown]", "[code]", "jitted_loop")  # what a tool that does not read our names calls "(nameless)"


def number(text):
    return int(text.replace(",", ""))


class Costs:
    """What functions cost, as a tool says."""
    def __init__(self):
        self.own, self.total = defaultdict(int), defaultdict(int)
        self.sum = None
        self.names_generated = True  # code that the program generated has the recording's names
        self.names_files = False     # code without a name is called "[unknown]", whatever the file

    def add_stack(self, names, count):
        """Adds a stack, the outermost function first."""
        self.own[names[-1]] += count
        for name in set(names):
            self.total[name] += count


def read_callgrind(event, own, inclusive):
    """Reads what callgrind_annotate prints, without and with --inclusive=yes."""
    costs = Costs()
    for path, table in (own, costs.own), (inclusive, costs.total):
        column = None
        for line in open(path, encoding="utf-8"):
            if line.startswith("Events shown:"):
                column = line.split()[2:].index(event)
            cells = re.findall(r"([0-9,]+) \(\s*[0-9.]+%\)|(?<=\s)(0)(?=\s)", line)
            numbers = [number(a or "0") for a, _ in cells]
            name = re.search(r"%\)\s+(\S.*)$|\s{2,}(\S+:\S.*)$", line)
            if line.rstrip().endswith("PROGRAM TOTALS"):
                costs.sum = numbers[column]
            elif numbers and name and re.search(r":([^:]+?)( \[.*\])?$", line):
                table[re.search(r":([^:]+?)( \[.*\])?$", line.rstrip())[1]] += numbers[column]
    costs.total.pop("[threads]", None)
    return costs


def read_perf_report(event, path):
    """Reads what perf report prints, by period and symbol."""
    costs, wanted = Costs(), False
    costs.names_generated = False
    for line in open(path, encoding="utf-8"):
        head = re.match(r"# Samples: .* of event '(.*)'", line)
        if head:
            wanted = head[1] == event
        elif wanted and line.startswith("# Event count"):
            costs.sum = int(line.split()[-1])
        elif wanted and (row := re.match(r"\s*(\d+)\s+\[.\] (\S+)", line)):
            costs.own[row[2]] += int(row[1])
    costs.total = None
    return costs


def read_perf_script(event, path):
    """Reads the text of perf script, which perf printed or we."""
    costs = Costs()
    costs.names_generated = False
    wanted, stack = False, []
    for line in [*open(path, encoding="utf-8"), "\n"]:
        if not line.strip():
            if wanted and stack:
                costs.add_stack(stack[::-1], count)
            wanted, stack = False, []
        elif not line.startswith("\t"):
            head = re.search(r":\s+(\d+)\s+(\S+):\s+(\w+ (.*?)(\+0x\w+)? \(.*)?$", line)
            wanted, count = head[2] == event, int(head[1])
            if head[4] and wanted:  # perf prints a stack of one frame on the same line
                costs.add_stack([head[4]], count)
                wanted = False
        else:
            stack.append(re.match(r"\s*\w+ (.*?)(\+0x\w+)? \(", line)[1])
    costs.sum = sum(costs.own.values())
    return costs


def read_pprof(event, path):
    """Reads what pprof -top prints."""
    costs = Costs()
    for line in open(path, encoding="utf-8"):
        head = re.match(r"Showing nodes accounting for .* of (\d+) total", line)
        row = re.match(r"\s*(\d+)\s+\S+%\s+\S+%\s+(\d+)\s+\S+%\s+(.*?)( \(inline\))?$", line)
        if head:
            costs.sum = int(head[1])
        elif row:
            costs.own[row[3]] += int(row[1])
            costs.total[row[3]] += int(row[2])
    return costs


def read_speedscope(event, path):
    """Reads what import_speedscope.js prints."""
    costs = Costs()
    for profile in json.load(open(path, encoding="utf-8")):
        if profile["name"] == event or not profile["name"].isupper():
            costs.sum = profile["total"]
            costs.own.update(profile["self"])
            costs.total.update(profile["inclusive"])
    for thread in "program", "worker", "child":
        costs.total.pop(thread, None)
    return costs


def read_collapsed(event, path):
    costs = Costs()
    for line in open(path, encoding="utf-8"):
        stack, count = line.rsplit(" ", 1)
        costs.add_stack(stack.split(";")[1:], int(count))
    costs.sum = sum(costs.own.values())
    return costs


def read_firefox(event, path):
    """Reads what profiler-cli prints of the functions of each thread."""
    costs = Costs()
    costs.names_files = True
    for line in open(path, encoding="utf-8"):
        answer = json.loads(line)
        if f"({event})" not in answer["friendlyThreadName"]:
            continue
        for function in answer["functions"]:
            name = function["name"].split("!")[-1]
            costs.own[name] += function["selfSamples"]
            costs.total[name] += function["totalSamples"]
    costs.sum = sum(costs.own.values())
    return costs


def read_perfetto(event, path):
    """Reads what protoc decodes: the slices of the tracks of the event."""
    costs, names, tracks, open_slices = Costs(), {}, set(), defaultdict(list)
    for packet in re.split(r"^packet ", open(path, encoding="utf-8").read(), flags=re.M):
        field = dict(re.findall(r'^ +(\w+): "?(.*?)"?$', packet, flags=re.M))
        if "event_names" in packet:
            names[field["iid"]] = field["name"]
        elif "track_descriptor" in packet and f": {event}," in field.get("name", ""):
            tracks.add(field["uuid"])
        elif field.get("track_uuid") in tracks:
            stack, time = open_slices[field["track_uuid"]], int(field["timestamp"])
            if field["type"] == "TYPE_SLICE_BEGIN":
                stack.append([names[field["name_iid"]], time, 0])
            else:
                name, begin, below = stack.pop()
                costs.own[name] += time - begin - below
                if stack:
                    stack[-1][2] += time - begin
                if name not in [each[0] for each in stack]:
                    costs.total[name] += time - begin
    assert not any(open_slices.values())
    costs.sum = sum(costs.own.values())
    return costs


def read_perfetto_counters(event, path):
    """Reads what protoc decodes, and compares the sum of the event's counter track, a value an interval."""
    track, values = None, []
    for packet in re.split(r"^packet ", open(path, encoding="utf-8").read(), flags=re.M):
        field = dict(re.findall(r'^ +(\w+): "?(.*?)"?$', packet, flags=re.M))
        if "UNIT_COUNT" in packet and field["name"] == event:
            track = field["uuid"]
        elif field.get("type") == "TYPE_COUNTER" and field["track_uuid"] == track:
            values.append(int(field["counter_value"]))
    say(f"perfetto: the intervals of {event}",
        [] if len(values) == 3 and sum(values) == EXPECT["sums"][EVENT] else [f"{values}, not {EXPECT['sums'][EVENT]}"])


def read_trace_processor(event, path):
    """Reads rows of Perfetto's trace processor: of slices [[number, parent, duration, function, track], ...]."""
    costs, slices = Costs(), {}
    for number_of, parent, duration, name, track in json.loads(open(path, encoding="utf-8").readline()):
        if f": {event}," in track:
            above = slices.get(parent, (None, ()))[1]
            slices[number_of] = (name, above + (name,))
            costs.own[name] += duration
            if above:
                costs.own[above[-1]] -= duration
            if name not in above:
                costs.total[name] += duration
    costs.sum = sum(costs.own.values())
    return costs


def read_annotate(event, path):
    """Reads what perf annotate prints of the percentages of instructions, and compares them with the rows expected."""
    rows = {address: counts[EVENT] for address, *counts in EXPECT["rows"]}
    merged = defaultdict(int)
    for address, *counts in EXPECT["rows"]:
        merged[address] += counts[EVENT]
    wanted, shown = False, {}
    for line in open(path, encoding="utf-8"):
        if "Percent |" in line:
            wanted = f"for {event} " in line
        row = re.match(r"\s*([0-9.]+) :\s+([0-9a-f]+):\t? +\S", line)
        if wanted and row:
            shown[int(row[2], 16)] = row[1]
    sum_shown = sum(merged[address] for address in shown)
    wrong = [f"{address:x}: {percent}" for address, percent in shown.items()
             if abs(float(percent) - 100 * merged[address] / max(sum_shown, 1)) > 0.0051]
    say(f"perf annotate: instructions of {event}", wrong or ([] if len(rows) > 3 and len(shown) > 3 else ["no rows"]))


def say(name, faults):
    if faults:
        print(f"not ok {name}: {'; '.join(faults[:5])}")
    else:
        print(f"ok {name}")


def compare(name, got, want, costs):
    """Compares two tables of functions; functions that cost nothing may be missing."""
    if not costs.names_generated:
        want = {key: value for key, value in want.items() if key not in NAMELESS}
        got = {key: value for key, value in got.items() if key in want}
    if costs.names_files:
        want = dict(want, **{"[unknown]": want["[unknown]"] + want["[code]"], "[code]": 0})
    wrong = [f"{key}: {got.get(key, 0)}, not {want.get(key, 0)}" for key in sorted({*got, *want})
             if got.get(key, 0) != want.get(key, 0)]
    say(name, wrong or ([] if len(want) > 5 else ["there are few functions"]))


READER, EVENT_NAME = sys.argv[1], sys.argv[3]
EXPECT = json.load(open(sys.argv[2], encoding="utf-8"))
EVENT = EXPECT["events"].index(EVENT_NAME)
READ = globals()[f"read_{READER}"](EVENT_NAME, *sys.argv[4:])
if READ is not None:
    say(f"{READER}: the sum of {EVENT_NAME}",
        [] if READ.sum == EXPECT["sums"][EVENT] else [f"{READ.sum}, not {EXPECT['sums'][EVENT]}"])
    compare(f"{READER}: {EVENT_NAME} of the functions themselves", READ.own,
            {key: counts[EVENT] for key, counts in EXPECT["self"].items()}, READ)
    if READ.total is not None:
        compare(f"{READER}: {EVENT_NAME} of the functions with what they called", READ.total,
                {key: counts[EVENT] for key, counts in EXPECT["total"].items()}, READ)
