#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""amalgamate.py [FOLDER]: writes armpmu_model.[ch] and armpmu_driver.[ch], two pairs to copy into other projects.

The C preprocessor (CC, or cc) expands the tables, one inclusion of a .def file at a time, so all other text stays as
its author wrote it.  Where two files of one output have the same local name, each gets its file's name in front.  The
macros of a file are undefined at its end, and what the files of the model share among themselves becomes static.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = TOP / "include"
CC = shlex.split(os.environ.get("CC", "cc"))

PUBLIC = re.compile(r"^#include <(armpmu/[a-z0-9_]+\.h)>", re.M)
PRIVATE = re.compile(r'^#include "([a-z0-9_./]+\.h)"', re.M)
TABLE = re.compile(r"#include <(armpmu/tables/[a-z0-9_]+\.def)>")
DEFINE = re.compile(r"#define (\w+)")
TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\w+|->|\s+|.", re.S)
# At the left margin: the first line of a definition with internal linkage, the end of one without a type name, the
# first line of a type, of an enumeration, and of a prototype of a private header.
STATIC = re.compile(r"^static [^;={(]*?(\w+)(?:\[[^=;]*)?\s*[(=;]", re.M)
ANONYMOUS = re.compile(r"^\} (\w+)\b(?:\[[^=;]*)?\s*[=;]", re.M)
TAG = re.compile(r"^(?:static const )?(?:struct|enum|union) (\w+) \{", re.M)
ENUM = re.compile(r"^enum(?: \w+)? \{(.*?)\}", re.M | re.S)
# Where a header cannot be included: conditions with an #error each.
ELSEWHERE = re.compile(r"^#if .*\n#error .*\n(?:#elif .*\n#error .*\n)*#endif\n", re.M)
PROTOTYPE = re.compile(r"^(?=(?:const )?(?:(?:struct|enum) )?\w+ \**\w+\()", re.M)


def read(path):
    """Returns the text of a file without its SPDX line: the output has the whole licence at its head."""
    return re.sub(r"\A/\* SPDX[^\n]*\n", "", path.read_text())


def expand_table(table, macros):
    """Returns the rows of a table, expanded by @macros: the #define lines of its row macros."""
    fragment = "".join(macros) + (INCLUDE / table).read_text()
    run = subprocess.run(CC + ["-std=c11", "-undef", "-E", "-P", "-x", "c", "-"], input=fragment, text=True,
                         stdout=subprocess.PIPE, check=True)
    rows = [line.strip() for line in run.stdout.splitlines()]
    return "".join(f"    {row}\n" for row in rows if row)


def expand_tables(text):
    """Replaces each inclusion of a table, and the macros above it that the table undefines, by the expanded rows."""
    out, pending = [], {}
    lines = re.findall(r"(?:[^\n]*\\\n)*[^\n]*\n", text)
    for line in lines:
        table, define = TABLE.match(line), DEFINE.match(line)
        if table:
            ends = re.findall(r"^#undef (\w+)", (INCLUDE / table[1]).read_text(), re.M)
            awaited = [pending.pop(name) for name in ends if name in pending]
            out.append(expand_table(table[1], [out[at] for at in awaited]))
            for at in awaited:
                out[at] = ""
        else:
            if define:
                pending[define[1]] = len(out)
            out.append(line)
    return "".join(out)


def headers_of(roots):
    """Returns the public headers that @roots need, with themselves, each before those that include it."""
    order = []

    def visit(name):
        if name not in order:
            for needed in PUBLIC.findall((INCLUDE / name).read_text()):
                visit(needed)
            order.append(name)

    for root in roots:
        visit(root)
    return order


def includes(path):
    """Returns all headers of this project that a source includes, directly or through others."""
    found, left = set(), [path]
    while left:
        file = left.pop()
        text = file.read_text()
        needed = {INCLUDE / name for name in PUBLIC.findall(text)}
        needed |= {(file.parent / name).resolve() for name in PRIVATE.findall(text)}
        left += needed - found
        found |= needed
    return found


class Source:
    """A source or private header with its tables expanded, and the names that are its own."""

    def __init__(self, path):
        self.path = path
        self.private = [(path.parent / name).resolve() for name in PRIVATE.findall(path.read_text())]
        text = expand_tables(read(path))
        self.text = re.sub(rf"^(?:{PUBLIC.pattern}|{PRIVATE.pattern})\n", "", text, flags=re.M)
        self.tags = set(TAG.findall(self.text))
        self.names = set(STATIC.findall(self.text)) | set(ANONYMOUS.findall(self.text))
        for body in ENUM.findall(self.text):
            bare = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
            self.names |= set(re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", bare))

    def renamed(self, tags, names):
        """Returns the text with the file's name in front of the @tags of types and of the other @names.  Members of
        structures keep their names."""
        out, before, depth, members = [], "", 0, None
        for token in TOKEN.findall(self.text):
            if token == "{":
                if members is None and re.search(r"(?:^|\n)(?:struct|union) \w+ \Z", "".join(out[-6:])):
                    members = depth
                depth += 1
            elif token == "}":
                depth -= 1
                members = None if members == depth else members
            of_type = before in ("struct", "enum", "union")
            mine = token in tags if of_type else token in names and before not in (".", "->") and members is None
            out.append(f"{self.path.stem}_{token}" if mine else token)
            if not token.isspace():
                before = token
        return "".join(out)

    def macros_end(self):
        """Returns #undef lines for the macros that are still defined at the end of the file."""
        left = {}
        for kind, name in re.findall(r"^#(define|undef) (\w+)", self.text, re.M):
            left.pop(name, None)
            if kind == "define":
                left[name] = True
        return "".join(f"#undef {name}\n" for name in left)


def twice(sets):
    """Returns what is in more than one of @sets."""
    seen, again = set(), set()
    for names in sets:
        again |= seen & names
        seen |= names
    return again


def title(path):
    """Returns the comment line that separates the files of an output."""
    return f"\n/* ---- {path.relative_to(TOP)} {'-' * (100 - len(str(path.relative_to(TOP))))} */\n"


def body(sections):
    """Returns the sources of @sections as one text.  A section is a condition (an #if line, or "") and paths."""
    loaded = [(condition, [Source(path) for path in sorted(paths)]) for condition, paths in sections]
    sources = [source for _, section in loaded for source in section]
    tags, names = twice(source.tags for source in sources), twice(source.names for source in sources)
    out = []
    for condition, section in loaded:
        out.append(f"\n{condition}\n" if condition else "")
        done = set()

        def private(path):
            if path in done:
                return
            done.add(path)
            header = Source(path)
            for needed in header.private:
                private(needed)
            out.append(title(path) + PROTOTYPE.sub("static ", header.text))

        for source in section:
            for path in source.private:
                private(path)
            out.append(title(source.path) + source.renamed(tags & source.tags, names & source.names))
            out.append(source.macros_end())
        out.append("\n#endif\n" if condition else "")
    return "".join(out)


def head(name, says):
    """Returns the comment at the head of the output @name: what it is, @says, and the licence."""
    version = dict(re.findall(r"#define APMU_VERSION_(\w+) (\d+)", (INCLUDE / "armpmu/version.h").read_text()))
    licence = "".join(f" * {line}".rstrip() + "\n" for line in (TOP / "LICENSE").read_text().splitlines())
    return (f"/* SPDX-License-Identifier: BSD-2-Clause */\n/*\n * {name}: armpmu {version['MAJOR']}.{version['MINOR']}."
            f"{version['PATCH']} for vendoring, made by tools/amalgamate.py.\n *\n{says} *\n{licence} */\n")


def public_headers():
    """Returns the names of the public headers of the driver and of the model.  They leave out explanations, metrics,
    the core model, what other languages need, and a part that needs an operating system, which has a folder of its own
    in lib/driver/ and a header of the same name."""
    folders = [path.name for path in (TOP / "lib/driver").iterdir() if path.is_dir()]
    others = {"explain", "foreign", "metrics"} | {name for name in folders if name != "backend"}
    paths = [path for path in sorted((INCLUDE / "armpmu").glob("*.h"))
             if path.stem not in others and not re.match(r"core(_|$)", path.stem)]
    model = [path for path in paths if INCLUDE / "armpmu/model.h" in includes(path) | {path}]
    driver = [path for path in paths if path not in model]
    return [f"armpmu/{path.name}" for path in driver], ["armpmu/version.h"] + [f"armpmu/{path.name}" for path in model]


def for_all_targets(text):
    """Returns the text of a header, made empty for the targets for which it has an #error."""
    block = ELSEWHERE.search(text)
    if not block:
        return text
    conditions = re.findall(r"^#(?:el)?if (.*)$", block[0], re.M)
    end = text.rindex("#endif")
    return (text[:block.start()] + "#if " + " && ".join(f"!({condition})" for condition in conditions) + "\n" +
            text[block.end():end] + "#endif\n" + text[end:])


def header(roots):
    """Returns the headers @roots and those that they need as one text."""
    out = []
    for name in headers_of(roots):
        text = re.sub(rf"^{PUBLIC.pattern}\n", "", expand_tables(read(INCLUDE / name)), flags=re.M)
        out.append(title(INCLUDE / name) + for_all_targets(text))
    return "".join(out)


OF_MODEL = """\
 * The model of the PMU, for emulators and verification: <armpmu/model.h> and <armpmu/arm11.h>.  Compile armpmu_model.c
 * as C11, with any flags.  It needs no C library but memcpy, memset, memmove and memcmp.  With -DAPMU_WITHOUT_NAMES it
 * has no names of registers and features, and no texts but those of apmu_config_check(): apmu_why_text() and of regs.h
 * what tells names are left out.  Encodings (apmu_reg_by_a64() ...), ID registers and apmu_features_closure() stay.
"""
OF_DRIVER = """\
 * The driver, for software that counts.  Compile armpmu_driver.c as C11.  It needs no C library but memcpy, memset,
 * memmove and memcmp.  Firmware adds -DAPMU_WITHOUT_NAMES, because who uses one text links all 130 KB of them, and
 * -ffunction-sections, for --gc-sections of the linker.  While the MMU is off it adds -mstrict-align (AArch64) or
 * -mno-unaligned-access (AArch32), because unaligned accesses abort then; where exceptions do not save SIMD registers,
 * -mgeneral-regs-only or -mfloat-abi=soft.  In a program that has armpmu_model.c too, compile it with
 * -DAPMU_WITH_MODEL: then the functions of both (apmu_reg_name() ...) are the model's, and apmu_model_ops, the model as
 * a PMU to drive, is there.
 * With -DAPMU_WITHOUT_NAMES it has no names and texts: events.h and cores.h, apmu_error_text(), apmu_trace_ops and of
 * regs.h what tells names are left out, and the texts in the rows of a policy are empty.
"""


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/amalgamation")
    driver_headers, model_headers = public_headers()
    model, names = set((TOP / "lib/model").glob("*.c")), set((TOP / "lib/names").glob("*.c"))
    needed = {TOP / "lib/names" / name for name in ("arm11.c", "features.c", "keys.c")}  # by code, also without names
    of_tables = {path for path in names if INCLUDE / "armpmu/model.h" not in includes(path)}  # no need of the model
    drivers = set((TOP / "lib/driver").glob("*.c"))
    back_ends = set((TOP / "lib/driver/backend").glob("*.c"))
    joint = {path for path in back_ends if INCLUDE / "armpmu/model.h" in includes(path)}

    model_code = body([("", model | needed), ("#ifndef APMU_WITHOUT_NAMES", names - needed)])
    texts = set((TOP / "lib/events").glob("*.c")) | {TOP / "lib/driver/error.c", TOP / "lib/driver/backend/trace.c"}
    driver_code = body([("", (drivers | back_ends) - joint - texts), ("#ifndef APMU_WITHOUT_NAMES", texts),
                        ("#ifndef APMU_WITH_MODEL", of_tables & needed),
                        ("#if !defined(APMU_WITH_MODEL) && !defined(APMU_WITHOUT_NAMES)", of_tables - needed),
                        ("#ifdef APMU_WITH_MODEL", joint)])
    driver_includes = '\n#include "armpmu_driver.h"\n#ifdef APMU_WITH_MODEL\n#include "armpmu_model.h"\n#endif\n'
    files = {
        "armpmu_model.h": (OF_MODEL, header(model_headers)),
        "armpmu_model.c": (OF_MODEL, '\n#include "armpmu_model.h"\n' + model_code),
        "armpmu_driver.h": (OF_DRIVER, header(driver_headers)),
        "armpmu_driver.c": (OF_DRIVER, driver_includes + driver_code),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, (says, text) in files.items():
        (folder / name).write_text(head(name, says) + re.sub(r"\n{3,}", "\n\n", text))


if __name__ == "__main__":
    main()
