/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets the PMU up in AArch32 state, and runs a dumper in Supervisor mode; with SECURE, on a machine that begins in
 * Secure state, in Monitor mode and in Hyp mode too.
 */
#include "../../hardware/bare/rt.h"

#define WRITE(place, value) __asm__ volatile("mcr " place "\n\tisb" : : "r"((uint32_t)(value)) : "memory")
#define READ(value, place) __asm__ volatile("mrc " place : "=r"(value))

#ifndef RUNNING
#define RUNNING 0
#endif
#ifndef SECURE
#define SECURE 0
#endif

void armpmu_dump_begin(void (*put)(void *, const char *), void *ctx);
void armpmu_dump_cpu(void (*put)(void *, const char *), void *ctx, unsigned cpu);
void armpmu_dump_end(void (*put)(void *, const char *), void *ctx);

/* Prints by the UART of virt, or with SEMIHOSTING on any board. */
static void put(void *ctx, const char *text)
{
    (void)ctx;
#ifdef SEMIHOSTING
    register uint32_t r0 __asm__("r0") = 4; /* SYS_WRITE0 */
    register const char *r1 __asm__("r1") = text;

    __asm__ volatile("svc #0x123456" : "+r"(r0) : "r"(r1) : "memory");
#else
    rt_print(text);
#endif
}

void dump(void);
void dump(void)
{
    armpmu_dump_begin(put, NULL);
    armpmu_dump_cpu(put, NULL, 0);
    armpmu_dump_end(put, NULL);
}

/*
 * void in_monitor(void) calls dump() in Monitor mode.  void in_hyp(void) calls it in Hyp mode, to which Monitor mode
 * returns as from an exception, and comes back by SMC.
 */
void in_monitor(void);
void in_hyp(void);
__asm__("    .arch armv7-a\n"
        "    .arch_extension sec\n"
        "    .arch_extension virt\n"
        "    .global in_monitor, in_hyp\n"
        "in_monitor:\n"
        "    push {r4, lr}\n"
        "    mov r4, sp\n"
        "    cps #0x16\n"
        "    mov sp, r4\n"
        "    bl dump\n"
        "    cps #0x13\n"
        "    pop {r4, pc}\n"
        "in_hyp:\n"
        "    push {r4, lr}\n"
        "    mov r4, sp\n"
        "    adr r0, monitor_vectors\n"
        "    mcr p15, 0, r0, c12, c0, 1\n" /* MVBAR */
        "    cps #0x16\n"
        "    mov r0, #0x101\n" /* SCR.{HCE, NS} */
        "    mcr p15, 0, r0, c1, c1, 0\n"
        "    isb\n"
        "    mov r0, #0xda\n" /* Hyp mode, masked */
        "    msr spsr_cxsf, r0\n"
        "    adr lr, 1f\n"
        "    movs pc, lr\n"
        "1:  mov sp, r4\n"
        "    bl dump\n"
        "    smc #0\n"
        "2:  mov r0, #0\n"
        "    mcr p15, 0, r0, c1, c1, 0\n"
        "    isb\n"
        "    cps #0x13\n"
        "    pop {r4, pc}\n"
        "    .balign 32\n"
        "monitor_vectors:\n"
        "    b .\n"
        "    b .\n"
        "    b 2b\n"
        "    b .\n"
        "    b .\n"
        "    b .\n"
        "    b .\n"
        "    b .\n");

static void level(const char *name)
{
    put(NULL, "level ");
    put(NULL, name);
    put(NULL, "\n");
}

/* Gives each register that ARMv7 has a value of its own. */
static void set_up(void)
{
    uint32_t pmcr;

    READ(pmcr, "p15, 0, %0, c9, c12, 0");
    for (unsigned n = 0; n < (pmcr >> 11 & 31); n++) {
        WRITE("p15, 0, %0, c9, c12, 5", n);        /* PMSELR */
        WRITE("p15, 0, %0, c9, c13, 1", 0x08 + n); /* PMXEVTYPER */
        WRITE("p15, 0, %0, c9, c13, 2", 0x100 + n);
    }
    WRITE("p15, 0, %0, c9, c12, 5", 31);
    WRITE("p15, 0, %0, c9, c13, 1", 0x40000000); /* PMCCFILTR.U, where it is */
    WRITE("p15, 0, %0, c9, c12, 5", 1);
    WRITE("p15, 0, %0, c9, c13, 0", 0x23456789);
    WRITE("p15, 0, %0, c9, c14, 1", 0x80000001); /* PMINTENSET */
    WRITE("p15, 0, %0, c9, c14, 0", 1);          /* PMUSERENR */
    WRITE("p15, 0, %0, c9, c12, 1", 0x80000003); /* PMCNTENSET */
    WRITE("p15, 0, %0, c9, c12, 0", RUNNING);
}

int main(void)
{
    set_up();
    level("SVC");
    dump();
    if (SECURE) {
        level("Monitor");
        in_monitor();
        level("Hyp");
        in_hyp();
    }
    put(NULL, "done\n");
    return rt_status();
}
