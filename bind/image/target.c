/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a conformance image that executes the rows and prints what deviates. */
#include "target.h"

/* ---------------------------------------------------------------------------------------------------------------
 * The console.
 */

#if CONSOLE == MEMORY
char image_text[1 << 16];
#endif
volatile int32_t image_status = -1;

/* The semihosting call does not come back. */
void target_finish(int status)
{
    image_status = status;
#if CONSOLE == SEMIHOSTING
    const uintptr_t block[2] = {0x20026, (uintptr_t)status}; /* ADP_Stopped_ApplicationExit */

    target_semihosting(sizeof(uintptr_t) == 8 ? 0x18 : 0x20, block); /* SYS_EXIT, SYS_EXIT_EXTENDED */
#endif
    for (;;) {
        __asm__ volatile("wfi");
    }
}

void target_print(const char *text)
{
#if CONSOLE == SEMIHOSTING
    target_semihosting(4, text); /* SYS_WRITE0 */
#elif CONSOLE == PL011
    volatile uint32_t *const uart = (volatile uint32_t *)(uintptr_t)(UART);

    uart[0x30 / 4] = 0x101; /* UARTCR.{UARTEN, TXE} */
    for (; *text != '\0'; text++) {
        while ((uart[0x18 / 4] & 1u << 5) != 0) { /* UARTFR.TXFF */
        }
        uart[0] = (uint8_t)*text;
    }
#else
    static uint32_t used;

    while (*text != '\0' && used < sizeof image_text - 1) {
        image_text[used++] = *text++;
    }
#endif
}

void target_print_hex(uint64_t value)
{
    char digits[19];
    char *p = &digits[18];

    *p = '\0';
    do {
        *--p = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value != 0);
    *--p = 'x';
    *--p = '0';
    target_print(p);
}

static void print_decimal(uint32_t value)
{
    char digits[12];
    char *p = &digits[11];

    *p = '\0';
    do {
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    target_print(p);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The rows.
 */

static uint32_t checked, deviations, skipped;
static bool deviated; /* a row of this scene did, so that the state may not be what later rows expect */

static void print_outcome(unsigned taken, uint32_t esr)
{
    target_print(target_outcomes[taken]);
    if (esr != 0) {
        target_print(" with ");
        target_print(target_syndrome);
        target_print(" ");
        target_print_hex(esr);
    }
}

/* Prints "deviates (value): MRS PMCR_EL0 at EL1: ", the beginning of a line that says what a row did. */
static void print_access(const struct target_row *r, const char *kind)
{
    static const char *const levels[] = {" at EL0: ", " at EL1: ", " at EL2: ", " at EL3: ",
                                         " at EL0 in AArch32 state: "};

    deviations++;
    target_print(deviated ? "deviates after another (" : "deviates (");
    target_print(kind);
    target_print("): ");
    target_print(cell_names[r->cell]);
    if (r->kind == ROW_WRITE) {
        target_print(", ");
        target_print_hex(r->value);
    }
    target_print(levels[r->el]);
    deviated = true;
}

/* Prints the end of such a line: why the row shall do what it does not. */
static void print_why(const struct target_row *r)
{
    if (r->text != 0) {
        target_print("; ");
        target_print(texts[r->text]);
    }
    target_print(" [row ");
    print_decimal((uint32_t)(r - rows));
    target_print("]\n");
}

/* Returns whether @value is what the row expects. */
static bool is_expected(const struct target_row *r, uint64_t value)
{
    return (((value & r->mask) - r->want) & r->mask) <= r->room;
}

static void check_value(const struct target_row *r, uint64_t value)
{
    if (is_expected(r, value)) {
        return;
    }
    print_access(r, r->room != 0 ? "count" : "value");
    target_print_hex(value & r->mask);
    target_print(", expected ");
    target_print_hex(r->want);
    if (r->room != 0) {
        target_print(" to ");
        target_print_hex(r->want + r->room);
    }
    if (r->mask != UINT64_MAX) {
        target_print(" in the bits ");
        target_print_hex(r->mask);
    }
    print_why(r);
}

static void check(const struct target_row *r)
{
    uint64_t value = r->kind == ROW_READ ? 0 : r->value;
    uint32_t esr;
    const unsigned taken = target_execute(r, r->el, &value, &esr);

    checked++;
    if (taken != r->taken || esr != r->esr) {
        print_access(r, "outcome");
        print_outcome(taken, esr);
        target_print(", expected ");
        print_outcome(r->taken, r->esr);
        print_why(r);
    } else if (r->kind == ROW_READ && taken == TAKEN_NONE) {
        check_value(r, value);
    }
}

/* Prints "NAME = VALUE" of a register of the machine, unless it cannot be read. */
static void identify(const struct target_row *r)
{
    uint64_t value = 0;
    uint32_t esr;

    if (target_execute(r, HIGHEST, &value, &esr) == TAKEN_NONE) {
        target_print(cell_names[r->cell] + 4); /* without "MRS " */
        target_print(" = ");
        target_print_hex(value);
        target_print("\n");
    }
}

/* Returns whether the machine is the one for which the image was made, in the field of the row. */
static bool is_guarded(const struct target_row *r)
{
    uint64_t value = 0;
    uint32_t esr;

    if (target_execute(r, HIGHEST, &value, &esr) == TAKEN_NONE && is_expected(r, value)) {
        return true;
    }
    target_print("the image is for another machine: ");
    target_print(texts[r->text]);
    target_print(", but ");
    target_print(cell_names[r->cell] + 4);
    target_print(" = ");
    target_print_hex(value);
    target_print("\n");
    return false;
}

/* Returns whether the PMU announces the event of a scene. */
static bool has_event(const struct target_row *r)
{
    uint64_t value = 0;
    uint32_t esr;

    return target_execute(r, HIGHEST, &value, &esr) == TAKEN_NONE && (value & r->mask) != 0;
}

/* Executes the rows.  Returns false if the machine is another one. */
static bool execute_rows(void)
{
    bool skips = false;

    for (const struct target_row *r = rows; r < rows + row_count; r++) {
        if (r->kind == ROW_SCENE) {
            skips = r->mask != 0 && !has_event(r);
            deviated = false;
        } else if (skips) {
            skipped += r->kind != ROW_CONTROL;
        } else if (r->kind == ROW_IDENTITY) {
            identify(r);
        } else if (r->kind == ROW_CONTROL) {
            target_control(r->cell, r->value);
        } else if (r->kind == ROW_GUARD) {
            if (!is_guarded(r)) {
                return false;
            }
        } else {
            check(r);
        }
    }
    return true;
}

int main(void)
{
    target_print("CurrentEL = ");
    target_print_hex(target_level() << 2);
    target_print("\n");
    if (target_level() != HIGHEST) {
        target_print("the image is for another machine: it starts at EL" EXPANDED(HIGHEST) "\n");
        return 2;
    }
    target_prepare();
    if (!execute_rows()) {
        return 2;
    }
    if (skipped != 0) {
        target_print("skipped: rows that count INST_RETIRED, which the PMU does not announce\n");
    }
    print_decimal(checked);
    target_print(" checked, ");
    print_decimal(deviations);
    target_print(" deviate, ");
    print_decimal(skipped);
    target_print(" skipped\n");
    return deviations != 0;
}
