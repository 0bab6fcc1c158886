/* SPDX-License-Identifier: BSD-2-Clause */
/* The action that the stimulus chose: what it does, in numbers and in words, and its effect on the unit. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

int apmu_tb_next_view(const struct apmu_tb *tb)
{
    return (int)tb->stimulus.action.access.view;
}

int apmu_tb_next_address(const struct apmu_tb *tb)
{
    return (int)tb->stimulus.action.access.address;
}

int apmu_tb_next_attributes(const struct apmu_tb *tb)
{
    return (int)tb->stimulus.action.access.attributes;
}

uint64_t apmu_tb_next_value(const struct apmu_tb *tb)
{
    const struct tb_action *action = &tb->stimulus.action;

    return action->kind == APMU_TB_STATE ? action->value : action->kind == APMU_TB_WRITE ? action->access.value : 0;
}

int apmu_tb_next_row(const struct apmu_tb *tb)
{
    return (int)tb->stimulus.action.row;
}

int apmu_tb_next_cycles(const struct apmu_tb *tb)
{
    return (int)tb->stimulus.action.cycles;
}

void apmu_tb_next_counts(const struct apmu_tb *tb, uint32_t *counts)
{
    memcpy(counts, tb->stimulus.action.counts, sizeof tb->stimulus.action.counts);
}

const char *apmu_tb_next_text(struct apmu_tb *tb)
{
    static const char *const resets[] = {"Cold reset", "Warm reset", "External debug reset"};
    const struct tb_action *action = &tb->stimulus.action;
    size_t used;

    switch (action->kind) {
    case APMU_TB_READ:
    case APMU_TB_WRITE:
        tb_access_text(&tb->p, &action->access, tb->text, sizeof tb->text);
        break;
    case APMU_TB_STATE:
        snprintf(tb->text, sizeof tb->text, "%s = 0x%llX", apmu_tb_pe_name((int)action->row),
                 (unsigned long long)action->value);
        break;
    case APMU_TB_RESET:
        snprintf(tb->text, sizeof tb->text, "%s", resets[action->row % 3]);
        break;
    default:
        used = (size_t)snprintf(tb->text, sizeof tb->text, "%u cycles", action->cycles);
        for (unsigned line = 0; line < tb->line_count; line++) {
            const unsigned count = action->counts[line / 4] >> line % 4 * 8 & 0xFF;
            if (count != 0) {
                used += (size_t)snprintf(tb->text + used, sizeof tb->text - used, ", event 0x%X %u times each",
                                         tb->lines[line], count);
            }
        }
        break;
    }
    return tb->text;
}

int apmu_tb_perform(struct apmu_tb *tb)
{
    const struct tb_action *action = &tb->stimulus.action;
    const struct tb_access *a = &action->access;

    switch (action->kind) {
    case APMU_TB_READ:
        return apmu_tb_read(tb, (int)a->view, (int)a->address, (int)a->attributes);
    case APMU_TB_WRITE:
        return apmu_tb_write(tb, (int)a->view, (int)a->address, (int)a->attributes, a->value);
    case APMU_TB_STATE:
        apmu_tb_pe_set(tb, (int)action->row, action->value);
        return 0;
    case APMU_TB_RESET:
        apmu_tb_reset(tb, (int)action->row);
        return 0;
    default:
        apmu_tb_step(tb, action->cycles, action->counts);
        return 0;
    }
}
