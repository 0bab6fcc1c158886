/* SPDX-License-Identifier: BSD-2-Clause */
/* The states of the PE, by number and by name. */
#include <ctype.h>
#include <string.h>

#include "internal.h"

static const struct pe_row {
    const char *name;
    uint16_t offset;
    uint8_t size, bits, weight; /* bytes of the member, bits of the state */
    uint8_t reg, gate;          /* enum apmu_reg, enum apmu_gate */
} pe_rows[TB_PE_COUNT] = {
#define APMU_TB_PE(name, member, bits, weight, reg, gate) \
    {#name, offsetof(struct apmu_pe, member), sizeof ((struct apmu_pe *)0)->member, bits, weight, APMU_REG_##reg, \
     APMU_GATE_##gate},
#include "states.def"
};
_Static_assert((int)TB_PE_COUNT <= 64 && (int)APMU_REG_ALL <= 255, "states are bits of a set; a byte holds a register");

static bool is_row(int row)
{
    return row >= 0 && row < (int)TB_PE_COUNT;
}

static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

int apmu_tb_pe_find(const char *name)
{
    for (int row = 0; row < (int)TB_PE_COUNT; row++) {
        if (same_name(pe_rows[row].name, name)) {
            return row;
        }
    }
    return -1;
}

int apmu_tb_pe_count(void)
{
    return TB_PE_COUNT;
}

const char *apmu_tb_pe_name(int row)
{
    return is_row(row) ? pe_rows[row].name : "";
}

int apmu_tb_pe_width(int row)
{
    return is_row(row) ? pe_rows[row].bits : 0;
}

/* The members have 1, 2, 4 or 8 bytes; an enumeration has 4. */
uint64_t tb_state_get(const struct apmu_pe *pe, enum tb_state row)
{
    const unsigned char *at = (const unsigned char *)pe + pe_rows[row].offset;
    uint16_t half;
    uint32_t word;
    uint64_t whole;

    switch (pe_rows[row].size) {
    case 1:
        return *at;
    case 2:
        memcpy(&half, at, sizeof half);
        return half;
    case 4:
        memcpy(&word, at, sizeof word);
        return word;
    default:
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
}

void tb_state_set(struct apmu_pe *pe, enum tb_state row, uint64_t value)
{
    unsigned char *at = (unsigned char *)pe + pe_rows[row].offset;
    const uint64_t cut = value & ~UINT64_C(0) >> (64 - pe_rows[row].bits);
    const uint16_t half = (uint16_t)cut;
    const uint32_t word = (uint32_t)cut;

    switch (pe_rows[row].size) {
    case 1:
        *at = (unsigned char)cut;
        break;
    case 2:
        memcpy(at, &half, sizeof half);
        break;
    case 4:
        memcpy(at, &word, sizeof word);
        break;
    default:
        memcpy(at, &cut, sizeof cut);
        break;
    }
}

enum apmu_reg tb_state_register(enum tb_state row)
{
    return (enum apmu_reg)pe_rows[row].reg;
}

bool tb_state_matters(const struct apmu_config *cfg, enum tb_state row)
{
    switch (row) {
    case TB_PE_HSTR_EL2: /* AArch32 below EL2 */
        return apmu_holds(cfg, APMU_GATE_AA32, 0) && apmu_holds(cfg, APMU_GATE_EL2, 0);
    case TB_PE_spiden: /* Secure state */
    case TB_PE_spniden:
        return apmu_holds(cfg, APMU_GATE_EL3, 0) || cfg->secure_only;
    default:
        return apmu_holds(cfg, (enum apmu_gate)pe_rows[row].gate, 0);
    }
}

unsigned tb_state_weight(enum tb_state row)
{
    return pe_rows[row].weight;
}

void apmu_tb_pe_set(struct apmu_tb *tb, int row, uint64_t value)
{
    if (is_row(row)) {
        tb_state_set(&tb->pe, (enum tb_state)row, value);
    }
}

uint64_t apmu_tb_pe_get(const struct apmu_tb *tb, int row)
{
    return is_row(row) ? tb_state_get(&tb->pe, (enum tb_state)row) : 0;
}
