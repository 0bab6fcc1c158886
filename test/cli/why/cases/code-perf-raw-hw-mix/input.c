/* should print instructions. I get about 0.2 % of them (Pi 4) */
	struct perf_event_attr pe;
	memset(&pe, 0, sizeof pe);
	pe.size = sizeof pe;
	pe.type = PERF_TYPE_RAW;
	pe.config = PERF_COUNT_HW_INSTRUCTIONS;
	pe.exclude_kernel = 1;
	fd = syscall(__NR_perf_event_open, &pe, 0, -1, -1, 0);
	work();
	read(fd, &n, 8);
