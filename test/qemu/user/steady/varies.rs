// SPDX-License-Identifier: BSD-2-Clause
//! Does work that depends on what differs from run to run: the keys of hash maps, the time, the process.
use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime};

/// Returns its argument, which the compiler cannot foresee.
fn keep(value: u64) -> u64 {
    unsafe { std::ptr::read_volatile(&value) }
}

fn main() {
    let mut map = HashMap::new();
    for i in 0..500u64 {
        map.insert(format!("key{i}"), i);
    }
    let mut total = 0u64;
    for (n, (key, value)) in map.iter().enumerate() {
        if n % 3 == 0 {
            total = total.wrapping_add(value * key.len() as u64);
            for _ in 0..*value {
                total = keep(total.wrapping_add(1));
            }
        }
    }
    let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_nanos();
    for _ in 0..(nanos % 4096 + std::process::id() % 64) {
        total = keep(total.wrapping_mul(3));
    }
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(1) {
        total = keep(total.wrapping_add(1));
    }
    println!("{total}");
}
