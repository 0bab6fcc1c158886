# SPDX-License-Identifier: BSD-2-Clause
"""The tables of events, registers, features and cores, as immutable objects with Arm's names."""

from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

from ._library import ffi, tables, text


@dataclass(frozen=True)
class Event:
    """A common event."""
    number: int  #: 0..0xFFFF, as PMEVTYPER<n>_EL0.evtCount has it
    name: str  #: Arm's: "INST_RETIRED"
    architectural: bool  #: whether its count follows from the program alone
    text: str


@dataclass(frozen=True)
class Field:
    """A field of a register."""
    name: str
    msb: int
    lsb: int
    text: str

    def of(self, value: int) -> int:
        """Returns the field of @value, a value of the register."""
        return value >> self.lsb & (1 << (self.msb - self.lsb + 1)) - 1

    def put(self, value: int) -> int:
        """Returns @value shifted to the field's place.  Raises ValueError if it is too large."""
        if not 0 <= value < 1 << (self.msb - self.lsb + 1):
            raise ValueError(f"{self.name}: {value:#x} does not fit into bits {self.msb}:{self.lsb}")
        return value << self.lsb


@dataclass(frozen=True)
class Register:
    """A register, or one copy of a bank."""
    name: str  #: "PMEVTYPER3_EL0"
    key: int  #: its encoding op0:op1:CRn:CRm:op2 in 16 bits; 0 if MRS and MSR do not reach it
    readable: bool
    writable: bool
    fields: Tuple[Field, ...]  #: from bit 63 down
    text: str

    def __getitem__(self, name: str) -> Field:
        """Returns the field called @name; case is ignored.  Raises KeyError if there is none."""
        for field in self.fields:
            if field.name.lower() == name.lower():
                return field
        raise KeyError(f"{self.name} has no field {name}")


@dataclass(frozen=True)
class Reason:
    """A reason why a counter does not count: a row of tables/reasons.def."""
    name: str  #: "PMCR_E", APMU_WHY(PMCR_E) in C
    rule: str  #: of the Arm ARM, "RQZHHG", or the pseudocode's name for it
    text: str


@dataclass(frozen=True)
class Core:
    """A core, as its manual describes it."""
    name: str  #: the vendor's: "Cortex-A53"
    implementer: int  #: MIDR_EL1.Implementer
    part: int  #: MIDR_EL1.PartNum
    counters: Optional[int]  #: event counters, 0..31; None: configurable, or not published
    pmu: str  #: "none", "ARM11", "PMUv1", "PMUv2" or "PMUv3"
    note: str  #: a remark, or ""


_PMUS = {
    tables.APMU_CORE_PMU_NONE: "none", tables.APMU_CORE_PMU_ARM11: "ARM11", tables.APMU_CORE_PMU_V1: "PMUv1",
    tables.APMU_CORE_PMU_V2: "PMUv2", tables.APMU_CORE_PMU_V3: "PMUv3",
}
_UNKNOWN_COUNTERS = 255  # APMU_CORE_COUNTERS_UNKNOWN


def _event(info: Any) -> Event:
    return Event(info.number, text(info.name), info.kind == tables.APMU_EVENT_KIND_ARCHITECTURAL, text(info.text))


def events() -> Iterator[Event]:
    """Yields the common events in ascending order of number."""
    for i in range(tables.apmu_event_count()):
        yield _event(tables.apmu_event_at(i))


def event(which: "int | str") -> Event:
    """Returns an event by its number or its name; case is ignored.  Raises KeyError if there is none."""
    info = (tables.apmu_event_by_number(which) if isinstance(which, int)
            else tables.apmu_event_by_name(which.encode()))
    if info == ffi.NULL:
        raise KeyError(f"{which}: no common event")
    return _event(info)


def _register(reg: int, n: int) -> Register:
    info = tables.apmu_reg_info(reg)
    name = ffi.new("char[24]")
    fields = tuple(Field(text(f.name), f.msb, f.lsb, text(f.text))
                   for f in (info.fields[i] for i in range(info.field_count)))
    key = info.key + n if info.key != 0 else 0  # the copies of a bank follow one another
    return Register(text(tables.apmu_reg_name(reg, n, name)), key, info.readable, info.writable, fields,
                    text(info.text))


def registers() -> Iterator[Register]:
    """Yields the registers of the PMU and those that it depends on, of a bank the first copy."""
    for reg in range(tables.APMU_REG_ALL):
        yield _register(reg, 0)


def register(name: str) -> Register:
    """Returns the register called @name, "PMEVTYPER3_EL0"; case is ignored.  Raises KeyError if there is none."""
    reg, n = ffi.new("enum apmu_reg *"), ffi.new("unsigned *")
    if not tables.apmu_reg_by_name(name.encode(), reg, n):
        raise KeyError(f"{name}: no register of the PMU, and none that it depends on")
    return _register(reg[0], n[0])


def decode(name: str, value: int) -> Dict[str, int]:
    """Returns the fields of @value, a value of register @name, by their names."""
    return {field.name: field.of(value) for field in register(name).fields}


def features() -> Iterator[str]:
    """Yields the names of the features that a PMU can have, with FEAT_."""
    for bit in range(64):
        name = tables.apmu_feature_name(bit)
        if name != ffi.NULL:
            yield text(name)


def _names(which: int) -> List[str]:
    return [text(tables.apmu_feature_name(bit)) for bit in range(64) if which >> bit & 1]


def _closed(names: Iterable[str]) -> int:
    """Returns the set of the features, with all that they require.  Raises KeyError for one that is none."""
    bits = {name: bit for bit, name in enumerate(text(tables.apmu_feature_name(bit)) for bit in range(64)) if name}
    which = 0
    for name in names:
        full = name if name.startswith("FEAT_") else f"FEAT_{name}"
        if full not in bits:
            raise KeyError(f"{name}: no feature; list(armpmu.features()) has their names")
        which |= 1 << bits[full]
    closed: int = tables.apmu_features_closure(which)
    return closed


def _id_register(name: str) -> int:
    reg, n = ffi.new("enum apmu_reg *"), ffi.new("unsigned *")
    if not tables.apmu_reg_by_name(name.encode(), reg, n):
        raise KeyError(f"{name}: no ID register that shows features of a PMU")
    number: int = reg[0]
    return number


def id_value(name: str, features: Iterable[str]) -> int:
    """Returns the value of ID register @name of a PE with @features, "PMUv3p7", and all that they require.

    Fields that no feature of a PMU has are 0.
    """
    value: int = tables.apmu_id_value(_id_register(name), _closed(features))
    return value


def id_merge(name: str, yours: int, features: Iterable[str]) -> int:
    """Returns @yours, the value that ID register @name of a PE has otherwise, with the fields of id_value()."""
    value: int = tables.apmu_id_merge(_id_register(name), yours, _closed(features))
    return value


def features_from_ids(ids: Mapping[str, int]) -> List[str]:
    """Returns the features of the PE whose ID registers have these values, with all that they require.

    A feature that no given register shows is absent.
    """
    rows = ffi.new("struct apmu_reg_value[]", [(_id_register(name), value) for name, value in ids.items()])
    return _names(tables.apmu_features_from_ids(rows, len(ids)))


def reasons(which: int) -> List[Reason]:
    """Returns the reasons of a set of APMU_WHY(x), in the order of the table."""
    infos = (tables.apmu_reason_info(i) for i in range(tables.APMU_REASON_COUNT) if which >> i & 1)
    return [Reason(text(info.name), text(info.rule), text(info.text)) for info in infos]


def _core(info: Any) -> Core:
    return Core(text(info.name), info.implementer, info.part,
                None if info.counters == _UNKNOWN_COUNTERS else info.counters, _PMUS[info.pmu], text(info.note))


def cores() -> Iterator[Core]:
    """Yields the cores that are known."""
    for i in range(tables.apmu_core_count()):
        yield _core(tables.apmu_core_at(i))


def core(which: "int | str") -> Core:
    """Returns a core by its MIDR_EL1 or its name, "cortex-a53".  Raises KeyError if it is not known."""
    info = (tables.apmu_core_by_midr(which) if isinstance(which, int)
            else tables.apmu_core_by_name(which.encode()))
    if info == ffi.NULL:
        raise KeyError(f"{which:#x}: no core has this MIDR_EL1" if isinstance(which, int) else f"{which}: no such core")
    return _core(info)
