// Cortex-M55, cortex-m crate has no PMU; event 0 always reads 0
const PMU: usize = 0xE000_3000;
unsafe fn w(off: usize, v: u32) { ((PMU + off) as *mut u32).write_volatile(v) }
unsafe fn r(off: usize) -> u32 { ((PMU + off) as *const u32).read_volatile() }
pub unsafe fn start() {
    let demcr = 0xE000_EDFC as *mut u32;
    demcr.write_volatile(demcr.read_volatile() | 1 << 24);
    w(0x400, 0x0008);
    w(0xC00, 1 << 31);
    w(0xE04, 0x7);
}
pub unsafe fn read() -> u32 { r(0x000) }
