// SPDX-License-Identifier: BSD-2-Clause
//! Links libarmpmu and libarmpmu-tb, whose archives are beside this file or in ARMPMU_LIBRARY_DIR.
use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-env-changed=ARMPMU_LIBRARY_DIR");
    let folder = match env::var_os("ARMPMU_LIBRARY_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR")),
    };
    for name in ["armpmu-tb", "armpmu"] {
        let archive = folder.join(format!("lib{name}.a"));
        if !archive.exists() {
            panic!("{}: not found; run `make rust`, or set ARMPMU_LIBRARY_DIR to its folder", archive.display());
        }
        println!("cargo:rerun-if-changed={}", archive.display());
        println!("cargo:rustc-link-lib=static={name}");
    }
    println!("cargo:rustc-link-search=native={}", folder.display());
}
