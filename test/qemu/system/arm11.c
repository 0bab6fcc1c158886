/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU of ARM11 on its boards (test_arm11.sh): counts, the interrupt after an exact number of instructions, and the
 * flags, cleared with E set and unset.  VIC is the base of a PL190, and LINE its input for nPMUIRQ.  Without VIC the
 * image checks counts alone.
 */
#include <stdbool.h>
#include <stdint.h>

#include <armpmu/arm11.h>

int main(void);
void arm11_say(const char *text);
uint32_t arm11_measure(uint32_t n);
uint32_t arm11_measure_cycles(uint32_t n);
uint32_t arm11_user_reads(uint32_t otherwise);
void arm11_count_to(uint32_t preset);
void arm11_interrupts_on(void);
void arm11_interrupts_off(void);
extern char arm11_sled[];
extern volatile uint32_t arm11_refused, arm11_interrupts, arm11_taken_at;

/* Reads the register with opc2 @opc2, 0 to 3: READ(0), an MRC p15, 0, <Rt>, c15, c12, 0, gives PMNC, READ(1) CCNT. */
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
    arm11_say(p);
}

static void equal(const char *name, uint32_t got, uint32_t want)
{
    arm11_say(got == want ? "ok " : "not ok ");
    arm11_say(name);
    if (got != want) {
        status = 1;
        arm11_say(": got ");
        say_number(got);
        arm11_say(", want ");
        say_number(want);
    }
    arm11_say("\n");
}

static void counts(void)
{
    WRITE(0, COUNT_INSTRUCTIONS | FIELD(P, 1) | FIELD(C, 1) | FLAGS);
    equal("1000 turns: INSTR_EXEC", arm11_measure(1000), 2001);
    equal("1000 turns: CCNT", arm11_measure_cycles(1000), 2001);
    WRITE(0, COUNT_INSTRUCTIONS | FIELD(D, 1) | FIELD(C, 1));
    equal("64000 turns: CCNT by 64", arm11_measure_cycles(64000), 2000);
    WRITE(0, 0);
    equal("E = 0: no count", arm11_measure(1000), 0);
}

static void access(void)
{
    const uint32_t before = arm11_refused;

    equal("User mode: the value is not read", arm11_user_reads(7), 7);
    equal("User mode: UNDEFINED", arm11_refused - before, 1);
    __asm__ volatile("mcr p15, 0, %0, c15, c9, 0" : : "r"(1));
    WRITE(2, 1234);
    equal("User mode with V: the value is read", arm11_user_reads(7), 1234);
    equal("User mode with V: not UNDEFINED", arm11_refused - before, 1);
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
        arm11_interrupts = 0;
        arm11_interrupts_on();
        arm11_count_to(0 - preset);
        arm11_interrupts_off();
        lost += arm11_interrupts != 1;
        late += arm11_taken_at != (uint32_t)(uintptr_t)arm11_sled + 4 * preset;
    }
    equal("presets 1 to 1000: interrupts lost or doubled", lost, 0);
    equal("presets 1 to 1000: interrupts not after exactly so many instructions", late, 0);
}

static void clearing(void)
{
    WRITE(0, COUNT_INSTRUCTIONS | FIELD(EC0, 1) | FLAGS);
    arm11_count_to(0 - 1000u);
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
