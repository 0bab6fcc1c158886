//! The loader of our board (Cortex-A55) drops into EL2. Our stub descends from there,
//! and drops to non-secure EL1 before the scheduler starts. About 31 000 stalls for a cold list.
use core::arch::asm;

pub fn stalls<F: FnOnce()>(work: F) -> u64 {
    let n: u64;
    unsafe {
        asm!("msr pmevtyper1_el0, {}", in(reg) 0x24u64);
        asm!("msr pmevcntr1_el0, xzr");
        asm!("msr pmcntenset_el0, {}", in(reg) 1u64 << 1);
        asm!("msr pmcr_el0, {}", "isb", in(reg) 0x41u64);
    }
    work();
    unsafe { asm!("isb", "mrs {}, pmevcntr1_el0", out(reg) n) };
    n
}
