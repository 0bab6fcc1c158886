#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints bind/python's _declarations.py: what the Python package calls, taken from the headers.  CC is the compiler."""
import os
import re
import shlex
import subprocess

HEADERS = ("version", "foreign", "regs", "events", "cores", "model")
STRUCTURES = ("apmu_event_info", "apmu_field", "apmu_reg_info", "apmu_core_info", "apmu_reason_info",
              "apmu_access", "apmu_transfer", "apmu_reg_value")
FUNCTIONS = ("apmu_version", "apmu_sizeof", "apmu_event_count", "apmu_event_at", "apmu_event_by_number",
             "apmu_event_by_name", "apmu_reg_info", "apmu_reg_name", "apmu_reg_by_name", "apmu_feature_name",
             "apmu_core_count", "apmu_core_at", "apmu_core_by_midr", "apmu_core_by_name", "apmu_reason_info",
             "apmu_access_esr", "apmu_features_closure", "apmu_id_value", "apmu_id_merge", "apmu_features_from_ids")


def preprocessed(lines):
    """Returns what the preprocessor makes of the lines of C, without macros and line markers."""
    command = shlex.split(os.environ.get("CC", "cc")) + ["-std=c11", "-E", "-P", "-Iinclude", "-xc", "-"]
    done = subprocess.run(command, input="\n".join(lines) + "\n", stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout


def one(pattern, text, what):
    """Returns the one match of the pattern in the text."""
    found = re.findall(pattern, text, re.S | re.M)
    if len(found) != 1:
        raise SystemExit(f"python_declarations.py: {what}: found {len(found)} times in the headers; change the script")
    return found[0]


def tables():
    """Returns the declarations for libarmpmu, and the number of registers."""
    text = preprocessed(f"#include <armpmu/{name}.h>" for name in HEADERS)
    parts = []
    enums = {}
    for name in STRUCTURES:
        body = one(r"^ *(struct " + name + r" *\{.*?\n\};)", text, f"struct {name}")
        parts.append(re.sub(r"\b_Bool\b", "bool", body))
        for enum in re.findall(r"enum (\w+)", body):
            enums[enum] = one(r"(enum " + enum + r" *\{.*?\};)", text, f"enum {enum}")
    functions = [one(r"^([^\n;{}#]*\b" + name + r"\([^;{]*\);)", text, name) for name in FUNCTIONS]
    for enum in ("apmu_reg", "apmu_reason"):
        enums[enum] = one(r"(enum " + enum + r" *\{.*?\};)", text, f"enum {enum}")
    everything = list(enums.values()) + parts + functions
    return re.sub(r"\b_Bool\b", "bool", "\n".join(everything))


def model():
    """Returns the declarations for libarmpmu-tb."""
    text = preprocessed(['#include "bind/tb/tb.h"'])
    enums = re.findall(r"^enum \w+ *\{.*?\};", text, re.S | re.M)
    return "struct apmu_tb;\n" + "\n".join(enums) + "\n" + "\n".join(
        re.sub(r"\s+", " ", proto) for proto in re.findall(r"^[^\n;{}]*\bapmu_tb_\w+\([^;{]*\);", text, re.M))


version = one(r'#define APMU_VERSION_MAJOR (\d+).*?#define APMU_VERSION_MINOR (\d+).*?#define APMU_VERSION_PATCH (\d+)',
              open("include/armpmu/version.h", encoding="utf-8").read(), "the version")
print('# SPDX-License-Identifier: BSD-2-Clause')
print('"""Declarations of C, made from the headers by tools/python_declarations.py."""')
print(f'VERSION = "{".".join(version)}"')
print(f'TABLES = """\n{tables()}\n"""')
print(f'MODEL = """\n{model()}\n"""')
