// perf raw: wants CPU_CYCLES, gets something small
struct perf_event_attr a = { .type = PERF_TYPE_RAW, .size = sizeof a, .config = 11 /* CPU_CYCLES */ };
int fd = syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
read(fd, &n, 8);
