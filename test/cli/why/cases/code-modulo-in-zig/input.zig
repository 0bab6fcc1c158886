// Cortex-A9, freestanding, privileged mode. A section lasts a few milliseconds.
pub inline fn start() void {
    asm volatile ("mcr p15, 0, %[v], c9, c12, 1" :: [v] "r" (@as(u32, 1 << 31)));
    var v: u32 = asm volatile ("mrc p15, 0, %[v], c9, c12, 0" : [v] "=r" (-> u32));
    v |= 5;
    asm volatile ("mcr p15, 0, %[v], c9, c12, 0" :: [v] "r" (v));
    asm volatile ("isb");
}

pub inline fn now() u32 {
    asm volatile ("isb");
    return asm volatile ("mrc p15, 0, %[v], c9, c13, 0" : [v] "=r" (-> u32));
}

pub fn since(before: u32) u32 {
    return now() -% before; // modulo 2^32
}
