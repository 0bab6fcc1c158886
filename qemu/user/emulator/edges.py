# SPDX-License-Identifier: GPL-2.0-or-later
"""The edits with which translated code counts outcomes, and those that make all code of the user emulators quicker."""
from qemu_source import MARK


def omit_values(q):
    """Stores the values of accesses only for plugins that may ask for them (values.c)."""
    path = "tcg/tcg-op-ldst.c"
    q.declare(path, '#include "armpmu/values.h"\n')
    q.edit(path, r"^        (tcg_gen_st_i(?:32|64)\((?:val|TCGV128_(?:LOW|HIGH)\(val\)), tcg_env,\n"
           r" +offsetof\(CPUState, neg\.plugin_mem_value_(?:low|high)\))",
           rf"        if (armpmu_stores_values()) {MARK}" "\n" r"            \1", times=4)
