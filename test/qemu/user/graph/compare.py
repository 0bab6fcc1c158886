# SPDX-License-Identifier: BSD-2-Clause
"""Compares the nodes that run_program prints with what calls_plugin wrote, function by function.

    compare.py print PROGRAM OURS FUNCTION...    prints own and inclusive costs of these functions
    compare.py functions PROGRAM              the list of functions for the plugin
    compare.py compare PROGRAM OURS THEIRS [FUNCTION]...    prints what differs, and how many functions were compared
"""
import bisect
import subprocess
import sys

SWITCHES = {"swapcontext", "__swapcontext", "setcontext", "__setcontext"}


def functions(program):
    """Returns (address, name) of each place at which a function begins, sorted, and the end of the code."""
    text = subprocess.run(["readelf", "-sW", program], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 8 and words[3] in ("FUNC", "IFUNC", "GNU_IFUNC", "<OS") and words[6] != "UND":
            name = words[-1]
            if ".cold" not in name:
                found.setdefault(int(words[1], 16), name)
    return sorted(found.items())


def owner(starts, address):
    i = bisect.bisect(starts, address) - 1
    return starts[i] if i >= 0 else 0


def tree(path, starts):
    """Returns {function: [calls, self, inclusive]} of the nodes in a file."""
    nodes, sums = {}, {}
    for line in open(path, encoding="ascii"):
        words = line.split()
        if words[:1] == ["node"]:
            key = (words[1], words[2], int(words[3]))
            entry = int(words[7], 16)
            nodes[key] = [int(words[4]), owner(starts, entry) if entry else 0, int(words[9]), int(words[10])]
    inclusive = {key: node[3] for key, node in nodes.items()}
    for key in sorted(nodes, key=lambda k: -k[2]):
        if nodes[key][0] >= 0:
            inclusive[(key[0], key[1], nodes[key][0])] += inclusive[key]
    above = {}
    for key in sorted(nodes, key=lambda k: k[2]):
        parent, function, calls, own = nodes[key]
        over = above[(key[0], key[1], parent)] if parent >= 0 else frozenset()
        row = sums.setdefault(function, [0, 0, 0])
        row[0] += calls
        row[1] += own
        if function not in over:
            row[2] += inclusive[key]
        above[key] = over | {function}
    return sums


def compare(program, ours_path, theirs_path, *only):
    names = dict(functions(program))
    starts = sorted(names)
    ours = tree(ours_path, starts)
    theirs = {}
    for line in open(theirs_path, encoding="ascii"):
        words = line.split()
        theirs[int(words[0], 16)] = [int(word) for word in words[1:]]
    for address in sorted(set(ours) | set(theirs)):
        if only and names.get(address) not in only:
            theirs.pop(address, None)
            continue
        mine, other = ours.get(address), theirs.get(address)
        if mine != other and not (other is None and mine == [0, 0, 0]):
            print(f"{names.get(address, hex(address))}: calls, self, inclusive {mine}, not {other}")
    print("compared", len(theirs))


def main():
    if sys.argv[1] == "functions":
        rows = functions(sys.argv[2])
        for i, (address, name) in enumerate(rows):
            end = rows[i + 1][0] if i + 1 < len(rows) else address + 65536
            print(f"{address:x} {end:x} {'switch' if name in SWITCHES else 'plain'}")
    elif sys.argv[1] == "print":
        starts = dict(functions(sys.argv[2]))
        for address, costs in tree(sys.argv[3], sorted(starts)).items():
            if starts.get(address) in sys.argv[4:]:
                print(starts[address], costs[1], costs[2])
    else:
        compare(*sys.argv[2:])


main()
