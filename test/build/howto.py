#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks doc/howto.md.  Each section has an example, which some file names.  Each file that names it is listed in the
section.  Each file of the section's first table, which has a column "forgotten", names it.  names.py checks that the
files exist."""
import re

import tree
from tree import FILES, say, text

KINDS = ("register", "feature", "event", "verb", "cause", "back end", "engine")
# The folders whose files are to be listed; documents, tests and tools may name an example, too.
CODE = [f for f in FILES if re.match(r"(include|tables|lib|qemu|cli|examples)/", f)]


def check(title, body):
    """Checks the section @title with the text @body."""
    example = re.search(r"^Example: `(.*)`\.$", body, re.M)
    if not example:
        say(f"doc/howto.md: {title}", ["it has no example"])
        return
    word = re.compile(rf"(?<!\w){re.escape(example[1])}(?!\w)")
    named = {f for f in CODE if word.search(text(f))}
    tables = re.split(r"\n\n", body)
    must = [table for table in tables if table.startswith("| file | what | forgotten |")]
    listed = set(re.findall(r"`([\w./-]+)`", body))
    rows = [row for table in must for row in table.split("\n")[2:]]
    needed = {f for row in rows for f in re.findall(r"`([\w./-]+)`", row.split(" | ")[0])}
    faults = [f"{f} names {example[1]} and is not listed" for f in sorted(named - listed)]
    faults += [f"{f} is listed and does not name {example[1]}" for f in sorted(needed - named)]
    say(f"doc/howto.md: {title}", faults, len(named) if must else 0)


sections = re.findall(r"^## Add an? (.*?)\n(.*?)(?=^## |\Z)", text("doc/howto.md"), re.S | re.M)
say("doc/howto.md: kinds", [kind for kind in KINDS if kind not in dict(sections)], len(sections))
for heading, content in sections:
    check(heading, content)
tree.finish()
