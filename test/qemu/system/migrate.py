#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""migrate.py TIMES STATE QEMU...: runs a machine and moves it to a new process TIMES times.

Each process but the last saves the machine to the file STATE after the machine has printed one more line.  Three of
four stop it first, in the middle of its work.  Prints what all processes print.  The exit status is the last one's."""
import json
import os
import socket
import subprocess
import sys
import time

times, state, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
control, serial = state + ".qmp", state + ".serial"


def talk(stream, request, **arguments):
    """Sends a QMP request and returns its answer."""
    stream.write(json.dumps({"execute": request, "arguments": arguments}) + "\n")
    stream.flush()
    while True:
        answer = json.loads(stream.readline())
        if "return" in answer or "error" in answer:
            return answer


def fail(number, why):
    """Ends the program: process @number failed."""
    sys.exit(f"not ok machine {number}: {why}")


def lines():
    """Returns the number of lines that the machine has printed."""
    with open(serial, encoding="utf-8") as said:
        return said.read().count("\n")


def connect(machine, number):
    """Returns the control connection of a machine that is starting."""
    while machine.poll() is None:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(control)
        except OSError:
            connection.close()
            time.sleep(0.01)
            continue
        stream = connection.makefile("rw")
        stream.readline()
        talk(stream, "qmp_capabilities")
        return stream
    fail(number, "it ended before it ran")


def wait_for(stream, request, *wanted):
    """Repeats the request until its status is one of @wanted, which it returns."""
    status = ""
    while status not in wanted:
        status = talk(stream, request)["return"].get("status", "")
        time.sleep(0.01)
    return status


def begin(number):
    """Starts process @number and returns it, with its machine running, and its control connection."""
    if os.path.exists(control):
        os.remove(control)
    incoming = ["-incoming", f"file:{state}"] if number > 0 else []
    machine = subprocess.Popen([*command, *incoming, "-chardev", f"file,id=serial,path={serial},append=on", "-serial",
                                "chardev:serial", "-qmp", f"unix:{control},server=on,wait=off"])
    stream = connect(machine, number)
    if wait_for(stream, "query-status", "running", "paused") == "paused":
        talk(stream, "cont")
    return machine, stream


open(serial, "w", encoding="utf-8").close()
machine, stream = begin(0)
before = 0
for n in range(times):
    while lines() <= before:
        if machine.poll() is not None:
            fail(n, "it ended before it was saved")
        time.sleep(0.005)
    time.sleep(0.003 * (n % 8))
    if n % 4 != 0:
        talk(stream, "stop")
    answer = talk(stream, "migrate", uri=f"file:{state}")
    if "error" in answer or wait_for(stream, "query-migrate", "completed", "failed") == "failed":
        fail(n, f"it was not saved: {answer}")
    talk(stream, "quit")
    machine.wait()
    before = lines()
    machine, stream = begin(n + 1)
code = machine.wait()
with open(serial, encoding="utf-8") as said:
    print(said.read(), end="")
print(f"ok it continued in {times} other processes")
sys.exit(code)
