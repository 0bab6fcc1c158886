/* u-boot 2021.01 cmd/ccnt.c for a Cortex-A7 (STM32MP157, SVC). Second "ccnt" is always less than 70 million / 64 of what I compute:
 * udelay(1000000) at 650 MHz gives 10.15 million. */
static int do_ccnt(struct cmd_tbl *c, int flag, int argc, char *const argv[])
{
	u32 v;

	asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(0xd));
	asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(0x8000000f));
	isb();
	udelay(1000000);
	asm volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(v));
	printf("%u\n", v);
	return 0;
}
