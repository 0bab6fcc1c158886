import os, struct
EVENTS = [0x08, 0x11, 0x10, 0x12, 0x03, 0x04, 0x16, 0x17, 0x13]
fds = [perf_open(type=4, config=e, exclude_kernel=1, disabled=0, read_format=3) for e in EVENTS]
workload()
for e, fd in zip(EVENTS, fds):
    value, time_enabled, time_running = struct.unpack("3Q", os.read(fd, 24))
    print(hex(e), value * time_enabled // time_running)
