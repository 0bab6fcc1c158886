/* switch the divider off; after this no counter moves */
u32 v = read_pmcr();
v &= (1 << 3);
write_pmcr(v);
