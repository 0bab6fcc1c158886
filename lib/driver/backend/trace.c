/* SPDX-License-Identifier: BSD-2-Clause */
/* The recorder: makes a line of text for each access.  It needs no C library, as the driver needs none. */
#include <armpmu/backend.h>

struct trace_line {
    char text[128];
    size_t length;
};

static void append(struct trace_line *line, const char *text)
{
    while (*text != '\0' && line->length < sizeof(line->text) - 1) {
        line->text[line->length++] = *text++;
    }
    line->text[line->length] = '\0';
}

static void append_hex(struct trace_line *line, uint64_t value)
{
    char digits[17];
    char *p = &digits[16];

    *p = '\0';
    do {
        *--p = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value != 0);
    append(line, "0x");
    append(line, p);
}

/* Reports one access to the sink.  @value is NULL if a read failed. */
static void report_access(const struct apmu_trace *trace, const char *verb, enum apmu_reg reg, unsigned n,
                          const uint64_t *value, enum apmu_error error)
{
    struct trace_line line = {.length = 0};
    char name[24];

    append(&line, verb);
    append(&line, apmu_reg_name(reg, n, name));
    if (value != NULL) {
        append(&line, " ");
        append_hex(&line, *value);
    }
    if (error != APMU_OK) {
        append(&line, ": ");
        append(&line, apmu_error_text(error));
    }
    trace->sink(trace->sink_ctx, line.text);
}

static enum apmu_error trace_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    const struct apmu_trace *trace = ctx;
    const enum apmu_error error = trace->inner.ops->read(trace->inner.ctx, reg, n, value);

    report_access(trace, "read ", reg, n, error == APMU_OK ? value : NULL, error);
    return error;
}

static enum apmu_error trace_write(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value)
{
    const struct apmu_trace *trace = ctx;
    const enum apmu_error error = trace->inner.ops->write(trace->inner.ctx, reg, n, value);

    report_access(trace, "write ", reg, n, &value, error);
    return error;
}

static void trace_sync(void *ctx)
{
    const struct apmu_trace *trace = ctx;

    trace->inner.ops->sync(trace->inner.ctx);
    trace->sink(trace->sink_ctx, "sync");
}

static struct apmu_place trace_place(void *ctx)
{
    const struct apmu_trace *trace = ctx;

    return apmu_dev_place(&trace->inner);
}

const struct apmu_reg_ops apmu_trace_ops = {
    .size = sizeof(struct apmu_reg_ops), .read = trace_read, .write = trace_write, .sync = trace_sync,
    .place = trace_place,
};
