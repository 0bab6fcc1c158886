// EL1 of a hobby kernel (A53). Seems to be OK, posting for review.
use aarch64_cpu::asm::barrier;
use aarch64_cpu::registers::{PMCCFILTR_EL0, PMCCNTR_EL0, PMCNTENSET_EL0, PMCR_EL0};
use tock_registers::interfaces::{Readable, Writeable};

const CYCLES: u64 = 1 << 31;

pub fn start() {
    PMCCFILTR_EL0.set(0);
    PMCNTENSET_EL0.set(CYCLES);
    PMCR_EL0.set(PMCR_EL0.get() | (1 << 0) | (1 << 2) | (1 << 6));
    barrier::isb(barrier::SY);
}

pub fn cycles() -> u64 {
    barrier::isb(barrier::SY);
    PMCCNTR_EL0.get()
}
