# SPDX-License-Identifier: BSD-2-Clause
# Works on the Xeons of the cluster. On the Graviton3 (Neoverse V1) all three are 0.
from perf_bindings import perf_event_open, PERF_TYPE_RAW

CODES = {"l2_rqsts_miss": 0x3F24, "branches": 0x00C4, "dtlb_walks": 0x0E08}

def watch(name, pid):
    return perf_event_open(type=PERF_TYPE_RAW, config=CODES[name], pid=pid, cpu=-1, exclude_kernel=1)
