/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu why --dumper FORM`: prints a program or script that reads the registers of a PMU. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "../state/read.h"
#include "../state/state.h"
#include "dumper.h"

/* A row of forms.def. */
struct form {
    const char *name;
    enum dumper_view view;
    void (*write)(FILE *out, const struct dumper_request *request);
    const char *text;
};

static const struct form forms[] = {
#define DUMPER_FORM(name, view, write, text) {name, DUMPER_##view, dumper_write_##write, text},
#include "forms.def"
};

enum { FORMS = sizeof forms / sizeof forms[0] };

static void print_forms(FILE *out)
{
    for (size_t i = 0; i < FORMS; i++) {
        fprintf(out, "%-16s %s\n", forms[i].name, forms[i].text);
    }
}

/* Returns the form called @name, or NULL. */
static const struct form *find_form(const char *name)
{
    for (size_t i = 0; i < FORMS; i++) {
        if (strcasecmp(forms[i].name, name) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

/* Returns the word for the PMU of @core, with the form of C that fits it. */
static const char *fitting(const struct apmu_core_info *core)
{
    switch (core->pmu) {
    case APMU_CORE_PMU_ARM11:
        return "that of an ARM11: give a form for arm11";
    case APMU_CORE_PMU_V1:
    case APMU_CORE_PMU_V2:
        return "one of ARMv7, without AArch64 state: give a form for armv7";
    case APMU_CORE_PMU_V3:
        return "PMUv3: give a form for AArch64 or armv7";
    default:
        return "none of Arm's, so no dumper can read it: look at the vendor's driver";
    }
}

/* Returns true if the PMU of @core has the view of @form. */
static bool has_view(const struct apmu_core_info *core, const struct form *form)
{
    switch (core->pmu) {
    case APMU_CORE_PMU_ARM11:
        return form->view == DUMPER_ARM11;
    case APMU_CORE_PMU_V1:
    case APMU_CORE_PMU_V2:
        return form->view == DUMPER_A32;
    case APMU_CORE_PMU_V3:
        return form->view != DUMPER_ARM11;
    default:
        return false;
    }
}

/* Fills @request from the options.  Returns an exit status: CLI_YES, or what it is after it complained. */
static int read_options(const struct cli_args *args, const struct form *form, struct state *state,
                        struct dumper_request *request)
{
    struct state_frame frame = {0};
    bool bad;

    state_init(state, "");
    for (size_t i = 0; i < args->given_count; i++) {
        switch (args->given[i].id) {
        case CLI_DUMPER:
            break;
        case CLI_CORE:
        case CLI_BASE:
            if (state_option(args, i, state, &frame, &bad) && bad) {
                return CLI_USAGE;
            }
            break;
        default:
            cli_complain(args->verb, "--%s: --dumper does not use it; give --core and --base only",
                         cli_option_name(args->verb, args->given[i].id));
            return CLI_USAGE;
        }
    }
    if (args->operands[0] != NULL) {
        cli_complain(args->verb, "%s: --dumper takes no INPUT; run what it prints, then give the result as INPUT",
                     args->operands[0]);
        return CLI_USAGE;
    }
    if (state->core != NULL && !has_view(state->core, form)) {
        cli_complain(args->verb, "--dumper: %s: the PMU of %s is %s", form->name, state->core->name,
                     fitting(state->core));
        return CLI_USAGE;
    }
    if (frame.given != (form->view == DUMPER_EXTERNAL)) {
        cli_complain(args->verb, "--base: %s", frame.given ? "this form reads no memory; leave it out"
                     : "it is missing; give the address of the PMU's 4 KiB, such as 0xfd5f9000 (the core's manual or a "
                       "debugger's ROM table has it)");
        return CLI_USAGE;
    }
    request->base = frame.base;
    request->form = form->name;
    dumper_make_plan(request->plan, form->view, state->core);
    return CLI_YES;
}

int dumper_run(const struct cli_args *args, const char *name)
{
    static struct dumper_plan plan;
    static struct state state;
    struct dumper_request request = {.plan = &plan};
    const struct form *form = find_form(name);
    int status;

    if (strcasecmp(name, "list") == 0) {
        print_forms(stdout);
        return cli_flush(args->verb, stdout, "stdout", CLI_YES);
    }
    if (form == NULL) {
        cli_complain(args->verb, "--dumper: %s: no such form; give one of these", name);
        print_forms(stderr);
        return CLI_USAGE;
    }
    status = read_options(args, form, &state, &request);
    if (status != CLI_YES) {
        return status;
    }
    form->write(stdout, &request);
    return cli_flush(args->verb, stdout, "stdout", CLI_YES);
}
