# SPDX-License-Identifier: BSD-2-Clause
"""Runs the cases of test_verdict.sh.

verdict.py ARMPMU FOLDER      prints for each case if it is whole, and its verdict: "ok NAME" or "not ok NAME: WHY"
verdict.py ARMPMU FOLDER -n   prints the share of cases whose first cause is right, in percent, and how many are broken

A case is a folder with input.EXT, `ask` (the arguments after armpmu) and `expect`, whose lines are a key and a value:
first SLUG (several: each is right), among SLUG, never SLUG, cure REGEX, ask-for REGEX, note TEXT.
"""
import json
import os
import re
import shlex
import subprocess
import sys

LIMIT = 10  # seconds
CAUSES = os.path.join(os.path.dirname(__file__), "../../../cli/why/causes.def")


def read_expect(folder):
    expect = {}
    with open(os.path.join(folder, "expect"), encoding="utf-8") as lines:
        for line in lines:
            key, _, rest = line.strip().partition(" ")
            expect.setdefault(key, []).append(rest)
    return expect


def slugs():
    """Returns the names of the causes, and the two answers that are none."""
    with open(CAUSES, encoding="utf-8") as rows:
        found = re.findall(r"^CAUSE(?:_OUTSIDE)?\(\d+, (\w+),", rows.read(), re.M)
    return {name.replace("_", "-") for name in found} | {"none", "unknown"}


def lacks(folder, expect, known):
    """Returns what is missing in the case: its input, a first cause, or the row of a cause; "" if nothing is."""
    with open(os.path.join(folder, "ask"), encoding="utf-8") as ask:
        words = ask.read()
    inputs = re.findall(r"input\.[A-Za-z]+", words)
    empty = [name for name in inputs if not os.path.exists(os.path.join(folder, name)) or
             os.path.getsize(os.path.join(folder, name)) == 0]
    strangers = [slug for key in ("first", "among", "never") for slug in expect.get(key, []) if slug not in known]
    if not words.strip() or empty or not expect.get("first"):
        return "it needs ask, the input that it names, and expect with a line first"
    return ", ".join(strangers) + " is no cause of causes.def" if strangers else ""


def run(tool, folder):
    """Returns the verdict and None, or None and what went wrong."""
    with open(os.path.join(folder, "ask"), encoding="utf-8") as ask:
        words = shlex.split(ask.read())
    try:
        done = subprocess.run([tool, words[0], "-j"] + words[1:], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return None, "no answer in %d s" % LIMIT
    if done.returncode < 0 or done.returncode > 3:
        return None, "exit status %d" % done.returncode
    try:
        return json.loads(done.stdout)["verdict"], None
    except (ValueError, KeyError, TypeError):
        return None, "no verdict: " + done.stderr.decode(errors="replace")[:200]


def matches(patterns, text):
    return all(re.search(p, text, re.IGNORECASE) for p in patterns)


def judge(expect, verdict):
    """Returns two texts: why the first cause is not right, and which promise is broken; "" if all is well."""
    causes = [v["cause"] for v in verdict] or ["none"]
    wrong = broken = ""
    if causes[0] not in expect["first"]:
        wrong = "first is %s, not %s" % (", ".join(causes[:3]), " or ".join(expect["first"]))
    elif causes[0] == "unknown" and not matches(expect.get("ask-for", []), verdict[0].get("ask", "")):
        wrong = "it asks for: " + verdict[0].get("ask", "")
    elif verdict and not matches(expect.get("cure", []), verdict[0].get("cure", "")):
        broken = "its cure is: " + verdict[0].get("cure", "")
    missing = [c for c in expect.get("among", []) if c not in causes[:3]]
    if missing and not wrong:
        wrong = "not among the first three: " + ", ".join(missing)
    named = [c for c in expect.get("never", []) if c in causes]
    if named:
        broken = "it names " + ", ".join(named)
    return wrong, broken


def main():
    tool, folder, figures = os.path.abspath(sys.argv[1]), sys.argv[2], "-n" in sys.argv[3:]
    names = sorted(n for n in os.listdir(folder) if os.path.exists(os.path.join(folder, n, "expect")))
    known = slugs()
    right = bad = 0
    for name in names:
        case = os.path.join(folder, name)
        expect = read_expect(case)
        missing = lacks(case, expect, known)
        verdict, failed = run(tool, case)
        wrong, broken = (failed, failed) if failed else judge(expect, verdict)
        right += not wrong
        bad += bool(broken)
        if not figures:
            print("not ok whole case %s: %s" % (name, missing) if missing else "ok whole case " + name)
            print("not ok verdict on %s: %s" % (name, broken or wrong) if wrong or broken else "ok verdict on " + name)
    if figures:
        print(100 * right // len(names) if names else 0, bad)
    return 0 if names else 1


sys.exit(main())
