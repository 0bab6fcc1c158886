/* with short functions I get values round 0xffffd000 */
static inline uint32_t ccnt(void) { uint32_t v; asm volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(v)); return v; }
asm volatile("mcr p15, 0, %0, c9, c12, 1" :: "r"(0x80000000u));
start = ccnt();
asm volatile("mrc p15, 0, %0, c9, c12, 0" : "=r"(pmcr));
pmcr |= 1u | (1u << 2);
asm volatile("mcr p15, 0, %0, c9, c12, 0" :: "r"(pmcr));
asm volatile("isb");
fn();
asm volatile("isb");
stop = ccnt();
d = stop - start;
