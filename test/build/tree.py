# SPDX-License-Identifier: BSD-2-Clause
"""Functions for the checks of the tree: the files of the checkout (tracked, or new and not ignored), C without its
comments, what a file defines, and the lines that test/run.sh counts."""
import os
import re
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
os.chdir(ROOT)
FILES = [f for f in subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                                   stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")[:-1]
         if os.path.isfile(f)]
FOLDERS = sorted({"/".join(f.split("/")[:n]) for f in FILES for n in range(1, f.count("/") + 1)})
failed = False


def say(name, faults, checked=1, shown=10):
    """Prints "ok NAME: CHECKED checked", or "not ok NAME: " and the first @shown faults.  Zero @checked is a fault."""
    global failed
    faults = list(faults)
    if not checked:
        faults.append("there was nothing to check")
    if faults:
        more = f"; and {len(faults) - shown} more" if len(faults) > shown else ""
        print(f"not ok {name}: {'; '.join(faults[:shown])}{more}")
        failed = True
    else:
        print(f"ok {name}: {checked} checked")


def finish():
    """Ends the program: exit status 1 if a check failed."""
    sys.exit(failed)


_texts = {}


def text(path):
    """Returns the text of a file."""
    if path not in _texts:
        with open(path, encoding="utf-8", errors="replace") as file:
            _texts[path] = file.read()
    return _texts[path]


C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def _blank(match):
    """Returns blanks for a comment, and a literal's quotes with blanks between them; newlines stay."""
    token = match[0]
    inner = re.sub(r"[^\n]", " ", token)
    return inner if token[0] == "/" else token[0] + inner[1:-1] + token[-1]


def bare(source):
    """Returns C source with blanks for comments and for the content of literals, so all offsets stay the same."""
    return C_TOKEN.sub(_blank, source)


PARENTHESES = r"\((?:[^;{}()]|\((?:[^;{}()]|\([^;{}()]*\))*\))*\)"
FUNCTION = re.compile(rf"^(?!\s|#|typedef\b|else\b|return\b)[A-Za-z_](?:[\w \t*\n]|__attribute__\s*{PARENTHESES})*?"
                      rf"\b(?!__attribute__)(\w+){PARENTHESES}(?:[\w \t]|{PARENTHESES})*\n?\{{", re.M)


def functions(path):
    """Returns (name, first line, last line) of each function that a C file defines; a brace in column 1 ends it."""
    source = bare(text(path))
    found = []
    for match in FUNCTION.finditer(source):
        first = source.count("\n", 0, match.start()) + 1
        end = source.find("\n}", match.end() - 1)
        one_line = source.find("\n", match.end())
        if "}" in source[match.end():one_line]:
            end = match.end()
        found.append((match[1], first, source.count("\n", 0, end + 1) + 1))
    return found


TYPE = re.compile(r"\b(?:struct|enum|union)\s+(?:APMU_\w+\s+)?(\w+)\s*\{")
TYPEDEF = re.compile(r"^typedef\b[^;{]*?\b(\w+)\s*(?:\([^;]*\)\s*)?;", re.M)


def defines(path, name):
    """Returns whether a file defines a function, macro, type, member, enumerator, object, row or label @name."""
    source = text(path)
    word = re.escape(name)
    if path.endswith(".def"):
        rows = re.sub(r"/\*.*?\*/", "", source, flags=re.S)
        return name in rows
    if path.endswith((".c", ".h")):
        if not re.fullmatch(r"\w+", name):
            return False
        code = bare(source)
        if any(name == found[0] for found in functions(path)):
            return True
        patterns = (rf"^\s*#\s*define\s+{word}\b", rf"\b(?:struct|enum|union)\s+{word}\s*\{{",
                    rf"^typedef\b[^;]*\b{word}\b",
                    rf"^\s+[A-Za-z_][\w \t*]*[ *]{word}(?:\[[^\]]*\])*(?:\s*:\s*\d+)?\s*[;,]",  # a member
                    rf"^\s+{word}\s*(?:=[^=][^,]*)?,",  # an enumerator
                    rf"^[A-Za-z_][\w \t*]*[ *]{word}(?:\[[^\]]*\])*\s*(?:=|;)",  # an object
                    rf"^(?!\s)[A-Z_]+\([^()]*\b{word}\b")  # what a macro in column 1 makes
        return any(re.search(pattern, code, re.M) for pattern in patterns)
    if path.endswith(".py"):
        return re.search(rf"^\s*(?:def|class)\s+{word}\b|^{word}\s*=", source, re.M) is not None
    if path.endswith((".sh", ".awk")):
        return re.search(rf"^\s*(?:function\s+)?{word}\s*\(", source, re.M) is not None
    return name in source


def names_in_test(path, name):
    """Returns whether a test has a case @name: a function, or words in a string."""
    source = text(path)
    if not path.endswith((".c", ".h")):
        return name in source
    if defines(path, name):
        return True
    return name in re.sub(r"/\*.*?\*/", "", source, flags=re.S) and not re.fullmatch(r"\w+", name) or \
        re.search(rf'"(?:[^"\\\n]|\\.)*{re.escape(name)}', source) is not None
