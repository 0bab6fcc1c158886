/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A remedy is a cure as steps: registers and their bits.  A form is the language in which its steps are printed.
 *
 *     rules --> struct remedy --+
 *     the model's cures --------+--> form_print() --> C for a kernel, C with asm, assembly, Rust, ...
 *     form_find(): the input ---+
 */
#ifndef ARMPMU_CLI_WHY_FORM_H
#define ARMPMU_CLI_WHY_FORM_H

#include "../read/code/code.h"

/** The FORM rows of forms.def. */
enum form_id {
#define FORM(id, name, text) FORM_##id,
#include "forms.def"
    FORM_IDS
};

/* ---------------------------------------------------------------------------------------------------------------
 * Remedies.
 */

enum remedy_act {
    REMEDY_CHANGE, /**< clears the bits .clear and sets the bits .set */
    REMEDY_WRITE,  /**< writes the value .set */
    REMEDY_SYNC,   /**< ISB */
    REMEDY_TEXT,   /**< .text is a line of C */
};

#define REMEDY_TEXT_SIZE 120

struct remedy_step {
    enum remedy_act act;
    enum apmu_reg reg;        /**< the register; not used if .plain is one */
    enum code_register plain; /**< CODE_NO_REGISTER, or a register that the model lacks: ARM11's, the DWT's */
    unsigned n;               /**< the copy */
    uint64_t clear, set;
    char text[REMEDY_TEXT_SIZE];
};

#define REMEDY_STEPS 16

struct remedy {
    size_t count;
    struct remedy_step steps[REMEDY_STEPS];
    uint32_t line;      /**< of code: the line to blame; 0: none */
    uint32_t place;     /**< of code: the line where the steps belong; 0: .line */
    bool before;        /**< they belong before it, and not behind it */
    bool instead;       /**< the steps replace that statement */
    const char *old;    /**< a word of that line that is replaced by .fresh; NULL: none */
    const char *fresh;
    const char *who;    /**< who has to do it, if not the code given: "a kernel module, on each CPU"; NULL: that code */
    enum form_id form;  /**< with .who: the form of that code */
};

/** Adds a step that clears and sets bits of copy @n of @reg.  Steps that do not fit are dropped. */
void remedy_change(struct remedy *m, enum apmu_reg reg, unsigned n, uint64_t clear, uint64_t set);
/** Adds a step that writes @value to copy @n of @reg. */
void remedy_write(struct remedy *m, enum apmu_reg reg, unsigned n, uint64_t value);
/** Does the same as both for @plain, a register that the model lacks. */
void remedy_change_plain(struct remedy *m, enum code_register plain, uint64_t clear, uint64_t set);
void remedy_write_plain(struct remedy *m, enum code_register plain, uint64_t value);
/** Adds an ISB. */
void remedy_sync(struct remedy *m);
/** Adds a line of C. */
void remedy_text(struct remedy *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---------------------------------------------------------------------------------------------------------------
 * Forms.
 */

struct cure_form {
    enum form_id id;
    bool a32;         /**< MRC and MCR */
    bool selected;    /**< with .a32: a counter's registers are selected by PMSELR, as on ARMv7 */
    bool memory;      /**< the memory-mapped view */
    bool underscores; /**< __asm__ and not asm */
    bool isb_macro;   /**< the code has isb() */
    bool cmsis;       /**< the names of CMSIS, and not addresses */
    char base[64];    /**< with .memory: the frame's address, as an expression */
};

/** Finds a form by the name that --form takes.  Returns false if there is none. */
bool form_by_name(const char *name, enum form_id *id);
/** Prints the table of forms. */
void form_list(FILE *out);
/** Finds the form of the code in @r, or the one that suits its machine.  @a32 says what a dump without code shows. */
void form_find(const struct reading *r, bool a32, struct cure_form *f);
/** Makes @f print form @id for the same machine. */
void form_choose(struct cure_form *f, enum form_id id);
/** Writes @steps as lines, each indented by @indent, to @buf. */
void form_print(const struct cure_form *f, const struct remedy *m, const char *indent, char *buf, size_t size);
/** Writes a comment of one line. */
void form_remark(const struct cure_form *f, const char *indent, const char *text, char *buf, size_t size);
/** Writes the memory-mapped register as something to assign to.  Returns false if it is not there. */
bool form_place(const struct cure_form *f, enum apmu_reg reg, unsigned n, char buf[120]);
/** Returns true if the form has functions, which a cure for a dump is printed as. */
bool form_has_functions(const struct cure_form *f);

#endif
