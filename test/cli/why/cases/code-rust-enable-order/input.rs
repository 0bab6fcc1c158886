//! aarch64-unknown-none, A55, EL1. first measurement after boot is 0, all the later ones are right
fn measure(f: impl Fn()) -> u64 {
    let s = rd();
    f();
    let e = rd();
    unsafe {
        asm!("msr pmcntenset_el0, {}", in(reg) 1u64 << 31);
        asm!("msr pmcr_el0, {}", in(reg) 0x41u64);
        asm!("isb");
    }
    e - s
}
fn rd() -> u64 { let v: u64; unsafe { asm!("isb", "mrs {}, pmccntr_el0", out(reg) v) }; v }
