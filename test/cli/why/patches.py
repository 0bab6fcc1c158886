#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Puts the cure that `armpmu why -c` prints into code, and asks again: the cause must be gone.  Prints "ok", "not ok".

The code is each program of patches.txt, and each mistake of test/cli/code/mistakes.txt whose cure is the write of a
register.  The lines of the cures are compiled for each form, with the compilers that are there.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.abspath(os.path.join(os.environ.get("B", "build"), "armpmu"))
# Mistakes whose cure is no write of a register, or where only their author knows the right value.
NO_WRITE = {
    "wfi-stops-cycles", "event-counts-other-than-thought", "wrong-encoding", "event-not-of-this-core",
    "event-not-implemented", "enabled-on-one-cpu-only", "cntvct-not-pmccntr", "read-in-two-halves",
    "irq-not-unmasked", "hpmn-zero-reserved", "m-profile-no-cyccnt", "multiplexed-unscaled",
    "count-truncated-to-32-bits",
}
OPEN = re.compile(r"^\s*(?:/\*|//|;|@|#) (?:(in) line (\d+), at column (\d+)(, instead of that statement)?"
                  r"|(after|before) line (\d+)|instead of lines? (\d+)(?: to (\d+))?):?( nothing)?")


def load_mistakes():
    """Yields the mistakes of test/cli/code: name, text."""
    source = open(os.path.join(HERE, "../code/mistakes.py"), encoding="utf-8").read().replace("\nmain()\n", "\n")
    module = {"__file__": os.path.join(HERE, "../code/mistakes.py"), "__name__": "mistakes"}
    exec(compile(source, "mistakes.py", "exec"), module)
    known = module["programs"]()
    rows = open(os.path.join(HERE, "../code/mistakes.txt"), encoding="utf-8").read().split("\n")
    for row in (r for r in rows if "|" in r and not r.startswith("#")):
        fields = [field.replace("\\|", "|") for field in re.split(r"(?<!\\)\|", row)]
        name, text = known[fields[0].strip()]
        old, new = module["find"](text, fields[3]), module["replacement"](fields[4][1:], fields[3])
        yield name, text.replace(old, new)


def load_patches():
    """Yields the programs of patches.txt: causes, name, line, text."""
    text = open(os.path.join(HERE, "patches.txt"), encoding="utf-8").read()
    for part in text.split("\n=== ")[1:]:
        head, body = part.split("\n", 1)
        causes, name, line = head.split(" ", 2)
        yield causes.split("|"), name, line, body if body.endswith("\n") else body + "\n"


def why(folder, name, *options):
    """Runs armpmu why."""
    return subprocess.run([TOOL, "why", *options, name], cwd=folder, capture_output=True, text=True, check=False,
                          timeout=20)


def causes_of(folder, name, text):
    """Returns the causes of the text and how sure they are, the first one first."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
    return {cause["cause"]: cause.get("confidence") for cause in json.loads(why(folder, name, "-j").stdout)["verdict"]}


def parse(cure):
    """Returns the edits of a cure: (kind, first line, last line, column, lines)."""
    edits = []
    for line in cure.split("\n")[:-1]:
        m = OPEN.match(line)
        if m and m[1]:
            edits.append(("instead" if m[4] else "in", int(m[2]), int(m[2]), int(m[3]), []))
        elif m and m[5]:
            edits.append((m[5], int(m[6]), int(m[6]), 0, []))
        elif m:
            edits.append(("instead", int(m[7]), int(m[8] or m[7]), 0, []))
        elif edits:
            edits[-1][4].append(line)
    return edits


def apply(text, edits):
    """Returns the text with the edits."""
    lines = text.split("\n")
    for kind, first, last, column, new in sorted(edits, key=lambda e: (e[1], e[3]), reverse=True):
        at = first - 1
        if kind == "in":
            lines[at:at + 1] = [lines[at][:column - 1], *new, lines[at][column - 1:]]
        elif kind == "after":
            lines[at + 1:at + 1] = new
        elif kind == "before":
            lines[at:at] = new
        else:
            lines[at:last] = new
    return "\n".join(lines)


def say(name, fault):
    """Prints the result of a check.  Returns whether it failed."""
    print(f"not ok {name}: {fault}" if fault else f"ok {name}")
    return bool(fault)


def check(folder, name, text, expected, line, snippets):
    """Returns what is wrong with the cure of the text, or None; adds the lines of the cure to @snippets."""
    causes = causes_of(folder, name, text)
    first = next(iter(causes), None)
    if first is None or (expected and first not in expected):
        return f"the causes are {causes}, expected {expected}"
    if first in NO_WRITE or name.endswith(".py"):
        return None
    out = why(folder, name, "-c")
    edits = parse(out.stdout)
    lines = [new for edit in edits for new in edit[4]] or out.stdout.split("\n")
    if line and line not in [one.strip() for one in lines]:
        return f"no line {line!r} in {out.stdout!r}"
    snippets.append((name, [one for one in lines if not re.match(r"\s*(/\*|//|;|@) ", one)]))
    if " in a kernel module" in out.stdout or " in privileged code" in out.stdout:
        return None if out.returncode == 0 else "exit status"
    if not edits:
        return f"no place: {out.stdout!r}{out.stderr}"
    again = causes_of(folder, name, apply(text, edits))
    if again.get(first) == causes[first]:
        return f"the cure does not take {first} away: {out.stdout!r}"
    return None


def compilers(name, body):
    """Returns the commands that may compile the lines, and their source."""
    a32 = "p15" in body
    if name.endswith(".rs"):
        target = "thumbv7em-none-eabihf" if a32 or "_volatile" in body else "aarch64-unknown-none"
        return [], f"#![no_std]\npub fn cure() {{\n{body}\n}}\n", target
    if name.endswith((".S", ".s")):
        prefix = ["arm-none-eabi-as", "arm-linux-gnueabihf-as"] if a32 else ["aarch64-linux-gnu-as"]
        options = ["-mcpu=cortex-a15"] if a32 else ["-march=armv8-a"]
        return [[p, *options, "-o", os.devnull, "-"] for p in prefix], body + "\n", None
    stubs = """#include <stdint.h>
#define BIT(n) (1UL << (n))
#define isb() __asm__ volatile("isb" : : : "memory")
#define read_sysreg(reg) ({ unsigned long v_; __asm__ volatile("mrs %0, " #reg : "=r"(v_)); v_; })
#define write_sysreg(v, reg) __asm__ volatile("msr " #reg ", %x0" : : "r"((unsigned long)(v)))
#define sysreg_clear_set(reg, c, s) write_sysreg((read_sysreg(reg) & ~(c)) | (s), reg)
static struct { uint32_t DEMCR; } *CoreDebug; static struct { uint32_t CTRL, CYCCNT; } *DWT;
static inline unsigned long read_mdcr_el3(void) { return read_sysreg(mdcr_el3); }
static inline void write_mdcr_el3(unsigned long v) { write_sysreg(v, mdcr_el3); }
#define PMU0_BASE 0x80410000UL
struct attr { unsigned config1, inherit, exclude_kernel, exclude_hv, disabled; };
int ioctl(int, int, int);
#define PERF_EVENT_IOC_ENABLE 1
static struct attr attr, pe, a; static int fd, leader; static uint64_t n, v;
void use(void); void use(void) { (void)CoreDebug; (void)DWT; (void)attr; (void)pe; (void)a; (void)fd; (void)leader;
    (void)n; (void)v; }
"""
    source = stubs + "void cure(void);\nvoid cure(void)\n{\n" + body + "\n}\n"
    flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-c", "-x", "c", "-o", os.devnull,
             "-"]
    if a32:
        prefixes = ("arm-none-eabi-", "arm-linux-gnueabihf-", "arm-linux-gnueabi-")
        return [[p + "gcc", "-march=armv7-a", "-marm", "-mfpu=neon", *flags] for p in prefixes], source, None
    if "msr" in body or "sysreg" in body or "mdcr" in body or "isb" in body:
        return [["aarch64-linux-gnu-gcc", *flags]], source, None
    return [["cc", *flags[:4], "-Wno-int-to-pointer-cast", *flags[4:]]], source, None


def compile_all(snippets):
    """Compiles the lines of all cures.  Returns how many were compiled, and the faults."""
    done, faults = 0, []
    for name, lines in snippets:
        commands, source, _ = compilers(name, "\n".join(lines))
        for command in (c for c in commands if shutil.which(c[0])):
            run = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
            done += 1
            if run.returncode:
                faults.append(f"{name}: {command[0]}: {run.stderr[:300]!r}: {lines!r}")
            break
    return done, faults


def main():
    """Runs all."""
    failed, cured, snippets = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        for expected, name, line, text in load_patches():
            failed += say(f"cure of {expected[0]} in {name}", check(folder, name, text, expected, line, snippets))
        own = len(snippets)
        for number, (name, text) in enumerate(load_mistakes(), 1):
            before = len(snippets)
            failed += say(f"cure of mistake {number}, {name}", check(folder, name, text, None, None, snippets))
            cured += len(snippets) - before
    failed += say("cures of 20 programs and 125 mistakes", None if own >= 20 and cured >= 125 else f"{own}, {cured}")
    done, faults = compile_all(snippets)
    failed += say(f"{done} cures compile", "; ".join(faults[:5]) if faults else None)
    sys.exit(1 if failed else 0)


main()
