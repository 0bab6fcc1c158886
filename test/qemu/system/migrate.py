#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""migrate.py TIMES STATE QEMU...: runs a machine and moves it to a new process TIMES times.

Each process but the last saves the machine after the machine has printed one more line.  Three of four stop it first,
in the middle of its work.  The file STATE is what was saved last.  Prints what all processes print.  The exit status is
the last one's."""
import json
import os
import socket
import subprocess
import sys
import time

times, state, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
control, serial = state + ".qmp", state + ".serial"


def talk(stream, request, **arguments):
    """Sends a QMP request and returns its answer.  Raises EOFError or OSError if the machine ends meanwhile."""
    stream.write(json.dumps({"execute": request, "arguments": arguments}) + "\n")
    stream.flush()
    while True:
        line = stream.readline()
        if not line:
            raise EOFError
        answer = json.loads(line)
        if "return" in answer or "error" in answer:
            return answer


def saved(number):
    """Returns the file from which process @number continues."""
    return f"{state}.{number}"


def fail(number, why):
    """Ends the program: process @number failed."""
    sys.exit(f"not ok machine {number}: {why}")


def lines():
    """Returns the number of lines that the machine has printed."""
    with open(serial, encoding="utf-8") as said:
        return said.read().count("\n")


def connect(machine):
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
    raise EOFError


def wait_for(stream, request, *wanted):
    """Repeats the request until its status is one of @wanted, which it returns."""
    status = ""
    while status not in wanted:
        status = talk(stream, request)["return"].get("status", "")
        time.sleep(0.01)
    return status


def begin(number):
    """Starts process @number and returns it, with its machine running, and its control connection.

    The connection is None if the machine has ended already: the last one runs to its end at once."""
    if os.path.exists(control):
        os.remove(control)
    incoming = ["-incoming", f"file:{saved(number)}"] if number > 0 else []
    machine = subprocess.Popen([*command, *incoming, "-chardev", f"file,id=serial,path={serial},append=on", "-serial",
                                "chardev:serial", "-qmp", f"unix:{control},server=on,wait=off"])
    try:
        stream = connect(machine)
        if wait_for(stream, "query-status", "running", "paused") == "paused":
            talk(stream, "cont")
    except (EOFError, OSError):
        machine.wait()
        return machine, None
    return machine, stream


def save(number, stop):
    """Runs process @number until it has printed one more line, and saves it.  Returns False if it ended before."""
    before = lines()
    machine, stream = begin(number)
    if stream is None:
        return False
    try:
        while lines() <= before:
            if machine.poll() is not None:
                return False
            time.sleep(0.005)
        time.sleep(0.003 * (number % 8))
        if stop:
            talk(stream, "stop")
        answer = talk(stream, "migrate", uri=f"file:{saved(number + 1)}")
        if "error" in answer or wait_for(stream, "query-migrate", "completed", "failed") == "failed":
            fail(number, f"it was not saved: {answer}")
    except (EOFError, OSError):
        machine.wait()
        return False
    try:
        talk(stream, "quit")
    except (EOFError, OSError):
        pass  # it ended before it answered
    machine.wait()
    return True


open(serial, "w", encoding="utf-8").close()
for n in range(times):
    size = os.path.getsize(serial)
    for attempt in range(10):
        if save(n, n % 4 != 0 or attempt > 0):
            break
        os.truncate(serial, size)  # it has run to its end, as on a busy host: once more
    else:
        fail(n, "it ended before it was saved")
    if n > 0:
        os.remove(saved(n))
machine, stream = begin(times)
code = machine.wait()
os.replace(saved(times), state)
with open(serial, encoding="utf-8") as said:
    print(said.read(), end="")
print(f"ok it continued in {times} other processes")
sys.exit(code)
