/* Cortex-A53, "7 counters available". EINVAL for the last event; without it all works */
static const uint64_t raw[] = { 0x08, 0x03, 0x04, 0x10, 0x12, 0x16, 0x17 };
struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE, .size = sizeof(a), .config = PERF_COUNT_HW_CPU_CYCLES,
	.exclude_kernel = 1, .read_format = PERF_FORMAT_GROUP };
fds[0] = syscall(__NR_perf_event_open, &a, 0, -1, -1, 0);
a.type = PERF_TYPE_RAW;
for (i = 0; i < 7; i++) {
	a.config = raw[i];
	fds[i + 1] = syscall(__NR_perf_event_open, &a, 0, -1, fds[0], 0);
}
