/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses the PMU at EL0, for test_el0.sh.  Each letter of the argument is a step:
 *   c  PMCCNTR_EL0 around a loop of 1000 x 2 instructions      e  PMEVCNTR0_EL0 (INST_RETIRED) twice, back to back
 *   r  PMEVCNTR0_EL0 around the same loop                      p  PMCR_EL0.N
 *   s  PMSWINC_EL0 five times, then PMEVCNTR4_EL0              w  a write to PMCCNTR_EL0, and back
 *   h  installs a handler of its own for SIGILL               u  PMUSERENR_EL0
 *   t  PMEVCNTR0_EL0 around the loop, in a second thread       f  the same in a child process
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads a register: READ("PMCR_EL0") is the value of MRS of PMCR_EL0. */
#define READ(reg) \
    ({ \
        uint64_t v_; \
        __asm__ volatile("mrs %0, " reg : "=r"(v_)); \
        v_; \
    })
/* Writes a register by MSR. */
#define WRITE(reg, value) __asm__ volatile("msr " reg ", %0" ::"r"((uint64_t)(value)))
/* Reads a register before and after a loop of 1000 x 2 instructions. */
#define LOOP_BETWEEN(reg, before, after) \
    __asm__ volatile("mrs %0, " reg "\n mov x9, #1000\n1: subs x9, x9, #1\n b.ne 1b\n mrs %1, " reg \
                     : "=&r"(before), "=&r"(after)::"x9", "cc")

static void own_handler(int sig)
{
    (void)sig;
    printf("own handler\n");
    fflush(stdout);
    _exit(5);
}

static void *in_thread(void *unused)
{
    uint64_t a, b;
    LOOP_BETWEEN("PMEVCNTR0_EL0", a, b);
    printf("thread loop %llu\n", (unsigned long long)(b - a));
    return unused;
}

int main(int argc, char **argv)
{
    uint64_t a = 0, b = 0;
    for (const char *step = argc > 1 ? argv[1] : ""; *step != '\0'; step++) {
        switch (*step) {
        case 'c':
            LOOP_BETWEEN("PMCCNTR_EL0", a, b);
            printf("cycles %llu\n", (unsigned long long)(b - a));
            break;
        case 'r':
            LOOP_BETWEEN("PMEVCNTR0_EL0", a, b);
            printf("loop %llu\n", (unsigned long long)(b - a));
            break;
        case 'e':
            __asm__ volatile("mrs %0, PMEVCNTR0_EL0\n mrs %1, PMEVCNTR0_EL0" : "=&r"(a), "=&r"(b));
            printf("back to back %llu\n", (unsigned long long)(b - a));
            break;
        case 'p':
            printf("counters %llu\n", (unsigned long long)(READ("PMCR_EL0") >> 11 & 31));
            break;
        case 's':
            a = READ("PMEVCNTR4_EL0");
            for (int i = 0; i < 5; i++) {
                WRITE("PMSWINC_EL0", 1 << 4);
            }
            printf("software increments %llu\n", (unsigned long long)(READ("PMEVCNTR4_EL0") - a));
            break;
        case 'w':
            WRITE("PMCCNTR_EL0", 1000000);
            printf("written %d\n", READ("PMCCNTR_EL0") - 1000000 < 100);
            break;
        case 'u':
            printf("PMUSERENR %llu\n", (unsigned long long)READ("PMUSERENR_EL0"));
            break;
        case 'h':
            signal(SIGILL, own_handler);
            break;
        case 't': {
            pthread_t thread;
            if (pthread_create(&thread, NULL, in_thread, NULL) == 0) {
                pthread_join(thread, NULL);
            }
            break;
        }
        case 'f':
            fflush(stdout);
            if (fork() == 0) {
                in_thread(NULL);
                exit(0);
            }
            wait(NULL);
            break;
        default:
            return 2;
        }
        fflush(stdout);
    }
    return 0;
}
