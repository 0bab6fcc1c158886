#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""man3.py FOLDER: writes a man page of section 3 for each public header to FOLDER: armpmu_model.3 for <armpmu/model.h>.

The text is the header's: the first comment becomes the description and its code the example, and each declaration that
has a comment above it becomes an entry.
"""
import os
import re
import sys

HEADERS = "include/armpmu"
COMMENT = re.compile(r"/\*\*(?!<)\s?(.*?)\*/[ \t]*\n", re.S)


def version():
    """Returns the date of the version, as version.h has it."""
    with open(f"{HEADERS}/version.h", encoding="utf-8") as file:
        return re.search(r'APMU_VERSION_DATE "(.*)"', file.read()).group(1)


def plain(comment):
    """Returns the lines of a comment without its margin."""
    lines = comment.strip("\n").split("\n")
    margin = all(re.match(r" \*", line) for line in lines[1:])
    lines = [re.sub(r"^ \* ?", "", line).rstrip() if margin else line.strip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def roff(line):
    """Returns a line of text in which nothing is a request or an escape."""
    line = line.replace("\\", "\\e")
    return "\\&" + line if line.startswith((".", "'")) else line


def literal(lines):
    """Returns lines that are shown as they are."""
    return [".Bd -literal -offset indent", *(roff(line) for line in lines), ".Ed"]


def sentences(paragraph):
    """Returns the words of a paragraph, each sentence in a line of its own, and @name as an argument."""
    text = " ".join(line.strip() for line in paragraph)
    text = re.sub(r"@([A-Za-z_]\w*)", r"\1", text)
    return [roff(sentence) for sentence in re.split(r"(?<=[.?!])\s+(?=\S)|(?<=:)  ", text)]


def prose(lines):
    """Returns paragraphs and code as requests of mdoc.  Indented paragraphs are tables and stay as they are."""
    out, paragraph, code = [], [], None

    def flush():
        if paragraph:
            laid_out = any(line.startswith("  ") for line in paragraph)
            if out and not laid_out:
                out.append(".Pp")
            out.extend(literal(paragraph) if laid_out else sentences(paragraph))
            paragraph.clear()

    for line in lines:
        if line == "@code":
            flush()
            code = []
        elif line == "@endcode":
            out.extend(literal(code))
            code = None
        elif code is not None:
            code.append(line)
        elif line:
            paragraph.append(line)
        else:
            flush()
    flush()
    return out


def declaration(lines):
    """Returns the lines of the first declaration, without the body of a function, and the lines behind it."""
    if lines[0].startswith("#define"):
        head = re.match(r"#define \w+(?:\([^)]*\))?", lines[0]).group(0)
        return ([lines[0]] if not lines[0].endswith("\\") else [head + " ..."]), []
    depth = 0
    for n, line in enumerate(lines):
        inline = re.match(r"(static inline .*\))\s*\{?$", line)
        if inline:
            return lines[:n] + [inline.group(1) + ";"], []
        if line.startswith("{"):
            return lines[:n], []
        depth += line.count("{") - line.count("}")
        if depth == 0 and line.endswith(";"):
            return lines[:n + 1], lines[n + 1:]
    return lines, []


def declarations(text):
    """Returns the lines of the declarations at the start of @text, up to an empty line or a comment."""
    lines, rest = [], text.split("\n")
    while rest and rest[0] and not rest[0].startswith("/*") and (not lines or not rest[0].startswith("#")):
        if rest[0].startswith("#") and not rest[0].startswith("#define"):
            break
        one, rest = declaration(rest)
        lines += [re.sub(r"@([A-Za-z_]\w*)", r"\1", line) for line in one]
    return lines


def entries(text):
    """Returns (comment, declaration) for each documented declaration, in the order of the header."""
    found = []
    for match in COMMENT.finditer(text):
        begin = text.rfind("\n", 0, match.start()) + 1
        lines = declarations(text[match.end():])
        if begin == match.start() and lines:
            found.append((plain(match.group(1)), lines))
    return found


def page(name, text, date):
    """Returns the man page of the header @name."""
    opening = re.search(r"\A/\*.*?\*/\n/\*(.*?)\*/", text, re.S)
    lines = plain(opening.group(1))
    first = " ".join(lines[:lines.index("")] if "" in lines else lines).strip()
    summary = re.split(r"(?<=[\w)])\.(?:\s|$)", first)[0]
    title = f"armpmu_{name}"
    out = [f".Dd {date}", f".Dt {title.upper()} 3", ".Os", ".Sh NAME", f".Nm {title}",
           f".Nd {roff(summary)}", ".Sh LIBRARY", "The library armpmu, \\-larmpmu.",
           ".Sh SYNOPSIS", f".In armpmu/{name}.h", ".Sh DESCRIPTION", *prose(lines)]
    declared = entries(text)
    if declared:
        out.append(".Sh DECLARATIONS")
    for comment, lines in declared:
        out += [*literal(lines), *prose(comment)]
    out += [".Sh SEE ALSO", ".Xr armpmu 1"]
    return "\n".join(out) + "\n"


def main():
    folder, date = sys.argv[1], version()
    os.makedirs(folder, exist_ok=True)
    for file in sorted(os.listdir(HEADERS)):
        if file.endswith(".h"):
            with open(f"{HEADERS}/{file}", encoding="utf-8") as header:
                text = header.read()
            with open(f"{folder}/armpmu_{file[:-2]}.3", "w", encoding="utf-8") as out:
                out.write(page(file[:-2], text, date))


main()
