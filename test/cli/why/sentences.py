#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Gives the sentences of a file to `armpmu why`: sentences.py ARMPMU FILE; prints "ok" and "not ok" lines.

Each line of the file is a cause, a tab, and what somebody writes.  The cause must be the first of the verdict; none
and unknown are answers too.  The time of all calls must be below 0.2 s each.
"""
import json
import subprocess
import sys
import time

armpmu, path = sys.argv[1:3]
count, began = 0, time.monotonic()
with open(path, encoding="utf-8") as sentences:
    for number, line in enumerate(sentences, 1):
        expected, _, sentence = line.rstrip("\n").partition("\t")
        done = subprocess.run([armpmu, "why", "-j", "-"], input=sentence, text=True, capture_output=True, timeout=20,
                              check=False)
        try:
            causes = [v["cause"] for v in json.loads(done.stdout)["verdict"]] or ["none"]
        except (ValueError, KeyError):
            causes = ["no verdict, exit status %d" % done.returncode]
        good = causes[0] == expected
        print("%s sentence %d: %s" % ("ok" if good else "not ok", number,
                                      expected if good else "got %s, not %s" % (", ".join(causes), expected)))
        count += 1
took = (time.monotonic() - began) / max(count, 1)
print("%s %d sentences of more than 250" % ("ok" if count > 250 else "not ok", count))
print("%s at most 0.2 s for a sentence: %.3f s" % ("ok" if took < 0.2 else "not ok", took))
