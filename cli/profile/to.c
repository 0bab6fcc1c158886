/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of formats; opens, checks and closes the file. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../timeline/timeline.h"
#include "to_formats.h"

static const struct to_format formats[] = {
    {"callgrind", "callgrind_annotate FILE; kcachegrind FILE; qcachegrind FILE", false, false, to_callgrind},
    {"perf-data", "perf report -i FILE; perf annotate -i FILE; perf script -i FILE; hotspot FILE", true, false,
     to_perf_data},
    {"pprof", "pprof -http=: FILE; go tool pprof FILE", true, false, to_pprof},
    {"collapsed", "flamegraph.pl FILE >FILE.svg; inferno-flamegraph FILE >FILE.svg; speedscope FILE", false, true,
     to_collapsed},
    {"speedscope", "speedscope FILE, or drop it onto www.speedscope.app", false, false, to_speedscope},
    {"firefox", "profiler.firefox.com: load the file; profiler-cli load FILE", false, false, to_firefox},
    {"perfetto", TIMELINE_OPENS, true, false, to_perfetto},
    {"perf-script", "what reads the text of perf script: stackcollapse-perf.pl FILE; speedscope FILE", false, false,
     to_perf_script},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

const struct to_format *to_format(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

void to_print_formats(FILE *out)
{
    for (size_t i = 0; i < FORMATS; i++) {
        fprintf(out, "%-12s %s\n", formats[i].name, formats[i].opens);
    }
}

__attribute__((format(printf, 2, 3))) static bool refuse(struct recording_refusal *no, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(no->text, sizeof no->text, format, args);
    va_end(args);
    return false;
}

/* Returns whether this recording has what the format needs. */
static bool is_possible(const struct to_format *format, const struct recording *r, const struct to_options *options,
                        bool to_stdout, struct recording_refusal *no)
{
    if (to_stdout && format->binary && isatty(STDOUT_FILENO)) {
        return refuse(no, "--to=%s: it is no text and would go to the terminal; name a file by -o", format->name);
    }
    if (r->event_count == 0) {
        return refuse(no, "--to=%s: the recording has no event; record it with one", format->name);
    }
    const size_t events = options->event_count == 0 ? r->event_count : options->event_count;

    if (format->one_event && events > 1) {
        return refuse(no, "--to=%s: a file holds one event, and these are %zu; choose one by -e, such as -e %s",
                      format->name, events, r->events[to_first(options)].name);
    }
    return true;
}

/* Removes a file that was not written to its end, but no pipe and no device. */
static void remove_part(const char *path)
{
    struct stat status;

    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        (void)unlink(path);
    }
}

bool to_write(const struct to_format *format, struct profile *p, const struct to_options *options, const char *path,
              struct recording_refusal *no)
{
    const bool to_stdout = strcmp(path, "-") == 0;

    if (!is_possible(format, profile_recording(p), options, to_stdout, no)) {
        return false;
    }
    struct to_out out = {.file = to_stdout ? stdout : fopen(path, "wb")};

    if (out.file == NULL) {
        return refuse(no, "%s: cannot be written: %s; choose another file by -o", path, strerror(errno));
    }
    format->write(&out, p, options);
    to_out_free(&out);
    errno = 0;
    if ((to_stdout ? fflush(out.file) : fclose(out.file)) != 0 && !out.failed) {
        out.failed = true;
        out.error = errno != 0 ? errno : EIO;
    }
    if (!out.failed) {
        return true;
    }
    if (!to_stdout) {
        remove_part(path);
    }
    return refuse(no, "%s: cannot be written: %s", to_stdout ? "stdout" : path,
                  out.error != 0 ? strerror(out.error) : out.why);
}
