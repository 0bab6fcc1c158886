/* 8 events in a group on Cortex-A57: read() gives 0 for time_running, all values 0 */
int ev[] = {0x08, 0x11, 0x03, 0x04, 0x16, 0x17, 0x10, 0x12};
int open_all(void)
{
    int leader = -1;
    for (int i = 0; i < 8; i++) {
        struct perf_event_attr a = {.type = PERF_TYPE_RAW, .size = sizeof a, .config = ev[i], .disabled = i == 0,
                                    .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_RUNNING};
        int fd = syscall(__NR_perf_event_open, &a, 0, -1, leader, 0);
        if (leader < 0) leader = fd;
    }
    ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
    return leader;
}
