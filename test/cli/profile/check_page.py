# SPDX-License-Identifier: BSD-2-Clause
"""check_page.py PAGE [ROWS]: compares the data of a page of one recording with the rows that armpmu report -j prints,
or the two recordings of a page with each other."""
import base64
import gzip
import json
import sys


def say(holds, name, why=""):
    print(f"ok {name}" if holds else f"not ok {name}: {why}")


def read_page(path):
    """Returns the recordings of a page that is only a title and data."""
    with open(path, encoding="utf-8") as page:
        data = page.read().split("\n", 1)[1]
    return json.loads(gzip.decompress(base64.b64decode(data)))["recordings"]


def check_tree(r):
    """Checks that the costs of the call tree add up to the totals, and that parents come first."""
    tree = r["tree"]
    say(all(up < i for i, up in enumerate(tree["parent"])), "a parent comes before its children")
    for number, event in enumerate(r["events"]):
        total = sum(tree["self"][number])
        say(total == r["totals"][number], f"the call tree has all of {event['name']}", f"{total}, not {r['totals']}")


def check_functions(r, rows):
    """Checks that the table of functions has the counts of the report."""
    for number, event in enumerate(r["events"]):
        mine = sorted(zip(r["functions"]["name"], r["functions"]["self"][number]))
        theirs = sorted((row["function"], row["events"][event["name"]]["self"]) for row in rows)
        say(mine == theirs, f"the functions have the {event['name']} of report", f"{mine[:3]}, not {theirs[:3]}")
        say(sum(count for _, count in mine) == r["totals"][number], f"their {event['name']} add up to the total")


def check_code(r):
    """Checks the disassembly, that the instructions of a function add up to it, and that sources have the lines."""
    functions = r["functions"]
    words = [text for text in r["left_out"] if text.startswith("Instructions are words")]
    say(not words, "no disassembler is missed", str(words))
    for number, event in enumerate(r["events"]):
        bad = [functions["name"][c["function"]] for c in r["code"]
               if sum(c["self"][number]) != functions["self"][number][c["function"]]]
        say(not bad, f"instructions add up to their functions in {event['name']}", ", ".join(bad[:3]))
    hot = next(c for c in r["code"] if functions["name"][c["function"]] == "mix")
    say(any(text.startswith("eor ") for text in hot["text"]), "instructions are disassembled", str(hot["text"]))
    source = r["sources"][hot["source"][0]]
    say(source["path"].endswith("work.c"), "a source has its path", source["path"])
    lines = dict(zip(source["number"], source["text"]))
    say("mix(unsigned x)" in lines.get(hot["line"][0], ""), "a line has its text", str(hot["line"]))


def check_intervals(r):
    """Checks that the intervals follow each other and add up to the totals."""
    intervals = r["intervals"]
    starts, ends = intervals["start"], intervals["end"]
    say(starts[0] == 0 and starts[1:] == ends[:-1], "intervals follow each other", f"{starts}, {ends}")
    for number, event in enumerate(r["events"]):
        total = sum(intervals["counts"][number])
        say(total == r["totals"][number], f"the intervals have all of {event['name']}", f"{total}, not {r['totals']}")


def check_same(before, after):
    """Checks that functions are found in the other recording, also those of the program, whose name differs there."""
    missing = set(before["functions"]["same"]) - set(after["functions"]["same"])
    say(len(before["functions"]["same"]) > 60 and not missing, "each function is in the other recording", str(missing))
    costs = [r["functions"]["self"][0][r["functions"]["name"].index("mix")] for r in (before, after)]
    say(costs[1] * 40 == costs[0] * 60, "with its counts", str(costs))


def main():
    recordings = read_page(sys.argv[1])
    if len(recordings) == 2:
        check_same(*recordings)
        return
    r = recordings[0]
    with open(sys.argv[2], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    check_tree(r)
    check_functions(r, rows)
    check_code(r)
    check_intervals(r)
    say(r["ending"] == "exit status 0" and r["complete"], "how the program ended", r["ending"])


if __name__ == "__main__":
    main()
