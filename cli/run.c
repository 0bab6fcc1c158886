/* SPDX-License-Identifier: BSD-2-Clause */
/* armpmu run: firmware on the system emulator that has the model inside, and what its counters did. */
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

#include <armpmu/model.h>

#include "report.h"

#define EMULATOR  "armpmu-qemu-system-aarch64"
#define PATH_SIZE 4096

struct run_options {
    const char *cpu, *features, *counters, *el, *trace, *wave, *limit;
};

/* ---------------------------------------------------------------------------------------------------------------
 * The command line.
 */

/* A decimal number from @min to @max. */
static bool is_number(const char *text, unsigned long long min, unsigned long long max)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && value >= min && value <= max;
}

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
                         "option --features: '%.*s' is no feature of a PMU; give names such as PMUv3p9,PMUv3_ICNTR",
                         (int)length, name);
            return CLI_USAGE;
        }
    }
    return CLI_YES;
}

/* A CPU's name goes into a list that commas separate. */
static int check(const struct cli_verb *verb, const struct run_options *r)
{
    if (r->cpu != NULL && (r->cpu[0] == '\0' || strchr(r->cpu, ',') != NULL)) {
        cli_complain(
            verb, "option --cpu: '%s' is no name; give one of those that the emulator lists: armpmu run -- -cpu help",
            r->cpu);
        return CLI_USAGE;
    }
    if (r->features != NULL && check_features(verb, r->features) != CLI_YES) {
        return CLI_USAGE;
    }
    if (r->counters != NULL && !is_number(r->counters, 1, APMU_EVENT_COUNTERS)) {
        cli_complain(verb, "option --counters: '%s' event counters; a PMU has 1 to %u", r->counters,
                     APMU_EVENT_COUNTERS);
        return CLI_USAGE;
    }
    if (r->el != NULL && !is_number(r->el, 1, 3)) {
        cli_complain(verb, "option --el: '%s' is no Exception level to start at; give 1, 2 or 3", r->el);
        return CLI_USAGE;
    }
    if (r->limit != NULL && !is_number(r->limit, 1, UINT64_MAX)) {
        cli_complain(verb, "option --limit: '%s' is no number of instructions; give one from 1 on", r->limit);
        return CLI_USAGE;
    }
    return CLI_YES;
}

static int parse(const struct cli_args *args, struct run_options *r)
{
    for (size_t i = 0; i < args->given_count; i++) {
        const char *value = args->given[i].value;

        switch (args->given[i].id) {
        case CLI_CPU: r->cpu = value; break;
        case CLI_FEATURES: r->features = value; break;
        case CLI_COUNTERS: r->counters = value; break;
        case CLI_EL: r->el = value; break;
        case CLI_TRACE: r->trace = value; break;
        case CLI_WAVE: r->wave = value; break;
        case CLI_LIMIT: r->limit = value; break;
        default: break;
        }
    }
    return check(args->verb, r);
}

/* Did "--" stand before the operands? */
static bool gives_arguments(const struct cli_args *args)
{
    return strcmp(args->operands[-1], "--") == 0;
}

static int check_operands(const struct cli_args *args, const struct run_options *r)
{
    const struct cli_verb *verb = args->verb;

    if (args->operands[0] == NULL) {
        cli_complain(verb, "IMAGE is missing; usage: armpmu run [OPTION...] %s", verb->operands);
        return CLI_USAGE;
    }
    if (gives_arguments(args)) {
        const char *option = r->cpu != NULL        ? "cpu"
                             : r->features != NULL ? "features"
                             : r->counters != NULL ? "counters"
                             : r->el != NULL       ? "el"
                                                   : NULL;

        if (option != NULL) {
            cli_complain(verb,
                         "option --%s: the machine is what the arguments after -- say; say it there, as in "
                         "-cpu max,pmu-features=PMUv3p9,pmu-counters=8",
                         option);
            return CLI_USAGE;
        }
    } else if (args->operands[1] != NULL) {
        cli_complain(verb, "%s: an image takes no arguments; put -- before arguments of the emulator",
                     args->operands[1]);
        return CLI_USAGE;
    }
    return CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * What is run.
 */

/* The emulator: named, beside the tool where it was built, or where it is installed. */
static int find_emulator(const struct cli_verb *verb, char path[PATH_SIZE])
{
    const char *named = getenv("ARMPMU_QEMU_SYSTEM");
    static const char *const places[] = {"/qemu/" EMULATOR, "/../libexec/armpmu/" EMULATOR};

    if (named != NULL && named[0] != '\0') {
        if (strlen(named) < PATH_SIZE && access(named, X_OK) == 0) {
            strcpy(path, named);
            return CLI_YES;
        }
        cli_complain(verb, "%s: ARMPMU_QEMU_SYSTEM names it, and it cannot be executed: %s; name another, or unset it",
                     named, strerror(errno));
        return CLI_CANNOT;
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const ssize_t n = readlink("/proc/self/exe", path, PATH_SIZE - sizeof "/../libexec/armpmu/" EMULATOR);

        if (n > 0) {
            path[n] = '\0';
            strcpy(strrchr(path, '/'), places[i]);
            if (access(path, X_OK) == 0) {
                return CLI_YES;
            }
        }
    }
    cli_complain(verb, EMULATOR ": it is not built here; build it with make qemu (about ten minutes), or name one in "
                                "ARMPMU_QEMU_SYSTEM");
    return CLI_CANNOT;
}

/* An ELF file for Arm; *@a64 says for which state. */
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
                     "%s: it is no ELF file for Arm; other forms go with the emulator's arguments: armpmu run -- "
                     "-M virt -cpu max -kernel %s",
                     name, name);
        return CLI_USAGE;
    }
    *a64 = head.e_machine == EM_AARCH64;
    return CLI_YES;
}

/* One environment for all: what the emulator is to observe (qemu/system/observe.h). */
static void observe(const struct run_options *r, const char *report)
{
    const struct {
        const char *name, *value;
    } variables[] = {
        {"ARMPMU_REPORT", report},
        {"ARMPMU_TRACE", r->trace},
        {"ARMPMU_WAVE", r->wave},
        {"ARMPMU_LIMIT", r->limit},
    };

    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (variables[i].value != NULL) {
            setenv(variables[i].name, variables[i].value, 1);
        } else {
            unsetenv(variables[i].name);
        }
    }
}

/* Runs the emulator.  Its wait status, or -1. */
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
        cli_complain(verb, "%s: it cannot be executed: %s", argv[0], strerror(errno));
        _exit(CLI_CANNOT);
    }
    if (pid < 0) {
        cli_complain(verb, "%s: it cannot be started: %s", argv[0], strerror(errno));
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

static int run_and_report(const struct cli_verb *verb, char *const *argv, const struct run_options *r)
{
    char report[] = "/tmp/armpmu-report-XXXXXX", name[32];
    const int fd = mkstemp(report); /* which the emulator inherits; nothing is left behind, whoever is killed */
    int status, printed;

    if (fd < 0) {
        cli_complain(verb, "%s: %s; make room", report, strerror(errno));
        return CLI_CANNOT;
    }
    unlink(report);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    observe(r, name);
    status = run_emulator(verb, argv);
    printed = status == -1 ? CLI_CANNOT : report_print(stderr, name);
    close(fd);
    if (status == -1) {
        return CLI_CANNOT;
    }
    if (printed == CLI_CANNOT && WIFEXITED(status) && WEXITSTATUS(status) != 0) {
        return CLI_CANNOT; /* the emulator said why */
    }
    status = WIFSIGNALED(status) ? CLI_SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
    return cli_flush(verb, stderr, "stderr", status);
}

/* "max,pmu-features=PMUv3p9+HPMN0,pmu-counters=8" */
static void describe_cpu(const struct run_options *r, const char *name, char out[PATH_SIZE])
{
    size_t n = (size_t)snprintf(out, PATH_SIZE, "%s", name);

    if (r->features != NULL && n < PATH_SIZE) {
        size_t at = n + strlen(",pmu-features=");

        n += (size_t)snprintf(out + n, PATH_SIZE - n, ",pmu-features=%s", r->features);
        for (; at < n && at < PATH_SIZE; at++) {
            out[at] = out[at] == ',' ? '+' : out[at];
        }
    }
    if (r->counters != NULL && n < PATH_SIZE) {
        snprintf(out + n, PATH_SIZE - n, ",pmu-counters=%s", r->counters);
    }
}

static int run_image(const struct cli_verb *verb, char *emulator, char *image, const struct run_options *r)
{
    static const char *const machines[] = {"virt", "virt,virtualization=on", "virt,virtualization=on,secure=on"};
    char cpu[PATH_SIZE];
    bool a64;
    int status = check_image(verb, image, &a64);
    const char *name = r->cpu != NULL ? r->cpu : a64 ? "max" : "cortex-a15";
    const bool arm11 = strncmp(name, "arm11", 5) == 0;

    if (status != CLI_YES) {
        return status;
    }
    if (arm11 && (r->el != NULL || r->features != NULL || r->counters != NULL)) {
        cli_complain(verb,
                     "option --cpu: %s has two counters and no Exception levels; leave out --el, --features and "
                     "--counters",
                     name);
        return CLI_USAGE;
    }
    describe_cpu(r, name, cpu);
    char *const argv[] = {
        emulator,
        "-M",
        (char *)(arm11 ? "versatilepb" : machines[r->el != NULL ? r->el[0] - '1' : 0]),
        "-cpu",
        cpu,
        "-nic",
        "none",
        "-display",
        "none",
        "-monitor",
        "none",
        "-icount",
        "shift=0,sleep=off",
        "-chardev",
        "stdio,id=console,mux=on,signal=off",
        "-serial",
        "chardev:console",
        "-semihosting-config",
        "enable=on,target=native,chardev=console",
        "-kernel",
        image,
        NULL,
    };
    return run_and_report(verb, argv, r);
}

int cli_run(const struct cli_args *args)
{
    struct run_options r = {.cpu = NULL};
    char emulator[PATH_SIZE];
    size_t count = 0;
    int status = parse(args, &r);

    if (status == CLI_YES) {
        status = check_operands(args, &r);
    }
    if (status == CLI_YES) {
        status = find_emulator(args->verb, emulator);
    }
    if (status != CLI_YES) {
        return status;
    }
    if (!gives_arguments(args)) {
        return run_image(args->verb, emulator, args->operands[0], &r);
    }
    while (args->operands[count] != NULL) {
        count++;
    }
    char **argv = cli_allocate(NULL, count + 2, sizeof *argv);

    argv[0] = emulator;
    memcpy(argv + 1, args->operands, count * sizeof *argv);
    status = run_and_report(args->verb, argv, &r);
    free(argv);
    return status;
}
