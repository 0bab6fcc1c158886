# i.MX8MM, A53: external PMU view of core 1 via /dev/mem, PMDEVARCH is right. PMCR write of 1 is lost
import mmap, os, struct
f = os.open("/dev/mem", os.O_RDWR | os.O_SYNC)
m = mmap.mmap(f, 0x1000, offset=0x28530000)
print(hex(struct.unpack_from("<I", m, 0xfbc)[0]))
struct.pack_into("<I", m, 0xe04, 1)
print(hex(struct.unpack_from("<I", m, 0xe04)[0]))
