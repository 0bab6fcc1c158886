# SPDX-License-Identifier: BSD-2-Clause
"""export.py PROGRAM FOLDER: tests armpmu export with the engine of export_engine.c, over HTTP and with its file."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from openmetrics import Fault, parse

PROGRAM, FOLDER = sys.argv[1:]
MACHINE = os.path.join(FOLDER, "machine")
G = 1000000000


# A shell starts what runs in the background with SIGINT ignored, and an exporter would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def say(good, name, why=""):
    print(f"ok {name}" if good else f"not ok {name}: {why}", flush=True)


def play(*cpus):
    """Sets what the engine counts: (online, busy seconds, (count, enabled, running), ...) for each CPU."""
    with open(f"{MACHINE}.new", "w", encoding="ascii") as file:
        for online, busy, *events in cpus:
            file.write(f"{online} 1 {busy} {' '.join(':'.join(map(str, e)) for e in events)}\n")
    os.rename(f"{MACHINE}.new", MACHINE)


class Exporter:
    """A running armpmu export."""

    def __init__(self, *options, **variables):
        self.process = subprocess.Popen([PROGRAM, *options], stderr=subprocess.PIPE, text=True,
                                        env=dict(os.environ, MACHINE=MACHINE, **variables))
        self.url = ""
        if "--listen" in options:
            line = self.process.stderr.readline()
            self.url = line.split()[-1] if "http://" in line else ""
            self.port = int(re.search(r":(\d+)/", line)[1]) if self.url else 0

    def get(self, accept="application/openmetrics-text"):
        request = urllib.request.Request(self.url, headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read().decode("ascii"), answer.headers["Content-Type"]

    def samples(self):
        return parse(self.get()[0])

    def until(self, condition):
        """Scrapes until condition(samples) holds; returns the samples, or None after ten seconds."""
        for _ in range(100):
            samples = self.samples()
            if condition(samples):
                return samples
            time.sleep(0.1)
        return None

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(10)


def pick(samples, name, event, part="0", label="cpu"):
    """Returns the value of the series, or None."""
    found = [value for (n, labels), value in samples.items()
             if n == name and ("event", event) in labels and (label, part) in labels]
    return found[0] if len(found) == 1 else None


def online(samples, cpu):
    return samples.get(("armpmu_cpu_online", (("cpu", cpu),)))


def test_parser():
    good = "# TYPE a counter\n# HELP a b\na_total{x=\"1\"} 5\n# EOF\n"
    bad = {"no end": "# TYPE a gauge\na 1\n", "no type": "a 1\n# EOF\n", "suffix": good.replace("a_total", "a"),
           "twice": good.replace("5\n", '5\na_total{x="1"} 6\n'), "quote": good.replace('"1"', '"1'),
           "unit": good.replace("# HELP", "# UNIT a seconds\n# HELP"), "text after": good + "\n",
           "again": good.replace("# EOF", "# TYPE b gauge\nb 1\n# TYPE a counter\n# EOF")}
    say(parse(good) == {("a_total", (("x", "1"),)): 5}, "parser: a good text")
    for name, text in bad.items():
        try:
            parse(text)
            say(False, f"parser: {name}", "it was taken")
        except Fault:
            say(True, f"parser: {name}")


def test_counts():
    start = [(1, 1, (10, G, G), (20, G, G)), (1, 1, (0, G, G), (7, G, G)), (0, 0, (0, 0, 0), (0, 0, 0))]
    play(*start)
    x = Exporter("-e", "CPU_CYCLES,INST_RETIRED", "-M", "ipc", "--listen", "127.0.0.1:0", "--interval", "1")
    text, kind = x.get()
    say(kind.startswith("application/openmetrics-text; version=1.0.0"), "OpenMetrics", kind)
    samples = parse(text)
    say(any(n == "armpmu_build_info" for n, _ in samples), "armpmu_build_info")
    say(online(samples, "2") == 0 and pick(samples, "armpmu_event_total", "CPU_CYCLES", "2") is None,
        "a CPU that is offline has no counts")
    # CPU 0 moves and shares a counter; CPU 1 is busy and its cycles stand still.
    play((1, 2, (1010, 2 * G, 2 * G), (520, 2 * G, G + G // 2)), (1, 2, (0, 2 * G, 2 * G), (57, 2 * G, 2 * G)),
         start[2])
    samples = x.until(lambda s: pick(s, "armpmu_event_healthy", "CPU_CYCLES", "1") == 0)
    say(samples is not None, "a counter that stands still while its CPU is busy", "it never had 0")
    samples = samples or x.samples()
    say(pick(samples, "armpmu_event_healthy", "CPU_CYCLES") == 1 and
        pick(samples, "armpmu_event_healthy", "INST_RETIRED", "1") == 1, "counters that move are healthy")
    say([pick(samples, "armpmu_event_total", e, c) for c in "01" for e in ("CPU_CYCLES", "INST_RETIRED")] ==
        [1000, 500, 0, 50], "counts since the start", samples)
    say(pick(samples, "armpmu_event_enabled_seconds_total", "INST_RETIRED") == 1 and
        pick(samples, "armpmu_event_running_seconds_total", "INST_RETIRED") == 0.5, "the times of a shared counter")
    say(pick(samples, "armpmu_event_valid", "INST_RETIRED") == 0 and
        pick(samples, "armpmu_event_valid", "CPU_CYCLES") == 1, "validity")
    metric = [v for (n, labels), v in samples.items() if n == "armpmu_metric" and ("cpu", "0") in labels]
    say(metric == [1], "a metric of the window, of estimates", metric)
    # CPU 1 goes offline, comes back and is counted again; the totals go on.
    away = [(1, 3, (2010, 3 * G, 3 * G), (620, 3 * G, 3 * G)), (0, 2, (0, 2 * G, 2 * G), (57, 2 * G, 2 * G)), start[2]]
    play(*away)
    samples = x.samples()
    say(online(samples, "1") == 0 and pick(samples, "armpmu_event_total", "INST_RETIRED", "1") == 50 and
        pick(samples, "armpmu_event_valid", "INST_RETIRED", "1") == 0, "a CPU that goes offline is marked")
    time.sleep(1.2)
    back = [away[0], (1, 2, (0, 2 * G, 2 * G), (57, 2 * G, 2 * G)), (1, 0, (0, 0, 0), (0, 0, 0))]
    play(*back)
    time.sleep(1.2)
    play(back[0], (1, 3, (5, 3 * G, 3 * G), (60, 3 * G, 3 * G)), (1, 1, (1, G, G), (3, G, G)))
    samples = x.until(lambda s: pick(s, "armpmu_event_total", "INST_RETIRED", "1") == 53)
    say(samples is not None and online(samples, "1") == 1, "a CPU that is back counts on, from where it was",
        pick(x.samples(), "armpmu_event_total", "INST_RETIRED", "1"))
    say(samples is not None and pick(samples, "armpmu_event_total", "INST_RETIRED", "2") == 3,
        "a CPU that was offline at first is counted")
    say(samples is not None and pick(samples, "armpmu_event_total", "CPU_CYCLES") == 2000,
        "the other CPUs keep their counts")
    play(*start)
    samples = x.samples()
    say(pick(samples, "armpmu_event_total", "CPU_CYCLES") == 2000, "a count never goes back")
    plain, kind = x.get("text/plain")
    say(kind.startswith("text/plain; version=0.0.4") and "# EOF" not in plain and "_created" not in plain,
        "the older format", kind)
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=plain, capture_output=True, text=True,
                              check=False)
        say(done.returncode == 0 and not done.stderr, "promtool check metrics", done.stdout + done.stderr)
    else:
        print("skip promtool check metrics: no promtool")
    say(x.end() == 0, "SIGTERM ends it with status 0")


def ask(port, data, wait=True):
    """Sends bytes and returns the first line of the answer; without wait, the open socket."""
    s = socket.create_connection(("127.0.0.1", port), timeout=10)
    s.sendall(data)
    if not wait:
        return s
    with s:
        try:
            return s.recv(65536).split(b"\r\n")[0].decode("latin-1")
        except ConnectionError:
            return ""


def test_cgroups():
    tree = os.path.join(FOLDER, "cgroups")
    for name in ("kube/pod0", "kube/pod1", "kube/other", "system"):
        os.makedirs(os.path.join(tree, name))
    play((1, 1, (10, G, G)), (1, 1, (20, G, G)), (1, 1, (30, G, G)))
    x = Exporter("-e", "CPU_CYCLES", "-G", "kube/pod*", "-G", f"{tree}/kube/pod0", "--listen", "127.0.0.1:0",
                 "--interval", "1", CGROUPS=tree)

    def counts(samples):
        return {dict(labels)["cgroup"]: value for (n, labels), value in samples.items() if n == "armpmu_event_total"}
    say(counts(x.samples()) == {"/kube/pod0": 0, "/kube/pod1": 0}, "cgroups: those that match, once", x.get()[0])
    play((1, 1, (12, 2 * G, 2 * G)), (1, 1, (25, 2 * G, 2 * G)), (1, 1, (39, 2 * G, 2 * G)))
    say(counts(x.samples()) == {"/kube/pod0": 2, "/kube/pod1": 5}, "cgroups: their counts", counts(x.samples()))
    os.mkdir(os.path.join(tree, "kube/pod2"))
    os.rmdir(os.path.join(tree, "kube/pod1"))
    samples = x.until(lambda s: counts(s) == {"/kube/pod0": 2, "/kube/pod2": 0})
    say(samples is not None, "cgroups: one that comes, and one that goes", counts(x.samples()))
    say(samples and samples.get(("armpmu_cgroups", ())) == 2 and samples.get(("armpmu_cgroups_left_out", ())) == 0,
        "cgroups: how many")
    os.mkdir(os.path.join(tree, "kube/podx"))
    samples = x.until(lambda s: s.get(("armpmu_cgroups_left_out", ())) == 1)
    say(samples is not None and counts(samples) == {"/kube/pod0": 2, "/kube/pod2": 0},
        "cgroups: one that cannot be counted is left out", x.process.poll())
    os.rmdir(os.path.join(tree, "kube/podx"))
    before = [v for (n, labels), v in x.samples().items()
              if n == "armpmu_event_created" and ("cgroup", "/kube/pod0") in labels]
    os.rename(os.path.join(tree, "kube/pod0"), os.path.join(tree, "old"))
    os.mkdir(os.path.join(tree, "kube/pod0"))
    samples = x.until(lambda s: counts(s).get("/kube/pod0") == 0)
    after = [v for (n, labels), v in (samples or {}).items()
             if n == "armpmu_event_created" and ("cgroup", "/kube/pod0") in labels]
    say(len(before) == len(after) == 1 and before < after, "cgroups: another one of the same name begins with 0",
        f"{before} {after}")
    for i in range(300):
        os.mkdir(os.path.join(tree, f"kube/pod-{i}-0"))
    samples = x.until(lambda s: s.get(("armpmu_cgroups", ())) == 256)
    say(samples is not None and samples[("armpmu_cgroups_left_out", ())] == 46, "cgroups: more than are counted")
    shutil.rmtree(os.path.join(tree, "kube"))
    samples = x.until(lambda s: s.get(("armpmu_cgroups", ())) == 0)
    say(samples is not None and not counts(samples), "cgroups: none is left")
    say(x.end() == 0, "cgroups: SIGTERM ends it with status 0")
    os.makedirs(os.path.join(tree, "kube/podx"))
    done = subprocess.run([PROGRAM, "-e", "CPU_CYCLES", "-G", "kube/podx"], timeout=10, capture_output=True, text=True,
                          check=False, env=dict(os.environ, MACHINE=MACHINE, CGROUPS=tree))
    say(done.returncode == 3 and "cannot be counted" in done.stderr, "cgroups: the first one cannot be counted",
        done.stderr)
    for options, text in ((["-G", "../x"], "it has .. in it"), (["-G", "x", "-p", "1"], "they exclude each other"),
                          (["-G", "x", "-a"], "they exclude each other")):
        done = subprocess.run([PROGRAM, *options], capture_output=True, text=True, check=False, timeout=10,
                              env=dict(os.environ, MACHINE=MACHINE, CGROUPS=tree))
        say(done.returncode == 2 and text in done.stderr, f"wrong: {' '.join(options)}", done.stderr)


def test_hostile():
    play((1, 1, (10, G, G)))
    x = Exporter("-e", "CPU_CYCLES", "--listen", "127.0.0.1:0")
    play((1, 1, (15, 2 * G, 2 * G)))
    end = b" HTTP/1.1\r\nHost: x\r\n\r\n"
    for name, data, want in (
            ("a POST", b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", "405"),
            ("a DELETE", b"DELETE /metrics" + end, "405"), ("another path", b"GET /etc/passwd" + end, "404"),
            ("the root", b"GET /" + end, "200"), ("a HEAD", b"HEAD /metrics" + end, "200"),
            ("a path upwards", b"GET /../../etc/passwd" + end, "404"),
            ("a long path", b"GET /" + b"a" * 100000 + end, "41|43|^$"),
            ("a long header", b"GET /metrics HTTP/1.1\r\nHost: x\r\nA: " + b"b" * 100000 + b"\r\n\r\n", "41|43|^$"),
            ("no HTTP", b"\x00\xff\x16\x03\x01\r\n\r\n", "40|50|^$")):
        try:
            got = ask(x.port, data)
        except OSError:
            got = ""
        words = got.split()
        say(re.match(want, words[1] if len(words) > 1 else got) is not None, f"hostile: {name}", got)
    halves = [ask(x.port, b"GET /met", wait=False) for _ in range(50)]
    say(pick(x.samples(), "armpmu_event_total", "CPU_CYCLES") == 5, "50 half requests do not keep it from answering")
    halves += [ask(x.port, b"GET /met", wait=False) for _ in range(50)]
    say(pick(x.samples(), "armpmu_event_total", "CPU_CYCLES") == 5, "more than it takes are dropped after some time")
    for s in halves:
        s.close()
    again = subprocess.run([PROGRAM, "--listen", f"127.0.0.1:{x.port}"], capture_output=True, text=True, check=False,
                           env=dict(os.environ, MACHINE=MACHINE), timeout=10)
    say(again.returncode == 3 and again.stderr.count("\n") == 1 and "Address already in use" in again.stderr,
        "an address in use", again.stderr)
    say(x.end(signal.SIGINT) == 0, "SIGINT ends it with status 0")


def test_options():
    play((1, 1, (10, G, G)))
    for options, status, text in (
            (["--listen", "9876"], 2, "is not an address with a port"),
            (["--listen", "x:99999"], 2, "is not an address"),
            (["--listen", "::1:5"], 2, "is not an address"), (["--listen", "192.0.2.1:0"], 3, "--listen: 192.0.2.1:0:"),
            (["--interval", "0"], 2, "give seconds"), (["--interval", "1s"], 2, "give seconds"),
            (["-e", "NONSENSE"], 2, "NONSENSE"), (["-M", "nonsense"], 2, "nonsense"), (["ls"], 2, "takes no operand"),
            (["--textfile", "/nonexistent/a.prom"], 3, "cannot be written")):
        done = subprocess.run([PROGRAM, *options], capture_output=True, text=True, check=False, timeout=10,
                              env=dict(os.environ, MACHINE=MACHINE))
        say(done.returncode == status and text in done.stderr and done.stderr.count("\n") == 1,
            f"wrong: {' '.join(options)}", f"{done.returncode} {done.stderr}")


def test_textfile():
    path, ended = os.path.join(FOLDER, "counts.prom"), os.path.join(FOLDER, "ended")
    play((1, 1, (10, G, G)))
    x = Exporter("-e", "CPU_CYCLES", "-p", "17", "--textfile", path, "--interval", "1", ENDED=ended)
    torn, seen = 0, ""
    while not os.path.exists(path) and x.process.poll() is None:
        time.sleep(0.05)
    play((1, 1, (52, 2 * G, 2 * G)))
    for _ in range(100):
        if os.path.exists(path):
            with open(path, encoding="ascii") as file:
                seen = file.read()
            torn += not re.search(r"armpmu_export_cpu_seconds_total [\d.]+\n\Z", seen)
        if re.search(r'^armpmu_event_total\{event="CPU_CYCLES",pid="17",.*\} 42$', seen, re.M):
            break
        time.sleep(0.1)
    say(re.search(r'_total\{event="CPU_CYCLES",pid="17",.*\} 42$', seen, re.M) and not torn, "textfile", seen)
    say(os.path.exists(path) and os.stat(path).st_mode & 0o777 == 0o644, "textfile: others may read it")
    with open(ended, "w", encoding="ascii"):
        pass
    say(x.process.wait(10) == 0 and not [f for f in os.listdir(FOLDER) if f.startswith("counts")],
        "textfile: it is gone when the processes have ended")


def test_prometheus():
    if not shutil.which("prometheus"):
        print("skip a real prometheus: it is not installed")
        return
    play((1, 1, (10, G, G)), (1, 1, (0, G, G)))
    x = Exporter("-e", "CPU_CYCLES", "--listen", "127.0.0.1:0")
    play((1, 1, (15, 2 * G, 2 * G)), (1, 1, (0, 2 * G, 2 * G)))
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    config = os.path.join(FOLDER, "prometheus.yml")
    with open(config, "w", encoding="ascii") as file:
        file.write("global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: armpmu\n  static_configs:\n"
                   f"  - targets: ['127.0.0.1:{x.port}']\n")
    p = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={FOLDER}/tsdb",
                          f"--web.listen-address=127.0.0.1:{port}"], stderr=subprocess.DEVNULL)

    def stored():
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?query=armpmu_event_total",
                                        timeout=5) as answer:
                return {row["metric"]["cpu"]: float(row["value"][1])
                        for row in json.load(answer)["data"]["result"]}
        except OSError:
            return {}

    def wait_for(want):
        for _ in range(300):
            if stored() == want:
                return True
            time.sleep(0.1)
        return False
    say(wait_for({"0": 5, "1": 0}), "a real prometheus: the first scrape", stored())
    play((1, 2, (9007199254740003, 3 * G, 3 * G)), (1, 2, (11, 3 * G, 3 * G)))
    say(wait_for({"0": 9007199254739993, "1": 11}), "a real prometheus: a later scrape", stored())
    p.terminate()
    p.wait(20)
    x.end()


test_parser()
test_counts()
test_cgroups()
test_hostile()
test_options()
test_textfile()
test_prometheus()
