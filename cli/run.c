/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu run`: runs firmware on the system emulator with the model in it, and prints what its counters did. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <armpmu/core.h>
#include <armpmu/model.h>

#include "jobs.h"
#include "profile/page.h"
#include "run_page.h"
#include "run_report.h"
#include "run_timeline.h"
#include "timeline/timeline.h"

#define EMULATOR  "armpmu-qemu-system-aarch64"
#define PATH_SIZE 4096

/* The values of the options as they were given; NULL: not given. */
struct run_options {
    const char *cpu, *features, *counters, *core, *core_file, *el, *trace, *wave, *html, *to, *limit, *save, *output;
    bool list_formats; /* --to=help has listed the formats: exit */
};

/* ---------------------------------------------------------------------------------------------------------------
 * The command line.
 */

/* Returns whether the first @length characters of @name name a feature, with or without FEAT_. */
static bool is_feature(const char *name, size_t length)
{
    const size_t prefix = strncmp(name, "FEAT_", 5) == 0 ? 5 : 0;

    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const char *known = apmu_feature_name(bit);

        if (known != NULL && strlen(known) == length - prefix + 5 &&
            strncmp(known + 5, name + prefix, length - prefix) == 0) {
            return true;
        }
    }
    return false;
}

static int check_features(const struct cli_verb *verb, const char *list)
{
    for (const char *name = list; name != NULL; name = strchr(name, ',') != NULL ? strchr(name, ',') + 1 : NULL) {
        const size_t length = strcspn(name, ",");

        if (!is_feature(name, length)) {
            cli_complain(verb,
                         "--features: '%.*s' is not a feature of a PMU; give names such as PMUv3p9,PMUv3_ICNTR",
                         (int)length, name);
            return CLI_USAGE;
        }
    }
    return CLI_YES;
}

/* Checks the core.  The emulator reads the file. */
static int check_core(const struct cli_verb *verb, const struct run_options *o)
{
    struct apmu_core_row row;

    if (o->core != NULL && o->core_file != NULL) {
        cli_complain(verb, "--core, --core-file: more than one core is given; give one of them, once");
        return CLI_USAGE;
    }
    if (o->core != NULL && !apmu_core_row_by_name(o->core, &row)) {
        cli_complain(verb, "--core: '%s' is no core of the model; give one that doc/core.md lists, as cortex-a72, or "
                           "describe it in a file, --core-file", o->core);
        return CLI_USAGE;
    }
    if (o->core_file != NULL && strchr(o->core_file, ',') != NULL) {
        cli_complain(verb, "--core-file: %s: a comma would end the name in the emulator's option; rename the file",
                     o->core_file);
        return CLI_USAGE;
    }
    return CLI_YES;
}

/* Checks the values of the options.  A CPU's name must not have a comma, because it becomes part of a list. */
static int check_options(const struct cli_verb *verb, const struct run_options *o)
{
    uint64_t number;

    if (o->cpu != NULL && (o->cpu[0] == '\0' || strchr(o->cpu, ',') != NULL)) {
        cli_complain(verb,
                     "--cpu: '%s' is not a name; give one that the emulator lists: armpmu run -- -cpu help",
                     o->cpu);
        return CLI_USAGE;
    }
    if (o->features != NULL && check_features(verb, o->features) != CLI_YES) {
        return CLI_USAGE;
    }
    if (o->counters != NULL && !cli_decimal(o->counters, 1, APMU_EVENT_COUNTERS, &number)) {
        cli_complain(verb, "--counters: '%s' is not a number of event counters; give 1 to %u", o->counters,
                     APMU_EVENT_COUNTERS);
        return CLI_USAGE;
    }
    if (check_core(verb, o) != CLI_YES) {
        return CLI_USAGE;
    }
    if (o->el != NULL && !cli_decimal(o->el, 1, 3, &number)) {
        cli_complain(verb, "--el: '%s' is not an Exception level to start at; give 1, 2 or 3", o->el);
        return CLI_USAGE;
    }
    if (o->limit != NULL && !cli_decimal(o->limit, 1, UINT64_MAX, &number)) {
        cli_complain(verb, "--limit: '%s' is not a number of instructions; give 1 or more", o->limit);
        return CLI_USAGE;
    }
    return CLI_YES;
}

static int parse_options(const struct cli_args *args, struct run_options *o)
{
    int status = CLI_YES;

    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        const char *value = args->given[i].value;

        switch (args->given[i].id) {
        case CLI_CPU: o->cpu = value; break;
        case CLI_FEATURES: o->features = value; break;
        case CLI_COUNTERS: o->counters = value; break;
        case CLI_CORE: o->core = value; break;
        case CLI_CORE_FILE: o->core_file = value; break;
        case CLI_EL: o->el = value; break;
        case CLI_TRACE: o->trace = value; break;
        case CLI_WAVE: o->wave = value; break;
        case CLI_HTML: o->html = value; break;
        case CLI_TO:
            status = timeline_format(args->verb, value, &o->list_formats);
            o->to = value;
            break;
        case CLI_LIMIT: o->limit = value; break;
        case CLI_SAVE: o->save = value; break;
        case CLI_OUTPUT: o->output = value; break;
        default: break;
        }
    }
    if (status != CLI_YES || o->list_formats) {
        return status;
    }
    if ((o->output != NULL) != (o->to != NULL)) {
        cli_complain(args->verb, o->to != NULL
                                     ? "--to: the image's output is on stdout; name a file for the timeline by -o"
                                     : "--output: the image's output is that of the run; give --to FORMAT or --jobs "
                                       "FILE too, or leave it out");
        return CLI_USAGE;
    }
    return jobs_check_absent(args) == CLI_YES ? check_options(args->verb, o) : CLI_USAGE;
}

/* Returns whether "--" stands before the operands, so that they are arguments of the emulator. */
static bool has_emulator_arguments(const struct cli_args *args)
{
    return strcmp(args->operands[-1], "--") == 0;
}

/* Returns the first emulator argument behind @name, such as "-cpu"; NULL: there is none. */
static const char *emulator_argument(const struct cli_args *args, const char *name)
{
    for (char **o = args->operands; o[0] != NULL && o[1] != NULL; o++) {
        if (strcmp(o[0], name) == 0) {
            return o[1];
        }
    }
    return NULL;
}

/* Refuses an option that describes the machine, because the emulator's arguments do.  Says how they would. */
static int check_machine(const struct cli_args *args, const struct run_options *o)
{
    static const char *const boards[] = {"", "", ",virtualization=on", ",virtualization=on,secure=on"};
    const struct {
        const char *option, *value, *property;
    } options[] = {
        {"features", o->features, "pmu-features"}, {"counters", o->counters, "pmu-counters"},
        {"core", o->core, "pmu-core"}, {"core-file", o->core_file, "pmu-core-file"},
    };
    const char *cpu = emulator_argument(args, "-cpu");

    if (o->cpu != NULL) {
        cli_complain(args->verb, "--cpu: the arguments after -- describe the machine; say it there, as in -cpu %s",
                     o->cpu);
        return CLI_USAGE;
    }
    if (o->el != NULL) {
        cli_complain(args->verb, "--el: the arguments after -- describe the machine; say it there, as in -M virt%s",
                     boards[strtoul(o->el, NULL, 10)]);
        return CLI_USAGE;
    }
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i].value != NULL) {
            char value[PATH_SIZE];

            snprintf(value, sizeof value, "%s", options[i].value);
            for (char *comma = value; (comma = strchr(comma, ',')) != NULL;) { /* only features have them */
                *comma = '+';
            }
            cli_complain(args->verb, "--%s: the arguments after -- describe the machine; say it there, as in "
                         "-cpu %s,%s=%s", options[i].option, cpu != NULL ? cpu : "max", options[i].property, value);
            return CLI_USAGE;
        }
    }
    return CLI_YES;
}

static int check_operands(const struct cli_args *args, const struct run_options *o)
{
    const struct cli_verb *verb = args->verb;

    if (args->operands[0] == NULL) {
        cli_complain(verb, "IMAGE is missing; usage: armpmu run [OPTION...] %s", verb->operands);
        return CLI_USAGE;
    }
    if (has_emulator_arguments(args)) {
        return check_machine(args, o);
    }
    if (args->operands[1] != NULL) {
        cli_complain(verb, "%s: an image takes no arguments; put -- before arguments of the emulator",
                     args->operands[1]);
        return CLI_USAGE;
    }
    return CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The emulator and the image.
 */

/*
 * Writes the path of the emulator to @path: of the one that ARMPMU_QEMU_SYSTEM names, else of the one in the build of
 * this tool, else of the one that is installed with it.  Returns CLI_YES, or CLI_CANNOT after a complaint.
 */
static int find_emulator(const struct cli_verb *verb, char path[PATH_SIZE])
{
    const char *named = getenv("ARMPMU_QEMU_SYSTEM");
    static const char *const places[] = {"/qemu/" EMULATOR, "/" APMU_LIBEXEC_PLACE "/" EMULATOR};

    if (named != NULL && named[0] != '\0') {
        if (strlen(named) < PATH_SIZE && access(named, X_OK) == 0) {
            strcpy(path, named);
            return CLI_YES;
        }
        cli_complain(verb, "%s: ARMPMU_QEMU_SYSTEM names it, but it cannot be executed: %s; name another, or unset it",
                     named, strerror(errno));
        return CLI_CANNOT;
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const ssize_t n = readlink("/proc/self/exe", path, PATH_SIZE - sizeof "/" APMU_LIBEXEC_PLACE "/" EMULATOR);

        if (n > 0) {
            path[n] = '\0';
            strcpy(strrchr(path, '/'), places[i]);
            if (access(path, X_OK) == 0) {
                return CLI_YES;
            }
        }
    }
    cli_complain(verb, EMULATOR ": not built here; build it with make qemu (about ten minutes), or name another in "
                                "ARMPMU_QEMU_SYSTEM");
    return CLI_CANNOT;
}

/*
 * Checks that @name is an ELF file for Arm, and stores in *@a64 whether it is for AArch64.  Returns CLI_YES, or
 * CLI_USAGE after a complaint.
 */
static int check_image(const struct cli_verb *verb, const char *name, bool *a64)
{
    Elf64_Ehdr head;
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (fd < 0) {
        cli_complain(verb, "%s: %s; name an ELF file for Arm", name, strerror(errno));
        return CLI_USAGE;
    }
    n = read(fd, &head, sizeof head);
    close(fd);
    if (n < (ssize_t)sizeof(Elf32_Ehdr) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        (head.e_machine != EM_AARCH64 && head.e_machine != EM_ARM)) {
        cli_complain(verb,
                     "%s: not an ELF file for Arm; give other forms to the emulator by its arguments: armpmu run -- "
                     "-M virt -cpu max -kernel %s",
                     name, name);
        return CLI_USAGE;
    }
    *a64 = head.e_machine == EM_AARCH64;
    return CLI_YES;
}

/*
 * Sets the environment variables that tell the emulator what to observe (qemu/system/observe.h), and unsets those that
 * no option asks for.  @report is the file for its report, and @wave that for its wave, or NULL.
 */
static void set_observation(const struct run_options *o, const char *report, const char *wave)
{
    const struct {
        const char *name, *value;
    } variables[] = {
        {"ARMPMU_REPORT", report},
        {"ARMPMU_TRACE", o->trace},
        {"ARMPMU_WAVE", wave},
        {"ARMPMU_LIMIT", o->limit},
    };

    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (variables[i].value != NULL) {
            setenv(variables[i].name, variables[i].value, 1);
        } else {
            unsetenv(variables[i].name);
        }
    }
}

/* Runs the emulator and waits for it.  Returns its wait status, or -1 after a complaint. */
static int run_emulator(const struct cli_verb *verb, char *const *argv)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    const pid_t parent = getpid(), pid = fork();
    int status = -1;

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) {
            _exit(CLI_CANNOT);
        }
        execv(argv[0], argv);
        cli_complain(verb, "%s: cannot be executed: %s; name another in ARMPMU_QEMU_SYSTEM", argv[0], strerror(errno));
        _exit(CLI_CANNOT);
    }
    if (pid < 0) {
        cli_complain(verb, "%s: cannot be started: %s; end other processes, or raise their limit", argv[0],
                     strerror(errno));
        return -1;
    }
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return status;
}

/*
 * Makes a file without a name, which the emulator inherits, so that none is left behind if somebody is killed.  Writes
 * the name under which it can be opened to @name.  Returns its descriptor, or -1 after a complaint.
 */
static int make_file(const struct cli_verb *verb, char name[32])
{
    char path[] = "/tmp/armpmu-run-XXXXXX";
    const int fd = mkstemp(path);

    if (fd < 0) {
        cli_complain(verb, "%s: %s; make room", path, strerror(errno));
        return -1;
    }
    unlink(path);
    snprintf(name, 32, "/dev/fd/%d", fd);
    return fd;
}

/*
 * Prints the report in the file @report, and writes the page and the timeline from the wave in the file @wave if they
 * are asked for.
 * @status is the emulator's wait status.  Returns the exit status.
 */
static int show_run(const struct cli_verb *verb, const struct run_options *o, const char *title, int status,
                    const char *report, const char *wave)
{
    const int printed = run_report_print(verb, stderr, report);

    if (printed == CLI_NO) {
        return CLI_CANNOT;
    }
    if (printed == CLI_CANNOT && WIFEXITED(status) && WEXITSTATUS(status) != 0) {
        return CLI_CANNOT; /* the emulator has said why */
    }
    status = WIFSIGNALED(status) ? CLI_SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
    status = cli_flush(verb, stderr, "stderr", status);
    if (o->save != NULL && run_report_save(verb, report, o->save) != CLI_YES) {
        return CLI_CANNOT;
    }
    if (o->html != NULL && run_page_write(verb, wave, title, o->html) != CLI_YES) {
        return CLI_CANNOT;
    }
    if (o->to != NULL && run_timeline_write(verb, wave, o->output) != CLI_YES) {
        return CLI_CANNOT;
    }
    return status;
}

/* Runs the emulator and shows what it observed of the image, or of the machine, @title.  Returns the exit status. */
static int run_and_report(const struct cli_verb *verb, char *const *argv, const struct run_options *o,
                          const char *title)
{
    char report[32], wave[32];
    struct recording_refusal no;
    const bool own_wave = (o->html != NULL || o->to != NULL) && o->wave == NULL;
    int report_fd, wave_fd = -1, status = CLI_CANNOT;

    if (o->html != NULL && !page_is_built(&no)) {
        cli_complain(verb, "%s", no.text);
        return CLI_CANNOT;
    }
    report_fd = make_file(verb, report);
    if (report_fd >= 0 && own_wave) {
        wave_fd = make_file(verb, wave);
    }
    if (report_fd >= 0 && (wave_fd >= 0 || !own_wave)) {
        const char *const shown = own_wave ? wave : o->wave;

        set_observation(o, report, shown);
        status = run_emulator(verb, argv);
        status = status == -1 ? CLI_CANNOT : show_run(verb, o, title, status, report, shown);
    }
    if (wave_fd >= 0) {
        close(wave_fd);
    }
    if (report_fd >= 0) {
        close(report_fd);
    }
    return status;
}

/* Writes the value of the emulator's -cpu to @out, for the CPU @name: "max,pmu-features=PMUv3p9+HPMN0". */
static void describe_cpu(const struct run_options *o, const char *name, char out[PATH_SIZE])
{
    size_t n = (size_t)snprintf(out, PATH_SIZE, "%s", name);

    if (o->features != NULL && n < PATH_SIZE) {
        size_t at = n + strlen(",pmu-features=");

        n += (size_t)snprintf(out + n, PATH_SIZE - n, ",pmu-features=%s", o->features);
        for (; at < n && at < PATH_SIZE; at++) {
            out[at] = out[at] == ',' ? '+' : out[at];
        }
    }
    if (o->counters != NULL && n < PATH_SIZE) {
        n += (size_t)snprintf(out + n, PATH_SIZE - n, ",pmu-counters=%s", o->counters);
    }
    if ((o->core != NULL || o->core_file != NULL) && n < PATH_SIZE) {
        snprintf(out + n, PATH_SIZE - n, ",%s=%s", o->core != NULL ? "pmu-core" : "pmu-core-file",
                 o->core != NULL ? o->core : o->core_file);
    }
}

/* Runs @image on the machine that the options describe.  Returns the exit status. */
static int run_image(const struct cli_verb *verb, char *emulator, char *image, const struct run_options *o)
{
    static const char *const machines[] = {"virt", "virt,virtualization=on", "virt,virtualization=on,secure=on"};
    const unsigned long highest_el = o->el != NULL ? strtoul(o->el, NULL, 10) : 1;
    char cpu[PATH_SIZE];
    bool a64 = false;
    int status = check_image(verb, image, &a64);
    const char *name = o->cpu != NULL ? o->cpu : a64 ? "max" : "cortex-a15";
    const bool arm11 = strncmp(name, "arm11", 5) == 0;

    if (status != CLI_YES) {
        return status;
    }
    if (arm11 && (o->el != NULL || o->features != NULL || o->counters != NULL)) {
        cli_complain(verb, "--cpu: %s has two counters and no Exception levels; leave out --el, --features and "
                           "--counters", name);
        return CLI_USAGE;
    }
    describe_cpu(o, name, cpu);
    char *const argv[] = {
        emulator,
        "-M", (char *)(arm11 ? "versatilepb" : machines[highest_el - 1]),
        "-cpu", cpu,
        "-nic", "none",
        "-display", "none",
        "-monitor", "none",
        "-icount", "shift=0,sleep=off",
        "-chardev", "stdio,id=console,mux=on,signal=off",
        "-serial", "chardev:console",
        "-semihosting-config", "enable=on,target=native,chardev=console",
        "-kernel", image,
        NULL,
    };
    return run_and_report(verb, argv, o, image);
}

int cli_run(const struct cli_args *args)
{
    struct run_options o = {.cpu = NULL};
    char emulator[PATH_SIZE];
    size_t count = 0;
    int status;

    if (jobs_wanted(args)) {
        return jobs_conduct(args);
    }
    status = parse_options(args, &o);
    if (o.list_formats) {
        return status;
    }
    if (status == CLI_YES) {
        status = check_operands(args, &o);
    }
    if (status == CLI_YES) {
        status = find_emulator(args->verb, emulator);
    }
    if (status != CLI_YES) {
        return status;
    }
    if (!has_emulator_arguments(args)) {
        return run_image(args->verb, emulator, args->operands[0], &o);
    }
    while (args->operands[count] != NULL) {
        count++;
    }
    char **argv = cli_allocate(NULL, count + 2, sizeof *argv);

    argv[0] = emulator;
    memcpy(argv + 1, args->operands, count * sizeof *argv);
    status = run_and_report(args->verb, argv, &o, "armpmu run");
    free(argv);
    return status;
}
