/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the tables of the ARM11 unit against a copy of table 2 of Application Note 195, and looks up each row. */

#include <string.h>

#include <armpmu/arm11.h>

#include "../../lib/tap.h"

enum { A36 = APMU_ARM1136, A56 = APMU_ARM1156, A76 = APMU_ARM1176 };

static const struct event {
    const char *id, *name;
    unsigned parts;
} events[] = {
    {"0x00", "ICACHE_MISS", A36 | A56 | A76},
    {"0x01", "IBUF_STALL", A36 | A56 | A76},
    {"0x02", "DDEP_STALL", A36 | A56 | A76},
    {"0x03", "ITLB_MISS", A36 | A76},
    {"0x04", "DTLB_MISS", A36 | A76},
    {"0x05", "BR_EXEC", A36 | A56 | A76},
    {"0x06", "BR_MISPREDICT", A36 | A56 | A76},
    {"0x07", "INSTR_EXEC", A36 | A56 | A76},
    {"0x09", "DCACHE_ACCESS_CACHEABLE", A36 | A56 | A76},
    {"0x0A", "DCACHE_ACCESS", A36 | A56 | A76},
    {"0x0B", "DCACHE_MISS", A36 | A56 | A76},
    {"0x0C", "DCACHE_WBACK", A36 | A56 | A76},
    {"0x0D", "SW_PC_CHANGE", A36 | A56 | A76},
    {"0x0F", "MAIN_TLB_MISS", A36 | A76},
    {"0x10", "EXPL_D_ACCESS", A36 | A56 | A76},
    {"0x11", "LSU_FULL_STALL", A36 | A56 | A76},
    {"0x12", "WBUF_DRAINED", A36 | A56 | A76},
    {"0x13", "FIQ_DISABLED_CYCLES", A56},
    {"0x14", "IRQ_DISABLED_CYCLES", A56},
    {"0x20", "ETMEXTOUT_0", A36 | A56 | A76},
    {"0x21", "ETMEXTOUT_1", A36 | A56 | A76},
    {"0x22", "ETMEXTOUT_BOTH", A36 | A56 | A76},
    {"0x23", "PROC_CALL_EXEC", A76},
    {"0x24", "PROC_RET_EXEC", A76},
    {"0x25", "PROC_RET_EXEC_PRED", A76},
    {"0x26", "PROC_RET_EXEC_PRED_INCORRECT", A76},
    {"0x30", "ICACHE_TAG_PARITY", A56},
    {"0x31", "ICACHE_RAM_PARITY", A56},
    {"0x32", "DCACHE_TAG_PARITY", A56},
    {"0x33", "DCACHE_RAM_PARITY", A56},
    {"0x34", "ITCM_ERROR", A56},
    {"0x35", "DTCM_ERROR", A56},
    {"0x36", "RET_STACK_POP", A56},
    {"0x37", "RET_STACK_POP_MISPREDICT", A56},
    {"0x38", "DCACHE_DIRTY_PARITY", A56},
    {"0xFF", "CPU_CYCLES", A36 | A56 | A76},
};

enum { EVENTS = sizeof events / sizeof events[0] };

static const struct event *current;

static unsigned hex_digit(char c)
{
    return (unsigned)(strchr("0123456789ABCDEF", c) - "0123456789ABCDEF");
}

static unsigned number_of(const struct event *e)
{
    return hex_digit(e->id[2]) << 4 | hex_digit(e->id[3]);
}

/* Returns the count of a counter that has selected @number and sees one occurrence in each of three cycles. */
static uint32_t counted(enum apmu_arm11_parts part, unsigned number, bool second)
{
    const struct apmu_arm11_config cfg = {.size = sizeof cfg, .part = part};
    const struct apmu_arm11_pe pe = {0};
    const bool sum = number == 0x22;
    const struct apmu_occurrence ev[] = {{(uint16_t)(sum ? 0x20 : number), 1}, {0x21, sum}};
    struct apmu_arm11 p;

    apmu_arm11_init(&p, &cfg);
    apmu_arm11_poke(&p, APMU_ARM11_REG_PMNC, (uint32_t)number << (second ? 12 : 20) | 1u, NULL);
    apmu_arm11_step(&p, &pe, 3, ev, 2, NULL);
    return apmu_arm11_peek(&p, second ? APMU_ARM11_REG_PMN1 : APMU_ARM11_REG_PMN0);
}

static void one_event(void)
{
    static const enum apmu_arm11_parts parts[] = {APMU_ARM1136, APMU_ARM1156, APMU_ARM1176};
    const unsigned number = number_of(current);
    const struct apmu_arm11_event_info *e = apmu_arm11_event_by_number(number);

    MUST(e != NULL && e->number == number, "not found");
    if (tap_bad) {
        return;
    }
    MUST(strcmp(e->name, current->name) == 0, "its name is %s", e->name);
    MUST(e->text[0] != '\0', "it has no text");
    MUST(apmu_arm11_event_by_name(e->name) == e, "its name leads elsewhere");
    MUST_EQ(e->parts, current->parts, "its parts");
    MUST_EQ(e->most, number == 0x22 ? 2 : 1, "the most in a cycle");
    for (unsigned i = 0; i < 6; i++) {
        const uint32_t want = (current->parts & parts[i / 2]) != 0 ? 3u * e->most : 0;
        MUST_EQ(counted(parts[i / 2], number, i % 2 != 0), want, "part %u, counter %u", i / 2, i % 2);
    }
}

static void the_rest_is_reserved(void)
{
    for (unsigned number = 0; number <= 0x1FF; number++) {
        bool listed = false;
        for (unsigned i = 0; i < EVENTS; i++) {
            listed = listed || number_of(&events[i]) == number;
        }
        MUST_EQ(apmu_arm11_event_by_number(number) != NULL, listed, "event 0x%x", number);
        if (!listed && number <= 0xFF) {
            MUST_EQ(counted(APMU_ARM1176, number, false), 0, "reserved event 0x%x", number);
        }
    }
    for (size_t i = 0; i < EVENTS; i++) {
        MUST_EQ(apmu_arm11_event_at(i)->number, number_of(&events[i]), "row %u", (unsigned)i);
    }
    MUST(apmu_arm11_event_at(EVENTS) == NULL, "a row too many");
}

static void names_lead_back(void)
{
    static const struct { const char *name; enum apmu_arm11_reg reg; } names[] = {
        {"PMNC", APMU_ARM11_REG_PMNC}, {"ccnt", APMU_ARM11_REG_CCNT}, {"Pmn0", APMU_ARM11_REG_PMN0},
        {"PMN1", APMU_ARM11_REG_PMN1}, {"pmnc0", APMU_ARM11_REG_PMN0}, {"PMNC1", APMU_ARM11_REG_PMN1},
    };
    static const char *const wrong[] = {"", "PMN", "PMN2", "PMNC2", "PMNCC", "PMCR"};
    enum apmu_arm11_reg reg;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        MUST(apmu_arm11_reg_by_name(names[i].name, &reg) && reg == names[i].reg, "%s", names[i].name);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        MUST(!apmu_arm11_reg_by_name(wrong[i], &reg), "'%s' is a register", wrong[i]);
    }
    MUST(apmu_arm11_event_by_name("br_exec") != NULL && apmu_arm11_event_by_name("BR_EXE") == NULL &&
             apmu_arm11_event_by_name("BR_EXECS") == NULL, "names of events");
    MUST(APMU_ARM11_REG_PMNC == 0 && APMU_ARM11_REG_CCNT == 1 && APMU_ARM11_REG_PMN0 == 2 && APMU_ARM11_REG_PMN1 == 3,
         "opc2");
}

static void rows_have_words(void)
{
    for (unsigned r = 0; r < APMU_ARM11_REG_COUNT; r++) {
        const struct apmu_arm11_reg_info *info = apmu_arm11_reg_info((enum apmu_arm11_reg)r);
        MUST(info->text[0] != '\0' && info->field_count != 0, "%s", info->name);
        for (unsigned i = 0; i < info->field_count; i++) {
            MUST(info->fields[i].text[0] != '\0', "%s.%s", info->name, info->fields[i].name);
            MUST(i == 0 || info->fields[i].msb + 1 == info->fields[i - 1].lsb, "%s.%s: order", info->name,
                 info->fields[i].name);
        }
    }
    for (unsigned r = 0; r < APMU_ARM11_REASON_COUNT; r++) {
        const struct apmu_arm11_reason_info *info = apmu_arm11_reason_info((enum apmu_arm11_reason)r);
        MUST(info->rule[0] != '\0' && info->cure[0] != '\0' && info->text[0] != '\0', "%s", info->name);
    }
    for (unsigned m = 0; m < APMU_ARM11_METRIC_COUNT; m++) {
        const struct apmu_arm11_metric_info *info = apmu_arm11_metric_info((enum apmu_arm11_metric)m);
        MUST(info->unit[0] != '\0' && info->text[0] != '\0', "%s", info->name);
        MUST(apmu_arm11_event_by_number(info->a)->parts == APMU_ARM11_ALL &&
                 apmu_arm11_event_by_number(info->b)->parts == APMU_ARM11_ALL,
             "%s: a part lacks its events", info->name);
    }
}

int main(void)
{
    for (unsigned i = 0; i < EVENTS; i++) {
        current = &events[i];
        tap_run(current->name, one_event);
    }
    RUN(the_rest_is_reserved);
    RUN(names_lead_back);
    RUN(rows_have_words);
    return tap_status;
}
