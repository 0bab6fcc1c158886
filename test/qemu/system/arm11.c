/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU of ARM11 on its boards: counts, the interrupt after an exact number of instructions, and the flags, cleared
 * with E set and unset.  VIC is the base of a PL190, and LINE its input for nPMUIRQ.  Without VIC the image checks
 * counts alone.
 */
#include <stdbool.h>
#include <stdint.h>

#include <armpmu/arm11.h>

int main(void);
void say(const char *text);
uint32_t measure(uint32_t n);
uint32_t measure_cycles(uint32_t n);
uint32_t user_reads(uint32_t otherwise);
void count_to(uint32_t preset);
void interrupts_on(void);
void interrupts_off(void);
extern char sled[];
extern volatile uint32_t refused, interrupts, taken_at;

/* Reads the register with opc2 @opc2: READ(0) becomes an MRC p15, 0, <Rt>, c15, c12, 0. */
/* READ(0) gives PMNC, READ(1) CCNT. */
#define READ(opc2) \
    __extension__({ \
        uint32_t value_; \
        __asm__ volatile("mrc p15, 0, %0, c15, c12, " #opc2 : "=r"(value_)); \
        value_; \
    })
#define WRITE(opc2, value) __asm__ volatile("mcr p15, 0, %0, c15, c12, " #opc2 : : "r"((uint32_t)(value)))

#define FIELD(name, value) (uint32_t)APMU_PUT(PMNC, name, value)
#define COUNT_INSTRUCTIONS \
    (FIELD(E, 1) | FIELD(EvtCount0, APMU_ARM11_EV_INSTR_EXEC) | FIELD(EvtCount1, APMU_ARM11_EV_CPU_CYCLES))
#define FLAGS (FIELD(OCC, 1) | FIELD(OC1, 1) | FIELD(OC0, 1))

static int status;

static void say_number(uint32_t value)
{
    char digits[11];
    char *p = &digits[10];

    *p = '\0';
    do {
        uint32_t tenth = 0;

        for (uint32_t i = 1u << 28; i != 0; i >>= 1) { /* the PE lacks a division */
            tenth += (uint64_t)(tenth + i) * 10 <= value ? i : 0;
        }
        *--p = (char)('0' + (value - tenth * 10));
        value = tenth;
    } while (value != 0);
    say(p);
}

static void equal(const char *name, uint32_t got, uint32_t want)
{
    say(got == want ? "ok " : "not ok ");
    say(name);
    if (got != want) {
        status = 1;
        say(": got ");
        say_number(got);
        say(", want ");
        say_number(want);
    }
    say("\n");
}

static void counts(void)
{
    WRITE(0, COUNT_INSTRUCTIONS | FIELD(P, 1) | FIELD(C, 1) | FLAGS);
    equal("1000 turns: INSTR_EXEC", measure(1000), 2001);
    equal("1000 turns: CCNT", measure_cycles(1000), 2001);
    WRITE(0, COUNT_INSTRUCTIONS | FIELD(D, 1) | FIELD(C, 1));
    equal("64000 turns: CCNT by 64", measure_cycles(64000), 2000);
    WRITE(0, 0);
    equal("E = 0: no count", measure(1000), 0);
}

static void access(void)
{
    const uint32_t before = refused;

    equal("User mode: the value is not read", user_reads(7), 7);
    equal("User mode: UNDEFINED", refused - before, 1);
    __asm__ volatile("mcr p15, 0, %0, c15, c9, 0" : : "r"(1));
    WRITE(2, 1234);
    equal("User mode with V: the value is read", user_reads(7), 1234);
    equal("User mode with V: not UNDEFINED", refused - before, 1);
    __asm__ volatile("mcr p15, 0, %0, c15, c9, 0" : : "r"(0));
}

#ifdef VIC
#define VIC_RAW (*(volatile uint32_t *)(VIC + 0x008u))
#define VIC_ENABLE (*(volatile uint32_t *)(VIC + 0x010u))

static bool asserted(void)
{
    return (VIC_RAW >> LINE & 1) != 0;
}

static void exact(void)
{
    uint32_t late = 0, lost = 0;

    VIC_ENABLE = 1u << LINE;
    for (uint32_t preset = 1; preset <= 1000; preset++) {
        WRITE(0, COUNT_INSTRUCTIONS | FIELD(EC0, 1) | FLAGS);
        interrupts = 0;
        interrupts_on();
        count_to(0 - preset);
        interrupts_off();
        lost += interrupts != 1;
        late += taken_at != (uint32_t)(uintptr_t)sled + 4 * preset;
    }
    equal("presets 1 to 1000: interrupts lost or doubled", lost, 0);
    equal("presets 1 to 1000: interrupts not after exactly so many instructions", late, 0);
}

static void clearing(void)
{
    WRITE(0, COUNT_INSTRUCTIONS | FIELD(EC0, 1) | FLAGS);
    count_to(0 - 1000u);
    equal("after 1000: OC0 alone is set", READ(0) & FLAGS, FIELD(OC0, 1));
    equal("after 1000: nPMUIRQ is asserted", asserted(), true);
    WRITE(0, (COUNT_INSTRUCTIONS & ~FIELD(E, 1)) | FIELD(EC0, 1) | FLAGS);
    equal("cleared with E unset: OC0 stays", READ(0) & FLAGS, FIELD(OC0, 1));
    equal("cleared with E unset: nPMUIRQ stays", asserted(), true);
    WRITE(0, COUNT_INSTRUCTIONS);
    equal("EC0 unset: nPMUIRQ is not asserted", asserted(), false);
    WRITE(0, COUNT_INSTRUCTIONS | FIELD(EC0, 1) | FLAGS);
    equal("cleared with E set: no flag is", READ(0) & FLAGS, 0);
    equal("cleared with E set: nPMUIRQ is not asserted", asserted(), false);
}
#endif

int main(void)
{
    counts();
    access();
#ifdef VIC
    exact();
    clearing();
#endif
    return status;
}
