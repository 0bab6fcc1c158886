/* SPDX-License-Identifier: BSD-2-Clause */
/* The table: every verb, every option, every word of the documentation. */
#include <string.h>

#include "cli.h"
#include "state/state.h"

#define HELP_OPTION {CLI_HELP, 'h', "help", "", "Print this help and exit."}
#define END_OF_OPTIONS {.name = NULL}
#define END_OF_TEXT {.text = NULL}

static const struct cli_option stat_options[] = {
    {CLI_EVENT, 'e', "event", "EVENT,...",
     "Count these events, in this order. May be given more than once. Without it, a set of common events is counted."},
    {CLI_SEPARATOR, 'x', "field-separator", "SEP",
     "Print fields separated by SEP, as perf stat -x does; \\t is a tab."},
    {CLI_JSON, 'j', "json-output", "", "Print a JSON object for each count, as perf stat -j does."},
    {CLI_INTERVAL, 'I', "interval-print", "MS",
     "Print what was counted in each MS milliseconds, 1 to 3600000, beginning with the time since the start."},
    {CLI_OUTPUT, 'o', "output", "FILE", "Print the results to FILE and not to stderr."},
    {CLI_APPEND, '\0', "append", "", "With -o: append to FILE."},
    {CLI_ENGINE, '\0', "engine", "NAME",
     "Count with this engine: perf, qemu-user, or auto (the default): perf where this machine has it; help lists them."},
    {CLI_ALL_CPUS, 'a', "all-cpus", "",
     "perf: count everything on every CPU, while PROGRAM runs, or until SIGINT without one."},
    {CLI_PID, 'p', "pid", "PID,...",
     "perf: count these processes and not PROGRAM: while it runs; without one, until they end or SIGINT."},
    {CLI_TID, 't', "tid", "TID,...", "perf: as -p, of single threads."},
    {CLI_EL0, '\0', "el0", "",
     "qemu-user: let the program use a PMU at EL0: its event counters 0, 1, ... count the events in their order, and its "
     "cycle counter counts."},
    {CLI_SYSROOT, 'L', "sysroot", "DIR",
     "qemu-user: where the program's dynamic loader and libraries are, as qemu-aarch64 -L."},
    {CLI_VERBOSE, 'v', "verbose", "", "Say also which emulator ran the program, and the version of its plugin interface."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text stat_sections[] = {
    {NULL, "Runs a program and counts its PMU events, as perf stat does. The program's stdin, stdout, stderr, signals and "
           "exit status are its own. Its processes and threads are counted together."},
    {NULL, "Engine perf counts with this machine's own PMU through Linux's perf_event: on an Arm machine. Engine qemu-user "
           "runs an AArch64 Linux program on any machine: every count is a read of a counter PMEVCNTR<n>_EL0 of a model "
           "PMU, which the driver programmed through its registers, at EL0. There are as many PMUs as the events need, so "
           "none of its counts is scaled."},
    {"EVENTS", "An event is one of Arm's names in upper or lower case, as armpmu list prints them, one of perf's "
               "generic names (instructions, cycles, branches), or a hexadecimal number, r8 or 0x8; with perf also a "
               "name that the kernel has for this core. :u, :k and :h behind it choose whom to count: the application, the "
               "kernel, the hypervisor. Events between braces, {A,B}:u, are counted at the same times."},
    {NULL, "With perf, where not all events have a counter all the time, the kernel takes turns: a percentage says for how "
           "much of the time an event was counted, and its count is an estimate. Who may not count the kernel "
           "(kernel.perf_event_paranoid is 2) counts the application, and the event's name gets :u. With -a, the kernel stops "
           "counting a CPU that is taken off, also when it comes back: then the counts have a percentage too, and a remark "
           "says what they lack; they are sums and no estimates."},
    {NULL, "With qemu-user, a count without a mark is exact: what the architecture defines. A mark says what else it is: "
           "'retired for speculated' is an event of speculation counted at retirement, right for a machine that never "
           "speculates wrongly; 'modelled' follows from a machine that does not exist."},

    {"OUTPUT", "The fields of -x are: the count, its unit (empty), the event, the nanoseconds for which it was "
               "counted, the percentage of the time for which it was counted (100.00 with qemu-user: nothing is "
               "multiplexed), a metric (empty) and its unit, which has the mark, empty for exact and with perf. -I puts "
               "the time in seconds before them. <not counted> is an event that had no counter at all."},
    {NULL, "The objects of -j have the keys of perf stat -j, and \"trust\": exact, retired or modelled; with perf, "
           "measured. What the counts do not cover is said on stderr with -x and -j."},
    {"EXIT STATUS", "The program's exit status; 128 + N if signal N killed it (perf stat gives 0 then). 2: the command "
                    "line is wrong; 3: armpmu cannot do it here, or could not write the results; 126: the program "
                    "cannot be executed; 127: there is no such program. A line on stderr that begins with \"armpmu "
                    "stat:\" tells these from the program's own."},
    {"SIGNALS", "While the program runs, armpmu leaves SIGINT and SIGQUIT, which a terminal sends to both, to the "
                "program, and passes SIGTERM and SIGHUP on to it. The counts are printed when the program has ended. "
                "A program that ignores them goes on. If armpmu is killed by SIGKILL so is the emulator; processes that the "
                "program started go on, as with perf stat. "
                "Without a program SIGINT, SIGTERM and SIGHUP end counting, and the counts are printed."},
    {"ENVIRONMENT", "ARMPMU_ENGINE: the engine without --engine, in place of auto."},
    {NULL, "ARMPMU_QEMU: the qemu-aarch64 to use, in place of the one in PATH or the one that make qemu-user builds. "
           "ARMPMU_QEMU_ARM: the same for 32-bit Arm programs; it has to be QEMU 9.1 to 11.1."},
    {"EXAMPLES", "armpmu stat -e INST_RETIRED,LD_RETIRED,ST_RETIRED -- ./program"},
    {NULL, "armpmu stat -x, -I 100 -o counts.csv -L /usr/aarch64-linux-gnu -- ./program"},
    {NULL, "armpmu stat --engine=perf -e {INST_RETIRED,CPU_CYCLES}:u -a -- sleep 1"},
    END_OF_TEXT,
};

static const struct cli_option run_options[] = {
    {CLI_CPU, '\0', "cpu", "NAME",
     "The CPU: max (the default; of an AArch32 image cortex-a15) or another that armpmu run -- -cpu help lists; arm1136 and "
     "arm1176, on a board of theirs."},
    {CLI_FEATURES, '\0', "features", "LIST",
     "What its PMU has in place of what the CPU has: PMUv3p9,PMUv3_ICNTR,... with all that they need."},
    {CLI_COUNTERS, '\0', "counters", "N", "How many event counters it has, 1 to 31."},
    {CLI_EL, '\0', "el", "LEVEL",
     "The Exception level that the image starts at, the highest of the machine: 1 (the default), 2 or 3."},
    {CLI_TRACE, '\0', "trace", "FILE",
     "Record every action on the PMU of CPU 0, with its result, to FILE, of CPU N to FILE.N, as a trace that can be "
     "replayed."},
    {CLI_WAVE, '\0', "wave", "FILE",
     "Write the PMUs over time to FILE, as a Value Change Dump for GTKWave: counters, PMOVS, PMUIRQ, enables, Exception "
     "level, Security state; of ARM11 its registers, nPMUIRQ, User mode, the Secure world."},
    {CLI_LIMIT, '\0', "limit", "N", "End when a CPU has executed N instructions."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text run_sections[] = {
    {NULL, "Runs firmware, an ELF file, on a machine that has the whole PMU: QEMU's system emulator with the model in "
           "place of its own, which make qemu builds. Its serial line and semihosting are the console, and semihosting's "
           "exit ends it. At the end it prints what each counter counted, and for how long it stood still and why."},
    {NULL, "Counts are exact at each instruction, and an overflow interrupt is taken right after the instruction that "
           "overflows: an instruction is a cycle (-icount shift=0). After -- stand arguments of the emulator, for any "
           "other machine; its exactness there is as -icount says."},
    {"EXIT STATUS", "That of the image; 128 + N if signal N killed the emulator; 2: the command line is wrong; 3: the "
                    "emulator is not built here, or could not run."},
    {"ENVIRONMENT", "ARMPMU_QEMU_SYSTEM: the emulator to use, in place of the one that is built or installed with "
                    "armpmu."},
    {"EXAMPLES", "armpmu run --el 3 --features PMUv3p9,PMUv3_ICNTR --wave pmu.vcd firmware.elf"},
    {NULL, "armpmu run -- -M virt -cpu max -icount shift=0 -nographic -kernel Image -append console=ttyAMA0"},
    END_OF_TEXT,
};

static const struct cli_option list_options[] = {
    {CLI_JSON, 'j', "json-output", "", "Print a JSON array."},
    {CLI_VERBOSE, 'v', "details", "",
     "Print also the kind of each event and, where the architecture leaves room, what is counted."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text list_sections[] = {
    {NULL, "Lists the common events of PMUv3: number, name, how they are counted here (exact, retired, modelled, or - "
           "for not here), and what they are. Words choose the lines that have each of them, in upper or lower case."},
    {"EXIT STATUS", "0; 1 if no event has the words; 2: the command line is wrong; 3: the list could not be written."},
    {"EXAMPLES", "armpmu list exact"},
    END_OF_TEXT,
};

#define CONFIGURATION_OPTIONS \
    {CLI_FEATURES, '\0', "features", "[+|-]FEATURE,...", \
     "The features of the PE, Arm's names without FEAT_, with what they require: PMUv3p5,AA32EL0. A field that needs " \
     "another is reserved. Without it, and without --core, fields are printed with what they need."}, \
    {CLI_CORE, '\0', "core", "NAME|MIDR", "The core, by the name that --cores prints or by its MIDR."}

static const struct cli_option decode_options[] = {
    CONFIGURATION_OPTIONS,
    {CLI_FILE, 'f', "file", "FILE",
     "In place of operands: every register that a text has, - for stdin. Lines of NAME=VALUE, NAME: VALUE, or columns; "
     "what GDB, OpenOCD, Trace32 and U-Boot's md print; JSON; a trace that the model replays, or the first lines of "
     "one."},
    {CLI_GDB, '\0', "gdb", "HOST:PORT",
     "In place of operands: every register of a target by the GDB remote protocol, such as QEMU's -s or OpenOCD's "
     "gdb_port (doc/state.md). It is stopped, read, and let go."},
    {CLI_LIVE, '\0', "live", "",
     "In place of operands: this Arm Linux machine: cores, PMU devices, what the kernel allows, and the registers that "
     "a program may read."},
    {CLI_BASE, '\0', "base", "ADDRESS",
     "With -f or --gdb: the address of the PMU's external view, whose memory FILE has, or --gdb reads."},
    {CLI_REGISTERS, '\0', "registers", "", "Print the registers that have a name here, in every view, and exit."},
    {CLI_CORES, '\0', "cores", "", "Print the cores, with MIDR, kind of PMU and event counters, and exit."},
    {CLI_JSON, 'j', "json-output", "", "Print a JSON array."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text decode_sections[] = {
    {NULL, "Prints the fields of registers of the PMU, and of those that control it: bits, name, value and meaning; "
           "of an event its name, of a set of counters their numbers. What is reserved in the configuration given, and "
           "not 0, is said."},
    {"REGISTERS", "A register is named as in any of its views: PMCR_EL0 (AArch64), PMCR or HDCR (AArch32), PMCFGR "
                  "(external), PMNC (ARM11); by its encoding, S3_3_C9_C12_0 or 'p15, 0, c9, c12, 0'; by its offset in "
                  "the external view, 0xE04; or by an instruction that accesses it, an MRS, MSR, MRC, MCR, MRRC or MCRR as "
                  "eight hexadecimal digits: 0xD53B9C00."},
    {NULL, "A value is decimal, or hexadecimal with 0x. Without a value the fields alone are printed."},
    {"EXIT STATUS", "0; 2: the command line is wrong; 3: the results could not be written."},
    {"EXAMPLES", "armpmu decode PMCR_EL0=0x41023001"},
    {NULL, "armpmu decode --features=PMUv3p5 0xD51BEC05=0x80000008"},
    {NULL, "armpmu decode --gdb=localhost:1234"},
    END_OF_TEXT,
};

static const struct cli_option encode_options[] = {
    CONFIGURATION_OPTIONS,
    {CLI_JSON, 'j', "json-output", "", "Print a JSON array, with all fields."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text encode_sections[] = {
    {NULL, "Prints a register with the fields given, and 0 in the others, as NAME=VALUE, which armpmu decode and every "
           "verb that reads states take. With REG=VALUE the other fields stay as they are in VALUE. Registers are "
           "named as for armpmu decode; an event may be a name."},
    {"EXIT STATUS", "0; 2: the command line is wrong; 3: the results could not be written."},
    {"EXAMPLES", "armpmu encode PMEVTYPER0_EL0 evtCount=INST_RETIRED P=1"},
    END_OF_TEXT,
};

static const struct cli_option why_options[] = {
    {CLI_COUNTER, '\0', "counter", "N", "Only this counter: cycle, instr, or 0 to 30. May be given more than once."},
    {CLI_AT, '\0', "at", "STATE",
     "Only in this state: EL3, NS_EL0 to NS_EL2 (or EL0 to EL2), S_EL0 to S_EL2, RL_EL0 to RL_EL2. May be given more "
     "than once."},
    {CLI_CURE, '\0', "cure", "", "Print the smallest set of register writes that makes the counter count there."},
    {CLI_LEVEL, '\0', "level", "LEVEL", "With --cure: writes up to EL1, EL2, EL3 (the default) or external."},
    {CLI_C, 'c', "code", "", "The cure as C for the driver's registers."},
    {CLI_MSR, '\0', "msr", "", "The cure as MSR instructions."},
    {CLI_SYMPTOM, '\0', "symptom", "SYMPTOM",
     "Without INPUT: list the causes of zero, fault, absent, few, interrupt, small, large or wraps, of all, or the one "
     "with a number."},
    {CLI_JSON, 'j', "json-output", "", "Print a JSON object."},
    STATE_OPTIONS,
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text why_sections[] = {
    {NULL, "Says of every counter, at every Exception level and in every Security state, whether it counts; and if not, "
           "every reason, with the register, the rule of the architecture and what lifts it. INPUT is a text with "
           "registers in any usual form (doc/state.md), or - for stdin."},
    {NULL, "What INPUT does not say is not guessed: where it matters the answer is ?, with the fields that decide and "
           "the values with which the counter stands still. What is assumed of the implementation is listed."},
    {"OUTPUT", "First a matrix; then the causes, numbered as with --symptom; the reasons that hold; those that depend on "
               "what is unknown; what each counter counts, and where it overflows; who may read it."},
    {"EXIT STATUS", "0; with --cure 1 if there is none; 2: the command line is wrong; 3: INPUT cannot be read, has no "
                    "register, or the results could not be written."},
    {"ENVIRONMENT", "NO_COLOR: no colours on a terminal."},
    {"EXAMPLES", "armpmu why --at NS_EL1 dump.txt"},
    {NULL, "armpmu why --cure --level EL1 --counter cycle --at NS_EL1 dump.txt"},
    {NULL, "armpmu why --symptom zero"},
    END_OF_TEXT,
};

static const struct cli_option audit_options[] = {
    {CLI_PROFILE, '\0', "profile", "PROFILE",
     "What is to be protected: tf-a (the default), Secure state and EL3 from the rest; el2, EL2 from those below it; or "
     "a file."},
    {CLI_JSON, 'j', "json-output", "", "Print a JSON array."},
    STATE_OPTIONS,
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text audit_sections[] = {
    {NULL, "Says what software can learn of more trusted states through the PMU: for each leak the field to blame, the "
           "value that closes it, and which counters tell of which states. Registers that INPUT does not have, and "
           "those that less trusted software can write, may hold anything."},
    {"PROFILES", "A file has lines: level 3 (firmware protects) or 2 (EL2 protects itself); protect and states (EL3, "
                 "S_EL0 to S_EL2, RL_EL0 to RL_EL2, NS_EL2, secure, realm, el2, all); moment between (the values "
                 "between entries to these states, the default) or entered (those that an entry has written); accept "
                 "and the names of leaks. # begins a comment."},
    {"EXIT STATUS", "0 if nothing leaks; 1 if something does; 2: the command line or the profile is wrong; 3: INPUT "
                    "cannot be read, has no register, or the results could not be written."},
    {"EXAMPLES", "armpmu audit dump.txt"},
    END_OF_TEXT,
};

const struct cli_verb cli_verbs[] = {
    {"stat", "[--] PROGRAM [ARGUMENT...]", "run a program and count its PMU events", stat_options,
     stat_sections, cli_stat},
    {"run", "IMAGE | -- QEMU-ARGUMENT...", "run firmware on a machine with the PMU and say why a counter stood still",
     run_options, run_sections, cli_run},
    {"list", "[WORD...]", "list the events of PMUv3 and say which can be counted", list_options, list_sections,
     cli_list},
    {"decode", "[REG[=VALUE]...]", "print the fields of registers", decode_options, decode_sections, cli_decode},
    {"encode", "REG[=VALUE] [FIELD=VALUE]...", "make the value of a register from its fields", encode_options,
     encode_sections, cli_encode},
    {"why", "INPUT", "say why a counter does not count, and what makes it count", why_options, why_sections, cli_why},
    {"audit", "INPUT", "say what less trusted software learns through the PMU", audit_options, audit_sections,
     cli_audit},
    {.name = NULL},
};

const struct cli_text cli_common[] = {
    {NULL, "The Arm Performance Monitoring Unit, with the hardware or without: counts the PMU events of Arm programs "
           "on any Linux machine."},
    END_OF_TEXT,
};

const struct cli_verb *cli_find_verb(const char *name)
{
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        if (strcmp(v->name, name) == 0) {
            return v;
        }
    }
    return NULL;
}
