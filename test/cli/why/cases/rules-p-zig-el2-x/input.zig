//! vmpmu.zig - the hypervisor's own use of the PMU (EL2, Cortex-A76): cost of a VM exit by reason.
//! HCR_EL2.E2H = 0. Guests have no PMU: TPM and TPMCR are set while one runs, and the exit path clears nothing.

const std = @import("std");
const log = @import("log.zig");
const vcpu = @import("vcpu.zig");

const Mdcr = packed struct(u64) {
    hpmn: u5 = 0,
    tpmcr: bool = false,
    tpm: bool = false,
    hpme: bool = false,
    tde: bool = false,
    tda: bool = false,
    tdosa: bool = false,
    tdra: bool = false,
    e2pb: u2 = 0,
    tpms: bool = false,
    _res0: u2 = 0,
    hpmd: bool = false,
    _res1: u46 = 0,
};

const Filter = packed struct(u64) {
    event: u16 = 0,
    _res0: u11 = 0,
    nsh: bool = false,
    nsu: bool = false,
    nsk: bool = false,
    u: bool = false,
    p: bool = false,
    _res1: u32 = 0,
};

const cycle: u64 = 1 << 31;

inline fn write(comptime reg: []const u8, value: u64) void {
    asm volatile ("msr " ++ reg ++ ", %[v]"
        :
        : [v] "r" (value),
        : "memory"
    );
}

inline fn read(comptime reg: []const u8) u64 {
    return asm volatile ("mrs %[v], " ++ reg
        : [v] "=r" (-> u64),
    );
}

inline fn isb() void {
    asm volatile ("isb" ::: "memory");
}

const Stat = struct {
    exits: u64 = 0,
    cycles: u64 = 0,
    worst: u64 = 0,

    fn add(self: *Stat, n: u64) void {
        self.exits += 1;
        self.cycles +%= n;
        if (n > self.worst) self.worst = n;
    }
};

var stats = [_]Stat{.{}} ** 64;

/// Once for each CPU, before its first VCPU.
pub fn initCpu() void {
    const n: u5 = @truncate(read("pmcr_el0") >> 11);
    var mdcr: Mdcr = @bitCast(read("mdcr_el2"));
    mdcr.hpmn = n;
    mdcr.tpm = true;
    mdcr.tpmcr = true;
    mdcr.hpmd = false;
    write("mdcr_el2", @bitCast(mdcr));
    write("pmcntenclr_el0", 0xffff_ffff);
    write("pmintenclr_el1", 0xffff_ffff);
    write("pmccfiltr_el0", @bitCast(Filter{ .u = true, .p = true, .nsu = true, .nsk = true }));
    write("pmcr_el0", 0x45); // E, C, LC
    isb();
    write("pmovsclr_el0", cycle);
    write("pmcntenset_el0", cycle);
    isb();
}

pub fn enterHandler() u64 {
    isb();
    return read("pmccntr_el0");
}

pub fn leaveHandler(reason: u6, begin: u64) void {
    isb();
    stats[reason].add(read("pmccntr_el0") -% begin);
}

/// Called by the vector for each synchronous exit.
pub fn handleExit(v: *vcpu.Vcpu) void {
    const begin = enterHandler();
    const reason: u6 = @truncate(read("esr_el2") >> 26);
    v.dispatch(reason);
    leaveHandler(reason, begin);
}

pub fn dump() void {
    for (stats, 0..) |s, i| {
        if (s.exits == 0) continue;
        log.info("EC {x}: {d} exits, {d} cycles on average, {d} at most\n", .{ i, s.exits, s.cycles / s.exits, s.worst });
    }
}
