/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu generate`: prints the source of a conformance image. */
#include <errno.h>
#include <string.h>

#include "conform/conform.h"

int cli_generate(const struct cli_args *args)
{
    struct conform_options o;
    char fault[256];
    int status = conform_parse(args, &o);

    if (status != CLI_YES) {
        return status;
    }
    if (args->operands[0] != NULL) {
        cli_complain(args->verb, "%s: it takes no operands; name the file in -o", args->operands[0]);
        return CLI_USAGE;
    }
    if (o.image.features == 0) {
        cli_complain(args->verb, "the PMU: nothing says which it is; give --features, or --core");
        return CLI_USAGE;
    }
    o.image.el = o.image.el == 0 ? 3 : o.image.el;
    conform_complete(&o.image);
    FILE *out = o.output == NULL ? stdout : fopen(o.output, "w");

    if (out == NULL) {
        cli_complain(args->verb, "%s: %s; name another file", o.output, strerror(errno));
        return CLI_CANNOT;
    }
    const char *wrong = image_write(out, &o.image, NULL, fault);

    if (wrong != NULL) {
        cli_complain(args->verb, "%s; give other --features or --counters", wrong);
        status = CLI_USAGE;
    }
    status = cli_flush(args->verb, out, o.output == NULL ? "stdout" : o.output, status);
    if (o.output != NULL) {
        fclose(out);
    }
    return status;
}
