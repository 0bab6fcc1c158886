/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the fields of a register, and says what their values mean. */
#include <stdio.h>
#include <string.h>

#include <armpmu/events.h>

#include "fields.h"

/* Whether a condition holds: in none, in all or in some of the configurations that are possible. */
enum certainty { NO, YES, PERHAPS };

/* Returns whether @gate holds for copy @n: PERHAPS if that depends on what the configuration leaves open. */
static enum certainty holds(const struct fields_config *config, enum apmu_gate gate, unsigned n)
{
    if (gate == APMU_GATE_ALWAYS || gate == APMU_GATE_NEVER) {
        return gate == APMU_GATE_ALWAYS ? YES : NO;
    }
    if (config->cfg == NULL) {
        return PERHAPS;
    }
    struct apmu_config less = *config->cfg, more = *config->cfg;

    less.features &= ~config->undecided;
    more.features |= config->undecided;
    /* No feature shows these choices of an implementation, so all of them are possible. */
    more.export_bus = more.multithreaded = more.peripheral_id = more.coresight_id = more.integration = true;
    more.software_lock = more.sample_enable = more.external_swinc = true;
    more.filter2 = more.iidr = 1;
    more.imp |= 1;
    const bool with = apmu_holds(&more, gate, n), without = apmu_holds(&less, gate, n);

    return with != without ? PERHAPS : with ? YES : NO;
}

static void list_arm11_fields(const struct names_place *place, struct fields_register *out)
{
    out->bits = 32;
    if (place->arm11 >= APMU_ARM11_REG_COUNT) {
        names_arm11(place->arm11, &out->text);
        return;
    }
    const struct apmu_arm11_reg_info *info = apmu_arm11_reg_info((enum apmu_arm11_reg)place->arm11);

    out->text = info->text;
    for (unsigned i = 0; i < info->field_count; i++) {
        const struct apmu_arm11_field *f = &info->fields[i];

        out->rows[out->count++] = (struct fields_row){
            .name = f->access == APMU_ARM11_SBZ ? "SBZ" : f->name, .text = f->text, .msb = f->msb, .lsb = f->lsb,
            .reserved = f->access == APMU_ARM11_SBZ, .writable = f->access != APMU_ARM11_SBZ,
            .only_if = f->parts == APMU_ARM1156 ? "it is an ARM1156" : NULL,
        };
    }
}

/* Adds the part of field @f that the view shows, if any. */
static void add_field(struct fields_register *out, const struct names_place *place, const struct apmu_field *f,
                      const struct fields_config *config)
{
    const uint64_t bits = APMU_BITS(f->msb, f->lsb) & place->mask;
    const enum certainty implemented = holds(config, f->gate, place->n);
    const bool ever = f->access != APMU_RES0;
    struct fields_row *row = &out->rows[out->count];

    if ((APMU_BITS(f->msb, f->lsb) & APMU_BITS(place->shift + out->bits - 1, place->shift)) == 0) {
        return;
    }
    out->count++;
    *row = (struct fields_row){.name = f->name, .text = f->text};
    row->msb = (uint8_t)(f->msb - place->shift > (int)out->bits - 1 ? (int)out->bits - 1 : f->msb - place->shift);
    row->lsb = (uint8_t)(f->lsb > place->shift ? f->lsb - place->shift : 0);
    row->res1 = f->access == APMU_RW1 && implemented == NO;
    row->reserved = !ever || (implemented == NO && !row->res1) || bits == 0;
    row->writable = !row->reserved && !row->res1 && f->access != APMU_RO;
    if (!ever) {
        row->name = "RES0";
    } else if (bits == 0) {
        row->unless = "it is read in AArch64 state";
    } else if (implemented == NO) {
        row->unless = apmu_gate_text(f->gate);
    } else if (implemented == PERHAPS) {
        row->only_if = apmu_gate_text(f->gate);
    }
}

/* Joins the two rows of PMEVTYPER.evtCount, bits 15:10 and 9:0, into one field if both are implemented. */
static void join_event(struct fields_register *f)
{
    for (unsigned i = 0; i < f->count; i++) {
        struct fields_row *row = &f->rows[i];

        if (row->msb == 15 && strncmp(row->name, "evtCount_", 9) == 0) {
            row->name = row->reserved ? "RES0" : "evtCount";
            if (!row->reserved && i + 1 < f->count) {
                row->lsb = 0;
                row->text = "the event; bits 15:10 need FEAT_PMUv3p1";
                row->only_if = NULL;
                f->count--;
                memmove(row + 1, row + 2, (f->count - i - 1) * sizeof *row);
            }
        } else if (strncmp(row->name, "evtCount_", 9) == 0) {
            row->name = "evtCount";
            row->text = "the event";
        }
    }
}

void fields_list(const struct names_place *place, const struct fields_config *config, struct fields_register *out)
{
    memset(out, 0, sizeof *out);
    out->place = *place;
    out->core = config->core;
    names_spell(place, out->name);
    names_where(place, out->where);
    if (place->view == NAMES_ARM11) {
        list_arm11_fields(place, out);
        return;
    }
    const struct apmu_reg_info *info = apmu_reg_info(place->reg);

    out->text = info->text;
    out->bits = place->shift != 0 || (place->view == NAMES_A32 && (place->mask >> 32) == 0) ? 32 : 64;
    out->absent = holds(config, info->gate, place->n) == NO ? apmu_gate_text(info->gate) : NULL;
    for (unsigned i = 0; i < info->field_count && out->count < FIELDS_MAX; i++) {
        add_field(out, place, &info->fields[i], config);
    }
    join_event(out);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Meanings.
 */

/* Appends @text to the list in @buf, after a comma if the list has words. */
static void append_word(char *buf, size_t size, const char *text)
{
    const size_t used = strlen(buf);

    snprintf(buf + used, size - used, "%s%s", used > 0 ? ", " : "", text);
}

bool fields_is_event(const struct names_place *place, const struct fields_row *row)
{
    if (place->view == NAMES_ARM11) {
        return strncmp(row->name, "EvtCount", 8) == 0;
    }
    return strcmp(row->name, "evtCount") == 0;
}

static bool is_event_set(const struct names_place *place)
{
    return place->view != NAMES_ARM11 && (place->reg == APMU_REG_PMCEID0_EL0 || place->reg == APMU_REG_PMCEID1_EL0);
}

/* Returns true if the field is P, which has a bit for each event counter. */
static bool is_counter_set(const struct fields_row *row)
{
    return strcmp(row->name, "P") == 0 && row->msb == 30 && row->lsb == 0;
}

/* Returns the event's name on @core, its common name if @core is NULL, or NULL if it has none. */
static const char *event_name(const struct apmu_core_info *core, uint32_t number)
{
    const struct apmu_event_info *common = apmu_event_by_number(number);

    return core != NULL ? apmu_core_event_name(core, number) : common != NULL ? common->name : NULL;
}

static void name_events(const struct names_place *place, const struct fields_row *row, uint64_t value, char *buf,
                        size_t size)
{
    const bool high = place->shift + row->lsb >= 32;
    const unsigned base = (place->reg == APMU_REG_PMCEID1_EL0 ? 0x20u : 0) + (high ? 0x4000u : 0);

    for (unsigned i = 0; i < 32; i++) {
        const struct apmu_event_info *event = apmu_event_by_number(base + i);
        char number[16];

        if ((value >> i & 1) != 0) {
            snprintf(number, sizeof number, "0x%04X", base + i);
            append_word(buf, size, event != NULL ? event->name : number);
        }
    }
}

static void name_counters(uint64_t value, char *buf, size_t size)
{
    for (unsigned i = 0; i < APMU_EVENT_COUNTERS; i++) {
        char number[8];

        if ((value >> i & 1) != 0) {
            snprintf(number, sizeof number, "%u", i);
            append_word(buf, size, number);
        }
    }
}

const char *fields_meaning(const struct fields_register *f, const struct fields_row *row, uint64_t value, char *buf,
                           size_t size)
{
    const struct names_place *place = &f->place;

    buf[0] = '\0';
    if (row->reserved) {
        return buf;
    }
    if (fields_is_event(place, row)) {
        if (place->view == NAMES_ARM11) {
            const struct apmu_arm11_event_info *event = apmu_arm11_event_by_number((uint32_t)value);

            snprintf(buf, size, "%s", event != NULL ? event->name : "not an event of ARM11");
        } else {
            const char *name = event_name(f->core, (uint32_t)value);

            snprintf(buf, size, "%s", name != NULL       ? name
                                      : f->core != NULL ? "not an event that the core's manual names"
                                                        : "not a common event; give --core for the core's name");
        }
    } else if (is_event_set(place)) {
        name_events(place, row, value, buf, size);
    } else if (is_counter_set(row)) {
        name_counters(value, buf, size);
    } else if (place->view != NAMES_ARM11 && place->reg == APMU_REG_PMSELR_EL0) {
        if (value == APMU_CYCLE) {
            snprintf(buf, size, "the cycle counter");
        } else {
            snprintf(buf, size, "event counter %u", (unsigned)value);
        }
    }
    return buf;
}
