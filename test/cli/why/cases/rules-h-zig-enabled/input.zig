// nRF52840, Zig 0.11: cycles of f, on the serial port. Review welcome, it works.
const DEMCR = @intToPtr(*volatile u32, 0xE000EDFC);
const DWT_CTRL = @intToPtr(*volatile u32, 0xE0001000);
const DWT_CYCCNT = @intToPtr(*volatile u32, 0xE0001004);

pub fn init() void {
    DEMCR.* |= 1 << 24;
    DWT_CYCCNT.* = 0;
    DWT_CTRL.* |= 1;
}

pub fn cost(comptime f: fn () void) u32 {
    const from = DWT_CYCCNT.*;
    f();
    return DWT_CYCCNT.* -% from;
}
