/* The profiler of our former Raspberry Pi 1 controller, now built as a driver on a BeagleBone Black (AM335x).
   It dies in probe: undefined instruction. */
#include <linux/module.h>

static int prof_probe(struct platform_device *pdev)
{
	unsigned int pmnc = 1, c;

	asm volatile("mcr p15, 0, %0, c15, c12, 0" : : "r"(pmnc));
	asm volatile("mrc p15, 0, %0, c15, c12, 1" : "=r"(c));
	dev_info(&pdev->dev, "%u\n", c);
	return 0;
}
