// kernel.perf_user_access=1. mrs of pmccntr_el0 SIGILLs in the very first read
	struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .size = sizeof a,
				     .config1 = 2, .exclude_kernel = 1 };
	uint64_t t0 = pmccntr();           /* asm volatile("mrs %0, pmccntr_el0") */
	int fd = perf_event_open(&a, 0, -1, -1, 0);
	void *pg = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0);
