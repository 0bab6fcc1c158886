/* Cortex-A9: 6 event counters. Works, the sums match perf stat. */
static const unsigned extra[6] = { 0x01, 0x03, 0x04, 0x05, 0x06, 0x10 };
static int fds[7];

static int start_group(void)
{
    struct perf_event_attr a;

    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.exclude_kernel = 1;
    a.type = PERF_TYPE_HARDWARE;
    a.config = PERF_COUNT_HW_CPU_CYCLES;
    fds[0] = syscall(__NR_perf_event_open, &a, 0, -1, -1, 0);
    a.type = PERF_TYPE_RAW;
    for (int i = 0; i < 6; i++) {
        a.config = extra[i];
        fds[i + 1] = syscall(__NR_perf_event_open, &a, 0, -1, fds[0], 0);
        if (fds[i + 1] < 0) {
            return -1;
        }
    }
    return 0;
}
