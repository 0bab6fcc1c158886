# SPDX-License-Identifier: BSD-2-Clause
"""scrape.py QEMU STOCK KERNEL ROOT FOLDER SECONDS: boots three guests, whose run.sh obeys it, and has Prometheus scrape
their exporters.  Then it compares every sample with what `perf stat` counted in the guest until then.

Programs run in bursts, each under `perf stat`.  A sample that was taken while nothing ran must have exactly the sum of
all bursts before; one that was taken during a burst may have any count in between.  Time is the host's.

The emulator of the guests has no user networking.  The distribution's emulator, without a machine, is the switch that
connects them and forwards ports of the host.
"""
import json
import os
import queue
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

QEMU, STOCK, KERNEL, ROOT, FOLDER = sys.argv[1:6]
SECONDS = int(sys.argv[6])
NAMES = {"r7d:u": "DSB_SPEC:u", "r8:u": "INST_RETIRED:u", "r11:u": "CPU_CYCLES:u", "r21:u": "BR_RETIRED:u"}
EVENTS = "INST_RETIRED:u,CPU_CYCLES:u,BR_RETIRED:u"
QUIET_S = 2.5  # between bursts


def say(good, name, why=""):
    print(f"ok {name}" if good else f"not ok {name}: {why}", flush=True)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Guest:
    """A guest.  .exporters has the truth of each of its exporters by the port in the guest."""

    def __init__(self, number, vcpus):
        self.number, self.address = number, f"10.0.2.{20 + number}"
        here, there = (os.path.join(FOLDER, f"{side}{number}") for side in ("guest", "switch"))
        self.process = subprocess.Popen(
            [QEMU, "-M", "virt", "-cpu", "max,pmu-counters=12", "-smp", str(vcpus), "-m", "512", "-icount", "shift=0",
             "-display", "none", "-nodefaults", "-serial", "stdio", "-kernel", KERNEL, "-initrd", ROOT, "-no-reboot",
             "-netdev", f"dgram,id=n,local.type=unix,local.path={here},remote.type=unix,remote.path={there}",
             "-device", f"e1000,netdev=n,romfile=,mac=52:54:00:00:00:{20 + number}",
             "-append", f"console=ttyAMA0 quiet panic=-1 cma=0 cryptomgr.notests run={20 + number}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.lines = queue.Queue()
        self.exporters = {}
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip())
        self.lines.put(None)

    def read_until(self, word, seconds=240):
        """Returns the lines before one that begins with @word, and that line; ends the test if none comes."""
        lines, end = [], time.time() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(0.1, end - time.time()))
            except queue.Empty:
                line = None
            if line is None:
                say(False, f"guest {self.number} answers", f"no {word}: {lines[-5:]}")
                sys.exit(1)
            if line.startswith(word):
                return lines, line
            lines.append(line)

    def run(self, command):
        """Runs a command in the guest.  Returns what it prints; a failure fails the test."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines, end = self.read_until("done ")
        if end != "done 0":
            say(False, f"guest {self.number}: {command}", f"{end} {lines[-5:]}")
        return lines


class Truth:
    """What perf stat counted for an exporter, in steps (begin, end, {(part, event): count}), the last one complete."""

    def __init__(self):
        self.steps = [(0, 0, {})]

    def add(self, begin, end, counts, reset=False):
        total = {} if reset else dict(self.steps[-1][2])
        for key, count in counts.items():
            total[key] = total.get(key, 0) + count
        self.steps.append((begin, end, total))

    def allowed(self, key, begin, end):
        """Returns the least and the most that a sample read between @begin and @end may have."""
        least, most = 0, 0
        for first, last, total in self.steps:
            if last <= begin:
                least = most = total.get(key, 0)
            elif first <= end:
                least, most = min(least, total.get(key, 0)), max(most, total.get(key, 0))
        return least, most


def burst(guest, port, command):
    """Runs a program in the guest, and notes what perf stat counted."""
    begin = time.time()
    lines = guest.run(command)
    counts = {}
    for line in lines:
        words = line.split()
        if len(words) == 4 and words[0] == "count":
            counts[words[1], NAMES[words[2]]] = int(words[3])
    if not counts:
        say(False, f"guest {guest.number}: {command}", f"perf stat counted nothing: {lines}")
    guest.exporters[port].add(begin, time.time(), counts)


def begin(guest, port, options):
    """Begins an exporter, whose counts begin with 0."""
    start = time.time()
    guest.run(f"begin {port} {options}")
    guest.exporters.setdefault(port, Truth()).add(start, time.time(), {}, reset=True)


class Prometheus:
    """Debian's Prometheus, which scrapes (guest, port in the guest, port of the host)."""

    def __init__(self, targets):
        self.port = free_ports(1)[0]
        config = os.path.join(FOLDER, "prometheus.yml")
        with open(config, "w", encoding="ascii") as file:
            json.dump({"global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
                       "scrape_configs": [{"job_name": "armpmu", "static_configs": [
                           {"targets": [f"127.0.0.1:{host}"], "labels": {"guest": str(guest.number), "port": port}}
                           for guest, port, host in targets]}]}, file)
        with open(os.path.join(FOLDER, "prometheus.log"), "w", encoding="ascii") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={FOLDER}/tsdb",
                 f"--web.listen-address=127.0.0.1:{self.port}"], stderr=log)

    def samples(self, expression):
        """Returns the rows (labels, [(time, value), ...]) of a series over the whole time."""
        url = f"http://127.0.0.1:{self.port}/api/v1/query?query={expression}[{SECONDS + 600}s]"
        with urllib.request.urlopen(url, timeout=30) as answer:
            return [(row["metric"], [(float(t), float(v)) for t, v in row["values"]])
                    for row in json.load(answer)["data"]["result"]]


def part_of(labels):
    return labels.get("cpu") or labels.get("cgroup") or labels.get("pid")


def compare(prometheus, guest, port, name, least_exact):
    """Compares all samples of the events whose truth is known.  At least @least_exact must have had one value only."""
    truth = guest.exporters[port]
    durations = {}
    for labels, values in prometheus.samples(f'scrape_duration_seconds{{guest="{guest.number}",port="{port}"}}'):
        durations.update(values)
    keys = {key for _, _, total in truth.steps for key in total}
    exact = between = 0
    wrong, seen = [], set()
    for labels, values in prometheus.samples(f'armpmu_event_total{{guest="{guest.number}",port="{port}"}}'):
        key = part_of(labels), labels["event"]
        if key not in keys:
            continue
        seen.add(key)
        for at, value in values:
            least, most = truth.allowed(key, at, at + durations[at])
            exact += least == most
            between += least != most
            if not least <= value <= most:
                wrong.append(f"{key} at {at:.3f}: {value:.0f}, want {least} to {most}")
    say(seen == keys and not wrong and exact >= least_exact,
        f"{name}: every sample: {exact} equal perf stat's, {between} during a burst are between",
        f"{len(wrong)} of {exact + between} wrong: {wrong[:4]}; without samples: {keys - seen}")


def rows_of(prometheus, metric, guest, **labels):
    return [values for have, values in prometheus.samples(f'{metric}{{guest="{guest.number}"}}')
            if all(have.get(k) == v for k, v in labels.items())]


def restart(guest, port, options):
    lines = guest.run(f"finish {port}")
    say("exit 0" in lines, f"guest {guest.number}: SIGTERM ends the exporter", lines)
    begin(guest, port, options)


def go_offline(guest):
    """Takes CPU 1 offline and online, slowly and then fast, with bursts before and after."""
    for pause in (QUIET_S, 0):
        guest.run("cpu 1 0")
        time.sleep(pause)
        guest.run("cpu 1 1")
        time.sleep(QUIET_S)  # until it is counted again
        burst(guest, "9876", "count_worker 1")


def act(guests, options, until):
    """Has the guests work until that time.  Every kind of step comes at least once."""
    first, second, third = guests
    rounds = 0
    while rounds < 2 or time.time() < until:
        burst(first, "9876", "count_dsb")
        burst(second, "9876", f"count_cgroup kube/pod{1 + rounds % 2}")
        burst(third, "9876", "count_worker 1")
        time.sleep(QUIET_S)
        burst(second, "9877", "count_worker $worker")
        if rounds % 4 == 1:
            restart(first, "9876", options[first, "9876"])
        if rounds % 3 == 0:
            go_offline(third)
        if rounds % 4 == 0:
            second.run(f"mkdir /sys/fs/cgroup/kube/pod3{rounds}")
            time.sleep(QUIET_S)  # until it is found
            burst(second, "9876", f"count_cgroup kube/pod3{rounds}")
        time.sleep(QUIET_S)
        rounds += 1


def check_privilege(guest):
    status = guest.run("cat /proc/$(cat 9876)/status")
    wanted = ["CapEff:\t0000004000000000", "CapBnd:\t0000004000000000", "NoNewPrivs:\t1"]
    say(all(line in status for line in wanted) and any(line.startswith("Uid:\t65534") for line in status),
        "the exporter has CAP_PERFMON and nothing else", status)
    lines = guest.run("(as_nobody -all armpmu export --listen 127.0.0.1:9) 2>&1; echo exit $?")
    say("exit 3" in lines and any("CAP_PERFMON" in line for line in lines), "without it, it says what it needs", lines)


def check_cost(guest):
    """The exporter's cost with a scrape each second, of the instructions that a CPU of 1 GHz has in ten seconds."""
    costs = dict((line.split()[1], float(line.split()[2])) for line in guest.run("cost 9878")
                 if line.startswith("cost"))
    share = (costs.get("r8:u", 1e12) + costs.get("r8:k", 0)) / 1e10
    print(f"note ten seconds with ten scrapes cost {costs}: {100 * share:.3f} % of 10^10 instructions")
    say(share <= 0.005, "the exporter costs at most 0.5 % of a CPU of 1 GHz", share)


def check_hotplug(prometheus, guest):
    online = rows_of(prometheus, "armpmu_cpu_online", guest, cpu="1")
    values = [v for _, v in online[0]] if online else []
    say(0 in values and values[-1] == 1, "CPU 1 is seen offline, and online at last", values)
    missed = rows_of(prometheus, "armpmu_event_missed_seconds_total", guest, cpu="1", event="INST_RETIRED:u")
    say(missed and missed[0][-1][1] > 0, "the time is known in which it may have run uncounted", missed[:1])
    other = rows_of(prometheus, "armpmu_event_missed_seconds_total", guest, cpu="0", event="INST_RETIRED:u")
    say(other and other[0][-1][1] == 0, "CPU 0 has been counted all the time", other[:1])


def main():
    guests = [Guest(1, 1), Guest(2, 1), Guest(3, 2)]
    for guest in guests:
        lines, _ = guest.read_until("ready")
        say(not [line for line in lines if "failed" in line], f"guest {guest.number} boots", lines)
    first, second, third = guests
    worker = second.run("begin_worker 1; echo $worker")[-1]
    third.run("begin_worker 2")  # on CPU 1, where nothing else runs
    options = {(first, "9876"): "--interval 2 -e DSB_SPEC:u,INST_RETIRED,CPU_CYCLES",
               (first, "9878"): "--interval 10", (second, "9876"): f"--interval 1 -e {EVENTS} -G kube/pod*",
               (second, "9877"): f"--interval 2 -e {EVENTS} -p {worker}", (third, "9876"): f"--interval 2 -e {EVENTS}"}
    targets = [(*key, port) for key, port in zip(options, free_ports(len(options)))]
    forwards = "".join(f",hostfwd=tcp:127.0.0.1:{host}-{guest.address}:{port}" for guest, port, host in targets)
    switch = [STOCK, "-M", "none", "-display", "none", "-nodefaults", "-netdev", f"user,id=user,restrict=on{forwards}",
              "-netdev", "hubport,id=port0,hubid=0,netdev=user"]
    for guest in guests:
        here, there = (os.path.join(FOLDER, f"{side}{guest.number}") for side in ("switch", "guest"))
        switch += ["-netdev", f"dgram,id=net{guest.number},local.type=unix,local.path={here},remote.type=unix,"
                   f"remote.path={there}", "-netdev", f"hubport,id=port{guest.number},hubid=0,netdev=net{guest.number}"]
    processes = [guest.process for guest in guests] + [subprocess.Popen(switch, stderr=subprocess.DEVNULL)]
    try:
        for (guest, port), words in options.items():
            begin(guest, port, words)
        check_privilege(first)
        prometheus = Prometheus(targets)
        processes.append(prometheus.process)
        start = time.time()
        time.sleep(QUIET_S)
        act(guests, options, start + SECONDS)
        check_cost(first)
        took = time.time() - start
        least = int(0.3 * took)
        compare(prometheus, first, "9876", "one vCPU, restarts", least)
        compare(prometheus, second, "9876", "cgroups", least)
        compare(prometheus, second, "9877", "a process", least)
        compare(prometheus, third, "9876", "two vCPUs, hot-unplugged", least)
        check_hotplug(prometheus, third)
        for guest, port, _ in targets:
            up = [v for values in rows_of(prometheus, "up", guest, port=port) for _, v in values]
            say(len(up) >= 0.8 * took and sum(up) >= 0.8 * len(up), f"guest {guest.number}, port {port}: it is scraped",
                f"{sum(up)} of {len(up)} in {took:.0f} s")
        print(f"note {took:.0f} s")
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


main()
