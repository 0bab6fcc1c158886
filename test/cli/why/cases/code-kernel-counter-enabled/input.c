#include <linux/module.h>
#include <linux/perf_event.h>
static struct perf_event *ev;
static int __init my_init(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
		.size = sizeof(attr), .disabled = 1, .pinned = 1,
	};
	u64 a, en, ru;

	ev = perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);
	if (IS_ERR(ev)) return PTR_ERR(ev);
	perf_event_enable(ev); mdelay(10);
	a = perf_event_read_value(ev, &en, &ru);
	pr_info("%llu\n", a);
	return 0;
}
