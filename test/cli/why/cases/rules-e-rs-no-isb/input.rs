// A76 EL1. measured work of 20 instructions gives 3..9
unsafe fn measure(f: fn()) -> u64 {
    asm!("msr pmevtyper0_el0, {}", in(reg) 8u64);
    asm!("msr pmevcntr0_el0, xzr");
    asm!("msr pmcntenset_el0, {}", in(reg) 1u64);
    asm!("msr pmcr_el0, {}", in(reg) 1u64);
    f();
    let v: u64;
    asm!("mrs {}, pmevcntr0_el0", out(reg) v);
    v
}
