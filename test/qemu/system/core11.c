/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For test_core.sh, on versatilepb with an ARM1176 and its modelled core: counts of ARM11's events that follow from
 * loops and from the size of a line, and an interrupt at the load that missed.
 */
#include <stdint.h>

#include <armpmu/arm11.h>

int main(void);
void arm11_say(const char *text);
void arm11_interrupts_on(void);
void arm11_interrupts_off(void);
extern volatile uint32_t arm11_interrupts, arm11_taken_at;

enum { LINE = 32, LINES = 128, SLED = 32, PRESETS = 32, SLACK = 16 };

static uint8_t lines[LINES * LINE] __attribute__((aligned(4096)));
static uint8_t cold[PRESETS * SLED * LINE] __attribute__((aligned(4096)));
extern char core11_sled[];

#define VIC_ENABLE (*(volatile uint32_t *)0x10140010u) /* of the PL190 */
#define PMU_LINE 3

/* Reads the register with opc2 @opc2, 0 to 3: READ(2), an MRC p15, 0, <Rt>, c15, c12, 2, gives PMN0. */
#define READ(opc2) \
    __extension__({ \
        uint32_t value_; \
        __asm__ volatile("mrc p15, 0, %0, c15, c12, " #opc2 : "=r"(value_) : : "memory"); \
        value_; \
    })
#define WRITE(opc2, value) \
    __asm__ volatile("mcr p15, 0, %0, c15, c12, " #opc2 : : "r"((uint32_t)(value)) : "memory")
#define FIELD(name, value) (uint32_t)APMU_PUT(PMNC, name, value)
#define FLAGS (FIELD(OCC, 1) | FIELD(OC1, 1) | FIELD(OC0, 1))

static int status;

/* Passes @name if @got is @least to @most. */
static void within(const char *name, uint32_t got, uint32_t least, uint32_t most)
{
    arm11_say(got >= least && got <= most ? "ok " : "not ok ");
    arm11_say(name);
    if (got < least || got > most) {
        static const char digits[] = "0123456789abcdef";
        char text[] = ": got 0x00000000";

        status = 1;
        for (unsigned i = 0; i < 8; i++) {
            text[sizeof text - 2 - i] = digits[got >> 4 * i & 15];
        }
        arm11_say(text);
    }
    arm11_say("\n");
}

static void begin(uint32_t event0, uint32_t event1)
{
    WRITE(0, FIELD(E, 1) | FIELD(P, 1) | FIELD(C, 1) | FLAGS | FIELD(EvtCount0, event0) | FIELD(EvtCount1, event1));
}

static void end(void)
{
    WRITE(0, 0);
}

static void loop(uint32_t turns)
{
    __asm__ volatile("1: subs %0, %0, #1\n bne 1b" : "+r"(turns) : : "cc");
}

static void load(const uint8_t *from)
{
    uint32_t count = LINES;

    __asm__ volatile("1: ldr r3, [%0], #32\n subs %1, %1, #1\n bne 1b"
                     : "+r"(from), "+r"(count) : : "r3", "cc", "memory");
}

static void branches(void)
{
    begin(APMU_ARM11_EV_BR_EXEC, APMU_ARM11_EV_INSTR_EXEC);
    loop(1000);
    end();
    within("BR_EXEC", READ(2), 1000, 1000 + SLACK);
    within("INSTR_EXEC beside it", READ(3), 2001, 2001 + SLACK);
    begin(APMU_ARM11_EV_SW_PC_CHANGE, APMU_ARM11_EV_BR_MISPREDICT);
    loop(1000);
    end();
    within("SW_PC_CHANGE", READ(2), 999, 999 + SLACK);
    within("BR_MISPREDICT", READ(3), 0, SLACK);
}

static void misses(void)
{
    uint32_t cycles;

    begin(APMU_ARM11_EV_DCACHE_ACCESS, APMU_ARM11_EV_DCACHE_MISS);
    load(lines);
    end();
    cycles = READ(1);
    within("DCACHE_ACCESS", READ(2), LINES, LINES + SLACK);
    within("DCACHE_MISS, each line", READ(3), LINES, LINES + SLACK);
    begin(APMU_ARM11_EV_DCACHE_ACCESS, APMU_ARM11_EV_DCACHE_MISS);
    load(lines);
    end();
    within("DCACHE_ACCESS, again", READ(2), LINES, LINES + SLACK);
    within("DCACHE_MISS, none again", READ(3), 0, SLACK);
    within("CCNT: misses take time", cycles, READ(1) + 4 * LINES, UINT32_MAX);
    begin(APMU_ARM11_EV_INSTR_EXEC, APMU_ARM11_EV_INSTR_EXEC);
    load(lines);
    end();
    within("INSTR_EXEC in both counters", READ(2) - READ(3), 0, 0);
}

__asm__(".pushsection .text\n"
        "core11_loads:\n"
        "    mcr p15, 0, r1, c15, c12, 2\n"
        ".global core11_sled\n"
        "core11_sled:\n"
        "    .rept 32\n"
        "    ldr r3, [r0], #32\n"
        "    .endr\n"
        "    bx lr\n"
        ".popsection\n");
void core11_loads(const uint8_t *from, uint32_t preset);

static void interrupts(void)
{
    uint32_t lost = 0, late = 0;

    VIC_ENABLE = 1u << PMU_LINE;
    for (uint32_t preset = 1; preset <= PRESETS; preset++) {
        WRITE(0, FIELD(E, 1) | FIELD(EC0, 1) | FLAGS | FIELD(EvtCount0, APMU_ARM11_EV_DCACHE_MISS) |
                 FIELD(EvtCount1, APMU_ARM11_EV_BR_EXEC));
        arm11_interrupts = 0;
        arm11_interrupts_on();
        core11_loads(cold + (preset - 1) * SLED * LINE, 0 - preset);
        arm11_interrupts_off();
        lost += arm11_interrupts != 1;
        late += arm11_taken_at != (uint32_t)(uintptr_t)core11_sled + 4 * (preset - 1);
    }
    end();
    within("an interrupt for each of 32 presets", lost, 0, 0);
    within("at the load that missed", late, 0, 0);
}

int main(void)
{
    branches();
    misses();
    interrupts();
    return status;
}
