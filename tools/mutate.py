#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests the tests: changes one thing in a file of the model at a time, and sees if a test notices.

`make mutate` builds the programs and calls this; FILES are files of lib/model/, all by default.

A change (a mutant) negates a condition, exchanges && and ||, < and <=, == and !=, drops a !, a term of | or &, or a
statement that assigns or calls, or moves a constant by one.  Only the changed file is compiled; it is linked with the
objects of the others into the shared library that the test programs use.  These run from the cheapest kill to the
dearest until one fails, dies, or takes too long.  A mutant that compiles to the code of the original does not count.

A mutant that survives must be argued in test/model/mutation/equivalent.txt:

    lib/model/why.c not_synchronous
    > the text of the line
    - the change, as this program prints it (one line for each change that the argument is about)
    Why no test can tell.

A paragraph that names no mutant is an error (--check looks for these alone), and so is one whose mutant is killed.
Verdicts are kept in DIR/verdicts, so that an interrupted run goes on.  The verdict on a killed mutant holds until its
file or one of its headers changes, that on a survivor until a test or anything else of the model changes.  Exit status
0: all survivors are argued and the score is 97 % or more.  The score is the share of killed mutants, in percent.
"""
import argparse
import hashlib
import os
import re
import resource
import signal
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants import mutants_of

GOAL = 97.0
ARGUED = Path("test/model/mutation/equivalent.txt")
INLINE = re.compile(r"^static [^;{}]*?(\w+)\([^;{}]*\)[^;{}\n]*\n\{\n(.*?)^\}\n", re.S | re.M)


# ---------------------------------------------------------------------------------------------------------------------
# The survivors that are argued.

def arguments():
    """Returns (key, line of the file) of every mutant that test/model/mutation/equivalent.txt argues."""
    named, line = [], 1
    for paragraph in ARGUED.read_text().split("\n\n"):
        lines = [text for text in paragraph.split("\n") if not text.startswith("#")]
        at, line = line, line + paragraph.count("\n") + 2
        if not any(lines):
            continue
        head = lines[0].split(" ", 1)
        changes = [text[2:] for text in lines[2:] if text.startswith("- ")]
        argument = [text for text in lines[2 + len(changes):] if text.strip()]
        if len(head) != 2 or not lines[1].startswith("> ") or not changes or not argument:
            sys.exit(f"{ARGUED}:{at}: wants FILE FUNCTION, a line '> ' of the source, lines '- ' of its "
                     f"changes, and an argument")
        named += [((head[0], head[1], lines[1][2:], change), at) for change in changes]
    return named


def check(named, keys):
    """Prints each paragraph that names no mutant or one that is named twice, and returns how many there are."""
    bad = 0
    count = Counter(key for key, _ in named)
    for key, at in named:
        if key not in keys or count[key] > 1:
            print(f"{ARGUED}:{at}: {'argued twice' if key in keys else 'there is no such mutant'}: "
                  f"{key[0]} {key[1]}: {key[3]}")
            bad += 1
    return bad


# ---------------------------------------------------------------------------------------------------------------------
# Judging.

class Program:
    """A test program that judges mutants, with the seconds that it takes and the mutants that it has killed."""

    def __init__(self, name, command, rounds="1", long=False):
        self.name, self.command, self.rounds, self.long = name, command, rounds, long
        self.seconds, self.kills = 0.0, 0
        files = b"".join(Path(word).read_bytes() for word in command)
        self.digest = hashlib.sha256(files + rounds.encode()).hexdigest()[:8]

    def cost(self):
        """Returns the seconds for each kill so far: the cheapest program runs first."""
        return self.seconds / (1 + self.kills)

    def passes(self, library):
        """Returns whether the program exits with 0, or None if it takes too much processor time."""
        env = {"LD_LIBRARY_PATH": str(library), "ARMPMU_ROUNDS": self.rounds, "PATH": os.environ["PATH"]}
        limit = str(int(2 + 10 * self.seconds) if self.seconds else 60)
        status = subprocess.run(["prlimit", "--cpu=" + limit, *self.command], env=env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        return None if -status in (signal.SIGXCPU, signal.SIGKILL) else status == 0


def symbols(path):
    """Returns the symbols that an object or a program defines, and those that it needs."""
    lines = subprocess.run(["nm", str(path)], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    named = [line.split()[-2:] for line in lines]
    return {name for kind, name in named if kind != "U"}, {name for kind, name in named if kind == "U"}


class Bench:
    """Compiles, links and judges; everything lies in @dir, where the objects of the original have been built."""

    def __init__(self, directory, cc, quick):
        self.dir, self.cc, self.quick, self.lock = Path(directory), cc, quick, threading.Lock()
        self.model = sorted(str(path) for path in Path("lib/model").glob("*.c"))
        self.objects = sorted(str(self.object_of(path)) for part in ("lib",)
                              for path in Path(part).rglob("*.c"))
        self.by_code, self.free, self.needs = {}, [], None
        self.original = {file: self.compile(file, Path(file).read_text(), "lib/model", self.dir / "original.o")
                         for file in self.model}
        (self.dir / "base").mkdir(exist_ok=True)
        self.link(self.objects, self.dir / "base/libunit.so")
        self.programs = self.link_programs()
        self.digest = hashlib.sha256(b"".join(Path(path).read_bytes() for path in self.objects)).hexdigest()[:16]

    def object_of(self, source):
        return self.dir / "obj" / Path(source).with_suffix(".o")

    def link(self, objects, library):
        subprocess.run([self.cc, "-shared", "-Wl,-Bsymbolic", "-o", str(library), *objects], check=True)

    def link_programs(self):
        """Links and returns each program that judges; cost() gives the order in which they run."""
        programs = []

        def objects(part):
            return [(path.stem, str(self.object_of(path))) for path in sorted(Path("test", part).glob("*.c"))]

        common = [path for _, path in objects("lib")]

        def link(name, own):
            path = self.dir / "programs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([self.cc, "-o", str(path), *own, *common, f"-L{self.dir}/base", "-lunit", "-lz"], check=True)
            return str(path)

        for part in ("model/unit", "model/table", "driver"):
            programs += [Program(f"{part}/{name}", [link(f"{part.replace('/', '-')}-{name}", [path])])
                         for name, path in objects(part)]
        for part, inputs in ("model/conform", "data/vectors/*.csv"), ("model/replay", "data/traces/*.trace"):
            paths = sorted(Path("test").glob(inputs))
            own = [path for _, path in objects(part)]
            if part == "model/replay":
                own += [str(self.object_of(path)) for path in Path("cli/trace").glob("*.c")]
            program = link(part.replace("/", "-"), own) if paths else None
            programs += [Program(f"{part} {path.name}", [program, str(path)]) for path in paths]
        props = [(f"prop/{name}", [link(f"prop-{name}", [path])])
                 for name, path in objects("model/prop") + objects("explain")]
        programs = [program for program in programs if self.reaches_model(program.command[0])]
        programs += [Program(name, command, "1/20") for name, command in props]
        return programs + [Program(name, command, long=True) for name, command in props if not self.quick]

    def reaches_model(self, program):
        """Returns whether a program calls the model, directly or through other parts of the library."""
        if self.needs is None:
            self.needs, self.home = {}, {}
            for path in self.objects:
                defined, self.needs[path] = symbols(path)
                self.home.update((name, path) for name in defined)
        reached, names = set(), symbols(program)[1]
        while names:
            paths = {self.home[name] for name in names if name in self.home} - reached
            reached |= paths
            names = {name for path in paths for name in self.needs[path]}
        return any(Path(path).parent.name == "model" for path in reached)

    def compile(self, file, source, headers, target):
        """Returns the object code of @source with the headers of the folder @headers, or None if it does not compile.
        Its line information names @file."""
        text = f'# 1 "{file}"\n{source}'
        done = subprocess.run([self.cc, "-x", "c", "-std=c11", "-w", "-O1", "-fPIC", "-DAPMU_HIDDEN=", "-Iinclude",
                               "-iquote", str(headers), "-c", "-", "-o", str(target)], input=text.encode(),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return Path(target).read_bytes() if done.returncode == 0 else None

    def compile_mutant(self, mutant, place):
        """Returns {file: its code} where that is not the original's, None for a file that does not compile.  A header
        changes the code of all files."""
        if mutant.file in self.original:
            target = place / f"{Path(mutant.file).stem}.o"
            return self.differing({mutant.file: self.compile(mutant.file, mutant.source, "lib/model", target)})
        (place / "headers").mkdir(exist_ok=True)
        for header in Path("lib/model").glob("*.h"):
            text = mutant.source if header.name == Path(mutant.file).name else header.read_text()
            (place / "headers" / header.name).write_text(text)
        codes = {}
        for file in self.users_of(mutant):
            codes[file] = self.compile(file, Path(file).read_text(), place / "headers", place / f"{Path(file).stem}.o")
            if codes[file] is None:
                break
        return self.differing(codes)

    def users_of(self, mutant):
        """Returns the files of the model that use the function of a header that the mutant changes, directly or through
        other functions of headers."""
        names = {mutant.function}
        bodies = [found for header in Path("lib/model").glob("*.h") for found in INLINE.findall(header.read_text())]
        while True:
            more = {name for name, body in bodies if names & set(re.findall(r"\w+", body))} | names
            if more == names:
                return [file for file in self.model if names & set(re.findall(r"\w+", Path(file).read_text()))]
            names = more

    def differing(self, codes):
        return {file: code for file, code in codes.items() if code != self.original[file]}

    def verdict(self, mutant, passed, first, argued):
        """Returns ("invalid" | "same" | "killed" | "slow", by what) or ("survived", digests of what it passed, @passed
        before)."""
        with self.lock:
            place = self.free.pop() if self.free else self.dir / f"worker-{threading.get_ident()}"
        place.mkdir(exist_ok=True)
        try:
            return self.judge(mutant, place, passed, first, argued)
        finally:
            with self.lock:
                self.free.append(place)

    def judge(self, mutant, place, passed, first, argued):
        codes = self.compile_mutant(mutant, place)
        if None in codes.values():
            return "invalid", "-"
        if not codes:
            return "same", "-"
        digest = hashlib.sha256(b"".join(file.encode() + code for file, code in codes.items())).digest()
        with self.lock:
            known = self.by_code.get(digest)
        if known is None:
            own = {str(self.object_of(file)): str(place / f"{Path(file).stem}.o") for file in codes}
            self.link([own.get(path, path) for path in self.objects], place / "libunit.so")
            known = self.run(place, passed, first, argued)
            with self.lock:
                self.by_code[digest] = known
        return known

    def asked_of(self, argued):
        """Returns the programs that judge a mutant: all, but not the long ones if it is argued to survive."""
        return [program for program in self.programs if not (argued and program.long)]

    def run(self, place, passed, first, argued):
        asked = self.asked_of(argued)
        with self.lock:
            order = sorted((program for program in asked if program.digest not in passed),
                           key=lambda program: (program.name != first, program.cost()))
        for program in order:
            passes = program.passes(place)
            if not passes:
                with self.lock:
                    program.kills += 1
                return "killed" if passes is False else "slow", program.name
        return "survived", ",".join(sorted(program.digest for program in asked))

    def measure(self):
        """Measures how long each program takes without any mutant.  Returns the name of one that fails, or None."""
        for program in self.programs:
            begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            if not program.passes(self.dir / "base"):
                return program.name
            program.seconds = max(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin, 0.001)
        return None


class Verdicts:
    """The verdicts of earlier runs, a line each: digests of the mutant, of its key and of the model, the verdict, by
    what (see Bench.verdict).  The program that killed a mutant of the same key before is tried first."""

    def __init__(self, directory, bench):
        self.path, self.bench, self.lock = Path(directory) / "verdicts", bench, threading.Lock()
        self.known, self.killers = {}, {}
        for line in self.path.read_text().splitlines() if self.path.exists() else []:
            digest, key, model, verdict, by = line.split("\t")
            self.known[digest] = (model, verdict, by)
            self.killers[key] = by

    def get(self, digest, argued):
        """Returns (verdict, by what) if the verdict still holds, and else ("", digests of the programs that passed)."""
        model, verdict, by = self.known.get(digest, (None, "", ""))
        if verdict == "survived" and self.bench is not None:
            passed = set(by.split(",")) if model == self.bench.digest else set()
            asked = {program.digest for program in self.bench.asked_of(argued)}
            return (verdict, by) if asked <= passed else ("", passed)
        return verdict, by

    def put(self, digest, key, verdict, by):
        with self.lock, self.path.open("a") as out:
            out.write(f"{digest}\t{key}\t{self.bench.digest}\t{verdict}\t{by}\n")


def meaning(file, cc):
    """Returns a file with its headers as the compiler sees it, without comments."""
    return subprocess.run([cc, "-E", "-P", "-std=c11", "-Iinclude", file], stdout=subprocess.PIPE, check=True).stdout


def judge_all(directory, bench, mutants, argued, jobs, cc):
    """Returns the verdict of each mutant; without a bench, only the known ones.  @argued are keys."""
    meanings = {file: meaning(file, cc) for file in {mutant.file for mutant in mutants}}
    verdicts = Verdicts(directory, bench)
    answers = {}

    def one(mutant):
        key = repr(mutant.key()).encode()
        digest = hashlib.sha256(meanings[mutant.file] + key).hexdigest()[:32]
        key = hashlib.sha256(key).hexdigest()[:16]
        known = mutant.key() in argued
        verdict, by = verdicts.get(digest, known)
        if verdict == "" and bench is not None:
            verdict, by = bench.verdict(mutant, by, verdicts.killers.get(key), known)
            verdicts.put(digest, key, verdict, by)
        if verdict != "":
            answers[mutant] = verdict, by

    with ThreadPoolExecutor(jobs) as pool:
        for done, _ in enumerate(pool.map(one, mutants), 1):
            if done % 500 == 0:
                print(f"{done} of {len(mutants)}", file=sys.stderr, flush=True)
    return answers


def report(answers, named, files):
    """Prints the survivors and a table of scores, and returns the number of faults."""
    count = {file: Counter() for file in files}
    argued = {key: at for key, at in named}
    bad = 0
    for mutant, (verdict, _) in answers.items():
        known = mutant.key() in argued
        count[mutant.file][verdict if verdict != "survived" or not known else "argued"] += 1
        if verdict == "survived" and not known:
            print(f"{mutant.file}:{mutant.line}: survived\n{mutant.file} {mutant.function}\n> {mutant.text}\n"
                  f"- {mutant.what}\n")
            bad += 1
        elif known and verdict not in ("survived", "same"):
            print(f"{ARGUED}:{argued[mutant.key()]}: argued, but {verdict}: {mutant.file} {mutant.function}: "
                  f"{mutant.what}")
            bad += 1
    print(f"{'file':24}{'mutants':>8}{'same':>6}{'killed':>8}{'by time':>8}{'argued':>8}{'survived':>9}{'score':>8}")
    total = Counter()
    for file in [*files, "all"]:
        c = count.get(file, total)
        total.update(c if file != "all" else {})
        killed, left = c["killed"] + c["slow"], c["argued"] + c["survived"]
        score = 100.0 * killed / (killed + left) if killed + left else 100.0
        print(f"{file:24}{killed + left:8}{c['same']:6}{c['killed']:8}{c['slow']:8}{c['argued']:8}{c['survived']:9}"
              f"{score:8.2f}")
    return bad + (score < GOAL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", help="files of lib/model/")
    parser.add_argument("--check", action="store_true", help="only check that equivalent.txt names real mutants")
    parser.add_argument("--list", action="store_true", help="only print the mutants")
    parser.add_argument("--root", default=Path(__file__).resolve().parent.parent,
                        help="the checkout; everything else is below it")
    parser.add_argument("--dir", default="build/mutation", help="where the objects are and verdicts are kept")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--quick", action="store_true",
                        help="a twentieth of the rounds of the properties: some more survive")
    parser.add_argument("--jobs", type=int, default=2, choices=(1, 2))
    parser.add_argument("--known", action="store_true", help="judge nothing: report what earlier runs found")
    args = parser.parse_args()
    os.chdir(args.root)
    files = [f"lib/model/{Path(name).name}" for name in args.files] or \
        sorted(str(path) for path in Path("lib/model").glob("*.[ch]"))
    mutants = [mutant for file in files for mutant in mutants_of(file, Path(file).read_text())]
    if args.list:
        for mutant in mutants:
            print(f"{mutant.file}:{mutant.line}: {mutant.function}: {mutant.what}")
        return 0
    named = [(key, at) for key, at in arguments() if key[0] in files or not args.files]
    bad = check(named, {mutant.key() for mutant in mutants})
    if args.check:
        return bad != 0
    os.nice(max(0, 10 - os.nice(0)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    bench = None
    if not args.known:
        bench = Bench(args.dir, args.cc, args.quick)
        failing = bench.measure()
        if failing is not None:
            sys.exit(f"the tests fail without any mutant: {failing}")
    verdicts = judge_all(args.dir, bench, mutants, {key for key, _ in named}, args.jobs, args.cc)
    return 1 if report(verdicts, named, files) + bad else 0


sys.exit(main())
