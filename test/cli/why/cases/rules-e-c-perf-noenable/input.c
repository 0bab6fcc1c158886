#include <linux/perf_event.h>
int main(void)
{
    struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE, .size = sizeof a, .config = PERF_COUNT_HW_INSTRUCTIONS,
                                .disabled = 1, .exclude_kernel = 1};
    int fd = syscall(__NR_perf_event_open, &a, 0, -1, -1, 0);
    long long n;
    work();
    read(fd, &n, sizeof n);
    printf("%lld\n", n);   // 0?
}
