#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sbom.py VERSION: prints what armpmu consists of, as SPDX 2.3 in JSON: the package with every file of the checkout
that git tracks, its SHA-1 and SHA-256 and its licence, and the libraries with which the tool is linked.

Two runs on the same commit print the same: the time is the commit's, or SOURCE_DATE_EPOCH, and the name contains the
hash of the files.
"""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

LICENCE = re.compile(rb"SPDX-License-Identifier: ([A-Za-z0-9.-]+)")
GPL = ("qemu/user/plugin/", "qemu/user/emulator/", "qemu/system/")
# What the linker is asked for, and its licence and project.
LIBRARIES = {
    "jansson": ("jansson", "MIT"),
    "expat": ("expat", "MIT"),
    "dw": ("elfutils (libdw)", "LGPL-3.0-or-later OR GPL-2.0-or-later"),
    "elf": ("elfutils (libelf)", "LGPL-3.0-or-later OR GPL-2.0-or-later"),
    "iberty": ("libiberty", "LGPL-2.0-or-later"),
    "protobuf-c": ("protobuf-c", "BSD-2-Clause"),
    "z": ("zlib", "Zlib"),
    "microhttpd": ("libmicrohttpd", "LGPL-2.1-or-later"),
}
# What the page contains (page/package.json).
MODULES = {"d3-hierarchy": "ISC", "preact": "MIT", "uplot": "MIT"}


def tracked():
    """Returns the files of the checkout."""
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, stdout=subprocess.PIPE).stdout.decode()
    return sorted(name for name in listed.split("\0") if name and os.path.isfile(name))


def created():
    """Returns the time of the commit, or SOURCE_DATE_EPOCH, as SPDX writes it."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "log", "-1", "--format=%ct"], check=True, stdout=subprocess.PIPE).stdout.decode()
    return datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def licence(name, data):
    """Returns the licence of a file: the one that it names in its first lines, else that of its folder."""
    named = LICENCE.search(data[:600])
    if named:
        return named.group(1).decode()
    return "GPL-2.0-or-later" if name.startswith(GPL) else "BSD-2-Clause"


def entry(number, name):
    """Returns the entry of a file."""
    with open(name, "rb") as file:
        data = file.read()
    own = licence(name, data)
    return {
        "SPDXID": f"SPDXRef-File-{number}",
        "fileName": f"./{name}",
        "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
                      {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}],
        "licenseConcluded": own,
        "licenseInfoInFiles": [own],
        "copyrightText": "Copyright (c) 2026, the armpmu authors",
    }


def linked():
    """Returns the names of the libraries with which the Makefile links the tool."""
    with open("Makefile", encoding="utf-8") as file:
        lines = re.findall(r"^TOOL_LIBS \+?:?= (-l.*)$", file.read(), re.M)
    return [name for line in lines for name in re.findall(r"-l([a-z0-9-]+)", line)]


def part(name, title, own, version=None):
    """Returns the entry of something that is not in the checkout."""
    entry_of = {"SPDXID": f"SPDXRef-{name}", "name": title, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                "licenseConcluded": own, "licenseDeclared": own, "copyrightText": "NOASSERTION"}
    return {**entry_of, "versionInfo": version} if version else entry_of


def main():
    files = [entry(number, name) for number, name in enumerate(tracked(), 1)]
    code = hashlib.sha1("".join(sorted(f["checksums"][0]["checksumValue"] for f in files)).encode()).hexdigest()
    package = {
        "SPDXID": "SPDXRef-armpmu", "name": "armpmu", "versionInfo": sys.argv[1], "downloadLocation": "NOASSERTION",
        "filesAnalyzed": True, "packageVerificationCode": {"packageVerificationCodeValue": code},
        "licenseConcluded": "BSD-2-Clause AND GPL-2.0-or-later",
        "licenseDeclared": "BSD-2-Clause AND GPL-2.0-or-later",
        "licenseInfoFromFiles": sorted({f["licenseConcluded"] for f in files}),
        "copyrightText": "Copyright (c) 2026, the armpmu authors", "supplier": "Organization: the armpmu authors",
    }
    with open("page/package.json", encoding="utf-8") as file:
        modules = json.load(file)["dependencies"]
    libraries = [part(f"lib-{name}", *LIBRARIES[name]) for name in linked()]
    libraries += [part(f"npm-{name}", name, MODULES[name], version) for name, version in sorted(modules.items())]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-armpmu")]
    relations += [("SPDXRef-armpmu", "DEPENDS_ON", library["SPDXID"]) for library in libraries]
    relations += [("SPDXRef-armpmu", "CONTAINS", file["SPDXID"]) for file in files]
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"armpmu-{sys.argv[1]}",
        "documentNamespace": f"https://spdx.org/spdxdocs/armpmu-{sys.argv[1]}-{code}",
        "creationInfo": {"created": created(),
                         "creators": ["Tool: armpmu-sbom.py", "Organization: the armpmu authors"]},
        "packages": [package, *libraries], "files": files,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                          for a, kind, b in relations],
    }, sys.stdout, indent=1)
    print()


main()
