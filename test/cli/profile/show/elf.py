# SPDX-License-Identifier: BSD-2-Clause
"""Recordings of ELF files for the tests: each instruction that objdump prints was executed, a number of times that its
address gives.  Names and lines come from nm and addr2line, which know nothing of armpmu."""
import os
import re
import subprocess

B = os.environ.get("B", "build")
ARMPMU = os.path.abspath(f"{B}/armpmu")
BASE = 0x5500000000
TOOLS = "aarch64-linux-gnu-"


def run(*command, **options):
    """Runs a command and returns its output; its failure is an exception."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def armpmu(*arguments, status=0, **options):
    """Runs armpmu, which must end with @status, and returns its two outputs."""
    done = subprocess.run([ARMPMU, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", check=False, **options)
    assert done.returncode == status, f"armpmu {' '.join(arguments)}: {done.returncode}: {done.stderr[-300:]}"
    return done.stdout, done.stderr


def cross(out, source, *flags, compiler="gcc", tools=TOOLS):
    run(f"{tools}{compiler}", "-o", out, source, *flags, stderr=subprocess.DEVNULL)
    return out


def build_id(path, tools=TOOLS):
    found = re.search(r"Build ID: (\w+)", run(f"{tools}readelf", "-n", path))
    return found[1] if found else ""


def loads(path, tools=TOOLS):
    """Returns (offset, address, size in the file) of each part that is mapped."""
    rows = [line.split() for line in run(f"{tools}readelf", "-lW", path).split("\n")]
    return [(int(f[1], 16), int(f[2], 16), int(f[4], 16)) for f in rows if f and f[0] == "LOAD"]


def sizes(path, tools):
    """Returns the end of each function that has a size."""
    rows = [line.split() for line in run(f"{tools}nm", "-S", path).split("\n")]
    return {f[3]: int(f[0], 16) + int(f[1], 16) for f in rows if len(f) == 4}


def instructions(path, tools=TOOLS):
    """Returns (address, word, text, function) of each instruction; what is behind a function's end has no function."""
    found, function = [], ""
    ends = sizes(path, tools)
    for line in run(f"{tools}objdump", "-d", path).split("\n"):
        head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        match = re.match(r" *([0-9a-f]+):\t([0-9a-f]{8}) \t(.*)", line)
        if head:
            function = head[1]
        if match:
            address = int(match[1], 16)
            found.append((address, int(match[2], 16), match[3], function if address < ends.get(function, 1 << 64)
                          else ""))
    return found


def count_at(address):
    """Returns how often the instruction was executed."""
    return address // 4 * 7 % 100 + 1


def describe(path, tools=TOOLS, base=BASE, recorded=None, identity=None, count=count_at):
    """Returns the lines for build_recording; @recorded is the path in the recording."""
    lines = [f"command ./{os.path.basename(path)}", "event INST_RETIRED", "event LD_RETIRED",
             f"file elf {recorded or path} {build_id(path, tools) if identity is None else identity}",
             f"image{'' if tools == TOOLS else '32'} 100 program", "thread 0 100", "thread 0 101 worker"]
    for offset, address, size in loads(path, tools):
        end = (address + size + 0xfff) & ~0xfff
        lines.append(f"map 0 0 {base + (address & ~0xfff):#x} {base + end:#x} {offset & ~0xfff:#x}")
    code = instructions(path, tools)
    for n, (address, word, text, _) in enumerate(code):
        map_of = next(i for i, (_, start, size) in enumerate(loads_of(path, tools)) if start <= address < start + size)
        lines.append(f"code {n % 2} {map_of} {base + address:#x} {word:#x} 4 {count(address)} "
                     f"{1 if text.startswith('ld') else 0}")
    return lines


_loads = {}


def loads_of(path, tools):
    if path not in _loads:
        _loads[path] = loads(path, tools)
    return _loads[path]


def record(out, lines):
    """Writes a recording."""
    subprocess.run([f"{B}/test/build_recording", out], input="\n".join(lines) + "\n", text=True, check=True)
    return out


def names_at(path, addresses, tools=TOOLS):
    """Returns for each address what addr2line says: (function, file:line) of the innermost function, and all."""
    done = subprocess.run([f"{tools}addr2line", "-a", "-i", "-f", "-e", path], text=True, check=True,
                          input="\n".join(f"{a:#x}" for a in addresses) + "\n", stdout=subprocess.PIPE)
    rows, now = {}, None
    lines = iter(done.stdout.split("\n"))
    for line in lines:
        if line.startswith("0x"):
            now = rows[int(line, 16)] = []
        elif line:
            now.append((line, re.sub(r" \(discriminator.*", "", next(lines))))
    return rows
