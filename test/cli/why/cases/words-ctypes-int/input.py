# pinned to CPU 2. From C the counts are fine, from Python they are negative at times: 1203377122 -> -1880034411
import ctypes
pmu = ctypes.CDLL("./libpmu.so")      # uint64_t cycles(void) { ... mrs %0, pmccntr_el0 ... }
first = pmu.cycles()
work()
print(first, "->", pmu.cycles())
