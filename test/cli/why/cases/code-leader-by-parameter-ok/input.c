/* A group of two events, kernel 6.1. */
static int event(unsigned config, int leader, int disabled)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(a), .config = config,
		.disabled = disabled, .exclude_kernel = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED,
	};
	return syscall(SYS_perf_event_open, &a, 0, -1, leader, 0);
}

int main(void)
{
	unsigned long long r[4];
	int first = event(PERF_COUNT_HW_CPU_CYCLES, -1, 1);
	int second = event(PERF_COUNT_HW_CACHE_MISSES, first, 0);

	ioctl(first, PERF_EVENT_IOC_ENABLE, 0);
	work();
	ioctl(first, PERF_EVENT_IOC_DISABLE, 0);
	read(first, r, sizeof r);
	printf("%llu %llu\n", r[2], r[3]);
}
