# always prints 0 (Jetson Orin, perf_event_paranoid 1)
attr = PerfEventAttr()
attr.type = 0
attr.config = 1            # instructions
attr.size = ctypes.sizeof(attr)
attr.flags = 1 | (1 << 5)  # disabled, exclude_kernel
fd = libc.syscall(241, ctypes.byref(attr), 0, -1, -1, 0)
work()
print(int.from_bytes(os.read(fd, 8), "little"))
