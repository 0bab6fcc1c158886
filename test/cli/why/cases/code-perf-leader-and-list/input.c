/* Cortex-A9: 6 event counters. "member 0x12 failed: errno 22" */
static const unsigned extra[7] = { 0x01, 0x03, 0x04, 0x05, 0x06, 0x10, 0x12 };
static int fds[8];

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
    for (int i = 0; i < 7; i++) {
        a.config = extra[i];
        fds[i + 1] = syscall(__NR_perf_event_open, &a, 0, -1, fds[0], 0);
        if (fds[i + 1] < 0) {
            fprintf(stderr, "member 0x%02x failed: errno %d\n", extra[i], errno);
            return -1;
        }
    }
    return 0;
}
