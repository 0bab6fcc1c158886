/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that read values of registers share. */
#ifndef ARMPMU_CLI_READ_REGISTERS_H
#define ARMPMU_CLI_READ_REGISTERS_H

#include "reading.h"

/** Takes the registers of extras.def that line @line, @text, gives.  Returns true if there are some. */
bool registers_extras(struct reading *r, const char *text, uint32_t line);
/** Takes the register of extras.def that GDB printed in line @i for the command "p/x" above it.  Returns true if so. */
bool registers_extras_printed(struct reading *r, size_t i);
/** Returns what GDB printed, "{a = 1}" of "$1 = {a = 1}", or NULL if @line is no such line. */
const char *registers_printed(const char *line);

/** A command that reads memory, whose value follows. */
struct registers_memory {
    bool asked;
    uint64_t address;
};

/**
 * Writes the word of memory that the line gives as a line of a dump to @buf.  Returns its length, 0 if it gives none in
 * another form than a dump's.
 */
size_t registers_memory_line(struct registers_memory *m, const char *text, size_t length, char buf[64]);
/**
 * Writes "NAME = 0xVALUE" to @buf where @line is a word of memory and @before the command that reads it, with the
 * register's name in a comment.  Returns its length, 0 if they are something else.
 */
size_t registers_named_word(const char *before, const char *line, char buf[64]);
/** Stores the GIC's enables and pending bits of private interrupts that the text gives by their address. */
void registers_gic(struct reading *r);
/** Finds where the frame of the PMU lies by what the dump @dump holds.  Returns false if that is not plain. */
bool registers_find_frame(const struct text *t, const char *dump, size_t length, struct state_frame *frame);

/** A line as it is in the input, and with the registers' names; NULL: it has no short ones. */
struct registers_spelled {
    const char *original;
    char *spelled;
};

/**
 * Writes the registers' names into lines that have short names of a legend in @t, or into the rows of a table of
 * counters, or into what a debugger printed.  Returns what registers_restore() takes, NULL if there are none.
 */
struct registers_spelled *registers_spell_out(struct text *t);
/** Makes the lines what they were before registers_spell_out(). */
void registers_restore(struct text *t, struct registers_spelled *lines);

#define REGISTERS_CPUS      128  /* CPUs that are told apart */
#define REGISTERS_MORE_CPUS 254u /* of a line: it is about one that is not */
#define REGISTERS_NO_CPU    255u /* of a line: it is about all of them */

/** To which CPU each line belongs. */
struct registers_cpus {
    unsigned numbers[REGISTERS_CPUS]; /* as the input has them, in the order in which they come */
    size_t count;
    uint8_t *cpus;    /* by line: an index of .numbers, or REGISTERS_..._CPU(S) */
    uint8_t *columns; /* by line: how many CPUs have a column; 0: it is no row of a table */
    uint32_t *heads; /* by line: the index + 1 of the line that names its columns' registers; 0: none */
};

/** Finds out to which CPU each line of @t belongs.  Release @c with registers_release(). */
void registers_sort(const struct text *t, struct registers_cpus *c);
void registers_release(struct registers_cpus *c);
/**
 * Writes column @column of a table's row, whose registers line @head names, as "NAME = VALUE" to @buf.  Returns its
 * length, 0 beyond the last column.
 */
size_t registers_cell(const char *head, const char *row, size_t column, char *buf, size_t size);
/**
 * Writes "NAME = VALUE" to @buf where @line is "VALUE NAME" or "OFFSET VALUE NAME", with anything but a number behind
 * it.  Returns its length, 0 if it is another line.
 */
size_t registers_name_last(const char *line, char *buf, size_t size);
/** What the columns of a table hold whose rows are counters. */
#define REGISTERS_NUMBER  'n'
#define REGISTERS_TYPE    't'
#define REGISTERS_WRITTEN 'w' /* a type that was written */
#define REGISTERS_COUNT   'c'
#define REGISTERS_COLUMNS 5 /* and the end of the string */
/** Returns true if a line names such columns, "sel type count", and stores what they hold as a string. */
bool registers_is_counter_head(const char *line, char columns[REGISTERS_COLUMNS]);
/** Writes a row of such a table as "NAME = VALUE" to @buf.  Returns its length, 0 if it is no row. */
size_t registers_counter_row(const char columns[REGISTERS_COLUMNS], const char *row, char *buf, size_t size);
/** Does the same for a line that names what it gives of one counter: "sel 4 type 0x12 count 0x00000000". */
size_t registers_labelled_row(const char *line, char *buf, size_t size);
/** Returns true if a line names the columns of what was written to registers and of what was read back. */
bool registers_is_read_back_head(const char *line);
/**
 * Writes a row of such a table as "NAME wrote VALUE read back VALUE" to @buf.  Returns its length, 0 if it is no row.
 */
size_t registers_read_back_row(const char *row, char *buf, size_t size);
/**
 * Writes "NAME = VALUE" to @buf for each register of which @line has the value, where @command is a debugger's printf.
 * Returns the length, 0 if they are something else.
 */
size_t registers_printf_row(const char *command, const char *line, char *buf, size_t size);
/** Returns true if a line names registers of columns. */
bool registers_is_head(const char *line);
/** Returns true if @row is a row of the table that @head begins; *@cpu is its CPU, UINT_MAX if it names none. */
bool registers_is_row(const char *head, const char *row, unsigned *cpu);
/**
 * Writes the part of a table's row that is of the CPU in column @column to @buf.  Returns its length, 0 behind the last
 * column.
 */
size_t registers_column(const char *line, size_t column, char *buf, size_t size);

/**
 * Finds "cpu 3", "CPU#3", "core[1]" from @text on.  Returns the place behind it, or NULL; *@number is the CPU's, and
 * *@from where it begins.
 */
const char *registers_cpu_at(const char *text, unsigned *number, const char **from);

#endif
