/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a program under the emulator and prints "NAME TOTAL" for each source, for the scripts of this folder.
 *
 *   run_program [-o FILE] [--record] [--outcomes | --branches] [--el0 PMUSERENR] [--sysroot DIR] [--interval MS]
 *               [--kill MS] [--size BYTES] [--core NAME] [--parts SET] [--graph NAME] -- PROGRAM [ARGS]
 *
 * --core models that core, and prints "core NAME TOTAL" for each event that it models; --parts are the parts that are
 * simulated, as a number, in place of those that these events need.
 * --graph records a call graph of a source, which may be given several times, and prints a line for each node:
 * "node PID IMAGE NUMBER PARENT KIND TID ENTRY SITE CALLS COUNT...", where a parent of -1 is none.
 * --size is what the options' own .size says, in place of their size.
 * After the totals it prints lines "remark TEXT", "processes N", "threads N", "execs N" and "status N", the last as a
 * shell's $?.  If the run is refused, it prints "refused STATUS CAUSE: CURE" instead.  With --interval, it prints
 * "backwards NAME" for a total that became smaller.
 */
#define _GNU_SOURCE
#include "../../../qemu/user/host/run.h"

#include <armpmu/events.h>
#include <armpmu/model.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Makes a PMU with 6 counters, all enabled; counters 0 to 4 count @events. */
static void make_pmu(struct apmu *pmu, uint64_t userenr)
{
    static const uint16_t events[] = {APMU_EV_INST_RETIRED, APMU_EV_LD_RETIRED, APMU_EV_ST_RETIRED, APMU_EV_BR_RETIRED,
                                      APMU_EV_SW_INCR};
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

/* Returns the set of the outcome sources of branches, and of unaligned accesses if @unaligned. */
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
    fputs("usage: run_program [-o FILE] [--record] [--outcomes | --branches] [--el0 PMUSERENR] [--sysroot DIR] "
          "[--interval MS] [--kill MS] [--size BYTES] [--core NAME] [--parts SET] [--graph NAME] -- PROGRAM [ARGS]\n",
          stderr);
    return 2;
}

/* The settings that the arguments give. */
struct settings {
    struct apmu_run_options opt;
    struct apmu pmu;
    struct apmu_core_row core;
    uint16_t core_events[APMU_RUN_CORE_EVENTS];
    uint16_t graph[APMU_GRAPH_EVENTS];
    const char *file;
    int interval, kill_after; /* milliseconds; -1 is never */
};

/* Has all events of the core @name counted.  Returns false if there is none. */
static bool choose_core(struct settings *s, const char *name)
{
    if (!apmu_core_row_by_name(name, &s->core)) {
        return false;
    }
    s->opt.core = &s->core;
    s->opt.core_events = s->core_events;
    for (uint32_t event = 0; event <= UINT16_MAX; event++) {
        if (apmu_core_models(&s->core, (uint16_t)event)) {
            s->core_events[s->opt.core_event_count++] = (uint16_t)event;
        }
    }
    return true;
}

/* Has a call graph of the source @name recorded.  Returns false if there is none. */
static bool choose_graph(struct settings *s, const char *name)
{
    s->opt.graph_sources = s->graph;
    for (int i = 0; i < (int)APMU_SOURCE_COUNT && s->opt.graph_source_count < APMU_GRAPH_EVENTS; i++) {
        if (strcmp(apmu_source_info[i].name, name) == 0) {
            s->graph[s->opt.graph_source_count++] = (uint16_t)i;
            return true;
        }
    }
    return false;
}

/* Prints the nodes of the call graphs. */
static void print_graphs(FILE *out, const struct apmu_run *run)
{
    const struct apmu_run_graph *g;

    for (size_t i = 0; (g = apmu_run_graph(run, i)) != NULL; i++) {
        for (uint32_t n = 0; n < g->nodes; n++) {
            const struct apmu_graph_node *node = apmu_run_graph_node(g, n);
            fprintf(out, "node %d %u %u %d %u %d 0x%llx 0x%llx %llu", (int)g->pid, (unsigned)g->image, (unsigned)n,
                    (int)node->parent, node->kind, (int)g->thread[node->thread].tid, (unsigned long long)node->entry,
                    (unsigned long long)node->site, (unsigned long long)node->calls);
            for (uint32_t e = 0; e < g->events; e++) {
                fprintf(out, " %llu", (unsigned long long)node->count[e]);
            }
            fputc('\n', out);
        }
        if (g->notes != 0) {
            fprintf(out, "graph notes %u\n", (unsigned)g->notes);
        }
    }
}

/* Prints the totals, or why there are none, and the status @st. */
static void print(FILE *out, struct apmu_run *run, const struct apmu_run_status *st, const struct settings *settings)
{
    const uint64_t outcomes = settings->opt.outcomes;
    uint64_t totals[APMU_SOURCE_COUNT], core[APMU_RUN_CORE_EVENTS];
    struct apmu_refusal no;
    if (!apmu_run_totals(run, totals, core, &no)) {
        fprintf(out, "refused %d %s: %s\n", no.status, no.cause, no.cure);
        return;
    }
    for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
        if (apmu_source_info[s].cost == APMU_COST_BLOCK || (outcomes >> s & 1)) {
            fprintf(out, "%s %llu\n", apmu_source_info[s].name, (unsigned long long)totals[s]);
        }
    }
    for (size_t i = 0; i < settings->opt.core_event_count; i++) {
        fprintf(out, "core %s %llu\n", apmu_event_by_number(settings->core_events[i])->name,
                (unsigned long long)core[i]);
    }
    print_graphs(out, run);
    char text[sizeof st->remarks];
    memcpy(text, st->remarks, sizeof text);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        fprintf(out, "remark %s\n", line);
    }
    fprintf(out, "processes %u\nthreads %u\nexecs %u\nstatus %d\n", st->processes, st->threads, st->execs,
            WIFSIGNALED(st->wait_status) ? 128 + WTERMSIG(st->wait_status) : WEXITSTATUS(st->wait_status));
}

/* Reads the arguments.  Returns false if they are wrong. */
static bool read_arguments(int argc, char **argv, struct settings *s)
{
    int i;

    for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--outcomes") == 0) {
            s->opt.outcomes = outcomes(true);
        } else if (strcmp(argv[i], "--record") == 0) {
            s->opt.record = true;
        } else if (strcmp(argv[i], "--branches") == 0) {
            s->opt.outcomes = outcomes(false);
        } else if (strcmp(argv[i], "-o") == 0 && more) {
            s->file = argv[++i];
        } else if (strcmp(argv[i], "--sysroot") == 0 && more) {
            s->opt.sysroot = argv[++i];
        } else if (strcmp(argv[i], "--interval") == 0 && more) {
            s->interval = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--kill") == 0 && more) {
            s->kill_after = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--size") == 0 && more) {
            s->opt.size = (uint32_t)atoi(argv[++i]);
        } else if (strcmp(argv[i], "--core") == 0 && more) {
            if (!choose_core(s, argv[++i])) {
                return false;
            }
        } else if (strcmp(argv[i], "--graph") == 0 && more) {
            if (!choose_graph(s, argv[++i])) {
                return false;
            }
        } else if (strcmp(argv[i], "--parts") == 0 && more) {
            s->opt.core_parts = (uint32_t)strtoul(argv[++i], NULL, 0);
        } else if (strcmp(argv[i], "--el0") == 0 && more) {
            make_pmu(&s->pmu, strtoull(argv[++i], NULL, 0));
            s->opt.el0_pmu = &s->pmu;
        } else {
            return false;
        }
    }
    s->opt.argv = argv + i + 1;
    return i + 1 < argc;
}

/* Waits until the run has ended, and checks every @interval milliseconds that no total has become smaller. */
static void watch(FILE *out, struct apmu_run *run, int interval, struct apmu_run_status *st)
{
    uint64_t before[APMU_SOURCE_COUNT] = {0}, now[APMU_SOURCE_COUNT];
    struct apmu_refusal no;

    do {
        apmu_run_wait(run, interval, st);
        if (!apmu_run_totals(run, now, NULL, &no)) {
            continue;
        }
        for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
            if (now[s] < before[s]) {
                fprintf(out, "backwards %s\n", apmu_source_info[s].name);
            }
        }
        memcpy(before, now, sizeof before);
    } while (!st->ended);
}

int main(int argc, char **argv)
{
    struct settings s = {.opt = {.size = sizeof s.opt}, .interval = -1, .kill_after = -1};
    struct apmu_refusal no;
    struct apmu_run_status st;

    if (!read_arguments(argc, argv, &s)) {
        return usage();
    }
    FILE *out = s.file != NULL ? fopen(s.file, "w") : stdout;
    if (out == NULL) {
        perror(s.file);
        return 2;
    }
    struct apmu_run *run = apmu_run_start(&s.opt, &no);
    if (run == NULL) {
        fprintf(out, "refused %d %s: %s\n", no.status, no.cause, no.cure);
        return no.status;
    }
    if (s.kill_after >= 0) {
        apmu_run_wait(run, s.kill_after, &st);
        kill(apmu_run_pid(run), SIGKILL);
    }
    watch(out, run, s.interval, &st);
    print(out, run, &st, &s);
    apmu_run_free(run);
    if (out != stdout) {
        fclose(out);
    }
    return 0;
}
