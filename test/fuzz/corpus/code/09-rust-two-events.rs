// no_std, EL1
pub unsafe fn begin() {
    asm!("msr pmevtyper4_el0, {}", in(reg) 0x17u64); // L2 refills
    asm!("msr pmevtyper5_el0, {}", in(reg) 0x16u64); // L2 accesses
    asm!("msr pmcntenset_el0, {}", in(reg) 0x30u64);
    let mut r: u64;
    asm!("mrs {}, pmcr_el0", out(reg) r);
    r |= 0b11;
    asm!("msr pmcr_el0, {}", in(reg) r);
    asm!("isb");
}
pub unsafe fn end() -> (u64, u64) {
    let (a, b): (u64, u64);
    asm!("isb");
    asm!("mrs {}, pmevcntr4_el0", out(reg) a);
    asm!("mrs {}, pmevcntr5_el0", out(reg) b);
    (a, b)
}
