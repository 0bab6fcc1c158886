// EL1, Cortex-A55, interrupts are masked around this. Counter 2 has 32 bits; a wrap between the two reads is handled by
// wrapping_sub, as the region never has more than a few thousand misses.
use core::arch::asm;

pub fn setup() {
    unsafe {
        asm!("msr pmcntenclr_el0, {}", in(reg) 4u64);
        asm!("msr pmevtyper2_el0, {}", in(reg) 0x3u64);
        asm!("msr pmcntenset_el0, {}", in(reg) 4u64);
        asm!("msr pmcr_el0, {}", in(reg) 0x41u64);
        asm!("isb");
    }
}

fn misses_now() -> u32 {
    let v: u64;
    unsafe { asm!("isb", "mrs {}, pmevcntr2_el0", out(reg) v) };
    v as u32
}

pub fn misses<F: FnOnce()>(region: F) -> u32 {
    let before = misses_now();
    region();
    misses_now().wrapping_sub(before)
}
