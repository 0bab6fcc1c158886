#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# `make sbom`: the list has the members that SPDX 2.3 asks for, the verification code that it defines, each tracked file
# once with its checksum and licence, and the libraries of the tool; two runs are equal.
# Runs beside other tests.
set -u
. test/lib/tap.sh
unset MAKEFLAGS MFLAGS # of a parallel make check
need python3 git
git rev-parse --verify -q HEAD >/dev/null 2>&1 || { echo "not a checkout of git"; exit 77; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
make -s B="$dir/one" sbom >"$dir/log" 2>&1 && make -s B="$dir/two" sbom >>"$dir/log" 2>&1
expect $? "sbom: is made" "$(tail -n 1 "$dir/log")"
cmp -s "$dir"/one/*.spdx.json "$dir"/two/*.spdx.json
expect $? "sbom: two runs are equal" "they differ"
python3 - "$dir"/one/*.spdx.json >"$dir/results" 2>&1 <<'CODE'
import collections, hashlib, json, os, re, subprocess, sys

with open(sys.argv[1], encoding="utf-8") as file:
    sbom = json.load(file)

def check(name, wrong):
    print(f"ok {name}" if not wrong else f"not ok {name}: {wrong[:3]}")

# The members that are mandatory in SPDX 2.3, with the form of their values.
IDENTITY, ANY, TIME = r"SPDXRef-[A-Za-z0-9.-]+", r".+", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
LICENCE = r"(NOASSERTION|[A-Za-z0-9.-]+(( AND | OR )[A-Za-z0-9.-]+)*)"
FORMS = {
    "document": {"spdxVersion": r"SPDX-2\.3", "dataLicense": r"CC0-1\.0", "SPDXID": "SPDXRef-DOCUMENT", "name": ANY,
                 "documentNamespace": r"https://[^#]+"},
    "package": {"SPDXID": IDENTITY, "name": ANY, "downloadLocation": ANY, "licenseConcluded": LICENCE,
                "licenseDeclared": LICENCE, "copyrightText": ANY},
    "file": {"SPDXID": IDENTITY, "fileName": r"\./.+", "licenseConcluded": LICENCE, "copyrightText": ANY},
    "relation": {"spdxElementId": IDENTITY, "relatedSpdxElement": IDENTITY,
                 "relationshipType": "DESCRIBES|CONTAINS|DEPENDS_ON"},
}
def faults(kind, thing):
    return [f"{thing.get('SPDXID', kind)}.{key}" for key, form in FORMS[kind].items()
            if not re.fullmatch(form, str(thing.get(key, "")))]

check("members of the document", faults("document", sbom) + [
    key for key in ("created", "creators") if key not in sbom["creationInfo"]] + [
    sbom["creationInfo"]["created"]] * (not re.fullmatch(TIME, sbom["creationInfo"]["created"])))
for kind, things in (("package", sbom["packages"]), ("file", sbom["files"]), ("relation", sbom["relationships"])):
    check(f"members of each {kind}, {len(things)}", [f for thing in things for f in faults(kind, thing)] or
          ([] if things else ["there is none"]))
names = [thing["SPDXID"] for thing in sbom["packages"] + sbom["files"]] + ["SPDXRef-DOCUMENT"]
check("identifiers occur once", [name for name, n in collections.Counter(names).items() if n > 1])
known = set(names)
check("relations name what is there", [r for r in sbom["relationships"]
      if not {r["spdxElementId"], r["relatedSpdxElement"]} <= known])
sums = {f["fileName"][2:]: {c["algorithm"]: c["checksumValue"] for c in f["checksums"]} for f in sbom["files"]}
tracked = set(subprocess.run(["git", "ls-files", "-z"], stdout=subprocess.PIPE).stdout.decode().split("\0")) - {""}
tracked = {name for name in tracked if os.path.isfile(name)}  # and no links to folders
check("every tracked file", sorted(tracked ^ set(sums)))
def read(name):
    with open(name, "rb") as file:
        return file.read()
check("checksums", [n for n, s in sums.items() if hashlib.sha1(read(n)).hexdigest() != s["SHA1"] or
      hashlib.sha256(read(n)).hexdigest() != s["SHA256"]])
code = hashlib.sha1("".join(sorted(s["SHA1"] for s in sums.values())).encode()).hexdigest()
check("verification code", [] if code ==
      sbom["packages"][0]["packageVerificationCode"]["packageVerificationCodeValue"] else [code])
gpl = {f["fileName"][2:] for f in sbom["files"] if f["licenseConcluded"] == "GPL-2.0-or-later"}
parts = ("qemu/user/plugin/", "qemu/user/emulator/", "qemu/system/")
code_of_qemu = {n for n in sums if n.startswith(parts) and n.endswith((".c", ".h"))}
check("files under the GPL", sorted(code_of_qemu - gpl) + ([] if code_of_qemu else ["none"]))
listed = subprocess.run(["make", "-s", "-f", "-", "print"], input="include Makefile\nprint:\n\t@echo $(TOOL_LIBS)\n",
                        text=True, stdout=subprocess.PIPE).stdout
wanted = {"SPDXRef-lib-" + name[2:] for name in listed.split() if name.startswith("-l")}
check("libraries of the tool", sorted(wanted ^ {p["SPDXID"] for p in sbom["packages"] if "-lib-" in p["SPDXID"]}))
check("modules of the page", [] if any("-npm-" in p["SPDXID"] for p in sbom["packages"]) else ["none"])
CODE
relay "sbom" $? "$dir/results"
summary
