# SPDX-License-Identifier: BSD-2-Clause
"""Does work that depends on what differs from run to run: the hashes of strings, the time, random numbers, the process,
the name of a temporary file."""
import os
import random
import tempfile
import time

words = {f"word{i}" for i in range(200)}
total = sum(i * len(word) for i, word in enumerate(words) if hash(word) % 3 == 0)
rng = random.Random(time.time())
total += sum(rng.randrange(1000) for _ in range(200 + os.getpid() % 64))
total += sum(random.randrange(1000) for _ in range(100))
with tempfile.NamedTemporaryFile() as file:
    total += sum(range(hash(file.name) % 1000))
end = time.monotonic() + 0.001
while time.monotonic() < end:
    total += 1
print(total)
