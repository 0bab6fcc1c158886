/* EL2, hypervisor: the event counters read 0 while it runs, elsewhere they count */
write_sysreg((1 << 17) | 6, mdcr_el2);
isb();
