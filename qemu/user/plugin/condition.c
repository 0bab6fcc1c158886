/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts what A32 and T32 instructions count by their condition.
 *
 * A sequence is instructions with a condition that follow each other, of which only the last may change the flags.
 * What it counts is a vector for each value of the flags, so one call that reads the flags counts the whole sequence.
 * CBZ and CBNZ test a register instead.  Flags are a number of 4 bits: N is bit 3, Z bit 2, C bit 1, V bit 0.
 *
 * An emulator that make qemu-user builds counts each instruction by itself, without a call, where its code tests the
 * condition.
 */
#include "plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLAGS 16 /* values of the flags */

/* The handles of R0 to R15 and the CPSR, the same for every vCPU.  From interface 6 on the handle of R0 is NULL. */
#define CPSR 16
static struct {
    bool found;
    struct qemu_plugin_register *handle;
} registers[CPSR + 1];
static __thread GByteArray *value;

/* Returns the value of register @number.  If it cannot be read, ends the process with status 3. */
static uint32_t read_register(unsigned number)
{
    uint32_t word;

    if (value == NULL) {
        value = g_byte_array_new();
    }
    g_byte_array_set_size(value, 0);
    if (!registers[number].found || !qemu_plugin_reg_read(registers[number].handle, value) ||
        value->len != sizeof word) {
        fprintf(stderr, "armpmu: %s: plugins of this emulator cannot read registers; name the one that make qemu-user "
                        "builds in ARMPMU_QEMU_ARM\n", plugin.qemu);
        exit(3);
    }
    memcpy(&word, value->data, sizeof word);
    return word;
}

void condition_find_registers(void)
{
    if (plugin.kind != APMU_PROGRAM_AARCH32 || registers[CPSR].found) {
        return;
    }
    GArray *list = qemu_plugin_get_registers();
    for (unsigned i = 0; i < list->len; i++) {
        const qemu_plugin_reg_descriptor *d = qemu_plugin_reg_at(list, i);
        unsigned n = CPSR;
        if (strcmp(d->name, "cpsr") == 0 || (sscanf(d->name, "r%u", &n) == 1 && n < CPSR)) {
            registers[n].handle = d->handle;
            registers[n].found = true;
        }
    }
    g_array_free(list, 1);
}

uint32_t condition_cpsr(void)
{
    return read_register(CPSR);
}

/* Returns true if @condition, as in encodings, passes with @flags. */
static bool passes(uint8_t condition, unsigned flags)
{
    const bool n = flags & 8, z = flags & 4, c = flags & 2, v = flags & 1;
    const bool base[8] = {z, c, n, v, c && !z, n == v, n == v && !z, true};
    return condition >= 14 || base[condition >> 1] != (condition & 1);
}

/* Adds to @vector what @in counts because its condition passed or failed; of outcomes, only those requested. */
static void add_outcome(const struct isa_insn *in, bool passed, uint16_t vector[APMU_SOURCE_COUNT])
{
    shapes_add(in->traits | (passed ? APMU_TRAIT_PASSED : APMU_TRAIT_FAILED), vector);
    for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
        if (apmu_source_info[s].cost == APMU_COST_OUTCOME && !(plugin.setup->outcomes >> s & 1)) {
            vector[s] = 0;
        }
    }
}

static const uint16_t nothing[APMU_SOURCE_COUNT];

/* Returns the shape of @vector, or NO_SHAPE if it counts nothing.  @block: see shapes_id(). */
static uint32_t shape_of(const uint16_t vector[APMU_SOURCE_COUNT], bool block)
{
    return memcmp(vector, nothing, sizeof nothing) == 0 ? NO_SHAPE : shapes_id(vector, block);
}

/* The counter of a sequence for each value of the flags; NO_SHAPE is none.  Never freed (plugin.h). */
struct sequence_counters {
    uint32_t number[FLAGS];
};

static void count_sequence(unsigned vcpu, void *userdata)
{
    const struct sequence_counters *sequence = userdata;
    const uint32_t number = sequence->number[condition_cpsr() >> 28];
    if (number != NO_SHAPE) {
        count_shape(vcpu, number);
    }
}

/* The counters of a CBZ or CBNZ.  Never freed. */
struct compare_counters {
    uint32_t number[2]; /* if the register is not 0; if it is 0 */
    unsigned reg;
};

static void count_compare(unsigned vcpu, void *userdata)
{
    const struct compare_counters *c = userdata;
    const uint32_t number = c->number[read_register(c->reg) == 0];
    if (number != NO_SHAPE) {
        count_shape(vcpu, number);
    }
}

/* Makes translated code count the CBZ or CBNZ @in, which is at @address, where @at begins. */
static void compare_at(struct qemu_plugin_insn *at, uint64_t address, const struct isa_insn *in)
{
    const bool branches_if_zero = !(in->word & 0x0800);
    struct compare_counters *c = malloc(sizeof *c);

    if (c == NULL) {
        return;
    }
    c->reg = in->word & 7;
    for (int zero = 0; zero < 2; zero++) {
        uint16_t vector[APMU_SOURCE_COUNT] = {0};
        add_outcome(in, zero == branches_if_zero, vector);
        c->number[zero] = code_counter(address, in, shape_of(vector, false));
    }
    if (c->number[0] != NO_SHAPE || c->number[1] != NO_SHAPE) {
        qemu_plugin_register_vcpu_insn_exec_cb(at, count_compare, QEMU_PLUGIN_CB_R_REGS, c);
    }
}

/* Returns the counter of the @n instructions @in at @address, which count @shape together with @flags. */
static uint32_t sequence_counter(uint64_t address, const struct isa_insn *in, size_t n, unsigned flags, uint32_t shape)
{
    if (shape == NO_SHAPE || plugin.code == NULL) {
        return shape;
    }
    struct code_span span = code_span(address, in, n);
    for (size_t i = 0; i < span.count; i++) {
        uint16_t vector[APMU_SOURCE_COUNT] = {0};
        add_outcome(&in[i], passes(in[i].condition, flags), vector);
        span.insns[i].shape = shapes_mark(vector);
    }
    return blocks_counter(&span, shape);
}

/* The instructions of a sequence, and the address of the first. */
struct flag_sequence {
    const struct isa_insn *in;
    size_t n;
    uint64_t address;
};

/* Makes translated code count @s where @at begins.  Returns false if the table of shapes is full. */
static bool sequence_at(struct qemu_plugin_insn *at, const struct flag_sequence *s)
{
    struct sequence_counters *counters = malloc(sizeof *counters);
    bool counts = false, full = false;

    for (unsigned flags = 0; counters != NULL && flags < FLAGS; flags++) {
        uint16_t vector[APMU_SOURCE_COUNT] = {0};
        for (size_t i = 0; i < s->n; i++) {
            add_outcome(&s->in[i], passes(s->in[i].condition, flags), vector);
        }
        const uint32_t shape = shape_of(vector, s->n > 1);
        counters->number[flags] = sequence_counter(s->address, s->in, s->n, flags, shape);
        counts |= shape != NO_SHAPE;
        full |= shape == NO_SHAPE && memcmp(vector, nothing, sizeof nothing) != 0;
    }
    if (full && s->n > 1) {
        free(counters);
        return false;
    }
    if (counts) {
        qemu_plugin_register_vcpu_insn_exec_cb(at, count_sequence, QEMU_PLUGIN_CB_R_REGS, counters);
    }
    return true;
}

/*
 * Makes translated code count @in, which is @insn, at the places that it has for either outcome.  Returns false, and
 * does nothing, if there is no such place for an outcome that counts.  A system call or a trap ends its block in QEMU.
 */
static bool count_at_edges(struct qemu_plugin_insn *insn, const struct isa_insn *in)
{
    static const enum armpmu_edge edge[2] = {ARMPMU_EDGE_FAILED, ARMPMU_EDGE_PASSED};
    const uint64_t address = qemu_plugin_insn_vaddr(insn);
    uint32_t shape[2];

    if (!count_has_edges() || (in->traits & (APMU_TRAIT_SVC | APMU_TRAIT_TRAP))) {
        return false;
    }
    for (int passed = 0; passed < 2; passed++) {
        uint16_t vector[APMU_SOURCE_COUNT] = {0};
        add_outcome(in, passed, vector);
        shape[passed] = shape_of(vector, false);
        if (memcmp(vector, nothing, sizeof nothing) != 0 &&
            (shape[passed] == NO_SHAPE || !(armpmu_edges(insn) & edge[passed]))) {
            return false;
        }
    }
    for (int passed = 0; passed < 2; passed++) {
        if (shape[passed] != NO_SHAPE) {
            count_at_edge(insn, edge[passed], code_own_counter(address, in, shape[passed]));
        }
    }
    return true;
}

/*
 * The first instruction of a segment may be one that may not complete; then it is counted where the next one begins.
 * Such an instruction changes no flags.
 */
void condition_count(struct qemu_plugin_tb *tb, size_t first, const struct isa_insn *in, size_t from, size_t to)
{
    for (size_t i = from; i < to;) {
        size_t end = i + 1;
        struct qemu_plugin_insn *at = qemu_plugin_tb_get_insn(tb, i < first ? first : i);
        const uint64_t address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i));

        if (in[i].condition == CONDITION_NONE || (i >= first && count_at_edges(at, &in[i]))) {
            i = end;
            continue;
        }
        if (in[i].condition == CONDITION_REGISTER) {
            compare_at(at, address, &in[i]);
        } else {
            while (end < to && in[end].condition < CONDITION_REGISTER && !in[end - 1].sets_flags) {
                end++;
            }
            if (!sequence_at(at, &(struct flag_sequence){&in[i], end - i, address})) {
                end = i + 1; /* there are few shapes of one instruction */
                sequence_at(at, &(struct flag_sequence){&in[i], 1, address});
            }
        }
        i = end;
    }
}

bool condition_passes(const struct isa_insn *in)
{
    return passes(in->condition, condition_cpsr() >> 28);
}

uint32_t condition_shape(const struct isa_insn *in, bool passed)
{
    uint16_t vector[APMU_SOURCE_COUNT] = {0};
    shapes_add(in->traits, vector);
    add_outcome(in, passed, vector);
    return shape_of(vector, false);
}
