/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a program on the engine and prints "NAME TOTAL" for each source, for the scripts beside it.
 *
 *   run_program [-o FILE] [--outcomes | --branches] [--el0 PMUSERENR] [--sysroot DIR] [--interval MS] [--kill MS] -- PROGRAM [ARGS]
 *
 * After the totals: "remark TEXT" lines, "processes N", "threads N", "execs N", "status N", the last as a shell's $?.
 */
#define _GNU_SOURCE
#include "../../../qemu/user/host/run.h"

#include <armpmu/model.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* A PMU with 6 counters, all enabled: 0 counts INST_RETIRED, 1 LD_RETIRED, 2 ST_RETIRED, 3 BR_RETIRED, 4 SW_INCR. */
static void make_pmu(struct apmu *pmu, uint64_t userenr)
{
    static const uint16_t events[] = {0x0008, 0x0006, 0x0007, 0x0021, 0x0000};
    struct apmu_config cfg = {
        .size = sizeof cfg, .counters = 6,
        .features = APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(PMUv3),
    };
    struct apmu_pe el1 = {.el = 1};
    const char *wrong = apmu_config_check(&cfg);

    if (wrong != NULL) {
        fprintf(stderr, "run_program: %s\n", wrong);
        exit(2);
    }
    apmu_init(pmu, &cfg);
    for (unsigned n = 0; n < sizeof events / sizeof events[0]; n++) {
        apmu_poke(pmu, &el1, APMU_REG_PMEVTYPER_EL0, n, events[n], NULL);
    }
    apmu_poke(pmu, &el1, APMU_REG_PMCNTENSET_EL0, 0, 0x8000003f, NULL);
    apmu_poke(pmu, &el1, APMU_REG_PMUSERENR_EL0, 0, userenr, NULL);
    apmu_poke(pmu, &el1, APMU_REG_PMCR_EL0, 0, APMU_PUT(PMCR_EL0, E, 1) | APMU_PUT(PMCR_EL0, LC, 1), NULL);
}

static uint64_t outcomes(bool unaligned)
{
    uint64_t set = 0;
    for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
        if (apmu_source_info[s].cost == APMU_COST_OUTCOME && (unaligned || s != APMU_SOURCE_UNALIGNED_LDST_RETIRED)) {
            set |= UINT64_C(1) << s;
        }
    }
    return set;
}

static int usage(void)
{
    fputs("usage: run_program [-o FILE] [--outcomes | --branches] [--el0 PMUSERENR] [--sysroot DIR] [--interval MS] [--kill MS] -- "
          "PROGRAM [ARGS]\n", stderr);
    return 2;
}

static void print(FILE *out, struct apmu_run *run, const struct apmu_run_status *st, uint64_t outcomes)
{
    uint64_t totals[APMU_SOURCE_COUNT];
    struct apmu_refusal no;
    if (!apmu_run_totals(run, totals, &no)) {
        fprintf(out, "refused %d %s: %s\n", no.status, no.cause, no.cure);
        return;
    }
    for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
        if (apmu_source_info[s].cost == APMU_COST_BLOCK || (outcomes >> s & 1)) {
            fprintf(out, "%s %llu\n", apmu_source_info[s].name, (unsigned long long)totals[s]);
        }
    }
    char text[sizeof st->remarks];
    memcpy(text, st->remarks, sizeof text);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        fprintf(out, "remark %s\n", line);
    }
    fprintf(out, "processes %u\nthreads %u\nexecs %u\nstatus %d\n", st->processes, st->threads, st->execs,
            WIFSIGNALED(st->wait_status) ? 128 + WTERMSIG(st->wait_status) : WEXITSTATUS(st->wait_status));
}

int main(int argc, char **argv)
{
    struct apmu_run_options opt = {.size = sizeof opt};
    struct apmu pmu;
    const char *file = NULL;
    int interval = -1, kill_after = -1, i;

    for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--outcomes") == 0) {
            opt.outcomes = outcomes(true);
        } else if (strcmp(argv[i], "--branches") == 0) {
            opt.outcomes = outcomes(false);
        } else if (strcmp(argv[i], "-o") == 0 && more) {
            file = argv[++i];
        } else if (strcmp(argv[i], "--sysroot") == 0 && more) {
            opt.sysroot = argv[++i];
        } else if (strcmp(argv[i], "--interval") == 0 && more) {
            interval = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--kill") == 0 && more) {
            kill_after = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--el0") == 0 && more) {
            make_pmu(&pmu, strtoull(argv[++i], NULL, 0));
            opt.el0_pmu = &pmu;
        } else {
            return usage();
        }
    }
    if (i + 1 >= argc) {
        return usage();
    }
    opt.argv = argv + i + 1;
    FILE *out = file != NULL ? fopen(file, "w") : stdout;
    if (out == NULL) {
        perror(file);
        return 2;
    }

    struct apmu_refusal no;
    struct apmu_run_status st;
    struct apmu_run *run = apmu_run_start(&opt, &no);
    if (run == NULL) {
        fprintf(out, "refused %d %s: %s\n", no.status, no.cause, no.cure);
        return no.status;
    }
    if (kill_after >= 0) {
        apmu_run_wait(run, kill_after, &st);
        kill(apmu_run_pid(run), SIGKILL);
    }
    uint64_t before[APMU_SOURCE_COUNT] = {0}, now[APMU_SOURCE_COUNT];
    do {
        apmu_run_wait(run, interval, &st);
        if (!apmu_run_totals(run, now, &no)) {
            continue;
        }
        for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
            if (now[s] < before[s]) {
                fprintf(out, "backwards %s\n", apmu_source_info[s].name);
            }
        }
        memcpy(before, now, sizeof before);
    } while (!st.ended);
    print(out, run, &st, opt.outcomes);
    apmu_run_free(run);
    if (out != stdout) {
        fclose(out);
    }
    return 0;
}
