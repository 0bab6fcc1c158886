#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Gives `armpmu why` the programs of right.txt, and each single mistake of mistakes.txt; prints "ok" and "not ok".

A row of mistakes.txt: PROGRAM | CAUSES | LINE | OLD | NEW.  PROGRAM is the number of a program.  OLD, which occurs
once in it, is replaced with NEW; \\n and @@ are the end of a line.  CAUSES, separated by blanks, are equally right
first causes.  The line that the verdict names contains LINE; "-" says that any line is right.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(__file__)
TOOL = os.path.join(os.environ.get("B", "build"), "armpmu")


def programs():
    """Returns the programs by number: name, text."""
    text = open(os.path.join(HERE, "right.txt"), encoding="utf-8").read()
    found = {}
    for part in text.split("\n=== ")[1:]:
        name, body = part.split("\n", 1)
        found[name.split("-")[0]] = (name, body if body.endswith("\n") else body + "\n")
    return found


def verdict(folder, name, text):
    """Returns the verdict on the text: a list of causes."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    out = subprocess.run([TOOL, "why", "-j", path], capture_output=True, text=True, check=False, timeout=20)
    return json.loads(out.stdout)["verdict"]


def say(name, fault):
    """Prints the result of a check.  Returns whether it failed."""
    print(f"not ok {name}: {fault}" if fault else f"ok {name}")
    return bool(fault)


def find(text, field):
    """Returns the text that a field means: without the blank on each side, unless it is part of the text."""
    field = field.replace("@@", "\n")
    for cut in (field[1:-1], field[1:]):
        for old in (cut, cut.replace("\\n", "\n"), re.sub(r"(?<=[^\"])\\n(?=[^\"])", "\n", cut)):
            if text.count(old) == 1:
                return old
    return field[1:-1].replace("\\n", "\n")


def replacement(field, old):
    """Returns the text that replaces OLD: \\n is the end of a line unless OLD has it within a string."""
    return field.replace("@@", "\n") if '"isb\\n' in old or '@@' in old else re.sub(r"\\n(?! isb)", "\n", field)


def check_mistake(folder, known, row, number):
    """Returns what is wrong with the answer to a mistake, or None."""
    fields = [field.replace("\\|", "|") for field in re.split(r"(?<!\\)\|", row)]
    program, causes, line = [field.strip() for field in fields[:3]]
    name, text = known[program]
    old, new = find(text, fields[3]), replacement(fields[4][1:], fields[3])
    if text.count(old) != 1:
        return f"row {number}: {old!r} occurs {text.count(old)} times in {name}"
    changed = text.replace(old, new)
    found = verdict(folder, name, changed)
    first = found[0] if found else {"cause": "none"}
    if first["cause"] not in causes.split():
        return f"{[f['cause'] for f in found][:3]}, expected {causes}"
    at = first.get("line") or 0
    lines = changed.split("\n")
    if line != "-" and (at == 0 or line not in lines[at - 1]):
        return f"line {at}: {lines[at - 1] if at else ''!r}, expected {line!r}"
    return None


def main():
    """Runs both."""
    known = programs()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in known.values():
            found = verdict(folder, name, text)
            failed += say(f"right: {name}", [f["cause"] for f in found][:3] if found else None)
        rows = open(os.path.join(HERE, "mistakes.txt"), encoding="utf-8").read().split("\n")
        rows = [row for row in rows if "|" in row and not row.startswith("#")]
        for number, row in enumerate(rows, 1):
            fault = check_mistake(folder, known, row, number)
            failed += say(f"mistake {number}: {re.sub(r' +', ' ', row)[:90]}", fault)
    failed += say("40 programs and 120 mistakes", None if len(known) >= 40 and len(rows) >= 120
                  else f"{len(known)} and {len(rows)}")
    sys.exit(1 if failed else 0)


main()
