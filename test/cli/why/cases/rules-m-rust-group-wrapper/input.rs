// NanoPC with Cortex-A72 only, kernel 6.1
// thread 'main' panicked at src/bin/cache.rs:27: no counter for 0x18: Os { code: 22, kind: InvalidInput, message: "Invalid argument" }
use perf_event_open_sys::{self as sys, bindings};

const EVENTS: [u64; 9] = [0x01, 0x03, 0x04, 0x08, 0x10, 0x14, 0x16, 0x17, 0x18];

fn add_member(event: u64, leader: i32) -> std::io::Result<i32> {
    let mut attr = bindings::perf_event_attr::default();
    attr.size = std::mem::size_of_val(&attr) as u32;
    attr.type_ = bindings::PERF_TYPE_RAW;
    attr.config = event;
    attr.set_disabled((leader < 0) as u64);
    attr.set_exclude_kernel(1);
    let fd = unsafe { sys::perf_event_open(&mut attr, 0, -1, leader, 0) };
    if fd < 0 { Err(std::io::Error::last_os_error()) } else { Ok(fd) }
}

fn main() {
    let mut leader = -1;
    for e in EVENTS {
        let fd = add_member(e, leader).unwrap_or_else(|r| panic!("no counter for {e:#x}: {r:?}"));
        if leader < 0 { leader = fd; }
    }
    unsafe { sys::ioctls::ENABLE(leader, bindings::PERF_IOC_FLAG_GROUP) };
    kernel();
}
