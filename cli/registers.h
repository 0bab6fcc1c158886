/* SPDX-License-Identifier: BSD-2-Clause */
/* What `armpmu decode` and `armpmu encode` share: options, operands, and registers in JSON. */
#ifndef ARMPMU_CLI_REGISTERS_H
#define ARMPMU_CLI_REGISTERS_H

#include <jansson.h>

#include "cli.h"
#include "state/fields.h"

/* What the options say. */
struct registers_setup {
    const struct cli_verb *verb;
    struct state_model model;
    struct fields_config config;   /* of the model, if an option gives one */
    json_t *array;                 /* NULL: text */
    bool registers, cores;         /* the lists */
    const char *file;              /* --file; NULL: none */
    bool live;                     /* --gdb or --live */
};

/* A register as the user names it, and perhaps an instruction that accesses it. */
struct registers_operand {
    char text[64];     /* before the '=' */
    const char *value; /* after it, or NULL */
    struct names_place place;
    bool instruction;
    struct names_instruction insn;
    uint32_t word;
};

/* What is known of a register, in the bits of its view. */
struct registers_value {
    uint64_t known, value; /* known: 0 if no value is given */
    const char *origin;    /* where it stands; NULL: on the command line */
};

/* Each answers false after it complained. */
bool registers_options(const struct cli_args *args, struct registers_setup *setup);
bool registers_find(const struct registers_setup *setup, const char *text, struct registers_operand *o);
bool registers_number(const struct registers_setup *setup, const char *of, const char *text, unsigned bits,
                      uint64_t *value);

/* "MRS X0, PMCR_EL0" */
void registers_instruction(const struct registers_operand *o, char buf[96]);

/* Is the field known?  Then its value. */
bool registers_field(const struct fields_row *row, const struct registers_value *v, uint64_t *value);

/* Adds the register to the array. */
void registers_json(json_t *array, const struct registers_operand *o, const struct fields_of *f,
                    const struct registers_value *v);

/* Prints the array if there is one and all went well; the exit status. */
int registers_finish(struct registers_setup *setup, int status);

#endif
