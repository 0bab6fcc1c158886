/* SPDX-License-Identifier: BSD-2-Clause */
/* Exception handlers, interrupt masking and calls at other Exception levels for AArch64. */
#include "rt.h"

/* READ("CurrentEL") is the value of CurrentEL, by mrs %0, CurrentEL. */
#define READ(name) \
    __extension__({ \
        uint64_t value_; \
        __asm__ volatile("mrs %0, " name : "=r"(value_)); \
        value_; \
    })
#define WRITE(name, value) __asm__ volatile("msr " name ", %0\n\tisb" : : "r"((uint64_t)(value)) : "memory")

#define SCR_NS 0x001u
#define SCR_IRQ 0x002u
#define SCR_RES1 0x030u
#define SCR_HCE 0x100u
#define SCR_RW 0x400u
#define SCR_EEL2 0x40000u
#define PFR0_SEL2(pfr0) ((unsigned)((pfr0) >> 36) & 15u)
#define HCR_IMO 0x10u
#define HCR_RW 0x80000000u
#define SPSR_DAIF 0x3C0u
#define SPSR_HANDLER 1u /* SPSel: ELxh */

#define EC_UNKNOWN 0x00u
#define EC_SVC 0x15u
#define EC_SMC 0x17u
#define EC_SYSREG 0x18u
#define ESR_EC(esr) ((unsigned)((esr) >> 26) & 0x3Fu)
#define ESR_IMMEDIATE(esr) ((unsigned)(esr)&0xFFFFu)

uintptr_t rt_enter(uint64_t spsr, rt_function *f, void *arg, void *stack);
void rt_leave(uint64_t value) __attribute__((noreturn));
void rt_pass_on(uint64_t value) __attribute__((noreturn));
void rt_exception(unsigned vector, uint64_t *x);
void rt_handle_interrupt(uintptr_t pc);
extern char rt_stack_el2[], rt_stack_el1[], rt_stack_el0[];

const char *const rt_level_names[RT_LEVELS] = {"EL0, ", "EL1, ", "EL2, ", "EL3, ", "Secure EL0, ", "Secure EL1, "};
volatile bool rt_skip_refused;
volatile unsigned rt_refused;
uint64_t rt_scr;

static unsigned current_el(void)
{
    return (unsigned)READ("CurrentEL") >> 2;
}

static uint64_t syndrome(unsigned el)
{
    return el == 1 ? READ("esr_el1") : el == 2 ? READ("esr_el2") : READ("esr_el3");
}

static uint64_t return_address(unsigned el)
{
    return el == 1 ? READ("elr_el1") : el == 2 ? READ("elr_el2") : READ("elr_el3");
}

static void set_return_address(unsigned el, uint64_t address)
{
    if (el == 1) {
        WRITE("elr_el1", address);
    } else if (el == 2) {
        WRITE("elr_el2", address);
    } else {
        WRITE("elr_el3", address);
    }
}

void rt_exception(unsigned vector, uint64_t *x)
{
    const unsigned el = current_el();
    const uint64_t esr = syndrome(el);

    switch (vector & 3) {
    case 0:
        if (ESR_EC(esr) == EC_SMC && ESR_IMMEDIATE(esr) == 1 && el == 3) {
            rt_leave(x[0]);
        }
        if (ESR_EC(esr) == EC_SVC && ESR_IMMEDIATE(esr) == 1 && el == 1) {
            rt_pass_on(x[0]);
        }
        if (ESR_EC(esr) == EC_SVC && ESR_IMMEDIATE(esr) == 2) {
            return;
        }
        if (rt_skip_refused && (ESR_EC(esr) == EC_UNKNOWN || ESR_EC(esr) == EC_SYSREG)) {
            const uint32_t word = *(const uint32_t *)return_address(el);

            rt_refused++;
            if ((word & 0xFFF00000u) == 0xD5300000u && (word & 31u) != 31) { /* MRS */
                x[word & 31u] = 0;
            }
            set_return_address(el, return_address(el) + 4);
            return;
        }
        break;
    case 1:
        rt_handle_interrupt(return_address(el));
        return;
    default:
        break;
    }
    rt_print("not ok unexpected exception: vector ");
    rt_hex(vector);
    rt_print(", level ");
    rt_hex(el);
    rt_print(", ESR ");
    rt_hex(esr);
    rt_print(", at ");
    rt_hex(return_address(el));
    rt_print("\n");
    rt_exit(1);
}

void rt_interrupts_on(void)
{
    __asm__ volatile("msr daifclr, #2" : : : "memory");
}

void rt_interrupts_off(void)
{
    __asm__ volatile("msr daifset, #2" : : : "memory");
}

bool rt_has_secure_el2(void)
{
    return PFR0_SEL2(READ("id_aa64pfr0_el1")) != 0;
}

uintptr_t rt_call(enum rt_where where, rt_function *f, void *arg)
{
    static const struct {
        unsigned el;
        bool secure;
        char *stack;
    } levels[RT_LEVELS] = {
        [RT_EL0] = {0, false, rt_stack_el0},       [RT_EL1] = {1, false, rt_stack_el1},
        [RT_EL2] = {2, false, rt_stack_el2},       [RT_EL3] = {3, false, NULL},
        [RT_SECURE_EL0] = {0, true, rt_stack_el0}, [RT_SECURE_EL1] = {1, true, rt_stack_el1},
    };
    const unsigned el = levels[where].el;

    WRITE("hcr_el2", HCR_RW | (rt_interrupt_level == 2 ? HCR_IMO : 0));
    WRITE("scr_el3", SCR_RES1 | SCR_HCE | SCR_RW | (levels[where].secure ? 0 : SCR_NS) |
                         (rt_interrupt_level == 3 ? SCR_IRQ : 0) | (rt_has_secure_el2() ? SCR_EEL2 : 0) | rt_scr);
    if (where == RT_EL3) {
        return f(arg);
    }
    return rt_enter(SPSR_DAIF | el << 2 | (el == 0 ? 0 : SPSR_HANDLER), f, arg, levels[where].stack);
}
