// A57: how many counters? prints 0
uint32_t pmcr = 1;
asm volatile("msr pmcr_el0, %0" :: "r"((uint64_t)pmcr));
printf("%u counters\n", (pmcr >> 11) & 31);
