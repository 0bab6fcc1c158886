# aarch64, Debian 12, always prints 0
import ctypes, os, struct
libc = ctypes.CDLL(None)
buf = bytearray(struct.pack("=IIQQQQ", 4, 112, 0x11, 0, 0, 0)) + bytearray(72)
struct.pack_into("=Q", buf, 40, 0x61)      # disabled, exclude_kernel, exclude_hv
fd = libc.syscall(241, (ctypes.c_char * 112).from_buffer(buf), 0, -1, -1, 0)
sum(range(1000000))
print(struct.unpack("Q", os.read(fd, 8))[0])
