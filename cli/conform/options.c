/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that describe an image. */
#include <inttypes.h>
#include <string.h>

#include <armpmu/cores.h>
#include <armpmu/model.h>

#include "conform.h"

/* Reads a list of features.  Returns false after a complaint. */
static bool read_features(const struct cli_verb *verb, const char *list, uint64_t *features)
{
    for (const char *at = list; at != NULL; at = strchr(at, ',') == NULL ? NULL : strchr(at, ',') + 1) {
        const size_t length = strcspn(at, ",");
        const size_t prefix = strncmp(at, "FEAT_", 5) == 0 ? 5 : 0;
        bool found = false;

        for (unsigned bit = 0; bit < APMU_FEAT_END && !found; bit++) {
            const char *name = apmu_feature_name(bit);

            found = name != NULL && strlen(name) == length - prefix + 5 &&
                    strncmp(name + 5, at + prefix, length - prefix) == 0;
            *features |= found ? UINT64_C(1) << bit : 0;
        }
        if (!found) {
            cli_complain(verb, "--features: '%.*s' is not a feature of a PMU; give names such as PMUv3p9,PMUv3_ICNTR",
                         (int)length, at);
            return false;
        }
    }
    return true;
}

/* Takes what is known of a core: its version of the PMU and the number of its counters. */
static bool read_core(const struct cli_verb *verb, const char *text, struct image_options *image)
{
    char name[64] = "";

    for (size_t i = 0; text[i] != '\0' && i < sizeof name - 1; i++) {
        name[i] = text[i];
    }
    const struct apmu_core_info *core = apmu_core_by_name(name);

    for (char *dash = strrchr(name, '-'); core == NULL && dash != NULL; dash = NULL) { /* neoverse-n2 */
        *dash = ' ';
        core = apmu_core_by_name(name);
    }
    const bool armv7 = core != NULL && (core->pmu == APMU_CORE_PMU_V1 || core->pmu == APMU_CORE_PMU_V2);

    if (!armv7 && (core == NULL || core->pmu != APMU_CORE_PMU_V3 || core->version == 0)) {
        cli_complain(verb, "--core: '%s' is no core whose PMU has a known version; describe it by --features", text);
        return false;
    }
    const struct apmu_reg_value id = {APMU_REG_ID_AA64DFR0_EL1, (uint64_t)core->version << 8};

    image->features |= !armv7                           ? apmu_features_from_ids(&id, 1)
                       : core->pmu == APMU_CORE_PMU_V1 ? APMU_FEAT(PMUv1)
                                                       : APMU_FEAT(PMUv2);
    if (image->counters == 0 && core->counters != APMU_CORE_COUNTERS_UNKNOWN) {
        image->counters = core->counters;
    }
    return true;
}

/* Reads where the image prints: "semihosting", "memory", "pl011:0x9000000". */
static bool read_console(const struct cli_verb *verb, const char *text, struct image_options *image)
{
    if (strncmp(text, "pl011:", 6) == 0) {
        image->console = IMAGE_PL011;
        if (cli_word(text + 6, &image->uart)) {
            return true;
        }
        cli_complain(verb, "--console: '%s' is no address; give one such as 0x9000000", text + 6);
        return false;
    }
    image->console = strcmp(text, "memory") == 0 ? IMAGE_MEMORY : IMAGE_SEMIHOSTING;
    if (image->console == IMAGE_SEMIHOSTING && strcmp(text, "semihosting") != 0) {
        cli_complain(verb, "--console: '%s' is none; give semihosting, memory or pl011:ADDRESS", text);
        return false;
    }
    return true;
}

/* Reads the Execution states. */
static bool read_isa(const struct cli_verb *verb, const char *text, struct image_options *image)
{
    static const char *const names[] = {[IMAGE_A64] = "A64", [IMAGE_A64_A32] = "A64,A32", [IMAGE_A32] = "A32"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i]) == 0) {
            image->isa = (enum image_isa)i;
            return true;
        }
    }
    cli_complain(verb, "--isa: '%s' is none; give A64, A64,A32 or A32", text);
    return false;
}

/* Takes an option whose value is a number.  Returns false after a complaint. */
static bool take_number(const struct cli_verb *verb, enum cli_option_id id, const char *value,
                        struct conform_options *o)
{
    const uint64_t least = id == CLI_SEED ? 0 : 1;
    const uint64_t most = id == CLI_EL         ? 3
                          : id == CLI_COUNTERS ? APMU_EVENT_COUNTERS
                          : id == CLI_LENGTH   ? 10000000
                          : id == CLI_TIMEOUT  ? 86400
                                               : UINT64_MAX;
    uint64_t number;

    if (!cli_decimal(value, least, most, &number)) {
        cli_complain(verb, "--%s: '%s' is not a number from %" PRIu64 " to %" PRIu64 "; give one",
                     cli_option_name(verb, id), value, least, most);
        return false;
    }
    if (id == CLI_EL) {
        o->image.el = (unsigned)number;
        o->el = value;
    } else if (id == CLI_COUNTERS) {
        o->image.counters = (unsigned)number;
        o->counters = value;
    } else if (id == CLI_LENGTH) {
        o->image.length = (unsigned long)number;
    } else if (id == CLI_TIMEOUT) {
        o->timeout = (unsigned)number;
    } else {
        o->image.seed = number;
    }
    return true;
}

/* Takes option @i.  Returns false after a complaint. */
static bool take_option(const struct cli_args *args, size_t i, struct conform_options *o)
{
    const char *value = args->given[i].value;

    switch (args->given[i].id) {
    case CLI_FEATURES:
        o->features = value;
        return read_features(args->verb, value, &o->image.features);
    case CLI_CORE:
        return read_core(args->verb, value, &o->image);
    case CLI_CONSOLE:
        return read_console(args->verb, value, &o->image);
    case CLI_ISA:
        return read_isa(args->verb, value, &o->image);
    case CLI_CPU:
        o->cpu = value;
        return true;
    case CLI_OUTPUT:
        o->output = value;
        return true;
    case CLI_IMAGE:
        o->keep = value;
        return true;
    case CLI_COMPILER:
        o->compiler = value;
        return true;
    case CLI_JSON:
        o->json = true;
        return true;
    case CLI_VERBOSE:
        o->verbose = true;
        return true;
    default:
        return take_number(args->verb, args->given[i].id, value, o);
    }
}

int conform_parse(const struct cli_args *args, struct conform_options *o)
{
    *o = (struct conform_options){.image = {.length = 20000, .seed = 1}, .timeout = 300};
    for (size_t i = 0; i < args->given_count; i++) {
        if (!take_option(args, i, o)) {
            return CLI_USAGE;
        }
    }
    if ((o->image.features & (APMU_FEAT(PMUv1) | APMU_FEAT(PMUv2))) != 0 && o->image.isa != IMAGE_A32) {
        cli_complain(args->verb, "--isa: a PMUv1 or PMUv2 is one of ARMv7, which has no AArch64 state; give --isa A32");
        return CLI_USAGE;
    }
    if ((o->image.features & APMU_FEAT(PMUv1)) != 0 && o->image.el == 2) {
        cli_complain(args->verb, "--el: a PMUv1 is older than EL2; give 1 or 3");
        return CLI_USAGE;
    }
    return CLI_YES;
}

void conform_complete(struct image_options *image)
{
    image->features = apmu_features_closure(image_features(image->features, image->el, image->isa));
    image->counters = image->counters == 0 ? 6 : image->counters;
}
