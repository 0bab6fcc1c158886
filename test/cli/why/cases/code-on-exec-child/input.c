/* Cortex-A72, prints what perf stat prints for the same program */
int main(int argc, char **argv)
{
    struct perf_event_attr attr = {0};
    uint64_t n = 0;
    pid_t child = fork();
    if (child == 0) { wait_for_go(); execvp(argv[1], argv + 1); }
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.exclude_kernel = 1;
    attr.disabled = 1;
    attr.enable_on_exec = 1;
    int fd = syscall(__NR_perf_event_open, &attr, child, -1, -1, 0);
    go(child);
    waitpid(child, 0, 0);
    read(fd, &n, sizeof(n));
    printf("%lu\n", n);
    return 0;
}
