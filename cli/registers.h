/* SPDX-License-Identifier: BSD-2-Clause */
/* The options, operands and JSON output that `armpmu decode` and `armpmu encode` share. */
#ifndef ARMPMU_CLI_REGISTERS_H
#define ARMPMU_CLI_REGISTERS_H

#include <jansson.h>

#include "cli.h"
#include "state/fields.h"
#include "state/instruction.h"

/* The options of the command line. */
struct registers_setup {
    const struct cli_verb *verb;
    struct state_model model;      /* the PE that --features and --core describe */
    struct fields_config config;   /* the configuration of .model, empty if no option gives one */
    json_t *array;                 /* the JSON output, which registers_finish() frees; NULL: the output is text */
    bool registers, cores;         /* --registers, --cores */
    const char *file;              /* --file, or NULL */
    bool live;                     /* --gdb or --live, neither of which has a file */
};

/* A register as the user names it: by a name, an offset, or an instruction that accesses it. */
struct registers_operand {
    char text[64];     /* the name, which ends before any '=' */
    const char *value; /* the text after the '=', or NULL */
    struct names_place place;
    bool instruction;  /* .text is the instruction .word, which .insn describes; otherwise both are 0 */
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
/*
 * Parses @text, the value of the register or field @name, which has @bits bits.  Returns false after it complained, of
 * @name.
 */
bool registers_number(const struct registers_setup *setup, const char *name, const char *text, unsigned bits,
                      uint64_t *value);

/* Writes the instruction o->word to @buf as assembly: "MRS X0, PMCR_EL0". */
void registers_instruction(const struct registers_operand *o, char buf[96]);

/* Stores the value of the field @row of the register value @v in *@value.  Returns whether all its bits are known. */
bool registers_field(const struct fields_row *row, const struct registers_value *v, uint64_t *value);

/* Appends an object to @array: the register @o with its fields @f and the value @v. */
void registers_json(json_t *array, const struct registers_operand *o, const struct fields_register *f,
                    const struct registers_value *v);

/*
 * Ends the output: prints setup->array if there is one and @status is CLI_YES, frees it, and flushes stdout.  Returns
 * @status, or CLI_CANNOT after a complaint if the output could not be written.
 */
int registers_finish(struct registers_setup *setup, int status);

#endif
