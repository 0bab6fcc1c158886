// STM32H743: this is what I use now after reading about the lock. Is it complete?
#[entry]
fn main() -> ! {
    let mut p = cortex_m::Peripherals::take().unwrap();
    p.DCB.enable_trace();
    DWT::unlock();
    p.DWT.set_cycle_count(0);
    p.DWT.enable_cycle_counter();
    loop { rprintln!("{}", DWT::cycle_count()); }
}
