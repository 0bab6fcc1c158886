/* per-thread instruction counter, always prints 0 */
int main(void)
{
    struct perf_event_attr pe = {
        .type = PERF_TYPE_HARDWARE, .size = sizeof(pe), .config = PERF_COUNT_HW_INSTRUCTIONS,
        .disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
    };
    long long n;
    int fd = syscall(SYS_perf_event_open, &pe, 0, -1, -1, 0);

    work();
    read(fd, &n, sizeof n);
    printf("%lld\n", n);
    return 0;
}
