#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""migrate.py STATE QEMU...: runs the machine until it has said "ok running" and a while longer, saves it to STATE, and
runs the rest in a second process.  Prints what both say; the exit status is the second's."""
import json
import os
import socket
import subprocess
import sys
import time

state, command = sys.argv[1], sys.argv[2:]
control = state + ".qmp"


def talk(stream, **request):
    stream.write(json.dumps(request) + "\n")
    stream.flush()
    while True:
        answer = json.loads(stream.readline())
        if "return" in answer or "error" in answer:
            return answer


with open(state + ".first", "w+", encoding="utf-8") as serial:
    first = subprocess.Popen([*command, "-serial", f"file:{serial.name}", "-qmp", f"unix:{control},server=on,wait=off"])
    while "ok running" not in open(serial.name, encoding="utf-8").read():
        if first.poll() is not None:
            sys.exit("the machine ended before it ran")
        time.sleep(0.05)
    time.sleep(0.1)
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(control)
        stream = s.makefile("rw")
        stream.readline()
        talk(stream, execute="qmp_capabilities")
        answer = talk(stream, execute="migrate", arguments={"uri": f"file:{state}"})
        status = ""
        while "error" not in answer and status not in ("completed", "failed"):
            status = talk(stream, execute="query-migrate")["return"].get("status", "")
            time.sleep(0.05)
        print("ok saved in the middle" if status == "completed" and first.poll() is None
              else f"not ok saved in the middle: {answer} {status}")
        talk(stream, execute="quit")
    first.wait()
    said = open(serial.name, encoding="utf-8").read()
if "600 million" in said:
    print("not ok the loop had ended when the machine was stopped")
os.remove(control) if os.path.exists(control) else None
sys.exit(subprocess.run([*command, "-serial", "stdio", "-incoming", f"file:{state}"], check=False).returncode)
