// SPDX-License-Identifier: BSD-2-Clause
//! Declarations of every function that libarmpmu exports (`<armpmu/model.h>`, `<armpmu/events.h>` ...) and of the
//! handle of test benches (`bind/tb/tb.h`), made by bindgen.  The crate `armpmu` has a safe layer over the handle.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
#![allow(clippy::all)]

include!("bindings.rs");
