// cortex-a53 kernel. 64-bit count of 0x08 by chaining 2 and 3: every few seconds the value is off by 4294967296 for one sample
pub fn insns() -> u64 {
    let lo: u64; let hi: u64;
    unsafe {
        asm!("isb", "mrs {}, pmevcntr2_el0", out(reg) lo);
        asm!("mrs {}, pmevcntr3_el0", out(reg) hi);
    }
    (hi << 32) | (lo & 0xffff_ffff)
}
