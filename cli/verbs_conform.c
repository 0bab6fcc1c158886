/* SPDX-License-Identifier: BSD-2-Clause */
/* The options and the documentation of `armpmu generate` and `armpmu conform`. */
#include "verbs.h"

/* The options that both have: IMAGE_OPTIONS, becomes {CLI_EL, '\0', "el", ...}, {CLI_LENGTH, ...}, ... */
#define IMAGE_OPTIONS \
    {CLI_ISA, '\0', "isa", "STATES", \
     "A64, the default: AArch64 state at every level. A64,A32: EL0 accesses the PMU in AArch32 state, too. A32: " \
     "AArch32 state at every level, as in a core of ARMv7."}, \
    {CLI_LENGTH, '\0', "length", "N", "Check about N accesses and counts (20000, the default, to 10000000)."}, \
    {CLI_SEED, '\0', "seed", "N", "Choose them by this number (1). The same one makes the same image."}, \
    {CLI_CONSOLE, '\0', "console", "WHERE", \
     "Where the image prints: semihosting (the default); pl011:ADDRESS, a UART; or memory: the text is at the symbol " \
     "image_text, and image_status is -1 until it ends."}

const struct cli_option verbs_generate_options[] = {
    {CLI_FEATURES, '\0', "features", "LIST",
     "The features of the PMU: PMUv3p7,FGT,... with all that they require."},
    {CLI_CORE, '\0', "core", "NAME",
     "The version and the counters that this core's PMU has, such as cortex-a57. What it has besides that, as VHE or "
     "FGT, is added by --features."},
    {CLI_COUNTERS, '\0', "counters", "N", "The number of event counters, 1 to 31 (6, or the core's)."},
    {CLI_EL, '\0', "el", "LEVEL",
     "The Exception level at which the image starts: 1, 2 or 3 (the default). It enters those below."},
    IMAGE_OPTIONS,
    {CLI_OUTPUT, 'o', "output", "FILE", "Write the source to FILE instead of stdout."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

const struct cli_text verbs_generate_sections[] = {
    {NULL, "Prints the source of a bare-metal program, one file of C, that does to a PMU what a generator chooses, "
           "compares each answer with the model's, and prints in words what deviates. It runs on RTL, an FPGA, "
           "silicon or an emulator: wherever a core of Armv8 or ARMv7 starts it with the MMU off. The head of the file "
           "has the command that compiles it. It ends with status 0 if nothing deviates, 1 if something does, and 2 if "
           "the machine is not the one of the options, which it finds in the ID registers."},
    {"WHAT IT CHECKS", "Reads and writes of every register of the PMU at every Exception level, in both Security "
                       "states, while one control after another refuses them: which exception is taken where with "
                       "which syndrome, which value is read, and what a write did. Software increments with all "
                       "filters, prohibitions, ranges, overflows, chains and freezes. Counts of a loop of known "
                       "length by INST_RETIRED and the instruction counter, if PMCEID0_EL0 announces the event. Of "
                       "cycles only that they are counted where they should be, and nowhere else. The generator seeks "
                       "states in which a single reason of those that armpmu why names stops a counter."},
    {NULL, "Whatever the architecture leaves open is not checked, nor what depends on signals that software cannot "
           "see. Counts have room for the few instructions around the loop, as the architecture demands no accuracy "
           "there."},
    {"EXIT STATUS", "0: the source was written. 2: the command line is wrong, or no PMU has these features. 3: the "
                    "file cannot be written."},
    {"EXAMPLES", "armpmu generate --core neoverse-n1 --features AA32EL0,VHE --el 2 -o image.c"},
    {NULL, "armpmu generate --features PMUv3p7,FGT,VHE,SEL2 --counters 8 --console memory -o rtl.c"},
    {NULL, "armpmu generate --isa A32 --core cortex-a7 --el 3 -o a7.c"},
    END_OF_TEXT,
};

const struct cli_option verbs_conform_options[] = {
    {CLI_CPU, '\0', "cpu", "NAME", "Without COMMAND: the CPU of the machine, as for armpmu run."},
    {CLI_FEATURES, '\0', "features", "LIST",
     "Without COMMAND: the features of its PMU, as for armpmu run. With COMMAND: those that the machine shall have, in "
     "place of what its ID registers say."},
    {CLI_CORE, '\0', "core", "NAME", "With COMMAND: the same by the name of a core, as for armpmu generate."},
    {CLI_COUNTERS, '\0', "counters", "N", "The number of event counters, 1 to 31; without it PMCR_EL0.N says it."},
    {CLI_EL, '\0', "el", "LEVEL",
     "The Exception level at which the image starts: 1, 2 or 3. Without it, that at which COMMAND starts it, or 3."},
    IMAGE_OPTIONS,
    {CLI_COMPILER, '\0', "cc", "COMPILER",
     "Compile with this. Without it, with the first that is there of aarch64-linux-gnu-gcc, aarch64-none-elf-gcc and "
     "aarch64-elf-gcc; for --isa A32, of arm-none-eabi-gcc, arm-linux-gnueabihf-gcc and arm-linux-gnueabi-gcc."},
    {CLI_IMAGE, '\0', "image", "FILE", "Keep the image, an ELF file, in FILE."},
    {CLI_TIMEOUT, '\0', "timeout", "SECONDS", "End COMMAND after this time (300)."},
    {CLI_JSON, 'j', "json-output", "", "Print a JSON object."},
    {CLI_VERBOSE, 'v', "verbose", "",
     "List also the groups all of whose deviations came behind another one of their scene."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

const struct cli_text verbs_conform_sections[] = {
    {NULL, "Says where a machine's PMU differs from the architecture. It makes a conformance image, as armpmu generate "
           "does, compiles it, runs it by COMMAND, and prints in groups what the image found. COMMAND loads an ELF "
           "file, whose name takes the place of its word {} or is added at its end, starts it at its entry, and prints "
           "what the image prints. Without COMMAND the image runs on the emulator of armpmu run."},
    {NULL, "What no option says the machine is asked: an image that only reads ID registers runs first. With --isa A32 "
           "it must start in AArch32 state, as cores of ARMv7 do; otherwise in AArch64 state, with a PMUv3."},
    {"OUTPUT", "A line for each group of deviations: how many of them were the first of their scene, how many came "
               "later in one, the kind, the access with the fields that differ, and why the model expects something "
               "else; below it the first of them. After a deviation the state may not be what later rows of the same "
               "scene expect. An outcome is the exception that is taken or not, a value what is read, a count a value "
               "with room."},
    {"EXIT STATUS", "0: nothing deviates. 1: something does. 2: the command line is wrong. 3: there is no compiler or "
                    "emulator, or the image did not come to its end."},
    {"EXAMPLES", "armpmu conform --el 2 --features PMUv3p9,PMUv3_ICNTR"},
    {NULL, "armpmu conform --isa A32 --cpu cortex-a7 --el 2"},
    {NULL, "armpmu conform -- qemu-system-aarch64 -M virt,secure=on,virtualization=on -cpu max -nic none "
           "-display none -semihosting-config enable=on,target=native -icount shift=0 -kernel"},
    END_OF_TEXT,
};
