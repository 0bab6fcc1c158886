/* Cortex-A72: instructions; Intel's tool had 0xC0, INST_RETIRED.ANY_P */
int main(void)
{
    struct perf_event_attr a = {
        .type = PERF_TYPE_RAW,
        .size = sizeof(a),
        .config = 0x08,   /* INST_RETIRED, not INST_RETIRED.ANY_P */
        .exclude_kernel = 1,
    };
    int fd = syscall(__NR_perf_event_open, &a, 0, -1, -1, 0);
    uint64_t n;

    work();
    read(fd, &n, sizeof(n));
    printf("%lu\n", (unsigned long)n);
    return 0;
}
