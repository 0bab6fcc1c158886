#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks that SPEC.md is complete and true: every rule has a row, and each row leads to code that defines what the row
names, and to a test that has the case.  Where ../shared has the architecture's documents, their rules and events must
have rows, too."""
import glob
import os
import re

import tree
from tree import say, text

SPEC = text("SPEC.md")
HEADS = ("rule", "place", "function", "field", "leak")
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")]
        for line in SPEC.split("\n") if line.startswith("| ") and not line.startswith(tuple(f"| {h} |" for h in HEADS))]
KEYS = {row[0] for row in ROWS}


def references(cell):
    """Yields (file, name or "") for each reference in a cell."""
    for token in re.findall(r"`([^`]+)`", cell):
        path, _, name = token.partition(":")
        if "/" in path or name:
            yield path, name


def faults_of(row):
    """Yields what is wrong with a row."""
    code, tests = list(references(" ".join(row[1:-1]))), list(references(row[-1]))
    if not code or not tests:
        yield f"{row[0]}: a row names code and a test"
    for path, name in code + tests:
        if not os.path.isfile(path):
            yield f"{row[0]}: there is no {path}"
        elif name and not (tree.names_in_test if (path, name) in tests else tree.defines)(path, name):
            yield f"{row[0]}: {path} defines no {name}"
    if re.fullmatch("R[A-Z]{5}", row[0]):
        sources = [path for path, _ in code if path.startswith(("lib/model/", "lib/driver/"))] + ["tables/reasons.def"]
        if not any(row[0] in text(path) for path in sources if os.path.isfile(path)):
            yield f"{row[0]}: none of {' '.join(sources)} names the rule"


def seeds(pattern, expression):
    """Returns what an expression finds in the documents of ../shared."""
    return {match for path in glob.glob(f"../shared/seeds/{pattern}") if os.path.isfile(path)
            for match in re.findall(expression, text(path), re.M)}


def complete(name, wanted):
    """Checks that each of the wanted keys has a row."""
    say(f"SPEC.md has {name}", [f"no row for {key}" for key in sorted(wanted) if key not in KEYS], len(wanted))


def rows_of(table, expression):
    """Returns the keys of a table's rows: what the groups of an expression match, joined by points."""
    found = re.findall(expression, text(f"tables/{table}.def"), re.M)
    return {".".join(groups) if isinstance(groups, tuple) else groups for groups in found}


say("SPEC.md: rows lead to code and tests", (fault for row in ROWS for fault in faults_of(row)), len(ROWS))

D13_5 = """IBTGDJ IBTVLD ICFQVP ICTDHP IDKYFT IFZPQV IHMLGP IHQHYY ILKVKF ILMSFT ILNLLM IPPVQW IQKDTZ ISTZYQ ITBJNR
    ITLHSZ IVQXCB IWMNXT RBHFSF RCSRMB RFGSDP RGKPZH RGNGCW RHSGZX RJDWFF RJRYNM RKQDQS RKYBQW RMMZLZ RMZPBW
    RTDGMF RWVDWZ"""
complete("every rule of D13.5", set(D13_5.split()) | seeds("002*", r"\b[RI][A-Z]{5}\b"))
complete("every step and every caveat of the programming sequence", set("""setup.PMCR setup.PMCEID setup.PMUSERENR
    start.PMXEVTYPER start.PMCCFILTR start.PMCNTENSET start.PMCR stop.PMCNTENCLR stop.PMCR stop.PMXEVCNTR
    caveat.finite caveat.overflow caveat.first caveat.list""".split()))
complete("every field of PMCFGR", {f"PMCFGR.{field}" for field in rows_of("fields", r"^APMU_FIELD\(PMCFGR, ([A-Z]+),")})
complete("every leak and note of the Secure policy", rows_of("policy", r"^APMU_POLICY_(?:LEAK|NOTE)\((\w+),"))
complete("every field of ARM11", rows_of("arm11", r"^APMU_ARM11_FIELD\((\w+), ([A-Za-z0-9]+)(?:_\d+)?,"))
complete("every event of ARM11", rows_of("events_arm11", r"^APMU_ARM11_EVENT\((0x[0-9A-F]+),")
         | {f"0x{int(number, 16):02X}" for number in seeds("004*", r"^0x[0-9A-F]+$")})
complete("every section of AN195", {f"AN195.{section}" for section in (1, 2, 5, 6, 7, 8)})

# Words that look like the identifier of a rule.
NO_RULE = re.compile("IDCODE|INVALI.|REASON|RESERV.|REVAND|INSTRU|INCREM|REGIST|REQUIR")
MODEL = [f for f in tree.FILES if re.match(r"lib/model/.*\.[ch]$", f)] + ["tables/reasons.def"]
NAMED = {rule for path in MODEL for rule in re.findall(r"\b[RI][A-Z]{5}\b", text(path)) if not NO_RULE.fullmatch(rule)}
complete("a row for each rule that the code names", NAMED)
tree.finish()
