// nRF52840, Zig 0.13. ticks() returns 0 whatever runs between.
const demcr = @as(*volatile u32, @ptrFromInt(0xE000EDFC));
const ctrl: *volatile u32 = @ptrFromInt(0xE0001000);
const count: *volatile u32 = @ptrFromInt(0xE0001004);

pub fn start() void {
    demcr.* = demcr.* | @as(u32, 1) << 24;
    count.* = 0;
}

pub fn control() u32 {
    return ctrl.*;
}

pub fn ticks() u32 {
    return count.*;
}
