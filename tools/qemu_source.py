# SPDX-License-Identifier: BSD-2-Clause
"""QEMU's source code, for the programs that edit it: qemu/system/edit.py and qemu/user/emulator/edit.py.

An edit names a file, an anchor and a replacement.  The anchor is a regular expression that must match once, or as often
as the edit says.  If one does not, the program ends with its name before it changes any file.  A second run on the same
source changes nothing.

Where releases differ, an edit has a value for each release from which it holds: q.since({"10.0": ..., "10.1": ...}).
"""
import filecmp
import os
import re
import shutil
import sys

MARK = "/* armpmu */"
OLDEST = "10.0"


def release_of(version):
    """Returns the release of a version: (10, 0) for "10.0.13".  A development version, "11.0.50", belongs to 11.1."""
    numbers = [int(number) for number in re.match(r"\d+\.\d+(?:\.\d+)?", version)[0].split(".")]
    return (numbers[0], numbers[1] + (numbers[2:] >= [50]))


class Source:
    """
    QEMU's source code in the folder @root, edited for the checkout of armpmu in @repository.  Files are edited in
    memory until write().
    """

    def __init__(self, root, repository):
        self.root = root
        self.repository = repository
        self.texts = {}
        self.version = self.text("VERSION").strip()
        if not re.match(r"\d+\.\d+", self.version):
            sys.exit(f"edit.py: VERSION: '{self.version}' is no version of QEMU")
        if release_of(self.version) < release_of(OLDEST):
            sys.exit(f"edit.py: this is QEMU {self.version}, and the edits begin with {OLDEST}: take a later one")

    def since(self, values):
        """Returns the value of the last key, a release, that is not later than this one."""
        release = release_of(self.version)
        return values[max((begin for begin in values if release_of(begin) <= release), key=release_of)]

    def text(self, path):
        """Returns the file as edited so far.  The first call reads it as it came, from the copy that write() keeps."""
        if path not in self.texts:
            pristine = os.path.join(self.root, path + ".armpmu-orig")
            name = pristine if os.path.exists(pristine) else os.path.join(self.root, path)
            try:
                with open(name, encoding="utf-8") as file:
                    self.texts[path] = file.read()
            except OSError as error:
                sys.exit(f"edit.py: {path}: {error.strerror}: this is no source of QEMU that the edits know")
        return self.texts[path]

    def first_of(self, *paths):
        """Returns the first of @paths that is there: a file that moved from one release to another."""
        for path in paths:
            if os.path.exists(os.path.join(self.root, path)):
                return path
        sys.exit(f"edit.py: {paths[0]}: it is not there: this version of QEMU, {self.version}, needs its own edits")

    def edit(self, path, pattern, replacement, times=1):
        """Replaces each match of @pattern; ends with a message if there are not @times."""
        text, found = re.subn(pattern, replacement, self.text(path), flags=re.MULTILINE)
        if found != times:
            sys.exit(f"edit.py: {path}: the anchor '{pattern}' is there {found} times, not {times}: "
                     f"this version of QEMU, {self.version}, needs its own edits")
        self.texts[path] = text

    def declare(self, path, declarations):
        """Inserts after the file's first #include, which is this one in every file of QEMU."""
        self.edit(path, r'^#include "qemu/osdep\.h"\n', rf"\g<0>{MARK}\n{declarations}")

    def require(self, path, pattern):
        """Ends with a message if @pattern does not match once."""
        self.edit(path, pattern, r"\g<0>")

    def restore_others(self):
        """Restores files that another checkout's edits changed and these do not, with a new time for ninja."""
        for folder, _, names in os.walk(self.root):
            for name in (name for name in names if name.endswith(".armpmu-orig")):
                original = os.path.join(folder, name)
                path = original.removesuffix(".armpmu-orig")
                if os.path.relpath(path, self.root) not in self.texts:
                    os.replace(original, path)
                    os.utime(path)

    def write(self):
        """Writes the files whose text differs from what is there, so that ninja builds nothing else again.  Keeps each
        file as it came next to it, as NAME.armpmu-orig."""
        self.restore_others()
        for path, text in self.texts.items():
            name = os.path.join(self.root, path)
            if os.path.exists(name) and open(name, encoding="utf-8").read() == text:
                continue
            if not os.path.exists(name + ".armpmu-orig"):
                os.rename(name, name + ".armpmu-orig")
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)


def copy_changed(source, target):
    """Makes the C files of the folder @target those of @source.  Files that are equal keep their times, whichever
    checkout they are from, so nothing that includes them is built again."""
    if os.path.islink(target):
        os.remove(target)
    wanted = set()
    for folder, _, names in os.walk(source, followlinks=True):
        for name in (name for name in names if name.endswith((".c", ".h", ".def"))):
            path = os.path.relpath(os.path.join(folder, name), source)
            wanted.add(path)
            copy = os.path.join(target, path)
            if os.path.exists(copy) and filecmp.cmp(os.path.join(source, path), copy, shallow=False):
                continue
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copyfile(os.path.join(source, path), copy)
    for folder, _, names in os.walk(target):
        for path in (os.path.join(folder, name) for name in names):
            if os.path.relpath(path, target) not in wanted:
                os.remove(path)


def edit_source(*parts):
    """Edits the source that the program's arguments name by @parts, functions that take it, in their order."""
    if len(sys.argv) != 3:
        sys.exit("usage: edit.py QEMU REPOSITORY")
    q = Source(sys.argv[1], os.path.abspath(sys.argv[2]))
    for part in parts:
        part(q)
    q.write()
