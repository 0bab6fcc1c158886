static uint32_t rd(uintptr_t frame, unsigned off) { return mmio_read32(frame + off); }
/* PMCCNTR of a Cortex-R52 from its neighbour */
uint64_t ccnt(uintptr_t frame) { uint64_t v = rd(frame, 0xFC); return v << 32 | rd(frame, 0xF8); }
