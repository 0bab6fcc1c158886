#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks the dialect of the whole tree: braces on every body, 120 columns, functions of at most 60 lines, files of at
most 600, no macro whose braces another one closes, above each macro of more than three lines a comment with an
example, shell tests that report by tap.sh, and blanks as clang-format sets them.
"""
import ast
import difflib
import re
import shutil
import subprocess

import tree
from tree import FILES, bare, say, text

COLUMNS, FUNCTION_LINES, FILE_LINES, MACRO_LINES = 120, 60, 600, 3
# Inputs of tests are written as other people write.
INPUTS = ("test/cli/why/cases/", "test/fuzz/corpus/")
C = [f for f in FILES if f.endswith((".c", ".h")) and not f.startswith(INPUTS)]
SHELL = [f for f in FILES if f.endswith(".sh") or f == ".ci/run"]
PYTHON = [f for f in FILES if f.endswith(".py")]
OTHER = [f for f in FILES if f.endswith((".S", ".awk", ".mk", ".inc", ".ld")) or f == "Makefile"]


def line_of(source, offset):
    """Returns the number of the line with the character at @offset."""
    return source.count("\n", 0, offset) + 1


def closing(code, start):
    """Returns the offset after the parenthesis that closes the one at @start."""
    depth = 0
    for offset in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[offset], 0)
        if depth == 0:
            return offset + 1
    return len(code)


def unbraced(path):
    """Yields the places of if, for, while, else and do whose body lacks braces.  A macro may end with such a head: its
    user writes the body."""
    code = bare(text(path)).replace("\\\n", "\\\r")  # a macro is one line
    for match in re.finditer(r"(?<![#\w])(if|for|while|else|do)\b(?!\w)", code):
        before, end = code[:match.start()].rstrip(), match.end()
        if re.search(r"#\s*$", code[:match.start()].rsplit("\n", 1)[-1]):
            continue
        if match[1] in ("if", "for", "while"):
            opening = re.compile(r"\s*\(").match(code, end)
            if not opening:
                continue
            end = closing(code, opening.end() - 1)
        line = code[code.rfind("\n", 0, match.start()) + 1:match.start()]
        if re.match(r"\s*#\s*define\b", line) and not code[end:].split("\n", 1)[0].strip("\\ \r"):
            continue
        after = code[end:end + 400].lstrip("\\ \r\n")
        else_if = match[1] == "else" and re.match(r"if\b", after)
        do_while = match[1] == "while" and before.rstrip("\\ \r").endswith("}") and after.startswith(";")
        if not else_if and not do_while and not after.startswith("{"):
            yield f"{path}:{line_of(code.replace(chr(13), chr(10)), match.start())}"


def too_wide(path):
    return (f"{path}:{n}" for n, line in enumerate(text(path).split("\n"), 1) if len(line) > COLUMNS)


def blocks(path):
    """Returns (name, first line, last line) of each function of a file in C, Python or shell."""
    if path.endswith((".c", ".h")):
        return tree.functions(path)
    if path.endswith(".py"):
        return [(node.name, node.lineno, node.end_lineno) for node in ast.walk(ast.parse(text(path)))
                if isinstance(node, ast.FunctionDef)]
    found, start = [], None
    for n, line in enumerate(text(path).split("\n"), 1):
        match = re.match(r"(\w+)\(\) *[{(]", line)
        if match and not re.search(r"[})]\s*$", line):
            start = (match[1], n)
        elif start and re.match(r"[})]", line):
            found.append((*start, n))
            start = None
    return found


def macros(path):
    """Yields (name, index of its first line, its lines, the lines above, whether it has parameters) of each macro."""
    lines = text(path).split("\n")
    n = 0
    while n < len(lines):
        match = re.match(r"\s*#\s*define\s+(\w+)(\()?", lines[n])
        first = n
        while lines[n].endswith("\\") and n + 1 < len(lines):
            n += 1
        if match:
            yield match[1], first, lines[first:n + 1], lines[:first], match[2] is not None
        n += 1


def open_braces(path):
    """Yields the macros that do not close each brace that they open."""
    for name, first, body, _, _ in macros(path):
        code = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|/\*.*?\*/', "", "\n".join(body), flags=re.S)
        if code.count("{") != code.count("}"):
            yield f"{path}:{first + 1} {name}"


EXAMPLE = re.compile(r"\b(example|expands?|becomes?|gives?|makes?|declares|defines|likewise)\b|e\.g\.|->|=>|:\n", re.I)
NEAR = 30  # lines above the macro in which the comment may be: the head of a switch may lie between them


def without_example(path):
    """Yields the macros with parameters and more than three lines that have no comment above them with an example."""
    for name, first, body, above, parameters in macros(path):
        comments = re.findall(r"/\*.*?\*/", "\n".join(above[-NEAR:]), re.S)
        comments += re.findall(r"\A.*?\*/", "\n".join(above[-NEAR:]), re.S)
        if parameters and len(body) > MACRO_LINES and not any(f"{name}(" in c or EXAMPLE.search(c) for c in comments):
            yield f"{path}:{first + 1} {name}"


def long_functions(path):
    return (f"{path}:{first} {name} {last - first + 1}" for name, first, last in blocks(path)
            if last - first >= FUNCTION_LINES)


CLANG_FORMAT = shutil.which("clang-format-14") or shutil.which("clang-format")
CLANG_FORMAT_RELEASE = "14."  # Debian 12's


def of_macros(lines):
    """Returns the indices of the lines of directives and macros."""
    found, continued = set(), False
    for n, line in enumerate(lines):
        if continued or re.match(r"\s*#", line):
            found.add(n)
            continued = line.endswith("\\")
    return found


def begins_statement(lines, bodies, n):
    """Returns whether line @n is a whole statement, or the head or end of a block, and follows another one."""
    code = re.sub(r"/\*.*?\*/", "", lines[n]).rstrip()
    before = n - 1
    while before >= 0 and re.match(r"\s*($|\*( |/|$)|/\*)", lines[before]):
        before -= 1
    above = re.sub(r"/\*.*?\*/", "", lines[before]).rstrip()
    return code.endswith((";", "{", "}")) and before >= 0 and before not in bodies and \
        above.endswith((";", "{", "}", ":"))


def other_blanks(path):
    """Yields the lines that clang-format breaks in the same places, but with other blanks between the words or with
    another indentation of a statement.  Left to the author: line breaks, the indentation of continued lines, columns
    that are aligned, and macros."""
    ours = text(path).split("\n")
    theirs = subprocess.run([CLANG_FORMAT, "--style=file", path], stdout=subprocess.PIPE, text=True,
                            check=True).stdout.split("\n")
    bodies = of_macros(ours)
    same = difflib.SequenceMatcher(None, *([re.sub(r"\s", "", line) for line in side] for side in (ours, theirs)),
                                   autojunk=False)
    for n, m, size in same.get_matching_blocks():
        for i, j in zip(range(n, n + size), range(m, m + size)):
            if i in bodies or re.search(r"} \*\w", ours[i]):  # clang-format 14 takes this pointer for a product
                continue
            words = [re.sub(" +", " ", line.strip()) for line in (ours[i], theirs[j])]
            indents = [len(line) - len(line.lstrip()) for line in (ours[i], theirs[j])]
            if words[0] != words[1] or begins_statement(ours, bodies, i) and indents[0] != indents[1]:
                yield f"{path}:{i + 1}"


def without_tap(path):
    """Yields a shell test that does not include tap.sh, or does not end with its summary."""
    scripts = [path]  # the test and what it includes
    for script in scripts:
        included = re.findall(r"^ *\. (test/\S+\.sh)$", text(script), re.M)
        scripts += [name for name in included if name not in scripts]
    last = text(path).rstrip().split("\n")[-1]
    if "test/lib/tap.sh" not in scripts or not re.search(r"^(summary|exec python3 .*)$", last):
        yield path


def check(name, paths, faults):
    say(name, [fault for path in paths for fault in faults(path)], len(paths), 400)


check("braces on every body", C, unbraced)
check(f"at most {COLUMNS} columns", C + SHELL + PYTHON + OTHER, too_wide)
check(f"functions of at most {FUNCTION_LINES} lines", C + SHELL + PYTHON, long_functions)
check(f"files of at most {FILE_LINES} lines", C + SHELL + PYTHON + OTHER,
      lambda path: [path] if text(path).count("\n") > FILE_LINES else [])
check("no macro closes another one's braces", C, open_braces)
check(f"an example above each macro of more than {MACRO_LINES} lines", C, without_example)
check("shell tests report by tap.sh", [f for f in SHELL if re.search(r"^test/.*/test_\w+\.sh$", f)], without_tap)
if CLANG_FORMAT is None or f"version {CLANG_FORMAT_RELEASE}" not in subprocess.run(
        [CLANG_FORMAT, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout:
    print(f"skip blanks as clang-format sets them: no clang-format {CLANG_FORMAT_RELEASE[:-1]}")
else:
    check("blanks as clang-format sets them", C, other_blanks)
tree.finish()
