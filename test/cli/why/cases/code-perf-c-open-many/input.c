// values are each about one third of what "perf stat -e X" shows for the same program when I run it for a single event
static const uint64_t evs[] = { 0x11, 0x08, 0x01, 0x02, 0x03, 0x04, 0x05, 0x10, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x19, 0x1B, 0x1D, 0x23, 0x24 };

for (size_t i = 0; i < ARRAY_SIZE(evs); i++) {
	struct perf_event_attr a = {
		.type = PERF_TYPE_RAW, .size = sizeof a, .config = evs[i],
		.exclude_kernel = 1, .exclude_hv = 1,
	};
	fd[i] = perf_event_open(&a, 0, -1, -1, 0);
}
work();
for (size_t i = 0; i < ARRAY_SIZE(evs); i++)
	read(fd[i], &val[i], 8);
