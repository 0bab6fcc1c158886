#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the names of the tree: what documents name exists; the README's tour has every folder; no two types share a
name.

A document names something between backquotes, or in a link:
  `lib/model/why.c:apmu_why`   a file, and what it defines
  `lib/model/`, `why.c`        a folder or file of the tree; the end of its path is enough
  <armpmu/model.h>             a public header
  `apmu_why()`, `struct apmu`  something that the tree defines; so is each word with an underscore
  `make check`                 a target
Other tests run the code blocks.  In a block without a language, a figure, the names of files and of functions apmu_...
are checked.  Of SPEC.md only the prose is checked here: spec.py checks its tables.
"""
import fnmatch
import os
import re

import tree
from tree import FILES, FOLDERS, say, text

DOCUMENTS = [f for f in ("README.md", "DESIGN.md", "SPEC.md", "CONTRIBUTING.md") if f in FILES] + \
    [f for f in FILES if re.fullmatch(r"doc/\w+\.md", f)]
# Names in examples of commands that are the reader's own files or made by a build.
OTHERS = re.compile(r"build/.*|/.*|~.*|\.\./.*|\$.*|[A-Z]+|\w+\.(?:vcd|elf|o|so|a|map)|dump\.txt|region\.c|.*@.*|md|x")
FILE = re.compile(r"[\w./*-]+\.(?:c|h|def|py|sh|md|S|awk|mk|txt|csv|trace|ld|sed|map)")
CODE = [f for f in FILES if f.endswith((".c", ".h", ".def", ".S", ".py", ".sh", ".awk"))]
WORDS = {word for f in CODE if f not in DOCUMENTS for word in re.findall(r"[A-Za-z_]\w*", text(f))}
MAKEFILES = text("Makefile") + text("test/test.mk") + text("package/package.mk")
TARGETS = {name for names in re.findall(r"^([a-z][a-z0-9 -]*)\s*:", MAKEFILES, re.M) for name in names.split()}
PATHS = FILES + FOLDERS
# Suffixes, and names of other projects and of the architecture, which documents may quote.
FOREIGN = re.compile(r"_\w+|(?!APMU_)[A-Z0-9]+_\w+|gdb_report_data_abort|mem_ap|find_package|perf_event")
# Prefixes of names that are made from tables' rows: APMU_EV_##name.
PASTED = set(re.findall(r"\b(APMU_[A-Z0-9_]*_)##", "".join(text(f) for f in CODE if f.startswith("include/"))))


def exists(path):
    """Returns whether a path, or the end of one, is in the tree; * stands for any characters."""
    path = re.sub(r"^\./|/$", "", path)
    if "*" in path:
        return any(fnmatch.fnmatch(name, path) or fnmatch.fnmatch(name, f"*/{path}") for name in PATHS)
    return os.path.exists(path) and not path.startswith("build") or any(name.endswith(f"/{path}") for name in PATHS)


def braces(path):
    """Returns the paths that a path with braces stands for: a/b and a/c for a/{b,c}."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [whole for part in match[1].split(",") for whole in braces(path[:match.start()] + part + path[match.end():])]


def fault_of(token, own):
    """Returns what is wrong with a token, or None; @own are files that the document itself makes."""
    match = re.fullmatch(r"([\w./-]+\.[a-z]\w*):(\S.*)", token)
    if match and "/" in match[1]:
        if not os.path.isfile(match[1]):
            return f"there is no {match[1]}"
        found = tree.defines(match[1], match[2].rstrip("()")) or \
            match[1].startswith("test/") and tree.names_in_test(match[1], match[2])
        return None if found else f"{match[1]} defines no {match[2]}"
    header = re.fullmatch(r"<armpmu/(.*)>", token)
    if header:
        return None if exists(f"include/armpmu/{header[1]}") else f"there is no {token}"
    if re.fullmatch(r"make( [a-z-]+)?( .*)?", token):
        target = re.match(r"make ([a-z][a-z-]*)(?: |$)", token)
        return f"make has no target {target[1]}" if target and target[1] not in TARGETS else None
    if OTHERS.fullmatch(token) or token in own or re.search(r"[\s=$|\"'\\]", token):
        match = re.fullmatch(r"(?:struct|enum|union) (\w+)", token)
        if match and not any(tree.defines(f, match[1]) for f in CODE if f.endswith((".c", ".h"))):
            return f"nothing defines {token}"
        return None
    if "/" in token and re.fullmatch(r"[\w./*{},-]+", token) or FILE.fullmatch(token):
        missing = [path for path in braces(token) if not exists(path)]
        return f"there is no {token}" if missing else None
    match = re.fullmatch(r"([A-Za-z_]\w*)(?:\(\))?", token)
    if not match or "_" not in match[1] and not token.endswith("()") or FOREIGN.fullmatch(match[1]):
        return None
    pasted = any(match[1].startswith(prefix) and match[1][len(prefix):] in WORDS for prefix in PASTED)
    return None if match[1] in WORDS or pasted else f"nothing has the name {token}"


def figures(source):
    """Returns the names of files and of the library's functions in the blocks that have no language."""
    blocks = re.findall(r"^```(\w*)[^\n]*\n(.*?)^```$", source, re.S | re.M)
    drawn = "".join(body for language, body in blocks if not language)
    return re.findall(FILE.pattern + r"(?!\w)", drawn) + re.findall(r"\bapmu_\w+", drawn)


def check_document(path):
    source = text(path)
    if path == "SPEC.md":
        source = re.sub(r"^\|.*$", "", source, flags=re.M)
    own = set(re.findall(r"^```\w+ (\S+)", source, re.M))
    prose = re.sub(r"^```.*?^```$", "", source, flags=re.S | re.M)
    prose = re.sub(r"^    .*$", "", prose, flags=re.M)
    tokens = re.findall(r"`([^`\n]+)`", prose) + re.findall(r"<armpmu/[\w/.]+>", prose)
    tokens += figures(source) if path == "DESIGN.md" else []
    faults = [fault_of(token, own) for token in tokens]
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", prose)]
    links = [link for link in links if link and "://" not in link]
    for link in links:
        if not os.path.exists(os.path.join(os.path.dirname(path), link)):
            faults.append(f"there is no {link}")
    say(f"{path}: what it names is there", sorted({fault for fault in faults if fault}), len(tokens) + len(links))


def check_tour():
    """Checks that each folder is in the first column of the tour's table, or in a row of a folder above it."""
    section = re.search(r"^## A tour.*?(?=^## |\Z)", text("README.md"), re.S | re.M)
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", section[0], re.M) if section else []
    listed = set()
    for head, rest in rows:
        heads = [part.rstrip("/") for token in re.findall(r"`([^`]+)`", head) for part in braces(token)]
        listed |= set(heads)
        for part in (part for token in re.findall(r"`([^`]+/)`", rest) for part in braces(token)):
            listed |= {f"{heads[0]}/{part.rstrip('/')}", part.rstrip("/")}
    # A case of armpmu why is a folder with a file `ask`, and each fuzz target has a folder of inputs.
    # The folders of all cases and of all inputs are in the tour.
    missing = [f"not {folder}/" for folder in FOLDERS if folder not in listed
               and not os.path.exists(os.path.join(folder, "ask")) and not folder.startswith("test/fuzz/corpus/")]
    say("README.md: the tour has every folder", missing, len(FOLDERS))


def check_types():
    """Checks that no two files define a type of the same name.  The inputs of cases are other people's code."""
    homes = {}
    for path in FILES:
        if path.endswith((".c", ".h")) and not path.startswith("test/cli/why/cases/"):
            code = tree.bare(text(path))
            for name in tree.TYPE.findall(code) + tree.TYPEDEF.findall(code):
                homes.setdefault(name, set()).add(path)
    say("no two types share a name", [f"{name} in {' '.join(sorted(where))}" for name, where in sorted(homes.items())
                                     if len(where) > 1], len(homes), 100)


for document in DOCUMENTS:
    check_document(document)
check_tour()
check_types()
tree.finish()
