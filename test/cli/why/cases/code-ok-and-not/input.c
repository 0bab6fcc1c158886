/* switch the divider off */
u32 v = read_pmcr();
v &= ~(1 << 3);
write_pmcr(v);
