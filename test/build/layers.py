#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks what each folder may include, and the licence line of every file; prints "ok" and "not ok" lines.

FOLDERS has a row for each folder with C code: the public headers, the folders of this project and the system headers
that its files may include.  A folder without a row fails, and so does a row without a file.
"""
import os
import re

from tree import FILES, finish, say, text

FREESTANDING = "stdint stdbool stddef"
ANY = r"[a-z0-9_/-]+"
TABLES = r"tables/[a-z0-9_]+"
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^">]+)[">]', re.M)

# folder: (headers of include/armpmu, as a pattern; folders beside its own; headers of the system, as a pattern)
FOLDERS = {
    "include/armpmu": (ANY, [], f"{FREESTANDING}"),
    "lib/model": (f"{TABLES}|regs|event_numbers|model|saved|arm11|arm11_regs", [], FREESTANDING),
    "lib/names": (f"{TABLES}|regs|model|arm11_regs|version", [], FREESTANDING),
    "lib/foreign": (ANY, [], f"{FREESTANDING} string"),
    "lib/events": (f"{TABLES}|events|cores|session", [], FREESTANDING),
    "lib/metrics": (f"{TABLES}|metrics|arm11_regs", ["lib/events"], FREESTANDING),
    "lib/explain": (f"{TABLES}|explain|model|policy", [], f"{FREESTANDING} string"),
    "lib/core": (f"{TABLES}|core|core_near|core_space|sized", [], f"{FREESTANDING} string"),
    "lib/core/file": ("core_file", [], ANY),
    "lib/driver": (f"{TABLES}|driver|backend|native|error|events|mmio|arm11_driver|policy", [], FREESTANDING),
    # backend/model.c and backend/arm11_model.c alone join driver and model.
    "lib/driver/backend": (f"{TABLES}|regs|driver|backend|native|error|mmio|arm11_driver|model|arm11", ["lib/driver"],
                           FREESTANDING),
    "lib/driver/perf": ("perf|driver|error|events|cores", [], ANY),
    "qemu/classify": ("event_numbers|model|tables/sources", [], f"{FREESTANDING} string"),
    "qemu/core": ("core|core_near", ["qemu/classify"], ANY),
    "qemu/user": ("core|model", ["qemu/classify"], ANY),
    "qemu/user/host": ("core|regs|model", ["qemu/classify", "qemu/user"], ANY),
    "qemu/user/emulator": ("", [], None),  # headers of QEMU's
    "qemu/user/plugin": ("core|regs|model", ["qemu/classify", "qemu/core", "qemu/user", "qemu/user/emulator"], ANY),
    "qemu/user/shim": ("", ["qemu/user"], FREESTANDING),
    # and headers of QEMU's
    "qemu/system": ("model|saved|arm11|core_space|core_file", ["qemu/classify", "qemu/core"], None),
    "cli": (ANY, ["cli/conform", "cli/count", "cli/coverage", "cli/doctor", "cli/dumper", "cli/export", "cli/profile",
                  "cli/read", "cli/state", "cli/timeline", "cli/why"], ANY),
    "cli/conform": (ANY, ["cli", "bind/image"], ANY),
    "cli/count": (ANY, ["cli", "cli/timeline", "qemu/classify", "qemu/user/host"], ANY),
    "cli/coverage": (ANY, ["cli", "cli/count"], ANY),
    "cli/doctor": (ANY, ["cli/read", "cli/state", "cli/why"], ANY),
    "cli/dumper": (ANY, ["cli", "cli/state"], ANY),
    "cli/export": (ANY, ["cli", "cli/count"], ANY),
    "cli/profile": (ANY, ["cli", "cli/count", "cli/timeline", "qemu/user", "qemu/user/host"], ANY),
    "cli/read": (ANY, ["cli", "cli/read/code", "cli/state"], ANY),
    "cli/read/code": (ANY, ["cli", "cli/read", "cli/state"], ANY),
    "cli/state": (ANY, ["cli", "cli/trace"], ANY),
    "cli/timeline": ("", ["cli"], ANY),
    "cli/trace": ("model|arm11", [], ANY),
    "cli/why": (ANY, ["cli", "cli/read", "cli/read/code", "cli/state"], ANY),
    "cli/why/code": (ANY, ["cli", "cli/read", "cli/read/code", "cli/state", "cli/why"], ANY),
    "cli/why/exception": (ANY, ["cli", "cli/read", "cli/read/code", "cli/state", "cli/why"], ANY),
    "cli/why/linux": (ANY, ["cli", "cli/read", "cli/read/code", "cli/state", "cli/why"], ANY),
    "cli/why/registers": (ANY, ["cli", "cli/read", "cli/read/code", "cli/state", "cli/why"], ANY),
    "bind/tb": ("explain|saved|tables/external", [], ANY),
    "bind/image": ("explain|tables/(features|aarch32)", ["bind/tb"], ANY),
    "bind/models": ("", ["bind/tb"], ANY),
    "bind/rust/sys": (ANY, ["bind/tb"], ""),
    "bind/vpi": ("", ["bind/tb"], ANY),
    "bind/systemc": ("", ["bind/tb"], None),  # and headers of C++ and SystemC
    "tools": ("regs", [], ANY),
}
# The files of lib/driver that may include the model.
JOINT = re.compile(r"lib/driver/backend/\w*model\.c")
# Headers that the build makes.
GENERATED = {folder: re.compile(rf"{folder}/\w+\.pb-c\.h") for folder in ("cli/profile", "cli/timeline")}
GENERATED["bind/image"] = re.compile(r"bind/image/target[\w.]*\.inc")
# Files that need no licence line.
UNLICENSED = re.compile(r"^(LICENSE|COPYING|\.gitignore|test/cli/why/cases/|test/fuzz/corpus/)"
                        r"|\.(exact|glob|exit|csv|txt|md|json|vcd)$|/COPYING$|/py\.typed$")


def refused(path, folder):
    """Returns the includes of a file that its folder's row does not allow."""
    public, beside, system = FOLDERS[folder]
    faults = []
    for kind, name in INCLUDE.findall(text(path)):
        here = os.path.normpath(os.path.join(folder, name))
        if name.startswith("armpmu/"):
            allowed = re.fullmatch(f"({public})\\.(h|def)", name[len("armpmu/"):])
            if folder.startswith("lib/driver") and re.fullmatch("(model|arm11)\\.h", name[len("armpmu/"):]):
                allowed = JOINT.fullmatch(path)
        elif kind == '"' and os.path.exists(here):
            allowed = os.path.dirname(here) in [folder] + beside
        elif kind == '"' and folder in GENERATED and GENERATED[folder].fullmatch(name):
            allowed = True
        elif system is None:
            allowed = True
        else:
            allowed = kind == "<" and re.fullmatch(f"({system.replace(' ', '|')})\\.h", name)
        if not allowed:
            faults.append(f"{path} includes {name}")
    return faults


def unlicensed(path):
    """Returns whether a file lacks a licence line."""
    return "SPDX" not in "".join(text(path).split("\n")[:3])


def wrong_licence(path):
    """Returns whether a file has the licence of another folder: code that is loaded into QEMU or built into it is under
    the GPL, all other code is not."""
    gpl = path.startswith(("qemu/user/plugin/", "qemu/user/emulator/", "qemu/system/"))
    return ("GPL-2.0-or-later" in text(path).split("\n")[0]) != gpl


code = [f for f in FILES if re.search(r"\.[ch]$", f) and not re.match("test/|examples/", f)]
homes = {os.path.dirname(f) for f in code}
say("each folder with code has a row", sorted(f"{home} has none" for home in homes - FOLDERS.keys()), len(homes))
for home in FOLDERS:
    mine = [f for f in code if os.path.dirname(f) == home]
    say(f"layers of {home}", [fault for f in mine for fault in refused(f, home)], len(mine))
tables = [f for f in FILES if re.match(r"tables/.*\.def$", f)]
say("tables include nothing", [f for f in tables if INCLUDE.search(text(f))], len(tables))
licensed = [f for f in FILES if not UNLICENSED.search(f) and not os.path.islink(f)]
# The forms of debian/ but for scripts have no comments, or are described by debian/copyright.
licensed = [path for path in licensed if not path.startswith("debian/") or text(path).startswith("#!")]
say("SPDX", filter(unlicensed, licensed), len(licensed))
say("licence of each folder", filter(wrong_licence, code), len(code))
finish()
