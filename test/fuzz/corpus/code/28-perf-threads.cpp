// counts all workers
int main()
{
    perf_event_attr a{};
    a.type = PERF_TYPE_HARDWARE;
    a.size = sizeof a;
    a.config = PERF_COUNT_HW_CPU_CYCLES;
    a.inherit = 1;
    a.exclude_kernel = 1;
    int fd = syscall(__NR_perf_event_open, &a, 0, -1, -1, 0);
    std::vector<std::thread> t;
    for (int i = 0; i < 4; i++) t.emplace_back(work, i);
    for (auto &x : t) x.join();
    uint64_t n;
    read(fd, &n, 8);
    std::cout << n << "\n";
}
