#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""abi.py LIBRARY HEADERS: prints the binary interface of a shared library, a line for each fact, as doc/abi.md says.
abi.py LIBRARY HEADERS BASELINE: compares it with an earlier one; prints "ok" and "not ok" lines.

abidw of libabigail reads the library, which needs debugging information.  A line is a function with its types, a
member with its offset and type, an enumerator with its value, or the size of a structure.  A line of the baseline that
is gone breaks programs that were built with it, except for the size of a structure that may grow.  New lines are no
defect.
"""
import subprocess
import sys
import xml.etree.ElementTree as tree


class Interface:
    """The types and functions of an XML document of abidw."""

    def __init__(self, document):
        self.types = {node.get("id"): node for node in document.iter() if node.get("id")}
        self.lines = set()
        exported = {node.get("name") for node in document.iter("elf-symbol")}
        named = ("apmu", "APMU_")  # and not what the C library's headers declare
        # A function that a file calls before the file that defines it comes has its declaration here and no symbol.
        for node in document.iter("function-decl"):
            if node.get("name") in exported:
                self.lines.add(f"function {self.returned(node)} {node.get('name')}({self.parameters(node)})")
        for node in document.iter("var-decl"):
            if node.get("elf-symbol-id"):
                self.lines.add(f"object {self.name(node.get('type-id'))} {node.get('name')}")
        for node in document.iter():
            if node.tag in ("class-decl", "union-decl") and node.get("is-declaration-only") != "yes":
                if node.get("name").startswith(named):
                    self.structure(node)
            elif node.tag == "enum-decl":
                for value in (v for v in node.iter("enumerator") if v.get("name").startswith(named)):
                    self.lines.add(f"enumerator {value.get('name')} = {value.get('value')}")

    def parameters(self, node):
        """Returns the types of the parameters of a function."""
        return ", ".join("..." if p.get("is-variadic") else self.name(p.get("type-id"))
                         for p in node.findall("parameter"))

    def returned(self, node):
        """Returns the type that a function returns."""
        value = node.find("return")
        return "void" if value is None else self.name(value.get("type-id"))

    def name(self, number):
        """Returns the type with this number as C writes it, near enough."""
        node = self.types[number]
        inner = node.get("type-id")
        if node.tag == "pointer-type-def":
            return self.name(inner) + " *"
        if node.tag == "qualified-type-def":
            return self.name(inner) + " const" if node.get("const") else self.name(inner)
        if node.tag == "array-type-def":
            return self.name(inner) + "".join(f"[{s.get('length')}]" for s in node.findall("subrange"))
        if node.tag == "function-type":
            return f"{self.returned(node)} ({self.parameters(node)})"
        kind = {"class-decl": "struct ", "union-decl": "union ", "enum-decl": "enum "}.get(node.tag, "")
        return kind + ("without a name" if node.get("is-anonymous") else node.get("name"))

    def structure(self, node):
        """Adds the lines of a structure or union that has a name."""
        if node.get("is-anonymous"):
            return
        kind = "struct" if node.tag == "class-decl" else "union"
        members = [m for m in node.findall("data-member") if m.find("var-decl") is not None]
        # Its user tells the library how much of it there is, or has only pointers into the library's tables.
        grows = node.get("name").endswith("_info") or (
            bool(members) and members[0].find("var-decl").get("name") == "size")
        bits = node.get("size-in-bits", "0")
        self.lines.add(f"{kind} {node.get('name')}: {int(bits) // 8} bytes{', and may grow' if grows else ''}")
        for member in members:
            variable = member.find("var-decl")
            offset = int(member.get("layout-offset-in-bits", "0"))
            place = f"{offset // 8}" if offset % 8 == 0 else f"{offset // 8} bit {offset % 8}"
            self.lines.add(f"member {node.get('name')}.{variable.get('name')}: "
                           f"{self.name(variable.get('type-id'))} at {place}")


def grown(line, lines):
    """Returns whether this is the size of a structure that may grow, and it is now larger."""
    if not line.endswith(", and may grow"):
        return False
    head, size = line.split(": ")
    return any(new.startswith(head + ": ") and new.endswith(", and may grow") and
               int(new.split(": ")[1].split()[0]) > int(size.split()[0]) for new in lines)


def compare(lines, baseline):
    """Prints what a program that was built with the baseline would miss.  Returns whether there is nothing."""
    gone = sorted(line for line in baseline - lines if not grown(line, lines))
    for line in gone:
        print(f"not ok abi: no longer there: {line}")
    if not gone:
        print(f"ok abi: {len(baseline)} facts of the baseline hold, {len(lines - baseline)} are new")
    return not gone


def main():
    library, headers = sys.argv[1:3]
    xml = subprocess.run(["abidw", "--headers-dir", headers, "--drop-private-types", library], check=True,
                         stdout=subprocess.PIPE).stdout
    lines = Interface(tree.fromstring(xml)).lines
    if len(sys.argv) < 4:
        print("\n".join(sorted(lines)))
        return 0
    with open(sys.argv[3], encoding="utf-8") as file:
        baseline = {line for line in file.read().splitlines() if line and not line.startswith("#")}
    if len(baseline) < 100:
        print(f"not ok abi: {sys.argv[3]}: only {len(baseline)} lines")
        return 1
    return 0 if compare(lines, baseline) else 1


if __name__ == "__main__":
    sys.exit(main())
