# SPDX-License-Identifier: BSD-2-Clause
"""Compares the names that armpmu report gives to instructions with those of nm, addr2line and c++filt."""
import json
import lzma
import os
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from elf import TOOLS, armpmu, build_id, count_at, cross, describe, instructions, names_at, record, run

HERE = os.path.dirname(os.path.abspath(__file__))
HERE_FROM_TOP = os.path.relpath(HERE)
DIR = sys.argv[1]


def rows(data, *options):
    """Returns the rows of a report."""
    return [json.loads(line) for line in armpmu("report", "-j", *options, data)[0].split("\n") if line]


def by_function(data, *options):
    """Returns the count of each function; functions of one name are one."""
    sums = {}
    for row in rows(data, *options):
        sums[row["function"]] = sums.get(row["function"], 0) + row["events"]["INST_RETIRED"]["self"]
    return sums


def add(sums, key, count):
    sums[key] = sums.get(key, 0) + count


def same(name, got, want):
    """Prints the result of comparing two dictionaries."""
    wrong = [f"{key}: {got.get(key)}, not {want.get(key)}" for key in sorted(set(got) | set(want), key=str)
             if got.get(key) != want.get(key)]
    say(name, not wrong and want, "; ".join(wrong[:4]) or "nothing to compare")


def say(name, good, why=""):
    print(f"ok {name}" if good else f"not ok {name}: {why}")


def check_c():
    program = cross(f"{DIR}/inlines", f"{HERE_FROM_TOP}/inlines.c", "-O2", "-g")
    data = record(f"{DIR}/inlines.data", describe(program))
    code = instructions(program)
    named = [c for c in code if c[3] in ("fib", "main", "work", "_start", "_init", "call_weak_fn")]
    want = {}
    for address, _, _, function in named:
        add(want, function, count_at(address))
    got = by_function(data)
    same("C: functions", {name: got.get(name) for name in want}, want)
    total = sum(row["events"]["INST_RETIRED"]["self"] for row in rows(data))
    say("C: the sum over all functions is that of all instructions", total == sum(count_at(c[0]) for c in code), total)
    stubs = {c[3] for c in code if c[3].endswith("@plt")}
    say("C: stubs of the PLT have names", stubs and stubs <= {name.replace("__gmon_start__", "__gmon_start__")
                                                              for name in got}, f"{sorted(stubs)}, {sorted(got)}")

    addresses = [c[0] for c in code if c[3] in ("fib", "main", "work")]
    known = names_at(program, addresses)
    want_lines, want_inlined = {}, {}
    for address in addresses:
        function, place = known[address][0]
        add(want_inlined, function, count_at(address))
        add(want_lines, place, count_at(address))
    got_lines = {}
    for row in rows(data, "--by=line"):
        if row.get("source", "").endswith("inlines.c"):
            add(got_lines, f"{row['source']}:{row['line']}", row["events"]["INST_RETIRED"]["self"])
    same("C: lines are those of addr2line", got_lines, want_lines)
    got = by_function(data, "--by=inlined")
    same("C: inlined functions are those of addr2line", {n: got.get(n) for n in want_inlined}, want_inlined)
    say("C: an inlined function is inlined", "square" in want_inlined, want_inlined)


def check_cxx():
    program = cross(f"{DIR}/shapes", f"{HERE_FROM_TOP}/shapes.cc", "-O1", "-g", compiler="g++")
    data = record(f"{DIR}/shapes.data", describe(program))
    code = [c for c in instructions(program) if c[3].startswith("_ZN") and not c[3].endswith("@plt")]
    plain = dict(zip((c[3] for c in code),
                     subprocess.run([f"{TOOLS}c++filt"], input="\n".join(c[3] for c in code), text=True, check=True,
                                    stdout=subprocess.PIPE).stdout.split("\n")))
    want, mangled = {}, {}
    for address, _, _, function in code:
        if not re.search(r"[CD][012]E", function): # several symbols of one name
            add(want, plain[function], count_at(address))
            add(mangled, function, count_at(address))
    got = by_function(data)
    same("C++: names are those of c++filt", {n: got.get(n) for n in want}, want)
    say("C++: overloads are two functions", {"shapes::scale(int)", "shapes::scale(char const*)"} <= set(got), got)
    got = by_function(data, "--mangled")
    same("C++: --mangled", {n: got.get(n) for n in mangled}, mangled)
    known = names_at(program, [c[0] for c in instructions(program) if c[3] == "main"])
    want = {}
    for address, frames in known.items():
        add(want, frames[0][1].split(":")[-1].replace("?", "0"), count_at(address))
    got = {}
    for row in rows(data, "--by=address", "--function=main"):
        if row["function"] == "main":
            add(got, str(row.get("line", 0)), row["events"]["INST_RETIRED"]["self"])
    same("C++: lines of main, by inlined members too", got, want)


def check_symbols():
    program = cross(f"{DIR}/names", f"{HERE_FROM_TOP}/names.S", "-nostdlib", "-shared", "-Wl,--build-id")
    code = instructions(program)
    start = {c[3]: c[0] for c in reversed(code)}
    got = {int(row["address"], 16): row["function"]
           for row in rows(record(f"{DIR}/names.data", describe(program)), "--by=address")}
    want = {start["_start"]: "_start", start["_start"] + 4: "_start", start["bare"]: "bare",
            start["bare"] + 4: "bare", start["next_label"]: "next_label", start["outer"]: "outer",
            start["outer"] + 4: "outer", start["outer"] + 12: "outer", start["chosen"]: "chosen"}
    for address, _, _, function in code:
        if function.startswith("_ZN4core"):
            want[address] = "core::fmt::Formatter::write_str"
        elif function.startswith("_RNv"):
            want[address] = "mycrate::foo::bar"
    copy = start["outer"] - 12 - 8
    want.update({copy: "copy", copy + 4: "copy"})
    same("symbols: aliases, labels, data, IFUNC and Rust", {a: got.get(a) for a in want}, want)


def check_debug_files():
    program = cross(f"{DIR}/whole", f"{HERE_FROM_TOP}/inlines.c", "-O2", "-g")
    lines = describe(program)
    want = by_function(record(f"{DIR}/whole.data", lines), "--by=inlined")
    identity = build_id(program)
    for folder in ("linked", "by-id", "dynamic", f"by-id/.build-id/{identity[:2]}", "root", "root/usr", "other"):
        os.makedirs(f"{DIR}/{folder}", exist_ok=True)
    for name in ("linked", "by-id", "dynamic"):
        shutil.copy(program, f"{DIR}/{name}/program")
        run(f"{TOOLS}strip", f"{DIR}/{name}/program")
    run(f"{TOOLS}objcopy", "--only-keep-debug", program, f"{DIR}/linked/program.debug")
    run(f"{TOOLS}objcopy", "--add-gnu-debuglink=linked/program.debug", "linked/program", cwd=DIR)
    shutil.copy(f"{DIR}/linked/program.debug", f"{DIR}/by-id/.build-id/{identity[:2]}/{identity[2:]}.debug")
    for name, options in (("linked", []), ("by-id", [f"--debug={DIR}/by-id"])):
        data = record(f"{DIR}/{name}.data", [line.replace(program, f"{DIR}/{name}/program") for line in lines])
        same(f"debug information: {name}", by_function(data, "--by=inlined", *options), want)

    data = record(f"{DIR}/dynamic.data", [line.replace(program, f"{DIR}/dynamic/program") for line in lines])
    got = by_function(data)
    say("a stripped file: only stubs have names", "fib" not in got and "[unknown]" in got and "strlen@plt" in got, got)
    shutil.copy(program, f"{DIR}/root/usr/program")
    data = record(f"{DIR}/moved.data", [line.replace(program, "/usr/program") for line in lines])
    same("--sysroot", by_function(data, f"--sysroot={DIR}/root", "--by=inlined"), want)
    out, err = armpmu("report", data)
    say("a file that is not there is a remark",
        "/usr/program: the file cannot be read" in err and "[unknown]" in out, err)
    cross(f"{DIR}/other/program", f"{HERE_FROM_TOP}/inlines.c", "-O0", "-g")
    data = record(f"{DIR}/other.data", [line.replace(program, f"{DIR}/other/program") for line in lines])
    out, err = armpmu("report", data)
    say("another build gives a remark and no names", "another build id" in err and "fib" not in out, err)


def check_mini():
    """Symbols in .gnu_debugdata: those of functions alone, compressed, in a stripped file."""
    program = cross(f"{DIR}/mini", f"{HERE_FROM_TOP}/inlines.c", "-O2")
    lines = describe(program)
    want = by_function(record(f"{DIR}/mini.data", lines))
    run(f"{TOOLS}objcopy", "--only-keep-debug", program, f"{DIR}/mini.debug")
    run(f"{TOOLS}strip", program)
    with open(f"{DIR}/mini.debug", "rb") as file, open(f"{DIR}/mini.xz", "wb") as packed:
        packed.write(lzma.compress(file.read()))
    run(f"{TOOLS}objcopy", f"--add-section=.gnu_debugdata={DIR}/mini.xz", program)
    same("symbols in .gnu_debugdata", by_function(f"{DIR}/mini.data"), want)


def check_stubs():
    for name, tools, flags in (("bti", TOOLS, ["-Wl,-z,force-bti"]), ("static", TOOLS, ["-static"]),
                               ("A32", "arm-linux-gnueabihf-", ["-marm"])):
        if not shutil.which(f"{tools}gcc"):
            print(f"skip stubs: {name}: no {tools}gcc")
            continue
        program = cross(f"{DIR}/{name}", f"{HERE_FROM_TOP}/inlines.c", "-O2", *flags, tools=tools)
        got = by_function(record(f"{DIR}/{name}.data", describe(program, tools)), "--function=*@plt")
        want = {}
        for address, _, _, function in instructions(program, tools):
            if function.endswith("@plt") and not function.startswith("*"):
                add(want, function, count_at(address))
        if name == "static":
            say("stubs of a static program have the names of its IFUNCs", {"strlen@plt", "memcpy@plt"} <= set(got), got)
        else:
            same(f"stubs: {name}", {n: c for n, c in got.items()}, want)


def check_generated():
    lines = ["event INST_RETIRED", "file code [code]", "image 7 vm", "thread 0 7", "map 0 0 0x7000 0x9000 0",
             "symbol 0 0x7000 0x10 hot", "symbol 0 0x7100 0x10 cold", "code 0 0 0x7000 0xd503201f 4 10",
             "code 0 0 0x700c 0xd65f03c0 4 10", "code 0 0 0x7100 0x14000002 4 1", "code 0 0 0x8000 0xd503201f 4 2",
             "code 0 - 0x40 0 0 3"]
    data = record(f"{DIR}/generated.data", lines)
    got = {}
    for row in rows(data):
        add(got, (row["function"], row["file"]), row["events"]["INST_RETIRED"]["self"])
    same("generated code", got, {("hot", "[code]"): 20, ("cold", "[code]"): 1, ("[unknown]", "[code]"): 2,
                                 ("[unknown]", "[unknown]"): 3})


def check_hostile():
    """Changes the bytes of a program: what is read of it may be wrong, but nothing crashes."""
    program = f"{DIR}/inlines"
    lines = describe(program, recorded=f"{DIR}/hostile", identity="-")
    data = record(f"{DIR}/hostile.data", lines)
    with open(program, "rb") as file:
        whole = file.read()
    random.seed(1)
    faults = []
    for n in range(120):
        changed = bytearray(whole)
        for _ in range(random.choice([1, 4, 32])):
            changed[random.randrange(len(changed)) if random.random() < 0.7 else random.randrange(64)] = \
                random.choice([0, 0xff, 0x7f, random.randrange(256)])
        if n % 10 == 0:
            changed = changed[:random.randrange(len(changed))]
        with open(f"{DIR}/hostile", "wb") as file:
            file.write(changed)
        done = subprocess.run([os.path.abspath(f"{os.environ['B']}/armpmu"), "report", "--by=inlined", data],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)
        if done.returncode != 0:
            faults.append(f"{n}: {done.returncode}")
    say("hostile ELF files", not faults, ", ".join(faults))


for check in (check_c, check_cxx, check_symbols, check_debug_files, check_mini, check_stubs, check_generated,
              check_hostile):
    check()
