/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a Value Change Dump of qemu/system/wave.c. */
#include "run_wave.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <armpmu/events.h>
#include <armpmu/model.h>

#define SIGNALS_MAX 8192u

/* Returns whether @text ends with @end. */
static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);

    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* Chooses what the signal @s becomes by its name. */
static void classify(struct wave_variable *s)
{
    if (strcmp(s->name, "EL") == 0 || strcmp(s->name, "SecurityState") == 0) {
        s->kind = WAVE_LEVEL;
    } else if (strcmp(s->name, "PMUIRQ") == 0 || strcmp(s->name, "User") == 0 || strcmp(s->name, "Secure") == 0) {
        s->kind = WAVE_PULSE;
    } else if (strcmp(s->name, "nPMUIRQ") == 0) {
        strcpy(s->name, "PMUIRQ");
        s->kind = WAVE_PULSE;
        s->inverted = true;
    } else if (ends_with(s->name, "_WHY")) {
        s->kind = WAVE_WHY;
    } else if (strncmp(s->name, "PMEVTYPER", 9) == 0) {
        s->kind = WAVE_TYPE;
    } else if (strncmp(s->name, "PMEVCNTR", 8) == 0 || strcmp(s->name, "PMCCNTR_EL0") == 0 ||
               strcmp(s->name, "PMICNTR_EL0") == 0 || strcmp(s->name, "CCNT") == 0 || strcmp(s->name, "PMN0") == 0 ||
               strcmp(s->name, "PMN1") == 0) {
        s->kind = WAVE_COUNTER;
    }
}

/* Returns the number of the signal whose identifier is @id, or WAVE_NONE: wave.c writes numbers in base 94. */
static size_t signal_of(const char *id)
{
    size_t n = 0, place = 1;

    for (unsigned i = 0; id[i] >= '!' && id[i] <= '~'; i++, place *= 94) {
        if (i == 3) {
            return WAVE_NONE;
        }
        n += (size_t)(id[i] - '!') * place;
    }
    return n;
}

/* Reads the declarations.  Returns false if this is no wave of ours. */
static bool read_declarations(struct wave *w)
{
    char line[512], id[8], name[40];
    unsigned cpu = 0;

    while (fgets(line, sizeof line, w->in) != NULL) {
        if (strncmp(line, "$enddefinitions", 15) == 0) {
            w->changes = ftell(w->in);
            return w->count != 0;
        }
        if (sscanf(line, "$scope module cpu%u", &cpu) == 1) {
            w->cpus = cpu >= w->cpus ? cpu + 1 : w->cpus;
        } else if (sscanf(line, "$var %*s %*u %7s %39s", id, name) == 2) {
            const size_t n = signal_of(id);

            if (n != w->count || n == SIGNALS_MAX) {
                return false;
            }
            w->signals = cli_allocate(w->signals, n + 1, sizeof *w->signals);
            w->signals[n] = (struct wave_variable){.cpu = cpu, .why = WAVE_NONE, .type = WAVE_NONE};
            strcpy(w->signals[n].name, name);
            w->arm11 |= strcmp(name, "PMNC") == 0;
            classify(&w->signals[n]);
            w->count++;
        }
    }
    return false;
}

/* Finds the signals that belong to the counter @c: NAME_WHY, and for PMEVCNTR<n>_EL0 PMEVTYPER<n>_EL0. */
static void find_companions(const struct wave *w, struct wave_variable *c)
{
    const size_t length = strlen(c->name);

    for (size_t i = 0; i < w->count && c->kind == WAVE_COUNTER; i++) {
        const struct wave_variable *s = &w->signals[i];

        if (s->cpu == c->cpu && s->kind == WAVE_WHY && strncmp(s->name, c->name, length) == 0 &&
            strcmp(s->name + length, "_WHY") == 0) {
            c->why = i;
        }
        if (s->cpu == c->cpu && s->kind == WAVE_TYPE && strncmp(c->name, "PMEVCNTR", 8) == 0 &&
            strcmp(s->name + 9, c->name + 8) == 0) {
            c->type = i;
        }
    }
}

/* Notes the event of the value @typer of @s. */
static void note_event(struct wave_variable *s, uint64_t typer)
{
    const uint16_t event = (uint16_t)APMU_GET(PMEVTYPER_EL0, evtCount, typer);

    for (unsigned i = 0; i < s->event_count; i++) {
        if (s->events[i] == event) {
            return;
        }
    }
    if (s->event_count < sizeof s->events / sizeof s->events[0]) {
        s->events[s->event_count++] = event;
    }
}

/* Notes what the change tells of the signals: a callback of wave_read(). */
static void learn(void *context, size_t signal, uint64_t time, uint64_t value)
{
    struct wave *w = context;
    struct wave_variable *s = &w->signals[signal];

    (void)time;
    if (s->kind == WAVE_COUNTER) {
        s->used |= value != 0;
    } else if (s->kind == WAVE_TYPE) {
        note_event(s, value);
    } else if (s->kind == WAVE_WHY) {
        s->used |= value == 0;
    }
}

int wave_open(struct wave *w, const struct cli_verb *verb, const char *path)
{
    *w = (struct wave){.in = fopen(path, "re")};
    if (w->in == NULL) {
        cli_complain(verb, "%s: %s; what the run did over time is read from this wave", path, strerror(errno));
        return CLI_CANNOT;
    }
    if (!read_declarations(w)) {
        cli_complain(verb, "the emulator wrote no wave, because no CPU executed anything or it is of another version; "
                           "build both from one checkout: make && make qemu");
        return CLI_CANNOT;
    }
    for (size_t i = 0; i < w->count; i++) {
        find_companions(w, &w->signals[i]);
    }
    wave_read(w, learn, w);
    for (size_t i = 0; i < w->count; i++) {
        struct wave_variable *s = &w->signals[i];

        s->used = s->kind == WAVE_COUNTER && s->why != WAVE_NONE && (s->used || w->signals[s->why].used);
    }
    return CLI_YES;
}

void wave_read(struct wave *w, void (*change)(void *context, size_t signal, uint64_t time, uint64_t value),
               void *context)
{
    char line[128];

    (void)fseek(w->in, w->changes, SEEK_SET);
    w->end = 0;
    while (fgets(line, sizeof line, w->in) != NULL) { /* a line that is none of ours is passed over */
        uint64_t value = 0;
        const char *at = line;
        size_t n;

        if (line[0] == '#') {
            const uint64_t time = strtoull(line + 1, NULL, 10);

            w->end = time > w->end ? time : w->end;
            continue;
        }
        if (line[0] == 'b') {
            for (at++; *at == '0' || *at == '1'; at++) {
                value = value << 1 | (uint64_t)(*at - '0');
            }
            at += *at == ' ' ? 1 : 0;
        } else if (line[0] == '0' || line[0] == '1') {
            value = (uint64_t)(line[0] - '0');
            at++;
        } else {
            continue;
        }
        n = signal_of(at);
        if (n < w->count && w->signals[n].kind != WAVE_OTHER) {
            change(context, n, w->end, w->signals[n].inverted ? value == 0 : value);
        }
    }
}

void wave_close(struct wave *w)
{
    if (w->in != NULL) {
        fclose(w->in);
    }
    free(w->signals);
    *w = (struct wave){.in = NULL};
}

const char *const *wave_levels(const struct wave_variable *signal)
{
    static const char *const levels[] = {"EL0", "EL1", "EL2", "EL3"};
    static const char *const states[] = {"Secure", "Non-secure", "Root", "Realm"};

    return strcmp(signal->name, "EL") == 0 ? levels : states;
}

void wave_events(const struct wave *w, size_t counter, char text[256])
{
    const struct wave_variable *c = &w->signals[counter];
    const struct wave_variable *type = c->type == WAVE_NONE ? NULL : &w->signals[c->type];
    size_t used = 0;

    text[0] = '\0';
    if (type == NULL && strstr(c->name, "CNT") != NULL) {
        strcpy(text, strncmp(c->name, "PMICNTR", 7) == 0 ? "instructions" : "cycles");
    }
    for (unsigned i = 0; type != NULL && i < type->event_count; i++) {
        const struct apmu_event_info *info = apmu_event_by_number(type->events[i]);
        char number[16];

        snprintf(number, sizeof number, "r%x", type->events[i]);
        if ((type->events[i] != 0 || type->event_count == 1) && used < 256) { /* 0 is what it has at reset */
            used += (size_t)snprintf(text + used, 256 - used, "%s%s", used != 0 ? ", " : "",
                                     info != NULL ? info->name : number);
        }
    }
}
