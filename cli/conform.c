/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu conform`: makes a conformance image for a machine, runs it there, and prints what deviates. */
#include <errno.h>
#include <string.h>

#include <armpmu/model.h>

#include "conform/conform.h"

/*
 * Completes what the command line leaves open by what the machine says of itself: an image without scenes prints its ID
 * registers.  Returns CLI_YES or CLI_CANNOT.
 */
static int ask_machine(const struct cli_args *args, struct conform_options *o, struct conform_run *run)
{
    const uint64_t pmus = APMU_FEAT(PMUv1) | APMU_FEAT(PMUv2) | APMU_FEAT(PMUv3);
    struct image_options *image = &o->image;
    struct image_options probe = {.features = APMU_FEAT(PMUv3), .counters = 1, .el = image->el == 0 ? 3 : image->el,
                                  .isa = image->isa == IMAGE_A32 ? IMAGE_A32 : IMAGE_A64,
                                  .console = image->console, .uart = image->uart};
    struct conform_machine machine;

    for (unsigned tries = 0; tries < 2; tries++) {
        conform_complete(&probe);
        if (conform_execute(args->verb, o, &probe, args->operands, run, NULL) != CLI_YES) {
            return CLI_CANNOT;
        }
        conform_identify(run->text, &machine);
        if (machine.el == probe.el) {
            break;
        }
        probe.features = APMU_FEAT(PMUv3);
        probe.el = machine.el;
    }
    if (machine.el == 0 || (image->el != 0 && machine.el != image->el)) {
        cli_complain(args->verb, "the machine starts images at EL%u; give --el=%u, or have it start at another level",
                     machine.el, machine.el);
        return CLI_CANNOT;
    }
    image->el = machine.el;
    if (image->features == 0 || (o->features != NULL && args->operands[0] == NULL)) {
        image->features = machine.features;
    }
    if (image->counters == 0) {
        image->counters = machine.counters;
    }
    if (image->isa == IMAGE_A32 && (image->features & pmus) == 0) {
        cli_complain(args->verb, "the machine has no PMU: ID_DFR0.PerfMon says so; give it one, or if the core is "
                                 "older than this field, as Cortex-A9 is, name it in --core");
        return CLI_CANNOT;
    }
    if (image->isa != IMAGE_A32 && (image->features & APMU_FEAT(PMUv3)) == 0) {
        cli_complain(args->verb, "the machine has no PMUv3: ID_AA64DFR0_EL1.PMUVer says so; give it one");
        return CLI_CANNOT;
    }
    return CLI_YES;
}

/* Keeps the image in the file of --image. */
static int keep_image(const struct cli_verb *verb, const char *from, const char *to)
{
    char some[4096];
    size_t n;
    FILE *in = fopen(from, "r"), *out = in == NULL ? NULL : fopen(to, "w");

    if (out == NULL) {
        cli_complain(verb, "%s: %s; name another file", to, strerror(errno));
    }
    while (out != NULL && (n = fread(some, 1, sizeof some, in)) != 0) {
        fwrite(some, 1, n, out);
    }
    const int status = out == NULL ? CLI_CANNOT : cli_flush(verb, out, to, CLI_YES);

    if (in != NULL) {
        fclose(in);
    }
    if (out != NULL) {
        fclose(out);
    }
    return status;
}

int cli_conform(const struct cli_args *args)
{
    struct conform_options o;
    struct conform_run run;
    struct image_summary summary;
    int status = conform_parse(args, &o);

    if (status != CLI_YES) {
        return status;
    }
    if (args->operands[0] != NULL && (o.cpu != NULL)) {
        cli_complain(args->verb, "--cpu: COMMAND describes the machine; say it there, or leave COMMAND out");
        return CLI_USAGE;
    }
    status = conform_open(args->verb, &run);
    if (status == CLI_YES) {
        status = ask_machine(args, &o, &run);
    }
    if (status == CLI_YES) {
        conform_complete(&o.image);
        status = conform_execute(args->verb, &o, &o.image, args->operands, &run, &summary);
    }
    if (status == CLI_YES && o.keep != NULL) {
        status = keep_image(args->verb, run.image, o.keep);
    }
    if (status == CLI_YES) {
        status = conform_report(args->verb, &o, &o.image, &summary, run.text);
        status = cli_flush(args->verb, stdout, "stdout", status);
    }
    conform_close(&run);
    return status;
}
