#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The Rust crates: the program of doc/rust.md, the example of the crate, the sizes of structures, and errors.
set -u
. test/lib/tap.sh
need bindgen cargo rustc
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cp -r "$B/rust" "$work/crates" || exit 2
export CARGO_TARGET_DIR="$work/target"

# block KIND NUMBER: prints this block, counted from 1, of this kind in doc/rust.md.
block() {
    awk -v kind="\`\`\`$1" -v number="$2" '/^```/ { inside = $0 == kind; n += inside; next }
        inside && n == number' doc/rust.md
}

mkdir -p "$work/page/src"
block toml 1 | sed "s,build/rust,$work/crates," >"$work/page/Cargo.toml"
for n in 1 2; do
    block rust $n >"$work/page/src/main.rs"
    block output $n >"$work/expected"
    cargo run --quiet --offline --manifest-path "$work/page/Cargo.toml" >"$work/out" 2>"$work/log"
    expect $? "doc/rust.md: program $n runs" "$(tail -n 5 "$work/log" | tr '\n' ' ')"
    [ -s "$work/expected" ] && cmp -s "$work/expected" "$work/out"
    expect $? "doc/rust.md: output $n" "$(diff "$work/expected" "$work/out" | head -n 4 | tr '\n' ' ')"
done

exports=0 missing=
for name in $(nm -g --defined-only "$B/rust/sys/libarmpmu.a" "$B/rust/sys/libarmpmu-tb.a" 2>/dev/null |
    awk 'NF == 3 && $2 == "T" && $3 ~ /^apmu_/ { print $3 }' | sort -u); do
    exports=$((exports + 1))
    grep -q "pub fn $name(" "$work/crates/sys/bindings.rs" || missing="$missing $name"
done
[ -z "$missing" ] && [ $exports -gt 200 ]
expect $? "the $exports functions of the archives are declared" "missing:$missing"

cargo test --quiet --offline --manifest-path "$work/crates/sys/Cargo.toml" >"$work/log" 2>&1 &&
    grep -q '^test result: ok. [1-9]' "$work/log"
expect $? "structures have the sizes of C" "$(tail -n 5 "$work/log" | tr '\n' ' ')"
cargo test --quiet --offline --doc --manifest-path "$work/crates/Cargo.toml" >"$work/log" 2>&1 &&
    grep -q '^test result: ok. [1-9]' "$work/log"
expect $? "the example of the crate" "$(tail -n 5 "$work/log" | tr '\n' ' ')"

# Values and errors, by the same project.
cat >"$work/page/src/main.rs" <<'END'
use armpmu::{sys, Error, Outcome, Unit, View};

fn refused<T>(result: Result<T, Error>, words: &str) {
    match result {
        Ok(_) => panic!("nothing was refused that says {words:?}"),
        Err(error) => assert!(error.to_string().contains(words), "{words:?} is not in {error}"),
    }
}

fn main() -> Result<(), Error> {
    refused(Unit::new("counters=6 features=NOTHING"), "NOTHING");
    refused(Unit::new("nothing=\0"), "NUL");
    let mut unit = Unit::new("features=PMUv3p7,PMUv3_EXT32,AA64EL0,AA64EL1 counters=6")?;
    refused(unit.read("PMCR_EL0"), "PMUSERENR_EL0.EN");
    refused(unit.write("nothing", 0), "nothing");
    refused(unit.address("PMCFGR", View::A32), "no register of this view");
    refused(unit.state("nothing"), "nothing");
    refused(unit.set_state("el", 4), "2 bits");
    refused(unit.line(32, 8), "32");
    refused(unit.line(0, 0x10000), "16 bits");
    refused(unit.step(1, &[(32, 1)]), "32");
    refused(unit.why(33), "33");
    refused(unit.why_text(33), "33");
    refused(unit.reset(3), "3");
    refused(unit.compare(&[("nothing", 1)]), "nothing");

    unit.set_state("el", 1)?;
    unit.set_state("dbgen", 1)?;
    let saved = unit.clone();
    unit.line(0, sys::APMU_EV_INST_RETIRED)?;
    unit.write("PMEVTYPER2_EL0", sys::APMU_EV_INST_RETIRED.into())?;
    unit.write("PMCNTENSET_EL0", 4)?;
    assert_eq!(unit.why(2)?, 1 << sys::APMU_REASON_PMCR_E);
    unit.write("PMCR_EL0", 1)?;
    unit.write("PMEVCNTR2_EL0", 0xFFFF_FFFF)?;
    unit.write("PMINTENSET_EL1", 4)?;
    unit.step(1, &[(0, 200), (0, 1)])?;
    assert_eq!(unit.read("PMEVCNTR2_EL0")?, 1 << 32, "the last count of a line holds");
    assert_eq!((unit.signals() & 1, unit.read("PMOVSSET_EL0")?), (1, 4));
    let at = unit.address("PMOVSCLR", View::Ext)?;
    let write = unit.access(View::Ext, at, 4 | 1 << 4, Some(4));
    assert_eq!((write.outcome, unit.signals() & 1), (Outcome::Performed, 0));
    let state = format!("{}/state", std::env::var("WORK").expect("the test sets it"));
    unit.save(&state)?;
    unit.restore(&saved);
    unit.load(&state)?;
    assert_eq!(unit.read("PMCNTENSET_EL0")?, 4, "loaded");
    refused(unit.load("nothing"), "No such file");
    refused(Unit::new("features=PMUv3,AA64EL0,AA64EL1")?.load(&state), "another configuration");
    unit.restore(&saved);
    assert_eq!(unit.read("PMCNTENSET_EL0")?, 0, "restored");
    unit.set_state("el", 0)?;
    let at = unit.address("PMCCNTR_EL0", View::A64)?;
    let read = unit.access(View::A64, at, 0, None);
    assert_eq!((read.el(), read.esr(5, false)), (1, 0x6230_E4BB));
    unit.set_state("el", 1)?;
    let done = unit.access(View::A64, at, 0, None);
    assert_eq!((done.el(), done.esr(5, false)), (0, 0));
    let absent = unit.access(View::A64, 0xFFFF, 0, None);
    assert_eq!((absent.outcome, absent.esr(5, false)), (Outcome::Undefined, 0x0200_0000));
    unit.reset(0)?;
    assert_eq!(unit.read("PMCNTENSET_EL0")?, 0);
    assert_eq!(saved.state("el")?, 1);
    assert!(unit.compare(&[("PMUSERENR_EL0", 0)])?.is_empty());
    std::thread::spawn(move || drop(saved)).join().expect("a unit moves to another thread");
    Ok(())
}
END
WORK=$work cargo run --quiet --offline --manifest-path "$work/page/Cargo.toml" >"$work/out" 2>"$work/log"
expect $? "values and errors" "$(tail -n 5 "$work/log" | tr '\n' ' ')"

# The archives may be elsewhere; without them the message says what to do.
rm "$work/crates/sys/libarmpmu-tb.a"
cargo build --quiet --offline --manifest-path "$work/page/Cargo.toml" >"$work/log" 2>&1
[ $? -ne 0 ] && grep -q 'libarmpmu-tb.a: not found; run `make rust`' "$work/log"
expect $? "a missing archive is named" "$(tail -n 5 "$work/log" | tr '\n' ' ')"
ARMPMU_LIBRARY_DIR="$(cd "$B/rust/sys" && pwd)" cargo build --quiet --offline --manifest-path "$work/page/Cargo.toml" \
    >"$work/log" 2>&1
expect $? "ARMPMU_LIBRARY_DIR" "$(tail -n 5 "$work/log" | tr '\n' ' ')"
summary
