// bpf_perf_event_read_value() returns -EINVAL (-22) for every CPU but the one I opened the fd on (cpu 0). Neoverse N1.
struct { __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY); __uint(max_entries, 64); } ev SEC(".maps");

/* user side */
	struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS, .size = sizeof(a), .disabled = 1 };
	int fd = syscall(__NR_perf_event_open, &a, -1, 0, -1, 0);
	bpf_map_update_elem(map_fd, &zero, &fd, BPF_ANY);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	attach();
	sleep(1);
	read_map();
