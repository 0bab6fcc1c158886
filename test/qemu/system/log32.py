# SPDX-License-Identifier: BSD-2-Clause
"""log32.py TEXT LOG: prints how often each instruction was executed with its condition passed and failed, for
`words32 sum`.

TEXT is a program's objdump -d.  LOG has the registers before each instruction, from qemu-arm (-one-insn-per-tb -d
cpu,nochain).  Whether an instruction passed follows from its condition and the flags; whether CBZ or CBNZ branched,
from the address of the next instruction.
"""
import collections
import re
import sys

NAMES = "eq ne cs cc mi pl vs vc hi ls ge lt gt le al".split()
NUMBER = {name: i for i, name in enumerate(NAMES)} | {"hs": 2, "lo": 3}


def text_of(path):
    """Returns a dictionary from each address to (word, mnemonic)."""
    text = {}
    for line in open(path, encoding="utf-8", errors="replace"):
        found = re.match(r" *([0-9a-f]+):\t([0-9a-f ]+)\t(\S+)", line)
        if found:
            text[int(found[1], 16)] = (found[2].replace(" ", ""), found[3])
    return text


def states_of(path):
    """Yields the PC and the PSR before each instruction."""
    pc = None
    for line in open(path, encoding="utf-8"):
        if " R15=" in line:
            pc = int(line[line.index("R15=") + 4 :], 16)
        elif line.startswith("PSR="):
            yield pc, int(line[4:12], 16)


def passes(condition, psr):
    """Returns True if the flags of @psr pass @condition, 0 to 15."""
    n, z, c, v = (bool(psr >> bit & 1) for bit in (31, 30, 29, 28))
    holds = [z, c, n, v, c and not z, n == v, n == v and not z, True][condition >> 1]
    return holds != bool(condition & 1) or condition == 15


def passed(word, mnemonic, psr, pc, next_pc):
    """Returns True if the instruction passed its condition, or has none."""
    thumb, it = psr >> 5 & 1, (psr >> 8 & 0xFC) | (psr >> 25 & 3)
    if not thumb:
        return word[0] == "f" or passes(int(word[0], 16), psr)
    if it & 15:
        return passes(it >> 4, psr)
    if mnemonic in ("cbz", "cbnz"):
        return next_pc != pc + 2
    branch = re.fullmatch(r"b(..)(\.[nw])?", mnemonic)
    return not branch or branch[1] not in NUMBER or passes(NUMBER[branch[1]], psr)


def main(text_path, log_path):
    text, times = text_of(text_path), collections.Counter()
    last = None
    for pc, psr in states_of(log_path):
        times.update([(last, pc)] if last and text[last[0]][1] in ("cbz", "cbnz") else [(last, None)] if last else [])
        last = (pc, psr & 0xFE00FC20)
    times[(last, None)] += 1
    for ((pc, psr), next_pc), n in times.items():
        word, mnemonic = text[pc]
        in_it = psr & 0x20 and psr & 0x06000C00
        print("t32" if psr & 0x20 else "a32", word, int(bool(in_it)), int(passed(word, mnemonic, psr, pc, next_pc)), n)


main(*sys.argv[1:])
