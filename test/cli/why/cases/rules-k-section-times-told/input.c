/* Zephyr on Cortex-A9: tickless idle is disabled, so the core never enters WFI-off; runs on core 0 only. Sections last
 * a few us; the unsigned subtraction survives a wrap. */
#include <zephyr/kernel.h>
static uint32_t t0, worst;
static inline uint32_t now(void){ uint32_t v; __asm__ volatile("isb; mrc p15, 0, %0, c9, c13, 0" : "=r"(v)); return v; }
void prof_init(void)
{
	__asm__ volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(1u << 31));
	__asm__ volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(5u));
	__asm__ volatile("isb");
}
void enter(void) { t0 = now(); }
void leave(void) { uint32_t d = now() - t0; if (d > worst) worst = d; }
