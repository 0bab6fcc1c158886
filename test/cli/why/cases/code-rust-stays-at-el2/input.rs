//! The loader of our board (Cortex-A55) drops us into EL2, and there our monitor stays.
//! The counter reads 0 after each call.
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
