# OpenOCD, Cortex-A9 in the boot monitor, which polls the UART
proc cycles_in {ms} {
    halt
    set old [arm mrc 15 0 9 12 0]
    arm mcr 15 0 9 12 0 [expr {$old | 0x7}]
    arm mcr 15 0 9 12 1 0x80000000
    # the core is in debug state here, so it stands still
    set first [arm mrc 15 0 9 13 0]
    resume
    after $ms
    halt
    set last [arm mrc 15 0 9 13 0]
    return [expr {$last - $first}]
}
