# SPDX-License-Identifier: BSD-2-Clause
"""Checks what report, annotate and diff print: sums, trees, filters, formats, the terminal, and refusals."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elf import ARMPMU, BASE, armpmu, count_at, cross, describe, instructions, record

HERE = os.path.relpath(os.path.dirname(os.path.abspath(__file__)))
DIR = sys.argv[1]


def say(name, good, why=""):
    print(f"ok {name}" if good else f"not ok {name}: {str(why)[:600]}".replace("\n", "|"))


def objects(*arguments, **options):
    return [json.loads(line) for line in armpmu(*arguments, **options)[0].split("\n") if line]


def tree_lines():
    """Returns a recording with calls: main calls rec, which calls itself twice, and leaf; rec calls leaf, too."""
    lines = ["event INST_RETIRED", "event LD_RETIRED", "file code [code]", "image 7 calls", "thread 0 7",
             "thread 0 8 w", "map 0 0 0x1000 0x2000 0"]
    lines += [f"symbol 0 {0x1000 + 0x100 * n:#x} 0x100 {name}" for n, name in enumerate(("main", "rec", "leaf"))]
    # thread, parent, entry, site, calls, kind, counts
    nodes = [(0, "-", 0x1000, 0, 1, 3, 10), (0, 0, 0x1100, 0x1010, 1, 0, 20), (0, 1, 0x1100, 0x1110, 1, 0, 30),
             (0, 2, 0x1100, 0x1110, 1, 0, 40), (0, 3, 0x1200, 0x1120, 4, 0, 4), (0, 0, 0x1200, 0x1020, 1, 0, 1),
             (1, "-", 0x1200, 0, 2, 3, 5)]
    for thread, parent, entry, site, calls, kind, count in nodes:
        lines.append(f"node {thread} {parent} 0 {entry:#x} {0 if site else '-'} {site:#x} {calls} {kind} {count} 0")
    lines += ["code 0 0 0x1000 0xd503201f 4 10 0", "code 0 0 0x1100 0xd503201f 4 90 0",
              "code 0 0 0x1200 0xd503201f 4 5 0", "code 1 0 0x1200 0xd503201f 4 5 0"]
    return lines


def check_tree():
    data = record(f"{DIR}/tree.data", tree_lines())
    got = {row["function"]: (row["events"]["INST_RETIRED"]["self"], row["events"]["INST_RETIRED"]["total"])
           for row in objects("report", "-j", "-e", "INST_RETIRED", data)}
    say("a function that calls itself counts once", got == {"main": (10, 105), "rec": (90, 94), "leaf": (10, 10)}, got)
    out = armpmu("report", "--children", "-e", "inst_retired", data)[0]
    order = re.findall(r"(main|rec|leaf) +\[code\]$", out, re.M)
    say("--children sorts by the total", order == ["main", "rec", "leaf"], out)
    out = armpmu("report", "-g", "--min=0", data)[0]
    got = [(len(m[1]) // 2, m[2]) for m in re.finditer(r"%\s+[\d,]+\s+[\d.]+%\s+[\d,]+  ( *)(\w+)$", out, re.M)]
    want = [(0, "calls"), (1, "main"), (2, "rec"), (3, "rec"), (4, "rec"), (5, "leaf"), (2, "leaf"), (1, "leaf")]
    say("-g prints the tree, the dearest first", got == want, out)
    rows = objects("report", "-g", "-j", "--min=0", data)
    say("-g -j: the tree's own counts add up", sum(r["events"]["INST_RETIRED"]["self"] for r in rows) == 110 and
        rows[0]["events"]["INST_RETIRED"]["total"] == 110, rows)
    got = {row["function"]: row["events"]["INST_RETIRED"]["total"] for row in
           objects("report", "-j", "--thread=w", data)}
    say("--thread leaves out all others", got == {"leaf": 5}, got)
    err = armpmu("report", "--children", record(f"{DIR}/flat.data", [line for line in tree_lines()
                                                                     if not line.startswith("node")]), status=3)[1]
    say("--children without a call graph", "has no call graph; record it with" in err, err)
    out = armpmu("report", "-g", "--min=50", data)[0]
    say("--min leaves out what costs less", "leaf" not in out and "more, with what they call" in out, out)


def check_rows():
    data = f"{DIR}/inlines.data"
    total = sum(count_at(c[0]) for c in instructions(f"{DIR}/inlines"))
    for key in ("function", "inlined", "line", "address", "file", "thread", "process"):
        rows = objects("report", "-j", f"--by={key}", data)
        fields = [line.split(";") for line in armpmu("report", "-x;", f"--by={key}", data)[0].split("\n") if line]
        mine = [f for f in fields if f[0] == "INST_RETIRED"]
        good = sum(r["events"]["INST_RETIRED"]["self"] for r in rows) == total and \
            sum(int(f[1]) for f in mine) == total and {len(f) for f in fields} == {12} and \
            abs(sum(float(f[2]) for f in mine) - 100) < 0.1
        say(f"--by={key}: JSON and fields add up to all", good, rows[:2])
        text = armpmu("report", f"--by={key}", data)[0]
        counts = [int(m.replace(",", "")) for m in re.findall(r"^ *[\d.]+% +([\d,]+)", text, re.M)]
        say(f"--by={key}: the text adds up to all", sum(counts) == total, f"{sum(counts)}, not {total}: {text}")
    rows = objects("report", "-j", "--sort=name", data)
    say("--sort=name", [r["function"] for r in rows] == sorted(r["function"] for r in rows), rows)
    say("-n", len(objects("report", "-j", "-n", "3", data)) == 3)
    got = [r["function"] for r in objects("report", "-j", "--function=fi*", data)]
    say("--function", got == ["fib"], got)
    say("--file", objects("report", "-j", "--file=nothing", data) == [])
    got = objects("report", "-j", "-e", "ld_retired", data)
    say("-e sorts by the event and prints no other", list(got[0]["events"]) == ["LD_RETIRED"] and
        got[0]["events"]["LD_RETIRED"]["self"] == max(r["events"]["LD_RETIRED"]["self"] for r in got), got[:2])
    err = armpmu("report", status=3, cwd=DIR)[1]
    say("without FILE it reads armpmu.data", "armpmu.data: it cannot be read" in err, err)


def check_annotate():
    data, program = f"{DIR}/inlines.data", f"{DIR}/inlines"
    out = armpmu("annotate", "-x@", "-e", "INST_RETIRED", "-i", data, "work")[0]
    fields = [line.split("@") for line in out.split("\n") if line]
    want = {a: (count_at(a), re.sub(r"\s+", " ", re.sub(r"\s*//.*", "", text)).strip())
            for a, _, text, name in instructions(program) if name == "work"}
    got = {int(f[3], 16): (int(f[1]), f[5]) for f in fields}
    wrong = [(hex(a), got.get(a), want[a]) for a in want if a not in got or got[a][0] != want[a][0] or
             re.sub(r"\b(0x)?([0-9a-f]+) <", r"\2 <", got[a][1]) != want[a][1].replace("  ", " ")]
    say("annotate: each instruction is objdump's, with its count", want and not wrong, wrong[:3])
    out = armpmu("annotate", "-i", data, "work")[0]
    say("annotate: source lines with their text", re.search(r"%.* s \+= twice\(i\);$", out, re.M) and
        "return square(x) +" in out, out)
    lines = [int(m.replace(",", "")) for m in re.findall(r"^ *[\d.]+% +([\d,]+) .* {3,}\d+  \S", out, re.M)]
    say("annotate: lines have costs", lines, out)
    os.rename(program, f"{program}.away")
    out, err = armpmu("annotate", "-i", data, "-n", "1")
    say("annotate: without the file there are the words", "[unknown]" in out and "adrp" in out, out[:300])
    os.rename(f"{program}.away", program)
    out, err = armpmu("annotate", "-i", data, "work", env={**os.environ, "ARMPMU_OBJDUMP": "/nonexistent"})
    say("annotate: without objdump it prints words and says what to install", ".inst 0x" in out and
        "install binutils-aarch64-linux-gnu" in err, err)
    top = os.getcwd()
    out = armpmu("annotate", "-i", data, f"--source-prefix={top}/test=/nonexistent", "work", cwd="/")[0]
    say("annotate: the path is tried where --source-prefix has none", "s += twice(i);" in out, out)
    os.makedirs(f"{DIR}/moved", exist_ok=True)
    with open(f"{HERE}/inlines.c", encoding="utf-8") as source, open(f"{DIR}/moved/inlines.c", "w",
                                                                     encoding="utf-8") as copy:
        copy.write(source.read().replace("s += twice(i);", "s += moved(i);"))
    out = armpmu("annotate", "-i", data, f"--source-prefix={top}/{HERE}={DIR}/moved", "work")[0]
    say("annotate: --source-prefix", "s += moved(i);" in out, out)
    err = armpmu("annotate", "-i", data, "nosuch", status=1)[1]
    say("annotate: no such function", "nosuch: no function with this name was executed" in err, err)
    out = armpmu("annotate", "-i", f"{DIR}/tree.data", "leaf")[0]
    say("annotate: generated code", re.search(r"100\.00% +10 .*1200  nop$", out, re.M), out)
    check_a32()


def check_a32():
    lines = ["event INST_RETIRED", "file code [code]", "image32 7 vm", "thread 0 7", "map 0 0 0x1000 0x2000 0",
             "symbol 0 0x1000 0x100 thumb", "symbol 0 0x1100 0x100 arm", "code 0 0 0x1000 0xbf00 2 1",
             "code 0 0 0x1002 0xf3af8000 4 2", "code 0 0 0x1006 0xe7fb 2 3", "code 0 0 0x1100 0xe1a00000 4 4",
             "code 0 0 0x1104 0xeafffffd 4 5"]
    data = record(f"{DIR}/a32.data", lines)
    out = armpmu("annotate", "-i", data, "thumb")[0]
    say("annotate: T32", re.search(r"nop\n.*nop\.w\n.*b\.n 0x1000 <thumb>", out), out)
    out = armpmu("annotate", "-i", data, "arm")[0]
    say("annotate: A32", re.search(r"nop.*\n.*b 0x1100 <arm>", out), out)


def check_diff():
    program = f"{DIR}/inlines"
    before = f"{DIR}/inlines.data"
    moved = record(f"{DIR}/moved.data", describe(program, base=BASE + 0x123000))
    out = armpmu("diff", "--fail-above=0", before, moved)[0]
    say("diff: another place in memory is no difference", out.count("# no difference") == 2, out)
    slow = describe(program)
    work = [f"{BASE + c[0]:#x} " for c in instructions(program) if c[3] == "work"]
    grown = 0
    for n, line in enumerate(slow):
        if line.startswith("code") and any(address in line for address in work[:4]):
            words = line.split()
            words[6] = str(int(words[6]) + 200)
            slow[n] = " ".join(words)
            grown += 200
    after = record(f"{DIR}/slow.data", slow)
    out, err = armpmu("diff", "-e", "INST_RETIRED", "--fail-above=0.5%", before, after, status=1)
    say("diff: what grew is named and fails", re.search(rf"\+{grown} .* work ", out) and
        "most of it in work" in err and len(err.split("\n")) == 2, out + err)
    armpmu("diff", "-e", "INST_RETIRED", "--fail-above=50%", before, after)
    armpmu("diff", "-e", "INST_RETIRED", f"--fail-above={grown}", before, after)
    armpmu("diff", "-e", "INST_RETIRED", f"--fail-above={grown - 1}", before, after, status=1)
    armpmu("diff", "-e", "INST_RETIRED", "--fail-above=0", after, before)
    armpmu("diff", "--fail-above=0", "--function=fib", before, after)
    say("diff: limits, in both directions, and of a function", True)
    rows = objects("diff", "-j", "-e", "INST_RETIRED", before, after)
    say("diff: rows add up to the difference of the sums", rows[0]["state"] == "sum" and
        rows[0]["after"] - rows[0]["before"] == grown == sum(r["after"] - r["before"] for r in rows[1:]), rows)
    names = {"old": ["same", "gone", "clone.constprop.0"], "new": ["fresh", "same", "clone.isra.0.constprop.7"]}
    for name, functions in names.items():
        record(f"{DIR}/{name}.data", ["event INST_RETIRED", "file code [code]", "image 7 vm", "thread 0 7",
                                      "map 0 0 0x1000 0x2000 0"] +
               [f"symbol 0 {0x1000 + 256 * n:#x} 256 {f}" for n, f in enumerate(functions)] +
               [f"code 0 0 {0x1000 + 256 * n:#x} 0xd503201f 4 {10 + len(f)}" for n, f in enumerate(functions)
                if not f.startswith("clone")] + ["code 0 0 0x1200 0xd503201f 4 9"])
    got = {r.get("function"): r["state"] for r in objects("diff", "-j", f"{DIR}/old.data", f"{DIR}/new.data")}
    say("diff: new and gone functions, and copies by their plain name",
        got == {None: "sum", "gone": "gone", "fresh": "new"}, got)
    err = armpmu("diff", before, record(f"{DIR}/event.data", ["event OTHER", "image 1 x", "thread 0 1"]), status=3)[1]
    say("diff: no event in common", "no event in common" in err, err)


def on_terminal(columns, *arguments, **environment):
    """Runs armpmu on a terminal of so many columns and returns what it prints."""
    child, fd = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        for name in ("NO_COLOR", "PAGER", "ARMPMU_PAGER", "LESS"):
            os.environ.pop(name, None)
        os.environ.update({"TERM": "xterm", "ARMPMU_PAGER": "", **environment})
        os.execv(ARMPMU, ["armpmu", *arguments])
    out = b""
    while True:
        try:
            part = os.read(fd, 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    os.close(fd)
    os.waitpid(child, 0)
    return out.decode(errors="replace").replace("\r", "")


def check_terminal():
    data, cxx = f"{DIR}/inlines.data", f"{DIR}/long.data"
    long = "averyveryvery::" * 12 + "longname"
    record(cxx, [line.replace("rec", long) for line in tree_lines()])
    faults = []
    for columns in (40, 60, 80, 132):
        for arguments in (["report", data], ["report", cxx], ["report", "--by=line", data], ["report", "-g", cxx],
                          ["report", "--children", cxx], ["annotate", "-i", data, "work"],
                          ["annotate", "-i", cxx, "leaf"],
                          ["diff", f"{DIR}/inlines.data", f"{DIR}/slow.data"]):
            out = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(columns, *arguments))
            wide = [line for line in out.split("\n") if len(line) > columns and not line.startswith("#")]
            faults += [f"{columns} {' '.join(arguments)}: {line}" for line in wide[:1]]
    say("lines are not wider than the terminal", not faults, "; ".join(faults[:3]))
    say("colours on a terminal", "\x1b[" in on_terminal(80, "report", data))
    say("NO_COLOR", "\x1b[" not in on_terminal(80, "report", data, NO_COLOR="1"))
    say("--color=never", "\x1b[" not in on_terminal(80, "report", "--color=never", data))
    say("--color=always in a pipe", "\x1b[" in armpmu("report", "--color=always", data)[0])
    say("no colours and nothing cut in a pipe", "\x1b[" not in armpmu("report", data)[0] and
        long in armpmu("report", cxx)[0])
    say("a pager", "PAGED" in on_terminal(80, "report", data, ARMPMU_PAGER="sed s/^/PAGED/"))
    say("PAGER, after ARMPMU_PAGER", "PAGED" not in on_terminal(80, "report", data, PAGER="sed s/^/PAGED/"))
    say("--no-pager", "PAGED" not in on_terminal(80, "report", "--no-pager", data, ARMPMU_PAGER="sed s/^/PAGED/"))
    out = on_terminal(80, "report", data, ARMPMU_PAGER="head -n 1")
    say("a pager that ends early", "# ./inlines" in out and "armpmu" not in out, out)
    say("no pager in a pipe", "PAGED" not in armpmu("report", data, env={**os.environ, "PAGER": "sed s/^/PAGED/"})[0])


def check_refusals():
    data = f"{DIR}/inlines.data"
    for arguments, text in ((["report", "--by=x", data], "--by=x: no such kind of row; give"),
                            (["report", "-e", "NO", data], "NO: the recording does not have this event; it has INST"),
                            (["report", "--sort=x", data], "--sort=x: no such order; give"),
                            (["report", "--rows=0", data], "--rows=0: no number of rows; give"),
                            (["report", "--min=x", data], "--min=x: no percentage; give"),
                            (["report", "--color=x", data], "--color=x: no such choice; give"),
                            (["report", data, data], "reads one recording"),
                            (["diff", data], "two recordings are compared; give"),
                            (["diff", "--by=thread", data, data], "this cannot be compared; give"),
                            (["diff", "--fail-above=1x", data, data], "no limit; give a number"),
                            (["annotate", "--source-prefix=x"], "no FROM=TO; give")):
        err = armpmu(*arguments, status=2)[1]
        say(f"refused: {' '.join(arguments[:2])}", text in err and err.count("\n") == 1, err)
    with open(data, "rb") as file:
        whole = file.read()
    with open(f"{DIR}/cut.data", "wb") as file:
        file.write(whole[:len(whole) // 2])
    for arguments in (["report", f"{DIR}/cut.data"], ["annotate", "-i", f"{DIR}/cut.data"],
                      ["diff", data, f"{DIR}/cut.data"]):
        out, err = armpmu(*arguments, status=3)
        say(f"a cut file: {arguments[0]}", out == "" and "cut.data: byte" in err and "cut short" in err and
            err.count("\n") == 1, err)
    evil = record(f"{DIR}/evil.data", [line.replace("main", "ma\x1b[31min") for line in tree_lines()])
    say("control characters in names are escaped", "\x1b" not in armpmu("report", evil)[0] +
        armpmu("report", "-g", evil)[0] + armpmu("report", "-j", evil)[0] + armpmu("report", "-x,", evil)[0])


def main():
    program = cross(f"{DIR}/inlines", f"{HERE}/inlines.c", "-O2", "-g")
    record(f"{DIR}/inlines.data", describe(program))
    for check in (check_tree, check_rows, check_annotate, check_diff, check_terminal, check_refusals):
        check()


main()
