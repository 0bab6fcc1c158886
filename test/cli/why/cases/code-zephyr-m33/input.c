/* Zephyr 3.5, nRF5340 app core. With the debugger attached I get numbers, after a power cycle without it the result is always 0 */
#include <zephyr/kernel.h>
#include <cmsis_core.h>

void prof_init(void)
{
	DWT->CYCCNT = 0;
	DWT->CTRL |= DWT_CTRL_CYCCNTENA_Msk;
}

uint32_t prof_now(void)
{
	return DWT->CYCCNT;
}

int main(void)
{
	prof_init();
	uint32_t t0 = prof_now();
	k_busy_wait(100);
	printk("%u cycles\n", prof_now() - t0);
	return 0;
}
