# SPDX-License-Identifier: BSD-2-Clause
"""A strict parser of OpenMetrics 1.0 text, for the test of armpmu export."""
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
NUMBER = r"[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Inf)|NaN"
SAMPLE = re.compile(rf"({NAME})(?:\{{((?:{LABEL}(?:,{LABEL})*)?)\}})? ({NUMBER})(?: (\d+(?:\.\d+)?))?")
SUFFIXES = {"counter": ("_total", "_created"), "gauge": ("",), "info": ("_info",)}


class Fault(Exception):
    """What is wrong with a text."""


def demand(holds, what, line):
    if not holds:
        raise Fault(f"{what}: {line!r}")


def family_of(name, kind, current):
    return any(name == current + suffix for suffix in SUFFIXES[kind])


def parse(text):
    """Returns {(name, ((label, value), ...)): value} of @text, with labels sorted; raises Fault if it is wrong."""
    samples, families, closed = {}, {}, set()
    current, kind, last = None, None, None
    demand(text.endswith("# EOF\n") and text.count("# EOF\n") == 1, "no end, or two", text[-40:])
    for line in text[:-len("# EOF\n")].split("\n")[:-1]:
        match = re.fullmatch(rf"# (HELP|TYPE|UNIT) ({NAME})(?: (.*))?", line)
        if match:
            word, name, rest = match.groups()
            if name != current:
                demand(name not in closed and name not in families, "a family comes twice", line)
                if current is not None:
                    closed.add(current)
                current, kind, last = name, None, None
                families[name] = {}
            demand(word not in families[name] and last is None, "it comes twice, or after a sample", line)
            families[name][word] = rest
            if word == "TYPE":
                demand(rest in SUFFIXES, "no such type", line)
                kind = rest
            if word == "UNIT":
                demand(name.endswith(f"_{rest}"), "the name lacks the unit", line)
            continue
        match = SAMPLE.fullmatch(line)
        demand(match and kind is not None, "no sample, or one without a type", line)
        name = match[1]
        demand(family_of(name, kind, current), "a sample of another family", line)
        labels = re.findall(LABEL, match[2] or "")
        demand(len({key for key, _ in labels}) == len(labels), "a label comes twice", line)
        series = (name, tuple(sorted(labels)))
        demand(series not in samples, "a series comes twice", line)
        value = float(match[len(match.groups()) - 1])
        demand(kind != "counter" or value >= 0, "a counter below 0", line)
        samples[series], last = value, name
    clashes = [a for a in families for b in families if a != b and a in (b + "_total", b + "_created", b + "_info")]
    demand(not clashes, "names clash", clashes)
    return samples
