/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a trace of Perfetto's, a packet at a time. */
#define _GNU_SOURCE
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

#include "cli/timeline/perfetto.pb-c.h"

enum {
    SEQUENCE = 1,
    NAMES_BEGIN = 1,
    NAMES_ARE_USED = 2,
};

/* Where protobuf-c puts its bytes. */
struct packet_sink {
    ProtobufCBuffer buffer; /* first: protobuf-c gives its address */
    const struct timeline *timeline;
};

static void append(ProtobufCBuffer *buffer, size_t size, const uint8_t *bytes)
{
    const struct packet_sink *sink = (const struct packet_sink *)(const void *)buffer;

    sink->timeline->put(sink->timeline->to, bytes, size);
}

/* Writes a packet.  Packets one after the other are a message with all of them. */
static void write_packet(struct timeline *t, Perfetto__TracePacket *packet)
{
    Perfetto__TracePacket *packets[1] = {packet};
    Perfetto__Trace piece = PERFETTO__TRACE__INIT;
    struct packet_sink sink = {.buffer = {.append = append}, .timeline = t};

    packet->has_trusted_packet_sequence_id = true;
    packet->trusted_packet_sequence_id = SEQUENCE;
    packet->has_sequence_flags = true;
    packet->sequence_flags = t->begun ? NAMES_ARE_USED : NAMES_BEGIN | NAMES_ARE_USED;
    t->begun = true;
    piece.n_packet = 1;
    piece.packet = packets;
    (void)protobuf_c_message_pack_to_buffer(&piece.base, &sink.buffer);
}

/* Returns a copy of @text that is UTF-8, which the caller frees. */
static char *copy_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = cli_allocate(NULL, size, 1);

    memcpy(copy, text, size);
    cli_make_utf8(copy);
    return copy;
}

static void put_to_file(void *to, const void *bytes, size_t size)
{
    (void)fwrite(bytes, 1, size, to); /* the file keeps the error */
}

void timeline_init(struct timeline *t, void (*put)(void *to, const void *bytes, size_t size), void *to)
{
    *t = (struct timeline){.put = put, .to = to};
}

void timeline_to_file(struct timeline *t, FILE *file)
{
    timeline_init(t, put_to_file, file);
}

void timeline_name(struct timeline *t, uint64_t name, const char *text)
{
    Perfetto__EventName row = PERFETTO__EVENT_NAME__INIT, *rows[1] = {&row};
    Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

    row.has_iid = true;
    row.iid = name;
    row.name = copy_text(text);
    data.n_event_names = 1;
    data.event_names = rows;
    packet.interned_data = &data;
    write_packet(t, &packet);
    free(row.name);
}

/* Writes a track and returns its number. */
static uint64_t add_track(struct timeline *t, Perfetto__TrackDescriptor *track, uint64_t parent)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

    track->has_uuid = true;
    track->uuid = ++t->tracks;
    track->has_parent_uuid = parent != 0;
    track->parent_uuid = parent;
    packet.track_descriptor = track;
    write_packet(t, &packet);
    return t->tracks;
}

uint64_t timeline_process(struct timeline *t, int32_t pid, const char *name, const char *command)
{
    Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    char *line = copy_text(command);

    process.has_pid = true;
    process.pid = pid;
    process.n_cmdline = 1;
    process.cmdline = &line;
    process.process_name = copy_text(name);
    track.process = &process;
    const uint64_t number = add_track(t, &track, 0);

    free(line);
    free(process.process_name);
    return number;
}

uint64_t timeline_track(struct timeline *t, uint64_t parent, const char *name)
{
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

    track.name = copy_text(name);
    const uint64_t number = add_track(t, &track, parent);

    free(track.name);
    return number;
}

uint64_t timeline_counter(struct timeline *t, uint64_t parent, const char *name)
{
    Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

    counter.has_unit = true;
    counter.unit = PERFETTO__COUNTER_DESCRIPTOR__UNIT__UNIT_COUNT;
    track.counter = &counter;
    track.name = copy_text(name);
    const uint64_t number = add_track(t, &track, parent);

    free(track.name);
    return number;
}

/* Writes @event, of @type, on @track at the time @ns. */
static void write_event(struct timeline *t, uint64_t track, uint64_t ns, Perfetto__TrackEvent__Type type,
                        Perfetto__TrackEvent *event)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

    event->has_type = true;
    event->type = type;
    event->has_track_uuid = true;
    event->track_uuid = track;
    packet.has_timestamp = true;
    packet.timestamp = ns;
    packet.track_event = event;
    write_packet(t, &packet);
}

void timeline_count(struct timeline *t, uint64_t track, uint64_t ns, int64_t count)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

    event.has_counter_value = true;
    event.counter_value = count;
    write_event(t, track, ns, PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER, &event);
}

void timeline_value(struct timeline *t, uint64_t track, uint64_t ns, double value)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

    event.has_double_counter_value = true;
    event.double_counter_value = value;
    write_event(t, track, ns, PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER, &event);
}

void timeline_slice(struct timeline *t, uint64_t track, uint64_t ns, uint64_t name)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

    event.has_name_iid = true;
    event.name_iid = name;
    write_event(t, track, ns, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, &event);
}

void timeline_slice_end(struct timeline *t, uint64_t track, uint64_t ns)
{
    Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

    write_event(t, track, ns, PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END, &event);
}

int timeline_format(const struct cli_verb *verb, const char *format, bool *help)
{
    *help = strcmp(format, "help") == 0;
    if (*help) {
        printf("%-12s %s\n", "perfetto", TIMELINE_OPENS);
        return cli_flush(verb, stdout, "stdout", CLI_YES);
    }
    if (strcmp(format, "perfetto") != 0) {
        cli_complain(verb, "--to=%s: no such format; --to=help lists them", format);
        return CLI_USAGE;
    }
    return CLI_YES;
}
