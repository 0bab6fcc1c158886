#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Usage: random_recording.py PROGRAM EXPECT [flat|sampled] [SEED] | build_recording FILE

Prints a recording of an AArch64 program that never ran: counts of three events by instruction and, without "flat", a
call tree with the same sums or, with "sampled", samples with the same sums, drawn at random but equal for equal
seeds. It has two threads, recursion, a tail call, a signal, code of one function in the frame of another, generated
code with a name and without, an address without a map, and a second process. What the functions of it must cost goes
to the file EXPECT, as JSON.
"""
import json
import random
import re
import subprocess
import sys

EVENTS = ["INST_RETIRED", "L1D_CACHE", "BR_MIS_PRED"]
PROGRAM = sys.argv[1]
FLAT, SAMPLED = "flat" in sys.argv[3:], "sampled" in sys.argv[3:]
CHANCE = random.Random(next((int(word) for word in sys.argv[3:] if word.isdigit()), 1))
BIAS = 0x5500000000


def lines_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def code_of(program):
    """Returns the instructions of each function as (address, word), and its calls as {site: callee}."""
    functions, calls, name = {}, {}, None
    for line in lines_of("aarch64-linux-gnu-objdump", "-d", "-z", program):
        head = re.match(r"[0-9a-f]+ <(\S+)>:$", line)
        row = re.match(r"\s+([0-9a-f]+):\t([0-9a-f]{8}) \t(\S+)\s*(.*)", line)
        if head:
            name = head[1]
            functions[name] = []
        elif row:
            functions[name].append((int(row[1], 16), int(row[2], 16)))
            callee = re.search(r"<([^>+]+)>$", row[4])
            if row[3] in ("bl", "b") and callee and callee[1] != name:
                calls.setdefault(name, {})[int(row[1], 16)] = (callee[1], row[3] == "b")
    return functions, calls


def segment_of(program):
    """Returns the address and the size of the executable segment, and where it is in the file."""
    for line in lines_of("readelf", "-lW", program):
        words = line.split()
        if words[:1] == ["LOAD"] and "E" in words[6:-1]:
            return int(words[2], 16), int(words[5], 16), int(words[1], 16)
    sys.exit("no executable segment")


def build_id_of(program):
    for line in lines_of("readelf", "-nW", program):
        if "Build ID:" in line:
            return line.split()[-1]
    return ""


def draw():
    """Returns the counts of a place: each event at some of them only."""
    return [CHANCE.randrange(1, 5000), CHANCE.randrange(0, 900), CHANCE.randrange(0, 3)]


class Recording:
    def __init__(self):
        self.functions, self.calls = code_of(PROGRAM)
        self.nodes = []                  # (thread, parent, entry map, entry, site map, site, calls, kind, counts)
        self.code = {}                   # (thread, map, address, word): counts
        self.own, self.total = {}, {}    # function: counts
        self.samples = []                # (thread, event, node, map, address, time, period, cpu)

    def note(self, name, path, counts):
        """Notes that the function cost this, called by the functions of a path."""
        for table, names in (self.own, {name}), (self.total, {name, *path}):
            for each in names:
                table[each] = [a + b for a, b in zip(table.get(each, [0] * len(EVENTS)), counts)]

    def add_samples(self, thread, map, address, counts):
        """Adds a sample of each event at an instruction of the newest node."""
        for event, count in enumerate(counts):
            if count:
                self.samples.append((thread, event, len(self.nodes) - 1, map, address, 1000 * len(self.samples), count,
                                     len(self.samples) % 4))

    def count(self, thread, name, path, counts):
        """Divides the counts of the newest node among some instructions of a function."""
        self.note(name, path, counts)
        rows = self.functions[name]
        for event, sum in enumerate(counts):
            while sum > 0:
                address, word = CHANCE.choice(rows)
                part = CHANCE.randint(1, sum)
                row = self.code.setdefault((thread, 0, BIAS + address, word), [0] * len(EVENTS))
                row[event] += part
                self.add_samples(thread, 0, BIAS + address, [part if i == event else 0 for i in range(len(EVENTS))])
                sum -= part

    def add(self, thread, parent, name, site, kind, depth, path=()):
        """Adds a node for a function that the path called and, below it, for what it calls."""
        counts, times = draw(), CHANCE.randrange(1, 9)
        self.nodes.append((thread, parent, 0, BIAS + self.functions[name][0][0], 0 if site else "-",
                           BIAS + site if site else 0, times, kind, counts))
        self.count(thread, name, path, counts)
        node = len(self.nodes) - 1
        for site, (callee, is_tail) in sorted(self.calls.get(name, {}).items()):
            if callee in self.functions and depth > 0 and CHANCE.random() < 0.8:
                self.add(thread, node, callee, site, 1 if is_tail else 0, depth - 1, (*path, name))
        return node

    def add_oddities(self, root):
        """A signal in main; code of another function in a frame; generated code; an address that no map has."""
        self.add(0, root, "compare", 0, 2, 1, ("main",))
        counts = draw()
        self.nodes.append((0, root, 0, BIAS + self.functions["tail"][0][0], 0, BIAS + self.functions["main"][3][0], 1,
                           0, counts))
        self.count(0, "last", ("main", "tail"), counts)
        for map, address, name in ((1, 0x7000000010, "jitted_loop"), (1, 0x7000000100, "[code]"),
                                   ("-", 0x123450, "[unknown]")):
            counts = draw()
            self.note(name, ("main",), counts)
            self.nodes.append((0, root, map, address, 0, BIAS + self.functions["main"][5][0], 2, 0, counts))
            self.code[(0, map, address, 0xd503201f)] = counts
            self.add_samples(0, map, address, counts)

    def show(self):
        start, size, offset = segment_of(PROGRAM)
        for event in EVENTS:
            print("event", event)
        print("command program with arguments")
        print("file elf", PROGRAM, build_id_of(PROGRAM))
        print("file code [code]")
        print("image 4100 program\nimage 4102 child")
        print("thread 0 4100\nthread 0 4101 worker\nthread 1 4102")
        print("map 0 0", BIAS + start, BIAS + start + size, offset)
        print("map 0 1 0x7000000000 0x7000001000 0")
        print("map 1 0", BIAS + start, BIAS + start + size, offset)
        print("symbol 0 0x7000000000 0x40 jitted_loop")
        for (thread, map, address, word), counts in sorted(self.code.items(), key=str):
            print("code", thread, 2 if (thread, map) == (2, 0) else map, address, word, 4, *counts)
        for thread, parent, entry_map, entry, site_map, site, times, kind, counts in [] if FLAT else self.nodes:
            maps = [2 if (thread, map) == (2, 0) else map for map in (entry_map, site_map)]
            print("node", thread, parent, maps[0], entry, maps[1], site, times, kind, *counts)
        print("interval 0 1000000", *(sum // 3 for sum in self.sums()))
        print("interval 1000000 2000000", *(sum - sum // 3 for sum in self.sums()))
        if SAMPLED:
            print("sampled")
        for thread, event, node, map, *rest in self.samples if SAMPLED else []:
            print("sample", thread, event, node, 2 if (thread, map) == (2, 0) else map, *rest)

    def sums(self):
        return [sum(counts[i] for counts in self.code.values()) for i in range(len(EVENTS))]

    def expect(self, path):
        """Writes what each event and each function cost."""
        rows = [[address - BIAS, *counts] for (thread, map, address, _), counts in self.code.items() if map == 0]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"events": EVENTS, "self": self.own, "total": self.own if FLAT else self.total, "rows": rows,
                       "sums": self.sums()}, file)


recording = Recording()
recording.add_oddities(recording.add(0, "-", "main", 0, 3, 5))
recording.add(1, "-", "tree", 0, 3, 4)
recording.add(2, "-", "even", 0, 3, 3)
recording.show()
recording.expect(sys.argv[2])
