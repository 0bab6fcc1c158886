// STM32F407, rtic. Good practice? any improvement welcome
#[init]
fn init(cx: init::Context) -> (Shared, Local) {
    let mut core = cx.core;
    core.DCB.enable_trace();
    core.DWT.enable_cycle_counter();
    (Shared {}, Local {})
}
fn measure() -> u32 {
    let a = DWT::cycle_count();
    work();
    DWT::cycle_count().wrapping_sub(a)
}
