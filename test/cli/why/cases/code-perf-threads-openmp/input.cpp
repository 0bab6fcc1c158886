// Altra, 64 OpenMP threads. instructions are ~1/64 of what perf stat says
int fd;
void init() {
    perf_event_attr a{};
    a.type = PERF_TYPE_HARDWARE; a.size = sizeof(a);
    a.config = PERF_COUNT_HW_INSTRUCTIONS;
    a.exclude_kernel = 1; a.disabled = 1;
    fd = syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}
int main() {
    init();
    #pragma omp parallel for
    for (int i = 0; i < N; i++) body(i);
    long long n; read(fd, &n, 8);
}
