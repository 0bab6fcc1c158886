/* el0.ko - the test program runs on some cores and dies with SIGILL on others */
static int __init el0_init(void)
{
    asm volatile("msr pmuserenr_el0, %0" :: "r"(0xdUL));
    asm volatile("msr pmcntenset_el0, %0" :: "r"(1UL << 31));
    asm volatile("msr pmcr_el0, %0" :: "r"(1UL));
    return 0;
}
module_init(el0_init);
MODULE_LICENSE("GPL");
