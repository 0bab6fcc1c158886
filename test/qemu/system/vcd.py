#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""vcd.py FILE: reads a Value Change Dump strictly (IEEE 1364-2005, section 18) and prints the time of the last change
and the last value of each signal.  It ends with a message at anything that the standard does not allow, and at what no
writer should do: a time without a change before another, or a change to the same value.

vcd.py --changes FILE: prints each value that differs from the one at the time before, as "TIME NAME VALUE".  It also
reads other writers' files: numbers need not be the shortest, and a value may be written again."""
import re
import sys

SECTIONS = {"$comment", "$date", "$version", "$timescale", "$scope", "$var", "$upscope", "$enddefinitions"}


class Dump:
    """A file, read word by word.  Each method that reads ends the program at a fault."""

    def __init__(self, path, strict):
        self.strict = strict
        self.at_time = {}  # name: the value printed last
        with open(path, encoding="ascii") as file:
            self.words = file.read().split()
        self.at = 0
        self.signals = {}  # id: [name, width, value]
        self.time = None
        self.changes = 0

    def fail(self, why):
        """Ends the program with the number of the last word."""
        sys.exit(f"vcd.py: word {self.at}: {why}")

    def next(self):
        """Returns the next word."""
        if self.at == len(self.words):
            self.fail("the file ends early")
        self.at += 1
        return self.words[self.at - 1]

    def section(self):
        """Returns the words of a section, up to $end."""
        words = []
        while (word := self.next()) != "$end":
            if word in SECTIONS:
                self.fail(f"{word} inside another section")
            words.append(word)
        return words

    def declare(self, words, scope):
        """Adds the signal that a $var section declares in @scope."""
        match = re.fullmatch(r"(wire|reg) (\d+) ([!-~]+) (\w+)(?: \[(\d+):0\])?", " ".join(words))
        if not match or not scope:
            self.fail(f"$var {' '.join(words)}: not in a scope, or not TYPE WIDTH ID NAME [MSB:0]")
        width, name = int(match[2]), ".".join(scope + [match[4]])
        if match[3] in self.signals or name in (signal[0] for signal in self.signals.values()):
            self.fail(f"{name}: its id or name is another's too")
        if int(match[5] or 0) != width - 1:
            self.fail(f"{name}: {width} bits in [{match[5]}:0]")
        self.signals[match[3]] = [name, width, None]

    def definitions(self):
        """Reads all sections up to $enddefinitions."""
        scope, scaled = [], False
        while True:
            section = self.next()
            if section not in SECTIONS:
                self.fail(f"{section} is no section")
            words = self.section()
            if section == "$timescale":
                scaled = bool(re.fullmatch(r"1(00?)?(s|ms|us|ns|ps|fs)", "".join(words)))
            elif section == "$scope":
                if len(words) != 2 or words[0] != "module":
                    self.fail(f"$scope {' '.join(words)}")
                scope.append(words[1])
            elif section == "$upscope":
                if not scope or words:
                    self.fail("$upscope without a scope")
                scope.pop()
            elif section == "$var":
                self.declare(words, scope)
            elif section == "$enddefinitions":
                if scope or words or not scaled or not self.signals:
                    self.fail("the definitions end in a scope, without $timescale or without a signal")
                return

    def change(self, word, initial):
        """Reads a value that begins with @word; @initial: it must be the signal's first one."""
        if word[0] == "b":
            value, name = word[1:], self.next()
            if not re.fullmatch(r"[01]+", value) or (self.strict and len(value) > 1 and value[0] == "0"):
                self.fail(f"{word}: not a shortest binary number")
        else:
            value, name = word[0], word[1:]
            if value not in "01":
                self.fail(f"{word}: neither a time nor a value")
        if name not in self.signals:
            self.fail(f"{name}: no signal has this id")
        signal = self.signals[name]
        if (word[0] == "b") == (signal[1] == 1) or len(value) > signal[1]:
            self.fail(f"{word}: {signal[0]} has {signal[1]} bits")
        if self.time is None or (self.strict and ((signal[2] is None) != initial or signal[2] == int(value, 2))):
            self.fail(f"{word}: {signal[0]} without a time, without a first value, or no change")
        signal[2] = int(value, 2)

    def dumpvars(self):
        """Reads the first value of every signal."""
        while (word := self.next()) != "$end":
            self.change(word, True)
        if any(signal[2] is None for signal in self.signals.values()):
            self.fail("a signal has no first value")

    def print_changes(self):
        """Prints what changed at the present time, with --changes."""
        for name, _, value in self.signals.values() if not self.strict else []:
            if self.at_time.get(name) != value:
                print(self.time, name, value)
                self.at_time[name] = value

    def values(self):
        """Reads times and values up to the end of the file."""
        empty = False
        while self.at < len(self.words):
            word = self.next()
            if re.fullmatch(r"#\d+", word):
                self.print_changes()
                if (empty and self.strict) or (self.time is not None and int(word[1:]) <= self.time):
                    self.fail(f"{word}: after {self.time}, or after a time without a change")
                self.time, empty = int(word[1:]), True
            elif word == "$dumpvars" and self.time == 0:
                self.dumpvars()
                empty = False
            else:
                self.change(word, False)
                self.changes += 1
                empty = False
        self.print_changes()


def main():
    strict = sys.argv[1] != "--changes"
    dump = Dump(sys.argv[-1], strict)
    dump.definitions()
    dump.values()
    if not strict:
        return
    print(f"time {dump.time}")
    print(f"changes {dump.changes}")
    for name, _, value in dump.signals.values():
        print(f"{name} {value}")


main()
