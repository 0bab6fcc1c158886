#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fuzz-words.sh: prints the words of the tables of cli/ as a dictionary of libFuzzer, with the names of the registers.
set -u
cd "$(dirname "$0")/.." || exit 2
{
    cat cli/read/*.def cli/read/code/*.def cli/state/*.def cli/why/words.def | grep -oE '"[^"\\]{2,60}"' | tr -d '"' |
        tr '|/{}?!' '\n\n\n\n\n\n'
    grep -ohE '\b(PM|MD|ID_|HCR|SCR|HDFG|MIDR)[A-Z0-9_]+\b' tables/registers.def tables/aarch32.def tables/external.def
} | sed 's/^ *//;s/ *$//' | awk 'length($0) >= 2 && length($0) <= 60' | LC_ALL=C grep -v '[^ -~]' | LC_ALL=C sort -u |
    sed 's/.*/"&"/'
