// RP2350
fn init(cp: &mut cortex_m::Peripherals) {
    cp.DCB.enable_trace();
    cp.DWT.enable_cycle_counter();
}
fn ticks() -> u32 { cortex_m::peripheral::DWT::cycle_count() }
