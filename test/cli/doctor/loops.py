#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares cli/doctor/loops.def with the instructions of the loops.

usage: loops.py a64|a32 DISASSEMBLY WORDS

DISASSEMBLY is objdump's of loops.c, compiled with -fno-inline.  WORDS is the program that says by the classifier what
instructions count.  For each row of cli/doctor/events.def whose event the classifier knows, an iteration of the row's
loop must count as often as loops.def says.  Prints "ok" and "not ok" lines.
"""
import re
import subprocess
import sys

SHARED = {"NEAR": "chase", "FAR": "chase", "KNOWN": "guess", "RANDOM": "guess"}


def contents():
    """Returns {loop: {content: number}} of loops.def."""
    text = re.sub(r"/\*.*?\*/", "", open("cli/doctor/loops.def").read(), flags=re.S).replace("\\\n", " ")
    end = re.search(r"#define LOOP_END (.*)", text)[1]
    found = {}
    for row in re.split(r"^DOCTOR_LOOP\(", text, flags=re.M)[1:]:
        name, body = re.match(r"(\w+), \d+, \"[^\"]*\",(.*?)(?:^#|\Z)", row, re.S | re.M).groups()
        pairs = re.findall(r"HAS\((\w+), (\d+)\)", body.replace("LOOP_END", end))
        found[name] = {content: int(number) for content, number in pairs}
    return found


def functions(path):
    """Returns {function: [(address, word, text)]} of a disassembly."""
    found, name = {}, None
    for line in open(path):
        head = re.match(r"[0-9a-f]+ <(\w+)>:", line)
        code = re.match(r" +([0-9a-f]+):\s+([0-9a-f]{8}) +\t(.*)", line)
        if head:
            name = head[1]
            found[name] = []
        elif code and name:
            found[name].append((int(code[1], 16), code[2], code[3].strip()))
    return found


def iteration(code, loop):
    """Returns the instructions that one iteration executes, as (word, whether its condition passes)."""
    close = [(at, int(re.match(r"b\.?ne\s+([0-9a-f]+)", text)[1], 16))
             for at, _, text in code if re.match(r"b\.?ne\s+[0-9a-f]+", text)]
    last, first = [(at, to) for at, to in close if to < at][-1]
    body = [(word, True) for at, word, _ in code if first <= at <= last]
    if loop == "BRANCH":  # the two branches that are not taken; and the function before the loop, called twice
        body[1], body[2] = (body[1][0], False), (body[2][0], False)
        callee = [n for n, (_, _, text) in enumerate(code) if re.match(r"ret|bx\s+lr", text)][0]
        body += [(word, True) for _, word, _ in code[callee - 1:callee + 1]] * 2
    if SHARED.get(loop) == "guess":  # one of the two ways
        body[5:7] = []
    return body


def counts(words, isa, body):
    """Returns {event: number} that the classifier gives for instructions."""
    if isa == "a64":
        lines = [word for word, _ in body]
    else:
        lines = [f"a32 {word} 0 {int(passed)} 1" for word, passed in body]
    out = subprocess.run([words, "sum"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return {name: int(number) for name, number in (line.split() for line in out.stdout.splitlines() if line)}


def main():
    isa, path, words = sys.argv[1:]
    code, table = functions(path), contents()
    rows = re.findall(r"^DOCTOR_EVENT\((\w+), USER, (\w+), (EQUAL|ABOUT), (\w+),", open("cli/doctor/events.def").read(),
                      re.M)
    for loop in sorted({row[1] for row in rows}):
        function = SHARED.get(loop, f"loop_{loop}")
        if function not in code:
            if isa == "a64":
                print(f"not ok {isa} {loop}: there is no {function}()")
            continue
        got = counts(words, isa, iteration(code[function], loop))
        got.pop("UNALIGNED_LDST_RETIRED", None)  # instructions do not show it
        checked = [(event, content) for event, at, _, content in rows if at == loop and event in got]
        wrong = [f"{event} {got[event]}, not {table[loop].get(content, 0)} {content}" for event, content in checked
                 if got[event] != table[loop].get(content, 0)]
        if wrong or not checked:
            print(f"not ok {isa} {loop}: {'; '.join(wrong) or 'nothing to compare'}")
        else:
            print(f"ok {isa} {loop}: {len(checked)} events count as its row says")


main()
