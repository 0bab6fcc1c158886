# profile.tcl, sourced after "reset halt" on STM32G4; "cycles" prints 0 all the time
proc cyc_init {} {
    mww 0xE0001004 0
    mww 0xE0001000 1
}
proc cycles {} {
    set v [read_memory 0xE0001004 32 1]
    echo "cycles: $v"
}
