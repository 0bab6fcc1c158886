package counters

// linux/arm64
import "golang.org/x/sys/unix"

func count(work func()) (uint64, error) {
	attr := &unix.PerfEventAttr{
		Type:   unix.PERF_TYPE_HARDWARE,
		Config: unix.PERF_COUNT_HW_CPU_CYCLES,
		Bits:   unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
	}
	fd, err := unix.PerfEventOpen(attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return 0, err
	}
	unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0)
	work()
	unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_DISABLE, 0)
	var b [8]byte
	unix.Read(fd, b[:])
	return binary.LittleEndian.Uint64(b[:]), nil
}
