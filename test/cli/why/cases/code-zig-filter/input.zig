// zig 0.11, freestanding aarch64, EL1 on an i.MX8MM (A53). l1d refills stay at 0, cycles are good.
const P: u64 = 1 << 31;

pub fn setup() void {
    const ev: u64 = 0x03 | P; // P = "privileged"
    asm volatile ("msr pmevtyper0_el0, %[v]" :: [v] "r" (ev));
    asm volatile ("msr pmevcntr0_el0, xzr");
    asm volatile ("msr pmccfiltr_el0, xzr");
    asm volatile ("msr pmcntenset_el0, %[v]" :: [v] "r" (@as(u64, (1 << 31) | 1)));
    asm volatile ("msr pmcr_el0, %[v]" :: [v] "r" (@as(u64, 0x41)));
    asm volatile ("isb");
}

pub fn refills() u64 {
    var r: u64 = undefined;
    asm volatile ("isb\n mrs %[r], pmevcntr0_el0" : [r] "=r" (r));
    return r;
}
