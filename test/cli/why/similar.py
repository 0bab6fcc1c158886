# SPDX-License-Identifier: BSD-2-Clause
"""similar.py ARMPMU FOLDER: checks the verdicts that similar inputs give, on sentences of its own and on the cases of
FOLDER without their values, so that no rule knows them.  Prints "ok NAME" or "not ok NAME: CAUSE".
"""
import json
import os
import re
import subprocess
import sys

KNOWN = "known inputs with this cause have the same words: "


def why(*words, text=None):
    done = subprocess.run([sys.argv[1], "why", "-j", *words], input=text, capture_output=True, text=True, check=False,
                          timeout=10)
    return json.loads(done.stdout)["verdict"]


def say(name, fault):
    print("not ok %s: %s" % (name, fault) if fault else "ok " + name)


def similar(verdict):
    """Returns the places of the verdict that similar inputs gave, each with its cause."""
    return [(i, v) for i, v in enumerate(verdict) if v.get("because", "").startswith(KNOWN)]


def fault_of(verdict, text):
    """Returns what is wrong with what similar inputs gave for @text, or ""."""
    found = similar(verdict)
    if found and verdict[0]["cause"] != "unknown":
        return "the question does not stand before " + found[0][1]["cause"]
    if len(verdict) > 3:
        return "%d causes" % len(verdict)
    for _, v in found:
        words = re.findall(r'"([^"]*)"', v["because"])
        missing = [w for w in words if w not in text]
        if v["confidence"] != "possible" or len(words) < 2 or missing:
            return "%s, %s: %s" % (v["cause"], v["confidence"], missing or words)
    return ""


def check_cases(folder):
    """Checks each text of the cases with its lines in reverse: rules lose their thread, and the words stay."""
    count = 0
    for name in sorted(os.listdir(folder)):
        for file in os.listdir(os.path.join(folder, name)):
            if not file.startswith("input."):
                continue
            with open(os.path.join(folder, name, file), encoding="utf-8", errors="replace", newline="") as f:
                text = f.read()
            if not text.isascii():
                continue
            text = "\n".join(reversed(text.replace("\r", "").split("\n")))
            verdict = why("-", text=text)
            fault = fault_of(verdict, text)
            count += bool(similar(verdict))
            if fault:
                say(name + " in reverse", fault)
    say("cases in reverse have verdicts of similar inputs", "" if count >= 20 else "only %d" % count)


CLOUD = ("We moved our benchmark job onto rented virtual servers at a cloud hosting company, Debian arm64 instances, "
         "and since then task-clock is there but the hardware lines are all gone. On the old machine in our rack it "
         "was fine with the same disk image, and lscpu has the same architecture")


def check_sentences():
    """Checks where a cause stands that no rule knows."""
    verdict = why(CLOUD)
    say("a long text: the question is first", "" if verdict[0]["cause"] == "unknown" and similar(verdict) and
        verdict[1]["cause"] == "hypervisor-gives-no-pmu" and verdict[1]["line"] == 1 else str(verdict))
    behind = "" if similar(verdict) and fault_of(verdict, CLOUD) == "" else str(verdict)
    say("its words are the reason", behind)
    verdict = why("cloud, task-clock only")
    say("a few words: nothing is named but the question", "" if len(verdict) == 1 and
        verdict[0]["cause"] == "unknown" else str(verdict))
    verdict = why("-", text="PMCR_EL0 = 0x41023041\n" + CLOUD)
    say("values of registers: the question is first", "" if verdict[0]["cause"] == "unknown" and similar(verdict)
        else str(verdict))
    verdict = why("-", text="MDCR_EL2 = 0x6\nPMCR_EL0 = 0x41033060\nPMCNTENSET_EL0 = 0x80000001\n" + CLOUD)
    say("a proof: similar inputs do not matter", "" if verdict and not similar(verdict) and
        verdict[0]["confidence"] == "certain" else str(verdict))
    text = "perf stat works on our server, and the numbers are as expected: 1,200,345,678 cycles in a second at 1.2 GHz"
    say("nothing is wrong: nothing is named", "" if why(text) == [] else str(why(text)))
    say("a text without words", "" if not similar(why("-", text="?!\n")) else "it names a cause")


def main():
    check_sentences()
    check_cases(sys.argv[2])
    return 0


sys.exit(main())
