// SPDX-License-Identifier: BSD-2-Clause
//! The model of a PMU with the PE that it belongs to.  `bind/tb/tb.h` describes the functions that this calls, and the
//! crate `armpmu-sys` declares them and the rest of the library.
//!
//! ```
//! use armpmu::{sys, Unit};
//!
//! let mut unit = Unit::new("features=PMUv3p7,AA64EL0,AA64EL1 counters=6")?;
//! unit.set_state("el", 1)?;
//! unit.line(0, sys::APMU_EV_INST_RETIRED)?;
//! unit.write("PMEVTYPER0_EL0", sys::APMU_EV_INST_RETIRED.into())?;
//! unit.write("PMCNTENSET_EL0", 1)?;
//! unit.write("PMCR_EL0", 1)?;
//! unit.step(10, &[(0, 2)])?;
//! assert_eq!(unit.read("PMEVCNTR0_EL0")?, 20);
//! # Ok::<(), armpmu::Error>(())
//! ```
pub use armpmu_sys as sys;

use std::error;
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::{c_char, c_int};
use std::ptr::NonNull;

/// The ways to a register: MRS and MSR, the instructions of AArch32 state, and the external view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    A64 = sys::APMU_TB_A64 as isize,
    A32 = sys::APMU_TB_A32 as isize,
    Ext = sys::APMU_TB_EXT as isize,
}

/// What came of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Performed = sys::APMU_ACCESS_OK as isize,
    /// Read as zero.
    Raz = sys::APMU_ACCESS_RAZ as isize,
    /// Write ignored.
    Wi = sys::APMU_ACCESS_WI as isize,
    Undefined = sys::APMU_ACCESS_UNDEFINED as isize,
    /// CONSTRAINED UNPREDICTABLE.
    Unpredictable = sys::APMU_ACCESS_UNPREDICTABLE as isize,
    Trap = sys::APMU_ACCESS_TRAP as isize,
    /// An external access got an error response.
    Error = sys::APMU_ACCESS_ERROR as isize,
}

/// The result of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    pub outcome: Outcome,
    /// What was read; 0 if nothing was, or the access wrote.
    pub value: u64,
    /// Of a trap: target Exception level 34:32, EC 31:26, ISS 24:0, without IL and Rt; otherwise 0.
    pub syndrome: u64,
    /// What decided it, "MDCR_EL2.TPM"; "" if it was performed.
    pub control: String,
}

impl Access {
    /// Returns the Exception level that a trap is taken to; 0 if it was none.
    pub fn el(&self) -> u8 {
        (self.syndrome >> 32 & 7) as u8
    }

    /// Returns the ESR_ELx of the exception that the access raises, 0 if it raises none.  `rt` is the number of the
    /// general-purpose register that the instruction names.  `write` is for the external view: it was a store.  The
    /// abort of an error there is one from the same Exception level.
    pub fn esr(&self, rt: u8, write: bool) -> u64 {
        let access = sys::apmu_access {
            outcome: self.outcome as sys::apmu_outcome,
            el: self.el(),
            hyp: false,
            ec: (self.syndrome >> 26 & 63) as u8,
            gate: sys::APMU_GATE_ALWAYS as u8,
            iss: (self.syndrome & 0x1FF_FFFF) as u32,
            control: std::ptr::null(),
        };
        let by = sys::apmu_transfer { rt, rt2: 0, cond: 14, write, lower: false };
        // SAFETY: both are valid, and the function does not read the text.
        unsafe { sys::apmu_access_esr(&access, &by) }
    }
}

/// Why a call did nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The argument is wrong, as the sentence says.
    Argument(String),
    /// The access to the register of this name was not performed.
    Access(String, Access),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Argument(sentence) => f.write_str(sentence),
            Error::Access(name, access) if access.control.is_empty() => write!(f, "{name}: {:?}", access.outcome),
            Error::Access(name, access) => write!(f, "{name}: {:?} by {}", access.outcome, access.control),
        }
    }
}

impl error::Error for Error {}

/// A PMU, the state of its PE, and the coverage that was reached.
pub struct Unit {
    tb: NonNull<sys::apmu_tb>,
}

// SAFETY: a handle has no globals and belongs to no thread.  Functions that take it as const do not write to it.
unsafe impl Send for Unit {}
unsafe impl Sync for Unit {}

impl Unit {
    /// Makes a PMU after a Cold reset, at a PE whose state is 0: EL0, AArch64, Secure state if it has EL3.
    ///
    /// `config` has words NAME=VALUE: "features=PMUv3p7,AA64EL0,AA64EL1 counters=6", as `apmu_tb_create()` takes them.
    pub fn new(config: &str) -> Result<Unit, Error> {
        let words = c_text(config)?;
        // SAFETY: the text ends with '\0'.
        let unit = Unit::own(unsafe { sys::apmu_tb_create(words.as_ptr()) });
        // SAFETY: the handle is valid.
        let fault = unsafe { text(sys::apmu_tb_fault(unit.tb.as_ptr())) };
        if fault.is_empty() {
            Ok(unit)
        } else {
            Err(Error::Argument(fault))
        }
    }

    /// Owns a new handle.
    fn own(tb: *mut sys::apmu_tb) -> Unit {
        Unit { tb: NonNull::new(tb).expect("no memory for a unit") }
    }

    /// Gives the unit the state of `saved`, a clone of it.  Coverage stays.
    pub fn restore(&mut self, saved: &Unit) {
        // SAFETY: both handles are valid.
        unsafe { sys::apmu_tb_restore(self.tb.as_ptr(), saved.tb.as_ptr()) };
    }

    /// Writes the state of the unit and of its PE to a file, for another run or a later version.
    pub fn save(&mut self, path: &str) -> Result<(), Error> {
        let wanted = c_text(path)?;
        // SAFETY: the handle is valid, and the text ends with '\0'.
        done(unsafe { text(sys::apmu_tb_state_save(self.tb.as_ptr(), wanted.as_ptr())) })
    }

    /// Gives the unit the state that a file has, of a unit with the same configuration.  Coverage stays.
    pub fn load(&mut self, path: &str) -> Result<(), Error> {
        let wanted = c_text(path)?;
        // SAFETY: the handle is valid, and the text ends with '\0'.
        done(unsafe { text(sys::apmu_tb_state_load(self.tb.as_ptr(), wanted.as_ptr())) })
    }

    /// Resets the PMU: `kind` is 0 for a Cold, 1 for a Warm and 2 for an External debug reset.
    pub fn reset(&mut self, kind: u32) -> Result<(), Error> {
        if kind > 2 {
            return Err(Error::Argument(format!("{kind}: no kind of reset; give 0, 1 or 2")));
        }
        // SAFETY: the handle is valid.
        unsafe { sys::apmu_tb_reset(self.tb.as_ptr(), kind as c_int) };
        Ok(())
    }

    /// Returns the state of the PE called `name`: "el", "MDCR_EL2", as `bind/tb/states.def` lists them.
    pub fn state(&self, name: &str) -> Result<u64, Error> {
        let row = state_row(name)?;
        // SAFETY: the handle and the row are valid.
        Ok(unsafe { sys::apmu_tb_pe_get(self.tb.as_ptr(), row) })
    }

    /// Sets the state of the PE called `name`.
    pub fn set_state(&mut self, name: &str, value: u64) -> Result<(), Error> {
        let row = state_row(name)?;
        // SAFETY: the row is valid.
        let bits = unsafe { sys::apmu_tb_pe_width(row) };
        if bits < 64 && value >> bits != 0 {
            return Err(Error::Argument(format!("{name}: {value:#x} does not fit into {bits} bits")));
        }
        // SAFETY: the handle and the row are valid.
        unsafe { sys::apmu_tb_pe_set(self.tb.as_ptr(), row, value) };
        Ok(())
    }

    /// Returns the address of register `name` in `view`.
    pub fn address(&self, name: &str, view: View) -> Result<u32, Error> {
        let wanted = c_text(name)?;
        // SAFETY: the handle is valid, and the text ends with '\0'.
        let found = unsafe { sys::apmu_tb_find(self.tb.as_ptr(), view as c_int, wanted.as_ptr()) };
        u32::try_from(found).map_err(|_| Error::Argument(format!("{name}: no register of this view")))
    }

    /// Reads the register at `address`, or writes `value` there, as the state of the PE says.  `attributes` are those
    /// of an external access (`APMU_TB_ATTRIBUTES` of `bind/tb/tb.h`), otherwise 0.
    pub fn access(&mut self, view: View, address: u32, attributes: u32, value: Option<u64>) -> Access {
        let (tb, view, at, how) = (self.tb.as_ptr(), view as c_int, address as c_int, attributes as c_int);
        // SAFETY: the handle is valid, and every address and attribute has an outcome.
        unsafe {
            let outcome = match value {
                None => sys::apmu_tb_read(tb, view, at, how),
                Some(value) => sys::apmu_tb_write(tb, view, at, how, value),
            };
            Access {
                outcome: outcome_of(outcome),
                value: sys::apmu_tb_value(tb),
                syndrome: sys::apmu_tb_syndrome(tb),
                control: text(sys::apmu_tb_control(tb)),
            }
        }
    }

    /// Returns what MRS of register `name` reads.
    pub fn read(&mut self, name: &str) -> Result<u64, Error> {
        let address = self.address(name, View::A64)?;
        let access = self.access(View::A64, address, 0, None);
        match access.outcome {
            Outcome::Performed | Outcome::Raz => Ok(access.value),
            _ => Err(Error::Access(name.to_string(), access)),
        }
    }

    /// Writes register `name` by MSR.
    pub fn write(&mut self, name: &str, value: u64) -> Result<(), Error> {
        let address = self.address(name, View::A64)?;
        let access = self.access(View::A64, address, 0, Some(value));
        match access.outcome {
            Outcome::Performed | Outcome::Wi => Ok(()),
            _ => Err(Error::Access(name.to_string(), access)),
        }
    }

    /// Says that line `line`, 0..31, is event number `event`.  CPU_CYCLES and CHAIN need no line.
    pub fn line(&mut self, line: u32, event: u32) -> Result<(), Error> {
        check_line(line)?;
        if event > 0xFFFF {
            return Err(Error::Argument(format!("{event:#x}: no event number; it has 16 bits")));
        }
        // SAFETY: the handle and the line are valid.
        unsafe { sys::apmu_tb_line(self.tb.as_ptr(), line as c_int, event as c_int) };
        Ok(())
    }

    /// Lets cycles pass, in each of which the event of each line in `counts` occurs so often.
    pub fn step(&mut self, cycles: u64, counts: &[(u32, u8)]) -> Result<(), Error> {
        let mut words = [0u32; sys::APMU_TB_LINE_WORDS as usize];
        for &(line, count) in counts {
            check_line(line)?;
            let word = &mut words[line as usize / 4];
            *word = *word & !(0xFF << (line % 4 * 8)) | u32::from(count) << (line % 4 * 8);
        }
        // SAFETY: the handle is valid, and there are as many words as lines need.
        unsafe { sys::apmu_tb_step(self.tb.as_ptr(), cycles, words.as_ptr()) };
        Ok(())
    }

    /// Returns the signals: bit 0 PMUIRQ, 1 the trigger of the CTI, and the others of `apmu_tb_signals()`.
    pub fn signals(&self) -> u32 {
        // SAFETY: the handle is valid.
        unsafe { sys::apmu_tb_signals(self.tb.as_ptr()) }
    }

    /// Returns why counter `n` does not count, a set of reasons with bit `APMU_REASON_x` for each; 0 if it counts.  31
    /// is the cycle counter and 32 the instruction counter.
    pub fn why(&self, n: u32) -> Result<u64, Error> {
        check_counter(n)?;
        // SAFETY: the handle and the counter are valid.
        Ok(unsafe { sys::apmu_tb_why(self.tb.as_ptr(), n as c_int) })
    }

    /// Returns the same in words: "it counts" if nothing stops the counter.
    pub fn why_text(&mut self, n: u32) -> Result<String, Error> {
        check_counter(n)?;
        // SAFETY: the handle and the counter are valid.
        Ok(unsafe { text(sys::apmu_tb_why_text(self.tb.as_ptr(), n as c_int)) })
    }

    /// Compares registers of a design, by name, with the unit's.  Returns a sentence for each difference.
    ///
    /// A register has the fields that it stores, without its read-only ones.
    pub fn compare(&mut self, state: &[(&str, u64)]) -> Result<Vec<String>, Error> {
        let mut values = [0u32; sys::APMU_TB_SLOT_WORDS as usize];
        let mut present = [0u32; sys::APMU_TB_PRESENT_WORDS as usize];
        for &(name, value) in state {
            let wanted = c_text(name)?;
            // SAFETY: the text ends with '\0'.
            let slot = usize::try_from(unsafe { sys::apmu_tb_slot(wanted.as_ptr()) })
                .map_err(|_| Error::Argument(format!("{name}: no register that stores anything")))?;
            values[2 * slot] = value as u32;
            values[2 * slot + 1] = (value >> 32) as u32;
            present[slot / 32] |= 1 << (slot % 32);
        }
        let tb = self.tb.as_ptr();
        // SAFETY: the handle is valid, and the arrays have a place for each slot.
        unsafe {
            sys::apmu_tb_forget(tb);
            sys::apmu_tb_compare(tb, values.as_ptr(), present.as_ptr());
            let kept = sys::apmu_tb_mismatches(tb).min(sys::APMU_TB_MISMATCHES as c_int);
            Ok((0..kept).map(|i| text(sys::apmu_tb_mismatch(tb, i))).collect())
        }
    }
}

impl Clone for Unit {
    fn clone(&self) -> Unit {
        // SAFETY: the handle is valid.
        Unit::own(unsafe { sys::apmu_tb_save(self.tb.as_ptr()) })
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        // SAFETY: the handle is valid, and nothing uses it afterwards.
        unsafe { sys::apmu_tb_destroy(self.tb.as_ptr()) }
    }
}

fn c_text(words: &str) -> Result<CString, Error> {
    CString::new(words).map_err(|_| Error::Argument(format!("{words:?}: it has a NUL character")))
}

/// Returns an error if the sentence is not empty.
fn done(fault: String) -> Result<(), Error> {
    if fault.is_empty() {
        Ok(())
    } else {
        Err(Error::Argument(fault))
    }
}

/// Returns the text of C at `pointer`, which is valid.
unsafe fn text(pointer: *const c_char) -> String {
    CStr::from_ptr(pointer).to_string_lossy().into_owned()
}

fn state_row(name: &str) -> Result<c_int, Error> {
    let wanted = c_text(name)?;
    // SAFETY: the text ends with '\0'.
    match unsafe { sys::apmu_tb_pe_find(wanted.as_ptr()) } {
        row if row >= 0 => Ok(row),
        _ => Err(Error::Argument(format!("{name}: no state of a PE; bind/tb/states.def lists them"))),
    }
}

fn check_line(line: u32) -> Result<(), Error> {
    if line < sys::APMU_TB_LINES as u32 {
        return Ok(());
    }
    Err(Error::Argument(format!("{line}: no line; there are 0 to {}", sys::APMU_TB_LINES - 1)))
}

fn check_counter(n: u32) -> Result<(), Error> {
    if n <= 32 {
        return Ok(());
    }
    Err(Error::Argument(format!("{n}: no counter; there are 0 to 32")))
}

fn outcome_of(number: c_int) -> Outcome {
    match number {
        0 => Outcome::Performed,
        1 => Outcome::Raz,
        2 => Outcome::Wi,
        3 => Outcome::Undefined,
        4 => Outcome::Unpredictable,
        5 => Outcome::Trap,
        _ => Outcome::Error,
    }
}
