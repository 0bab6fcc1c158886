# Rock 5B (RK3588). Pinned to a big core the count is 0, pinned to a little core it is right.
import ctypes, os, struct, fcntl
RAW = 4
attr = bytearray(struct.pack("<IIQQQQ", RAW, 112, 0x08, 0, 0, 0).ljust(112, b"\0"))
fd = ctypes.CDLL(None).syscall(241, (ctypes.c_char * 112).from_buffer(attr), 0, -1, -1, 0)
busy()
print(int.from_bytes(os.read(fd, 8), "little"))
