// Cortex-A9, 32 bit, bare metal. Long windows (several minutes), so the prescaler is on by design,
// stop() gives back cycles, i.e. the counter times 64.
use core::arch::asm;

pub fn start() {
    unsafe {
        let mut v: u32;
        asm!("mrc p15, 0, {}, c9, c12, 0", out(reg) v);
        v |= 0b1101; // E, C, D
        asm!("mcr p15, 0, {}, c9, c12, 0", in(reg) v);
        asm!("mcr p15, 0, {}, c9, c12, 1", in(reg) 0x8000_0000u32);
        asm!("isb");
    }
}

pub fn stop() -> u64 {
    let v: u32;
    unsafe {
        asm!("isb");
        asm!("mrc p15, 0, {}, c9, c13, 0", out(reg) v);
    }
    u64::from(v) << 6
}
