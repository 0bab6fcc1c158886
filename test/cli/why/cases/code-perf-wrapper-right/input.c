// SPDX-License-Identifier: BSD-2-Clause
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void decode_frame(void);

static int sys_perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
    return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

int main(void)
{
    struct perf_event_attr attr;
    unsigned long long branches = 0;

    memset(&attr, 0, sizeof(attr));
    attr.type = PERF_TYPE_HARDWARE;
    attr.size = sizeof(attr);
    attr.config = PERF_COUNT_HW_BRANCH_MISSES;
    attr.disabled = 1;
    attr.exclude_kernel = 1;
    int fd = sys_perf_event_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) {
        perror("perf_event_open");
        return 1;
    }
    ioctl(fd, PERF_EVENT_IOC_RESET, 0);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    decode_frame();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    if (read(fd, &branches, sizeof(branches)) == sizeof(branches))
        printf("%llu\n", branches);
    close(fd);
    return 0;
}
