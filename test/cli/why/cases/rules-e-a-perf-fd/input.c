// libpfm: the group reads 0 0 0
fd0 = perf_event_open(&attr[0], 0, -1, -1, 0);   /* attr[0].disabled = 1 */
fd1 = perf_event_open(&attr[1], 0, -1, fd0, 0);
ioctl(fd1, PERF_EVENT_IOC_ENABLE, 0);
work();
read(fd0, buf, sizeof buf);
