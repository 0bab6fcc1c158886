/* SPDX-License-Identifier: BSD-2-Clause */
/* What `armpmu decode` and `armpmu encode` share: options, operands, and the output as JSON. */
#ifndef ARMPMU_CLI_REGISTERS_H
#define ARMPMU_CLI_REGISTERS_H

#include <jansson.h>

#include "cli.h"
#include "state/fields.h"

/* The options. */
struct registers_setup {
    const struct cli_verb *verb;
    struct state_model model;      /* the PE that --features and --core describe */
    struct fields_config config;   /* the configuration of .model, empty if no option gives one */
    json_t *array;                 /* the output, or NULL if it is text */
    bool registers, cores;         /* --registers, --cores */
    const char *file;              /* --file, or NULL */
    bool live;                     /* --gdb or --live */
};

/* A register as the user names it: by a name, an offset, or an instruction that accesses it. */
struct registers_operand {
    char text[64];     /* the name, which ends before any '=' */
    const char *value; /* the text after the '=', or NULL */
    struct names_place place;
    bool instruction;  /* .text is the instruction .word, which .insn describes */
    struct names_instruction insn;
    uint32_t word;
};

/* What is known of a register, in the bits of its view. */
struct registers_value {
    uint64_t known, value; /* .known is 0 if no value is given */
    const char *origin;    /* as state_origin() gives it, or NULL for the command line */
};

/* Reads the options.  Returns false after it complained. */
bool registers_options(const struct cli_args *args, struct registers_setup *setup);
/* Finds the register of the operand @text.  Returns false after it complained. */
bool registers_find(const struct registers_setup *setup, const char *text, struct registers_operand *o);
/* Parses @text, the value of @of, which has @bits bits.  Returns false after it complained. */
bool registers_number(const struct registers_setup *setup, const char *of, const char *text, unsigned bits,
                      uint64_t *value);

/* Writes the instruction as assembly: "MRS X0, PMCR_EL0". */
void registers_instruction(const struct registers_operand *o, char buf[96]);

/* Stores the value of the field in *@value.  Returns true if all its bits are known. */
bool registers_field(const struct fields_row *row, const struct registers_value *v, uint64_t *value);

/* Adds the register with its fields to @array. */
void registers_json(json_t *array, const struct registers_operand *o, const struct fields_of *f,
                    const struct registers_value *v);

/* Prints and frees the array, if there is one.  It is printed if @status is CLI_YES.  Returns the exit status. */
int registers_finish(struct registers_setup *setup, int status);

#endif
