# SPDX-License-Identifier: BSD-2-Clause
"""The Arm Performance Monitoring Unit: a model of it, and the tables of its registers, events and cores.

    >>> import armpmu
    >>> unit = armpmu.Unit("features=PMUv3p7,AA64EL0,AA64EL1 counters=6")
    >>> unit.line(0, armpmu.event("INST_RETIRED").number)
    >>> unit.state["el"] = 1
    >>> unit["PMEVTYPER0_EL0"] = armpmu.event("INST_RETIRED").number
    >>> unit["PMCNTENSET_EL0"] = 1
    >>> unit["PMCR_EL0"] = 1
    >>> unit.step(10, {0: 2})
    >>> unit["PMEVCNTR0_EL0"]
    20
    >>> unit["PMCNTENCLR_EL0"] = 1
    >>> [reason.name for reason in unit.why(0)]
    ['CNTEN']

The package calls libarmpmu and libarmpmu-tb, which it finds beside itself, in the folder that the environment variable
ARMPMU_LIBRARY_DIR names, or where the system has its libraries.  It needs no compiler.
"""

from ._library import version
from .tables import (Core, Event, Field, Reason, Register, core, cores, decode, event, events,
                     features, features_from_ids, id_merge, id_value, reasons, register, registers)
from .unit import Access, AccessError, Action, Kind, Outcome, State, Unit, View

__version__ = version()

__all__ = [
    "Access", "AccessError", "Action", "Core", "Event", "Field", "Kind", "Outcome", "Reason", "Register", "State",
    "Unit", "View", "core", "cores", "decode", "event", "events", "features", "features_from_ids", "id_merge",
    "id_value", "reasons", "register", "registers", "version",
]
