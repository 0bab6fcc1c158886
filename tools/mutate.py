#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests the tests: changes one thing in a file of the model at a time, and looks whether a test notices.

`make mutate` builds the programs and calls this; FILES are files of model/, all by default.

A change (a mutant) negates a condition, exchanges && and ||, < and <=, == and !=, drops a !, a term of | or &, or a
statement that assigns or calls, or moves a constant by one.  Only the changed file is compiled; it is linked with the
objects of the others into the shared library that the test programs use.  These run from the cheapest kill to the dearest
until one fails, dies, or takes too long.  A mutant whose code is that of the original is none.

What survives must be argued in test/mutation/equivalent.txt:

    model/why.c not_synchronous
    > the text of the line
    - the change, as this program prints it (one line for each change that the argument is about)
    Why no test can tell.

A paragraph that names no mutant is an error (--check looks for these alone), and so is one whose mutant is killed.
Verdicts are kept in DIR/verdicts, so that an interrupted run goes on; that of a killed mutant holds until its file or one of
its headers changes, that of a survivor until a test or anything else of the model does.  Exit status 0: all survivors are
argued and the score is 97 % or more.
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

GOAL = 97.0
ROOT = Path(__file__).resolve().parent.parent
ARGUED = ROOT / "test/mutation/equivalent.txt"
TOKEN = re.compile(
    r"""(?P<space>\s+|/\*.*?\*/|//[^\n]*)|(?P<directive>^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)|(?P<string>"(?:\\.|[^"\\])*")"""
    r"""|(?P<char>'(?:\\.|[^'\\])*')|(?P<name>[A-Za-z_]\w*)|(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*)"""
    r"""|(?P<mark><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||\.\.\.|[-+*/%&|^]=|.)""", re.S | re.M)
OPENING, CLOSING = set("([{"), set(")]}")
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
SWAPS = {"&&": "||", "||": "&&", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
NO_VALUE = {"return", "case", "sizeof", "else", "do"}  # names after which & and * are unary
TYPES = {"const", "static", "struct", "enum", "unsigned", "int", "bool", "char", "void", "size_t", "uint8_t", "uint16_t",
         "uint32_t", "uint64_t", "int64_t", "_Static_assert"}
LEAVING = {"return", "break", "continue", "goto", "case", "default", "if", "else", "for", "while", "switch", "do"}


class Token:
    def __init__(self, kind, text, start):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)
        self.mate = None      # of a bracket, the index of the other
        self.level = 0        # brackets around it
        self.function = ""    # or the name of the table that it is in


def tokens_of(source):
    """The tokens that are code, brackets paired."""
    tokens, stack = [], []
    for match in TOKEN.finditer(source):
        kind = match.lastgroup
        if kind in ("space", "directive"):
            continue
        token = Token(kind, match.group(), match.start())
        if token.text in CLOSING:
            opening = stack.pop()
            token.mate, tokens[opening].mate = opening, len(tokens)
        token.level = len(stack)
        if token.text in OPENING:
            stack.append(len(tokens))
        tokens.append(token)
    name = ""
    for i, token in enumerate(tokens):
        if token.text == "{" and token.level == 0 and (i < 2 or tokens[i - 2].text != "struct"):
            name = name_before(tokens, i)
            for inner in tokens[i:token.mate]:
                inner.function = name
    return tokens


def name_before(tokens, i):
    """Of the function, table or type whose body begins at i."""
    j, name = i - 1, "(unnamed)"
    while j >= 0 and tokens[j].text not in (";", "}"):
        if tokens[j].mate is not None and tokens[j].text in CLOSING:
            j = tokens[j].mate
        elif tokens[j].kind == "name" and tokens[j].text not in TYPES:
            name = tokens[j].text
            if tokens[j + 1].text in ("(", "[", "{"):
                return name
        j -= 1
    return name


class Mutant:
    def __init__(self, file, source, function, start, end, new, what):
        self.file, self.function, self.what = file, function, what
        first = source.rfind("\n", 0, start) + 1
        self.line = source.count("\n", 0, start) + 1
        self.text = source[first:source.find("\n", start)].strip()
        self.source = source[:start] + new + source[end:]

    def key(self):
        return self.file, self.function, self.text, self.what


def limits(tokens, i, stop):
    """The operands of the binary operator at i: the index of the first token left of it, and of the last one right."""
    left = i - 1
    while tokens[left].text not in stop and tokens[left].text not in OPENING and tokens[left].text not in NO_VALUE:
        left = (tokens[left].mate if tokens[left].text in CLOSING else left) - 1
    right = i + 1
    while tokens[right].text not in stop and tokens[right].text not in CLOSING:
        right = (tokens[right].mate if tokens[right].text in OPENING else right) + 1
    return left + 1, right - 1


STOP_OR = {"|", "||", "&&", "?", ":", ",", ";"} | ASSIGNMENTS
STOP_AND = STOP_OR | {"&", "^"}
STOP_CONDITION = {"?", ":", ",", ";"} | ASSIGNMENTS


def squeeze(text):
    text = re.sub(r"\s+", " ", text)
    return text if len(text) <= 60 else text[:50] + " ..."


def mutants_of(file, source):
    """Every mutant of a file, in the order of its text."""
    tokens = tokens_of(source)
    found = []

    def add(token, start, end, new, what):
        found.append(Mutant(file, source, token.function, start, end, new, what))

    def negate(first, last, what="negate"):
        start, end = tokens[first].start, tokens[last].end
        add(tokens[first], start, end, f"!({source[start:end]})", f"{what} `{squeeze(source[start:end])}`")

    returns_bool = set(re.findall(r"^(?:static )?(?:inline )?bool (\w+)\(", source, re.M))
    for i, token in enumerate(tokens):
        text, before, after = token.text, tokens[i - 1].text if i else "", tokens[i + 1].text if i + 1 < len(tokens) else ""
        if not token.function:
            continue
        if text in ("if", "while") and after == "(":
            negate(i + 2, tokens[i + 1].mate - 1)
        elif text == "for" and after == "(":
            parts = [k for k in range(i + 2, tokens[i + 1].mate) if tokens[k].text == ";" and tokens[k].level == token.level + 1]
            if len(parts) == 2 and parts[1] > parts[0] + 1:
                negate(parts[0] + 1, parts[1] - 1)
        elif text == "?":
            negate(limits(tokens, i, STOP_CONDITION)[0], i - 1)
        elif text == "return" and token.function in returns_bool and after not in ("true", "false"):
            last = i + 1
            while tokens[last].text != ";":
                last += 1
            negate(i + 1, last - 1)
        elif text == "=" and tokens[i - 2].text == "bool" and after not in ("true", "false"):
            negate(i + 1, limits(tokens, i, {";", ","})[1])
        if text in SWAPS:
            add(token, token.start, token.end, SWAPS[text], f"`{text}` to `{SWAPS[text]}`")
        elif text == "!":
            add(token, token.start, token.end, "", "drop `!`")
        elif text in ("|", "&"):
            binary = (tokens[i - 1].kind in ("name", "number") and before not in NO_VALUE) or before in (")", "]")
            if binary:
                left, right = limits(tokens, i, STOP_OR if text == "|" else STOP_AND)
                dropped = squeeze(source[token.start:tokens[right].end])
                add(token, token.start, tokens[right].end, "", f"drop `{dropped}`")
                if tokens[left - 1].text != text:
                    dropped = squeeze(source[tokens[left].start:token.end])
                    add(tokens[left], tokens[left].start, token.end, "", f"drop `{dropped}`")
        elif text in ("true", "false"):
            other = "false" if text == "true" else "true"
            add(token, token.start, token.end, other, f"`{text}` to `{other}`")
        elif token.kind == "number":
            digits = text.rstrip("uUlL")
            value, suffix = int(digits, 0), text[len(digits):]
            for moved in (value + 1, value - 1):
                if moved >= 0:
                    new = (f"0x{moved:X}" if digits[:2] in ("0x", "0X") else str(moved)) + suffix
                    add(token, token.start, token.end, new, f"`{text}` to `{new}`")
        if before in (";", "{", "}", ")", "else", ":") and not (before == ")" and not heads_statement(tokens, i - 1)):
            last = statement(tokens, i)
            if last is not None:
                dropped = squeeze(source[token.start:tokens[last].end])
                add(token, token.start, tokens[last].end, ";", f"drop `{dropped}`")
    return distinct(found)


def heads_statement(tokens, i):
    """The bracket at i ends the head of an if, a for or a while."""
    return tokens[i].text == ")" and tokens[tokens[i].mate - 1].text in ("if", "for", "while")


def statement(tokens, i):
    """The index of the ; of a statement at i that assigns or calls, or None."""
    if tokens[i].text in TYPES | LEAVING or not (tokens[i].kind == "name" or tokens[i].text in ("*", "++", "--")):
        return None
    if i + 1 < len(tokens) and tokens[i].kind == "name" and (tokens[i + 1].kind == "name" or tokens[i + 1].text == ":"):
        return None
    acts = tokens[i + 1].text == "("
    k = i
    while tokens[k].text != ";":
        if tokens[k].text in OPENING:
            k = tokens[k].mate
        elif tokens[k].text in CLOSING or tokens[k].text == ",":
            return None  # of an initializer or an enumeration
        acts |= tokens[k].text in ASSIGNMENTS or tokens[k].text in ("++", "--")
        k += 1
        if k == len(tokens):
            return None
    return k if acts else None


def distinct(found):
    """Numbers the mutants that have the same key, so that each has its own."""
    seen = Counter()
    for mutant in found:
        seen[mutant.key()] += 1
        if seen[mutant.key()] > 1:
            mutant.what += f" #{seen[mutant.key()]}"
    return found


# ---------------------------------------------------------------------------------------------------------------------
# The survivors that are argued.

def arguments():
    """(key, line of the file) of every mutant that test/mutation/equivalent.txt speaks of."""
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
            sys.exit(f"{ARGUED.relative_to(ROOT)}:{at}: wants FILE FUNCTION, a line '> ' of the source, lines '- ' of its "
                     f"changes, and an argument")
        named += [((head[0], head[1], lines[1][2:], change), at) for change in changes]
    return named


def check(named, keys):
    """Complains of paragraphs that name no mutant."""
    bad = 0
    count = Counter(key for key, _ in named)
    for key, at in named:
        if key not in keys or count[key] > 1:
            print(f"{ARGUED.relative_to(ROOT)}:{at}: {'argued twice' if key in keys else 'there is no such mutant'}: "
                  f"{key[0]} {key[1]}: {key[3]}")
            bad += 1
    return bad


# ---------------------------------------------------------------------------------------------------------------------
# Judging.

class Program:
    """One that judges, and what it is known for."""

    def __init__(self, name, command, rounds="1"):
        self.name, self.command, self.rounds = name, command, rounds
        self.seconds, self.kills = 0.0, 0
        files = b"".join(Path(word).read_bytes() for word in command)
        self.digest = hashlib.sha256(files + rounds.encode()).hexdigest()[:8]

    def cost(self):
        """Seconds for a kill, as far as is known: the cheapest goes first."""
        return self.seconds / (1 + self.kills)

    def passes(self, library):
        """The exit status is 0, or None after too long a time of the processor."""
        env = {"LD_LIBRARY_PATH": str(library), "ARMPMU_ROUNDS": self.rounds, "PATH": os.environ["PATH"]}
        limit = str(int(2 + 10 * self.seconds) if self.seconds else 60)
        status = subprocess.run(["prlimit", "--cpu=" + limit, *self.command], env=env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT).returncode
        return None if -status in (signal.SIGXCPU, signal.SIGKILL) else status == 0


class Bench:
    """Compiles, links and judges; everything lies in @dir, where the objects of the original have been built."""

    def __init__(self, directory, cc, quick):
        self.dir, self.cc, self.quick, self.lock = Path(directory), cc, quick, threading.Lock()
        self.objects = sorted(str(path) for part in ("model", "driver", "events") for path in (self.dir / "obj" / part).rglob("*.o"))
        self.original, self.by_code, self.free = {}, {}, []
        (self.dir / "base").mkdir(exist_ok=True)
        self.link(self.objects, self.dir / "base/libunit.so")
        self.programs = self.link_programs()
        self.digest = hashlib.sha256(b"".join(Path(path).read_bytes() for path in self.objects)).hexdigest()[:16]

    def link(self, objects, library):
        subprocess.run([self.cc, "-shared", "-Wl,-Bsymbolic", "-o", str(library), *objects], check=True)

    def link_programs(self):
        """Each program that judges; the order in which they are tried is that of cost()."""
        obj, programs = self.dir / "obj/test", []
        common = [str(path) for path in (obj / "lib").glob("*.o")]

        def link(name, objects):
            path = self.dir / "programs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([self.cc, "-o", str(path), *objects, *common, f"-L{self.dir}/base", "-lunit", "-lz"], check=True)
            return str(path)

        for part in ("unit", "table", "driver"):
            programs += [Program(f"{part}/{path.stem}", [link(f"{part}-{path.stem}", [str(path)])])
                         for path in sorted((obj / part).glob("*.o"))]
        conform = link("conform", [str(path) for path in (obj / "conform").glob("*.o")])
        replay = link("replay", [str(path) for path in (obj / "replay").glob("*.o")])
        programs += [Program(f"conform {path.name}", [conform, str(path)]) for path in sorted(ROOT.glob("test/vectors/*.csv"))]
        programs += [Program(f"replay {path.name}", [replay, str(path)]) for path in sorted(ROOT.glob("test/traces/*.trace"))]
        props = [(f"prop/{path.stem}", [link(f"prop-{path.stem}", [str(path)])]) for path in sorted((obj / "prop").glob("*.o"))]
        return programs + [Program(name, command, rounds) for rounds in ("1/20", "1")[:1 if self.quick else 2]
                           for name, command in props]

    def compile(self, file, source, target):
        """The code of a file with other text, or None; what it says of its place is that of the original."""
        text = f'# 1 "{file}"\n{source}'
        done = subprocess.run([self.cc, "-x", "c", "-std=c11", "-w", "-O2", "-fPIC", "-Iinclude", "-iquote", "model", "-c", "-",
                               "-o", str(target)], input=text.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
        return Path(target).read_bytes() if done.returncode == 0 else None

    def verdict(self, mutant, passed):
        """("invalid" | "same" | "killed" | "slow", by what) or ("survived", digests of what it passed, @passed before)."""
        with self.lock:
            place = self.free.pop() if self.free else self.dir / f"worker-{threading.get_ident()}"
        place.mkdir(exist_ok=True)
        try:
            return self.judge(mutant, place, passed)
        finally:
            with self.lock:
                self.free.append(place)

    def judge(self, mutant, place, passed):
        code = self.compile(mutant.file, mutant.source, place / "mutant.o")
        if code is None:
            return "invalid", "-"
        if code == self.original[mutant.file]:
            return "same", "-"
        with self.lock:
            known = self.by_code.get(code)
        if known is None:
            own = str(self.dir / "obj" / mutant.file)[:-2] + ".o"
            self.link([str(place / "mutant.o")] + [path for path in self.objects if path != own], place / "libunit.so")
            known = self.run(place, passed)
            with self.lock:
                self.by_code[code] = known
        return known

    def run(self, place, passed):
        with self.lock:
            order = sorted((program for program in self.programs if program.digest not in passed), key=Program.cost)
        for program in order:
            passes = program.passes(place)
            if not passes:
                with self.lock:
                    program.kills += 1
                return "killed" if passes is False else "slow", program.name
        return "survived", ",".join(sorted(program.digest for program in self.programs))

    def measure(self):
        """How long each program takes without any mutant; the name of one that fails, or None."""
        for program in self.programs:
            begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            if not program.passes(self.dir / "base"):
                return program.name
            program.seconds = max(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin, 0.001)
        return None


class Verdicts:
    """Those of earlier runs, one line each: digest of the mutant, of the model, verdict, by what (see Bench.verdict)."""

    def __init__(self, directory, bench):
        self.path, self.bench, self.known, self.lock = Path(directory) / "verdicts", bench, {}, threading.Lock()
        for line in self.path.read_text().splitlines() if self.path.exists() else []:
            digest, model, verdict, by = line.split("\t")
            self.known[digest] = (model, verdict, by)

    def get(self, digest):
        """(verdict, by what) as far as it still holds, and else ("", digests of what it has passed)."""
        model, verdict, by = self.known.get(digest, (None, "", ""))
        if verdict == "survived" and self.bench is not None:
            passed = set(by.split(",")) if model == self.bench.digest else set()
            return (verdict, by) if passed.issuperset(program.digest for program in self.bench.programs) else ("", passed)
        return verdict, by

    def put(self, digest, verdict, by):
        with self.lock, self.path.open("a") as out:
            out.write(f"{digest}\t{self.bench.digest}\t{verdict}\t{by}\n")


def meaning(file, cc):
    """Of a file and its headers: what a compiler sees."""
    return subprocess.run([cc, "-E", "-P", "-std=c11", "-Iinclude", file], stdout=subprocess.PIPE, check=True, cwd=ROOT).stdout


def judge_all(directory, bench, mutants, jobs, cc):
    """Mutant -> verdict; without a bench, those that are known."""
    meanings = {file: meaning(file, cc) for file in {mutant.file for mutant in mutants}}
    verdicts = Verdicts(directory, bench)
    answers = {}

    def one(mutant):
        digest = hashlib.sha256(meanings[mutant.file] + repr(mutant.key()).encode()).hexdigest()[:32]
        verdict, by = verdicts.get(digest)
        if verdict == "" and bench is not None:
            verdict, by = bench.verdict(mutant, by)
            verdicts.put(digest, verdict, by)
        if verdict != "":
            answers[mutant] = verdict, by

    with ThreadPoolExecutor(jobs) as pool:
        for done, _ in enumerate(pool.map(one, mutants), 1):
            if done % 500 == 0:
                print(f"{done} of {len(mutants)}", file=sys.stderr, flush=True)
    return answers


def report(answers, named, files):
    """Prints what came of it, and returns how much is wrong."""
    count = {file: Counter() for file in files}
    argued = {key: at for key, at in named}
    bad = 0
    for mutant, (verdict, _) in answers.items():
        known = mutant.key() in argued
        count[mutant.file][verdict if verdict != "survived" or not known else "argued"] += 1
        if verdict == "survived" and not known:
            print(f"{mutant.file}:{mutant.line}: survived\n{mutant.file} {mutant.function}\n> {mutant.text}\n- {mutant.what}\n")
            bad += 1
        elif known and verdict not in ("survived", "same"):
            print(f"{ARGUED.relative_to(ROOT)}:{argued[mutant.key()]}: argued, but {verdict}: {mutant.file} {mutant.function}: {mutant.what}")
            bad += 1
    print(f"{'file':24}{'mutants':>8}{'same':>6}{'killed':>8}{'by time':>8}{'argued':>8}{'survived':>9}{'score':>8}")
    total = Counter()
    for file in [*files, "all"]:
        c = count.get(file, total)
        total.update(c if file != "all" else {})
        killed, left = c["killed"] + c["slow"], c["argued"] + c["survived"]
        score = 100.0 * killed / (killed + left) if killed + left else 100.0
        print(f"{file:24}{killed + left:8}{c['same']:6}{c['killed']:8}{c['slow']:8}{c['argued']:8}{c['survived']:9}{score:8.2f}")
    return bad + (score < GOAL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", help="files of model/")
    parser.add_argument("--check", action="store_true", help="only look whether equivalent.txt names mutants that there are")
    parser.add_argument("--list", action="store_true", help="only print the mutants")
    parser.add_argument("--dir", default="build/mutation", help="where the objects are and verdicts are kept")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the rounds of the properties: some more survive")
    parser.add_argument("--jobs", type=int, default=2, choices=(1, 2))
    parser.add_argument("--known", action="store_true", help="judge nothing: report what earlier runs found")
    args = parser.parse_args()
    os.chdir(ROOT)
    files = [f"model/{Path(name).name}" for name in args.files] or sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("model/*.c"))
    mutants = [mutant for file in files for mutant in mutants_of(file, (ROOT / file).read_text())]
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
        for file in files:
            bench.original[file] = bench.compile(file, (ROOT / file).read_text(), bench.dir / "original.o")
        failing = bench.measure()
        if failing is not None:
            sys.exit(f"the tests fail without any mutant: {failing}")
    return 1 if report(judge_all(args.dir, bench, mutants, args.jobs, args.cc), named, files) + bad else 0


sys.exit(main())
