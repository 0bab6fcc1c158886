//! no_std on a Cortex-A72 at EL1
static LIST: [u32; 3] = [0x11, 0x03, 0x12];

pub unsafe fn program() {
    for (n, &event) in LIST.iter().enumerate() {
        asm!("msr pmselr_el0, {:x}", in(reg) n);
        asm!("msr pmxevtyper_el0, {:x}", in(reg) event as u64);
    }
    asm!("msr pmcntenset_el0, {:x}", in(reg) 7u64);
    asm!("msr pmcr_el0, {:x}", in(reg) 0x41u64);
    asm!("isb");
}

pub unsafe fn third() -> u64 {
    let v: u64;
    asm!("isb", "mrs {}, pmevcntr2_el0", out(reg) v);
    v
}
// Now and then every count stands one place too far to the right.
