/* prints 0 every time, no call fails */
int main(void)
{
    struct perf_event_attr attr = {0};
    uint64_t n = 0;
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.exclude_kernel = 1;
    attr.disabled = 1;
    attr.enable_on_exec = 1;
    int fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
    sort_everything();
    read(fd, &n, sizeof(n));
    printf("%lu\n", n);
    return 0;
}
