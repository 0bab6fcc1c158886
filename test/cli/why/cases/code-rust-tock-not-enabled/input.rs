//! aarch64-cpu + tock-registers, EL1 on a Cortex-A72. `now()` is 0 for ever.
use aarch64_cpu::{asm::barrier, registers::*};
use tock_registers::interfaces::{ReadWriteable, Readable, Writeable};

pub fn init() {
    PMCCFILTR_EL0.set(0);
    PMCR_EL0.modify(PMCR_EL0::E::SET + PMCR_EL0::C::SET + PMCR_EL0::LC::SET);
    barrier::isb(barrier::SY);
}

pub fn now() -> u64 {
    barrier::isb(barrier::SY);
    PMCCNTR_EL0.get()
}
