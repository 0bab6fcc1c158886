/* the program starts 8 threads in run(); the count is an eighth of what perf stat says */
pe.type = PERF_TYPE_HARDWARE;
pe.config = PERF_COUNT_HW_INSTRUCTIONS;
pe.exclude_kernel = 1;
pe.disabled = 1;
fd = perf_event_open(&pe, 0, -1, -1, 0);
ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
run();
ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
read(fd, &n, 8);
