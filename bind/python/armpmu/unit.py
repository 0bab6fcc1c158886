# SPDX-License-Identifier: BSD-2-Clause
"""The model of a PMU with the PE that it belongs to.  bind/tb/tb.h describes the functions that this calls."""

import enum
import os
from dataclasses import dataclass
from typing import Dict, Iterator, List, Mapping, Optional

from ._library import ffi, model, tables, text
from .tables import Reason, reasons

LINES: int = model.APMU_TB_LINES  #: the input lines of events
_COUNTERS = 33  # 31 event counters, the cycle counter (31) and the instruction counter (32)


class View(enum.IntEnum):
    """The ways to a register: MRS and MSR, the instructions of AArch32 state, and the external view."""
    A64 = 0
    A32 = 1
    EXT = 2


class Outcome(enum.IntEnum):
    """What came of an access: enum apmu_outcome."""
    PERFORMED = 0
    RAZ = 1  #: read as zero
    WI = 2  #: write ignored
    UNDEFINED = 3
    UNPREDICTABLE = 4  #: CONSTRAINED UNPREDICTABLE
    TRAP = 5
    ERROR = 6  #: an external access got an error response


@dataclass(frozen=True)
class Access:
    """The result of an access."""
    outcome: Outcome
    value: int  #: what was read; 0 if nothing was, or the access wrote
    syndrome: int  #: of a trap: target Exception level 34:32, EC 31:26, ISS 24:0, without IL and Rt; otherwise 0
    control: str  #: what decided it, "MDCR_EL2.TPM"; "" if it was performed

    @property
    def el(self) -> int:
        """The Exception level that a trap is taken to; 0 if it was none."""
        return self.syndrome >> 32 & 7

    def esr(self, rt: int, write: bool = False) -> int:
        """Returns the ESR_ELx of the exception that the access raises, 0 if it raises none.

        @rt is the number of the general-purpose register that the instruction names.  @write is for the external view:
        it was a store.  The abort of an error there is one from the same Exception level.
        """
        access = ffi.new("struct apmu_access *", {"outcome": int(self.outcome), "el": self.el,
                                                  "ec": self.syndrome >> 26 & 63, "iss": self.syndrome & 0x1FFFFFF})
        value: int = tables.apmu_access_esr(access, ffi.new("struct apmu_transfer *", {
            "rt": rt, "cond": 14, "write": write}))
        return value


class Kind(enum.IntEnum):
    """Kinds of actions of the stimulus."""
    READ = model.APMU_TB_READ
    WRITE = model.APMU_TB_WRITE
    STATE = model.APMU_TB_STATE
    STEP = model.APMU_TB_STEP
    RESET = model.APMU_TB_RESET


@dataclass(frozen=True)
class Action:
    """An action of the stimulus that was performed."""
    kind: Kind
    words: str  #: "MSR PMCR_EL0, 0x41"
    access: Access  #: the last access so far; it is this action's if .kind is READ or WRITE


class AccessError(Exception):
    """Raised by Unit[name] for an access that was not performed.  .access has its result."""

    def __init__(self, name: str, access: Access):
        by = f" by {access.control}" if access.control else ""
        super().__init__(f"{name}: {access.outcome.name}{by}")
        self.access = access


class State:
    """The state of the PE, by name: "el", "MDCR_EL2", as bind/tb/states.def lists them.  Case is ignored."""

    def __init__(self, unit: "Unit"):
        self._unit = unit

    @staticmethod
    def _row(name: str) -> int:
        row: int = model.apmu_tb_pe_find(name.encode())
        if row < 0:
            raise KeyError(f"{name}: no state of a PE; list(unit.state) has their names")
        return row

    def __getitem__(self, name: str) -> int:
        value: int = model.apmu_tb_pe_get(self._unit._tb, self._row(name))
        return value

    def __setitem__(self, name: str, value: int) -> None:
        row = self._row(name)
        if not 0 <= value < 1 << model.apmu_tb_pe_width(row):
            raise ValueError(f"{name}: {value:#x} does not fit into {model.apmu_tb_pe_width(row)} bits")
        model.apmu_tb_pe_set(self._unit._tb, row, value)

    def __iter__(self) -> Iterator[str]:
        return (text(model.apmu_tb_pe_name(row)) for row in range(model.apmu_tb_pe_count()))


def _done(fault: str) -> None:
    """Raises ValueError if @fault, a sentence, is not empty."""
    if fault:
        raise ValueError(fault)


class Unit:
    """A PMU after a Cold reset, at a PE whose state is 0: EL0, AArch64, Secure state if it has EL3.

    @config has words NAME=VALUE: "features=PMUv3p7,AA64EL0,AA64EL1 counters=6", with every member of struct
    apmu_config that is a number.  Required features are added.  Raises ValueError with the reason if it
    describes no PMU.
    """

    def __init__(self, config: str):
        tb = model.apmu_tb_create(config.encode())
        if tb == ffi.NULL:
            raise MemoryError("no memory for a unit")
        self._tb = ffi.gc(tb, model.apmu_tb_destroy)
        fault = text(model.apmu_tb_fault(tb))
        if fault:
            raise ValueError(fault)
        self.state = State(self)

    def copy(self) -> "Unit":
        """Returns a copy of the unit with its PE, stimulus and coverage."""
        tb = model.apmu_tb_save(self._tb)
        if tb == ffi.NULL:
            raise MemoryError("no memory for a unit")
        other = Unit.__new__(Unit)
        other._tb = ffi.gc(tb, model.apmu_tb_destroy)
        other.state = State(other)
        return other

    def restore(self, saved: "Unit") -> None:
        """Gives the unit the state of @saved, a copy of it.  Coverage stays."""
        model.apmu_tb_restore(self._tb, saved._tb)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the state of the unit and of its PE to a file, for another run or a later version."""
        _done(text(model.apmu_tb_state_save(self._tb, os.fsencode(path))))

    def load(self, path: "str | os.PathLike[str]") -> None:
        """Gives the unit the state that a file has, of a unit with the same configuration.  Coverage stays."""
        _done(text(model.apmu_tb_state_load(self._tb, os.fsencode(path))))

    def reset(self, kind: int = 0) -> None:
        """Resets the PMU: @kind is 0 for a Cold, 1 for a Warm and 2 for an External debug reset."""
        if kind not in (0, 1, 2):
            raise ValueError(f"{kind}: no kind of reset; give 0, 1 or 2")
        model.apmu_tb_reset(self._tb, kind)

    # Accesses.

    def address(self, name: str, view: View = View.A64) -> int:
        """Returns the address of register @name in @view.  Raises KeyError if the view has no such register."""
        found: int = model.apmu_tb_find(self._tb, view, name.encode())
        if found < 0:
            raise KeyError(f"{name}: no register of this view")
        return found

    def _at(self, address: "int | str", view: View) -> int:
        """Returns the address of a register that a caller gives as address or name."""
        at = self.address(address, view) if isinstance(address, str) else address
        if not 0 <= at <= 0xFFFF:
            raise ValueError(f"{at:#x}: no address of a register; it has 16 bits")
        return at

    def _access(self, outcome: int) -> Access:
        return Access(Outcome(outcome), model.apmu_tb_value(self._tb), model.apmu_tb_syndrome(self._tb),
                      text(model.apmu_tb_control(self._tb)))

    @staticmethod
    def attributes(size: int = 4, pas: int = 1, debugger: bool = False) -> int:
        """Returns the attributes of an external access: 4 or 8 bytes; physical address space 0 Secure, 1 Non-secure,
        2 Root, 3 Realm; whether a debugger's access port makes it."""
        return size | pas << 4 | int(debugger) << 6

    def read(self, address: "int | str", view: View = View.A64, attributes: int = 0) -> Access:
        """Reads the register at an address, or of a name, as the state of the PE says."""
        return self._access(model.apmu_tb_read(self._tb, view, self._at(address, view), attributes))

    def write(self, address: "int | str", value: int, view: View = View.A64, attributes: int = 0) -> Access:
        """Writes the register at an address, or of a name, as the state of the PE says."""
        return self._access(model.apmu_tb_write(self._tb, view, self._at(address, view), attributes, value))

    def __getitem__(self, name: str) -> int:
        """Returns what MRS of register @name reads.  Raises AccessError if it is not performed."""
        access = self.read(name)
        if access.outcome not in (Outcome.PERFORMED, Outcome.RAZ):
            raise AccessError(name, access)
        return access.value

    def __setitem__(self, name: str, value: int) -> None:
        """Writes register @name by MSR.  Raises AccessError if it is not performed."""
        access = self.write(name, value)
        if access.outcome not in (Outcome.PERFORMED, Outcome.WI):
            raise AccessError(name, access)

    # Time.

    def line(self, line: int, event: int) -> None:
        """Says that line @line, 0..31, is event number @event.  CPU_CYCLES and CHAIN need no line."""
        if not 0 <= line < LINES:
            raise ValueError(f"{line}: no line; there are 0 to {LINES - 1}")
        if not 0 <= event <= 0xFFFF:
            raise ValueError(f"{event:#x}: no event number; it has 16 bits")
        model.apmu_tb_line(self._tb, line, event)

    def step(self, cycles: int = 1, counts: Optional[Mapping[int, int]] = None) -> None:
        """Lets cycles pass, in each of which the event of line n occurs counts[n] times, 0..255."""
        words = ffi.new("uint32_t[]", model.APMU_TB_LINE_WORDS)
        for line, count in (counts or {}).items():
            if not 0 <= line < LINES or not 0 <= count <= 255:
                raise ValueError(f"line {line}, {count} times: lines are 0 to {LINES - 1}, counts 0 to 255")
            words[line // 4] |= count << 8 * (line % 4)
        model.apmu_tb_step(self._tb, cycles, words)

    def signals(self) -> int:
        """Returns the signals: bit 0 PMUIRQ, 1 the trigger of the CTI, and the others of apmu_tb_signals()."""
        value: int = model.apmu_tb_signals(self._tb)
        return value

    def overflowed(self) -> int:
        """Returns the counters that overflowed in the last access or step: bit n is counter n."""
        value: int = model.apmu_tb_overflowed(self._tb)
        return value

    def why(self, counter: int) -> List[Reason]:
        """Returns why counter @counter does not count; [] if it counts.

        31 is the cycle counter and 32 the instruction counter.
        """
        return reasons(self.reasons(counter))

    def reasons(self, counter: int) -> int:
        """Returns the same as the set of APMU_WHY(x): bit APMU_REASON_x for each."""
        if not 0 <= counter < _COUNTERS:
            raise ValueError(f"{counter}: no counter; there are 0 to {_COUNTERS - 1}")
        found: int = model.apmu_tb_why(self._tb, counter)
        return found

    def why_text(self, counter: int) -> str:
        """Returns the same in one line: "it counts" if nothing stops the counter."""
        self.reasons(counter)
        return text(model.apmu_tb_why_text(self._tb, counter))

    # Comparison with a design.

    def compare(self, state: Mapping[str, int]) -> List[str]:
        """Compares registers of a design, by name, with the unit's.  Returns a sentence for each difference.

        A register has the fields that it stores, without its read-only ones.  Raises KeyError for one that has none.
        """
        values = ffi.new("uint32_t[]", model.APMU_TB_SLOT_WORDS)
        present = ffi.new("uint32_t[]", model.APMU_TB_PRESENT_WORDS)
        for name, value in state.items():
            slot = model.apmu_tb_slot(name.encode())
            if slot < 0:
                raise KeyError(f"{name}: no register that stores anything")
            values[2 * slot], values[2 * slot + 1] = value & 0xFFFFFFFF, value >> 32
            present[slot // 32] |= 1 << slot % 32
        model.apmu_tb_forget(self._tb)
        model.apmu_tb_compare(self._tb, values, present)
        kept = min(model.apmu_tb_mismatches(self._tb), model.APMU_TB_MISMATCHES)
        return [text(model.apmu_tb_mismatch(self._tb, i)) for i in range(kept)]

    # Stimulus and coverage.

    def actions(self, seed: int, count: int) -> Iterator[Action]:
        """Performs @count random actions that seek what is rarely reached, and yields each.

        The same seed and configuration give the same actions.
        """
        model.apmu_tb_seed(self._tb, seed)
        for _ in range(count):
            kind = Kind(model.apmu_tb_next(self._tb))
            words = text(model.apmu_tb_next_text(self._tb))
            yield Action(kind, words, self._access(model.apmu_tb_perform(self._tb)))

    def coverage(self) -> Dict[str, int]:
        """Returns how often each row of coverage that this configuration can reach was reached."""
        return {text(model.apmu_tb_cover_name(self._tb, i)): model.apmu_tb_cover_hits(self._tb, i)
                for i in range(model.apmu_tb_cover_count()) if model.apmu_tb_cover_possible(self._tb, i)}

    def merge_coverage(self, path: "str | os.PathLike[str]") -> None:
        """Adds the coverage to a file, which need not exist, and gives the unit the sum.  Call it once, at the end."""
        _done(text(model.apmu_tb_cover_merge(self._tb, os.fsencode(path))))
