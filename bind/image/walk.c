/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks: every register is written and read at one place, while one field refuses accesses or hides counters. */
#include "internal.h"

/* The values of PMUSERENR_EL0 under which EL0 walks: none, and each of its fields. */
enum { USER_VALUES = 8 };

/* A control that is not as in tb_open_pe(), or a value of PMUSERENR_EL0. */
struct walk_control {
    char text[IMAGE_TEXT]; /* "MDCR_EL2.HPMN = 1" */
    bool user;
    enum tb_state state;
    uint64_t value;
};

/* Returns the state with field @f changed; a field of several bits becomes 1 or 2. */
static uint64_t with_field(uint64_t value, const struct apmu_field *f, uint64_t index)
{
    const uint64_t mask = APMU_BITS(f->msb, f->lsb);

    return f->msb == f->lsb ? value ^ mask : (value & ~mask) | ((1 + index % 2) << f->lsb);
}

/* Finds control number @index.  Returns the number of controls. */
static uint64_t find_control(const struct image *m, const struct apmu_pe *open, uint64_t index,
                             struct walk_control *found)
{
    uint64_t count = USER_VALUES;

    *found = (struct walk_control){.user = true};
    found->value = index < USER_VALUES ? UINT64_C(1) << index >> 1 : 0;
    for (enum tb_state state = 0; state < TB_PE_COUNT; state++) {
        const enum apmu_reg reg = tb_state_register(state);
        const uint64_t own = reg == APMU_REG_ALL ? 0 : image_own_fields(m, state);
        const struct apmu_reg_info *info = own == 0 ? NULL : apmu_reg_info(reg);

        if (info == NULL || !image_changes(m, state) || (m->tb->stimulus.held >> state & 1) != 0) {
            continue;
        }
        for (unsigned i = 0; i < info->field_count; i++) {
            const struct apmu_field *f = &info->fields[i];

            if ((own >> f->lsb & 1) != 0 && count++ == index) {
                *found = (struct walk_control){.state = state};
                found->value = with_field(tb_state_get(open, state), f, index) & own;
                snprintf(found->text, sizeof found->text, "%s.%s = %u", image_register_name(m, reg), f->name,
                         (unsigned)((found->value & APMU_BITS(f->msb, f->lsb)) >> f->lsb));
            }
        }
    }
    return count;
}

/* Returns whether copy @n of a bank is one at the ends of the ranges of counters. */
static bool is_walked(const struct image *m, unsigned n)
{
    const unsigned counters = m->tb->p.cfg.counters;

    return n < 3 || n == counters - 1;
}

/*
 * Writes and reads what @access reaches, at @el, and shows the write at the level of the program.  .value has the bits
 * that are written, and @why is the control.
 */
static void walk_register(struct image *m, unsigned el, struct tb_access access, const char *why)
{
    char written[IMAGE_TEXT + 32];
    enum apmu_reg reg;
    unsigned n;

    if (!tb_access_register(&access, &reg, &n) || image_leaves_alone(reg)) {
        return;
    }
    const struct apmu_reg_info *info = apmu_reg_info(reg);

    if (info->copies != 1 && !is_walked(m, n)) {
        return;
    }
    snprintf(written, sizeof written, "written at EL%u with %s", el, why);
    access.write = true;
    access.value = image_fit_word(m, reg, tb_random_word(m->tb, reg, n)) & access.value;
    image_access(m, el, &access, why);
    if (info->readable) {
        image_access_high(m, reg, n, false, 0, info->writable ? written : why);
    }
    access.write = false;
    access.value = 0;
    image_access(m, el, &access, why);
}

/* Walks all registers in AArch64 state. */
static void walk_registers(struct image *m, unsigned el, const char *why)
{
    for (enum apmu_reg reg = 0; reg < APMU_REG_COUNT; reg++) {
        const struct apmu_reg_info *info = apmu_reg_info(reg);

        for (unsigned n = 0; n < info->copies; n++) {
            walk_register(m, el, (struct tb_access){.view = APMU_TB_A64, .address = info->key + n, .value = UINT64_MAX},
                          why);
        }
    }
}

/* Walks all registers in AArch32 state. */
static void walk_registers_a32(struct image *m, unsigned el, const char *why)
{
    for (enum apmu_reg32 reg = 0; reg < APMU_REG32_COUNT; reg++) {
        const struct apmu_reg32_info *info = apmu_reg32_info(reg);
        const uint64_t bits = info->part == APMU_PART_BOTH ? UINT64_MAX : UINT32_MAX;

        for (unsigned n = 0; n < apmu_reg_info(info->of)->copies; n++) {
            walk_register(m, el, (struct tb_access){.view = APMU_TB_A32, .address = info->key + n, .value = bits}, why);
        }
    }
}

void image_walk(struct image *m, uint64_t index)
{
    const struct apmu_pe open = m->units[0].pe;
    struct walk_control control;
    const uint64_t count = find_control(m, &open, 0, &control);
    unsigned el = 0;

    find_control(m, &open, index % count, &control);
    if (!control.user) {
        image_set_control(m, control.state, control.value);
        el = (unsigned)((index / count + 1) % m->options->el);
    }
    if (control.user) {
        snprintf(control.text, sizeof control.text, "%s = 0x%x", image_is_a32(m) ? "PMUSERENR" : "PMUSERENR_EL0",
                 (unsigned)control.value);
    }
    image_access_high(m, APMU_REG_PMUSERENR_EL0, 0, true, control.user ? control.value : 1, "");
    const bool either = m->options->isa == IMAGE_A64_A32 && el == 0;

    if (image_is_legal(m, el) && (image_is_a32(m) || (either && tb_chance(m->tb, 32)))) {
        walk_registers_a32(m, el, control.text);
    } else if (image_is_legal(m, el)) {
        walk_registers(m, el, control.text);
    }
}
