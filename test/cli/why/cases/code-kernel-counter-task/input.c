/* In our LSM. Count L1D misses of each task. value is always 0. */
static struct perf_event *open_ctr(struct task_struct *t)
{
	struct perf_event_attr a;
	memset(&a, 0, sizeof(a));
	a.type = PERF_TYPE_RAW;
	a.size = sizeof(a);
	a.config = 0x03;
	a.disabled = true;
	return perf_event_create_kernel_counter(&a, -1, t, NULL, NULL);
}
