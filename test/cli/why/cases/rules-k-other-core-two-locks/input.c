/*
 * Control processor of the SoC: cycles of application core 3 over the debug bus. Both locks, then the power request.
 * Cortex-A53; the core runs firmware at EL1, invasive and non-invasive debug are enabled by the fuses.
 */
typedef unsigned int u32;
#define CORE3_DEBUG_BASE 0xfd310000u
#define CORE3_PMU_BASE   0xfd330000u
#define UNLOCK_KEY       0xc5acce55u

enum { LOCK_ACCESS = 0xfb0, OS_LOCK_ACCESS = 0x300, POWER_CONTROL = 0x310 };
enum { CYCLES = 0x0f8, CYCLE_FILTER = 0x47c, ENABLE_SET = 0xc00, ENABLE_CLEAR = 0xc20, CONTROL = 0xe04 };

static inline void put32(u32 address, u32 value) { *(volatile u32 *)address = value; }
static inline u32 get32(u32 address) { return *(volatile u32 *)address; }

void core3_pmu_start(void)
{
    put32(CORE3_DEBUG_BASE + LOCK_ACCESS, UNLOCK_KEY);
    put32(CORE3_PMU_BASE + LOCK_ACCESS, UNLOCK_KEY);
    put32(CORE3_DEBUG_BASE + POWER_CONTROL, 1u << 3);
    put32(CORE3_DEBUG_BASE + OS_LOCK_ACCESS, 0);
    put32(CORE3_PMU_BASE + ENABLE_CLEAR, 0xffffffff);
    put32(CORE3_PMU_BASE + CYCLE_FILTER, 0);
    put32(CORE3_PMU_BASE + ENABLE_SET, 1u << 31);
    put32(CORE3_PMU_BASE + CONTROL, 0x5);
}

u32 core3_cycles(void) { return get32(CORE3_PMU_BASE + CYCLES); }
