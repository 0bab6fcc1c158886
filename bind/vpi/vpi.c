/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of bind/tb/tb.h as system tasks and functions: a VPI module, for Icarus Verilog. */
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <vpi_user.h>

#include "../tb/tb.h"

enum { MOST_ARGUMENTS = 5 };

/* One call: its arguments, by number. */
struct vpi_call {
    uint64_t number[MOST_ARGUMENTS];
    char *text[MOST_ARGUMENTS];                         /* freed after the call */
    uint32_t words[MOST_ARGUMENTS][APMU_TB_SLOT_WORDS]; /* the longest vector is a state */
    const char *result;                                 /* of a call with a text */
};

#define HANDLE(i) ((struct apmu_tb *)(uintptr_t)c->number[i])
#define NUMBER(i) (c->number[i])
#define INT(i) ((int)c->number[i])
#define WORD(i) ((uint32_t)c->number[i])
#define TEXT(i) (c->text[i])
#define WORDS(i) (c->words[i])

/* A row becomes a function: APMU_VPI_TASK(apmu_tb_forget, "h", ...) defines perform_apmu_tb_forget(). */
#define APMU_VPI_TASK(name, arguments, call) \
    static uint64_t perform_##name(struct vpi_call *c) \
    { \
        call; \
        return 0; \
    }
#define APMU_VPI_NUMERIC(name, arguments, call) \
    static uint64_t perform_##name(struct vpi_call *c) \
    { \
        (void)c; \
        return call; \
    }
#define APMU_VPI_TEXTUAL(name, arguments, call) \
    static uint64_t perform_##name(struct vpi_call *c) \
    { \
        c->result = call; \
        return 0; \
    }
#include "calls.def"

static const struct vpi_row {
    const char *name, *arguments;
    uint64_t (*perform)(struct vpi_call *c);
    bool function;
} vpi_rows[] = {
#define APMU_VPI_TASK(name, arguments, call) {"$" #name, arguments, perform_##name, false},
#define APMU_VPI_NUMERIC(name, arguments, call) {"$" #name, arguments, perform_##name, true},
#define APMU_VPI_TEXTUAL(name, arguments, call) {"$" #name, arguments, perform_##name, false},
#include "calls.def"
};

/* Reads a packed vector into @words, which has room for @room. */
static void take_vector(vpiHandle argument, uint32_t *words, int room)
{
    const int count = (vpi_get(vpiSize, argument) + 31) / 32;
    s_vpi_value value;

    value.format = vpiVectorVal;
    vpi_get_value(argument, &value);
    for (int i = 0; i < room; i++) {
        words[i] = i < count ? (uint32_t)(value.value.vector[i].aval & ~value.value.vector[i].bval) : 0;
    }
}

/* Reads argument @i, of kind @kind. */
static void take_argument(struct vpi_call *c, unsigned i, char kind, vpiHandle argument)
{
    s_vpi_value value;

    switch (kind) {
    case 's':
        value.format = vpiStringVal;
        vpi_get_value(argument, &value);
        c->text[i] = strdup(value.value.str);
        break;
    case 'h':
    case 'n':
        take_vector(argument, c->words[i], 2);
        c->number[i] = (uint64_t)c->words[i][1] << 32 | c->words[i][0];
        break;
    case 'v':
        take_vector(argument, c->words[i], APMU_TB_SLOT_WORDS);
        break;
    default:
        break;
    }
}

/* Writes the @count words at @words to @target, a variable or the result of a function. */
static void give_vector(vpiHandle target, const uint32_t *words, int count)
{
    s_vpi_vecval vector[APMU_TB_SLOT_WORDS];
    s_vpi_value value;

    for (int i = 0; i < count; i++) {
        vector[i].aval = (PLI_INT32)words[i];
        vector[i].bval = 0;
    }
    value.format = vpiVectorVal;
    value.value.vector = vector;
    vpi_put_value(target, &value, NULL, vpiNoDelay);
}

static void give_text(vpiHandle target, const char *text)
{
    char *copy = strdup(text);
    s_vpi_value value;

    value.format = vpiStringVal;
    value.value.str = copy != NULL ? copy : (char *)"";
    vpi_put_value(target, &value, NULL, vpiNoDelay);
    free(copy);
}

/* Performs the call of the row at @data. */
static PLI_INT32 perform(PLI_BYTE8 *data)
{
    const struct vpi_row *row = (const struct vpi_row *)(const void *)data;
    struct vpi_call *c = calloc(1, sizeof *c);
    vpiHandle call = vpi_handle(vpiSysTfCall, NULL), arguments = vpi_iterate(vpiArgument, call);
    vpiHandle handles[MOST_ARGUMENTS] = {NULL};
    unsigned count = 0;

    while (arguments != NULL && count < strlen(row->arguments) && (handles[count] = vpi_scan(arguments)) != NULL) {
        count++;
    }
    if (arguments != NULL && count == strlen(row->arguments)) {
        vpi_free_object(arguments);
    }
    if (c == NULL || count != strlen(row->arguments)) {
        vpi_printf("%s: %s\n", row->name, c == NULL ? "no memory" : "too few arguments; call it by the package");
        vpi_control(vpiFinish, 1);
        free(c);
        return 0;
    }
    for (unsigned i = 0; i < count; i++) {
        take_argument(c, i, row->arguments[i], handles[i]);
    }
    const uint64_t result = row->perform(c);
    const uint32_t words[2] = {(uint32_t)result, (uint32_t)(result >> 32)};
    if (row->function) {
        give_vector(call, words, 2);
    }
    for (unsigned i = 0; i < count; i++) {
        if (row->arguments[i] == 'S') {
            give_text(handles[i], c->result);
        } else if (row->arguments[i] == 'V') {
            give_vector(handles[i], c->words[i], APMU_TB_LINE_WORDS);
        }
        free(c->text[i]);
    }
    free(c);
    return 0;
}

static PLI_INT32 size_of_result(PLI_BYTE8 *data)
{
    (void)data;
    return 64;
}

static void register_calls(void)
{
    for (unsigned i = 0; i < sizeof vpi_rows / sizeof vpi_rows[0]; i++) {
        s_vpi_systf_data data;

        memset(&data, 0, sizeof data);
        data.type = vpi_rows[i].function ? vpiSysFunc : vpiSysTask;
        data.sysfunctype = vpi_rows[i].function ? vpiSizedFunc : 0;
        data.tfname = (char *)vpi_rows[i].name;
        data.calltf = perform;
        data.sizetf = vpi_rows[i].function ? size_of_result : NULL;
        data.user_data = (PLI_BYTE8 *)&vpi_rows[i];
        vpi_register_systf(&data);
    }
}

/* Simulators call these functions when they load the module. */
void (*vlog_startup_routines[])(void) = {register_calls, NULL};
