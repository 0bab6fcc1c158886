/* Neoverse N1, kernel 6.1. The misses always read 0, time_running is 0 too, and no call fails. */
int main(void)
{
    struct perf_event_attr attr = {.size = sizeof attr, .type = PERF_TYPE_RAW, .exclude_kernel = 1, .disabled = 1};
    uint64_t count;

    attr.config = 0x08;
    int lead = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    attr.config = 0x03;
    attr.disabled = 0;
    int misses = syscall(SYS_perf_event_open, &attr, 0, -1, lead, 0);

    ioctl(misses, PERF_EVENT_IOC_RESET, 0);
    ioctl(misses, PERF_EVENT_IOC_ENABLE, 0);
    work();
    read(misses, &count, sizeof count);
    printf("%llu\n", (unsigned long long)count);
}
