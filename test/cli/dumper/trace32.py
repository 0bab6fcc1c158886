#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Executes the commands of PRACTICE, Trace32's language, that dumpers use:  trace32.py SCRIPT REGISTERS CPSR

REGISTERS has lines "SPR:0x339c0 0x41023000".  What the script writes is printed.  A register that is not in the list, a
variable that is not declared and a command that is not known end the script with a message."""
import re
import sys


class Machine:
    def __init__(self, script, registers, cpsr):
        self.lines = [line.split(";")[0].strip() for line in script]
        self.labels = {line[:-1]: n for n, line in enumerate(self.lines) if re.fullmatch(r"\w+:", line)}
        self.registers, self.cpsr, self.macros, self.out = registers, cpsr, {}, []

    def fail(self, n, why):
        sys.exit(f"line {n + 1}: {why}: {self.lines[n]}")

    def load(self, n, address):
        if address not in self.registers:
            self.fail(n, f"{address} would trap")
        return self.registers[address]

    def expand(self, n, text):
        """Puts the values of the macros into a text."""
        def value(match):
            if match[1] not in self.macros:
                self.fail(n, f"&{match[1]} is not declared")
            return str(self.macros[match[1]])
        return re.sub(r"&([A-Za-z_]\w*)", value, text)

    def evaluate(self, n, text):
        text = self.expand(n, text)
        text = re.sub(r"Data\.(?:Quad|Long)\(((?:SPR|C1[45]):0x[0-9a-f]+)\)", lambda m: str(self.load(n, m[1])), text)
        text = text.replace("Register(CPSR)", str(self.cpsr)).replace("STATE.RUN()", "0").replace("CORENUMBER()", "1")
        text = text.replace("TRUE()", "1").replace("FALSE()", "0")
        text = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
        if not re.fullmatch(r"(?:[0-9a-fx()<>=&+ ]|and|or|not)+", text):
            self.fail(n, f"not an expression: {text}")
        return int(eval(text))  # pylint: disable=eval-used

    def write(self, n, rest):
        """Writes the strings and formatted numbers of a WRITE command."""
        line = ""
        while rest:
            string = re.match(r'"([^"]*)"\s*', rest)
            number = re.match(r"FORMAT\.(HEX|DECIMAL)\((\d+)\.,(.*)\)$", rest)
            if string:
                line, rest = line + string[1], rest[string.end():]
            elif number:
                value = self.evaluate(n, number[3])
                line += f"{value:0{number[2]}x}" if number[1] == "HEX" else f"{value:{number[2]}d}"
                rest = ""
            else:
                self.fail(n, "not a parameter of WRITE")
        self.out.append(line)

    def block_end(self, n):
        """Returns the line of the ) that closes the ( in line n."""
        depth = 0
        while True:
            depth += (self.lines[n] == "(") - (self.lines[n] == ")")
            if depth == 0:
                return n
            n += 1
            if n == len(self.lines):
                self.fail(n - 1, "a block is not closed")

    def command(self, n):
        """Executes the command in line n that is neither a block nor a jump."""
        line = self.lines[n]
        assignment = re.fullmatch(r"&(\w+)=(.*)", line)
        store = re.fullmatch(r"Data\.Set (C15:0x[0-9a-f]+) %Long (.*)", line)
        if line.startswith("LOCAL "):
            for name in line.split()[1:]:
                self.macros[name[1:]] = 0
        elif assignment:
            if assignment[1] not in self.macros:
                self.fail(n, f"&{assignment[1]} is not declared")
            self.macros[assignment[1]] = self.evaluate(n, assignment[2])
        elif store:
            self.load(n, store[1])
            self.registers[store[1]] = value = self.evaluate(n, store[2])
            for address in [a for a in self.registers if a.endswith(f"@{value}")]:
                self.registers[address.split("@")[0]] = self.registers[address]
        elif line.startswith("WRITE #1 "):
            self.write(n, line[len("WRITE #1 "):])
        elif not re.fullmatch(r"|\w+:|OPEN #1 .* /Create|CLOSE #1|CORE\.select .*|Step 16\.|Go|Break|WAIT .*", line):
            self.fail(n, "not a command that is known")

    def run(self, n):
        """Executes from line n to RETURN, ENDDO or the end of a block."""
        while n < len(self.lines):
            line = self.lines[n]
            if line in ("RETURN", "ENDDO", ")"):
                return
            if line.startswith("GOSUB "):
                self.run(self.labels[line.split()[1]] + 1)
            elif line.startswith("IF ") or line.startswith("WHILE "):
                condition = line.split(" ", 1)[1]
                end = self.block_end(n + 1)
                while self.evaluate(n, condition):
                    self.run(n + 2)
                    if line.startswith("IF "):
                        break
                n = end
            else:
                self.command(n)
            n += 1


with open(sys.argv[1], encoding="ascii") as source, open(sys.argv[2], encoding="ascii") as values:
    machine = Machine(source.read().split("\n"), {a: int(v, 0) for a, v in (row.split() for row in values)},
                      int(sys.argv[3], 0))
machine.run(0)
print("\n".join(machine.out))
