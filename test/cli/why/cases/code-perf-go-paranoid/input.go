// panics: "perf_event_open: permission denied" as user on Debian 12 arm64 (Altra), works with sudo
attr := &unix.PerfEventAttr{
	Type:   unix.PERF_TYPE_HARDWARE,
	Config: unix.PERF_COUNT_HW_CPU_CYCLES,
	Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
	Bits:   unix.PerfBitDisabled,
}
fd, err := unix.PerfEventOpen(attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
if err != nil {
	panic(fmt.Errorf("perf_event_open: %w", err))
}
unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0)
work()
binary.Read(os.NewFile(uintptr(fd), "pmu"), binary.LittleEndian, &n)
