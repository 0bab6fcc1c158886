# SPDX-License-Identifier: BSD-2-Clause
"""nointerrupt.py TREE: takes the interrupts of the PMU out of a flattened device tree."""
import struct
import sys

BEGIN, END, PROPERTY, NOTHING, LAST = 1, 2, 3, 4, 9

data = bytearray(open(sys.argv[1], "rb").read())
at, texts = struct.unpack_from(">II", data, 8)
node, done = "", 0
while (token := struct.unpack_from(">I", data, at)[0]) != LAST:
    if token == BEGIN:
        end = data.index(0, at + 4)
        node = data[at + 4:end].decode()
        at = (end + 4) & ~3
    elif token == PROPERTY:
        size, name = struct.unpack_from(">II", data, at + 4)
        end = (at + 12 + size + 3) & ~3
        if node == "pmu" and data[texts + name:].startswith(b"interrupts\0"):
            data[at:end] = struct.pack(">I", NOTHING) * ((end - at) // 4)
            done += 1
        at = end
    else:
        at += 4
end = max(sum(struct.unpack_from(">I", data, field)[0] for field in pair) for pair in ((8, 36), (12, 32)))
struct.pack_into(">I", data, 4, end)  # without the room at its end: Linux takes no tree of more than 2 MB
open(sys.argv[1], "wb").write(data[:end])
sys.exit(done != 1)
