/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the client of the GDB protocol: a recorded exchange, and servers that are wrong, cut off or hostile. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "../../lib/tap.h"
#include "peer.h"

static struct state s;
static struct peer peer;
static const struct state_frame frame = {true, 0x22030000}, no_frame;
static const char *why;

static bool load(void)
{
    const bool loaded = peer_load(&peer, "test/cli/state/openocd.exchange");

    MUST(loaded, "test/cli/state/openocd.exchange is missing, empty or too large");
    return loaded;
}

static uint64_t value_of(enum apmu_reg reg)
{
    return state_cell(&s, reg, 0)->value;
}

static void an_exchange_with_openocd(void)
{
    if (!load()) {
        return;
    }
    MUST_EQ(peer_take(&peer, &s, &frame, &why), RSP_OK, "result");
    MUST_EQ(peer.errors, 0, "requests that are not packets");
    for (unsigned i = 0; i < peer.pairs; i++) {
        MUST(peer.used[i], "%s was never requested", peer.request[i]);
    }
    MUST_EQ(value_of(APMU_REG_PSTATE), 0xA00003C5, "cpsr");
    MUST_EQ(value_of(APMU_REG_PMCR_EL0), 0x41, "PMCR");
    MUST_EQ(value_of(APMU_REG_PMCNTENSET_EL0), 0x80000003, "PMCNTENSET");
    MUST_EQ(state_cell(&s, APMU_REG_PMEVTYPER_EL0, 1)->value, 0x80000011, "PMEVTYPER1");
    MUST_EQ(value_of(APMU_REG_PMCCNTR_EL0), UINT64_C(0x0123456789ABCDEF), "PMCCNTR");
    MUST_EQ(s.remark_count, 0, "remarks");
    struct state_model m;

    state_to_model(&s, &m);
    MUST(m.el_known && m.pe.el == 1 && m.cfg.counters == 6, "EL%u, %u counters", m.pe.el, m.cfg.counters);
}

/* Ends the connection after each byte of the greeting and the description, and after some bytes of the many values. */
static void one_that_ends_anywhere(void)
{
    if (!load()) {
        return;
    }
    MUST_EQ(peer_take(&peer, &s, &frame, &why), RSP_OK, "result");
    const size_t all = peer.given;

    MUST(all > 12000, "it was read after %zu bytes", all);
    for (size_t left = 0; left < all; left += left < 600 || left + 100 > all ? 1 : 29) {
        peer.left = left;
        const enum rsp_result result = peer_take(&peer, &s, &frame, &why);

        /* "+$OK#9a", of which nothing is needed any more, answers the last request */
        MUST(result == RSP_CLOSED || (result == RSP_OK && left + strlen("$OK#9a") >= all), "result %d after %zu bytes",
             result, left);
    }
}

/* Answers @request with @reply from now on. */
static void set(const char *request, const char *reply)
{
    unsigned i = 0;

    while (i < peer.pairs && strcmp(peer.request[i], request) != 0) {
        i++;
    }
    peer.pairs += i == peer.pairs;
    peer.request[i] = request;
    peer.reply[i] = reply;
}

static bool was_asked(const char *request)
{
    for (unsigned i = 0; i < peer.pairs; i++) {
        if (strcmp(peer.request[i], request) == 0) {
            return peer.used[i];
        }
    }
    return false;
}

#define GREETING "qSupported:xmlRegisters=arm"

/* Checks how a session ends, at @at, whose @request is answered with @reply: with @want and a cause that has @text. */
static void answers_at(const struct state_frame *at, const char *request, const char *reply, enum rsp_result want,
                       const char *text)
{
    if (!load()) {
        return;
    }
    set(request, reply);
    MUST_EQ(peer_take(&peer, &s, at, &why), want, "%s answered with %.40s", request, reply);
    MUST(strstr(why, text) != NULL, "%s: %s, not %s", request, why, text);
    MUST(was_asked("D") == (reply[0] != '\0' || strcmp(request, GREETING) != 0), "%s: the target is detached", request);
}

/* Checks a session without the external view. */
static void answers(const char *request, const char *reply, enum rsp_result want, const char *text)
{
    answers_at(&no_frame, request, reply, want, text);
}

#define TARGET "qXfer:features:read:target.xml:0,800"

static void descriptions_that_are_wrong(void)
{
    answers(TARGET, "l<target><reg name=\"PMCR_EL0\" regnum=\"70000\"/></target>", RSP_OK, "");
    answers(TARGET, "l<target><reg name=\"PMCR_EL0\"", RSP_GARBLED, "not XML");
    answers(TARGET, "l", RSP_GARBLED, "not XML");
    answers(TARGET, "m", RSP_GARBLED, "");
    answers(TARGET, "x", RSP_GARBLED, "");
    answers(TARGET, "E01", RSP_ERROR, "");
    answers(TARGET, "", RSP_UNSUPPORTED, "");
    answers(TARGET, "l<target><reg regnum=\"1\"/></target>", RSP_GARBLED, "no name");
    answers(TARGET, "l<target><reg name=\"PMCR\" regnum=\"-1\"/></target>", RSP_GARBLED, "number");
    answers(TARGET, "l<target><reg name=\"PMCR\" regnum=\"99999999999\"/></target>", RSP_GARBLED, "number");
    answers(TARGET, "l<target><xi:include href=\"target.xml\"/></target>", RSP_GARBLED, "too much");
    answers(TARGET, "l<target><xi:include href=\"other.xml\"/></target>", RSP_UNSUPPORTED, "does not give it");
    answers(TARGET, "l<target><xi:include href=\"a:b\"/></target>", RSP_GARBLED, "wrong name");
    answers(TARGET, "l<target><xi:include/></target>", RSP_GARBLED, "cannot be read");
    answers(TARGET, "l<!DOCTYPE target [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;\">]><target>&b;</target>", RSP_GARBLED,
            "entities");
}

static void values_that_are_wrong(void)
{
    answers("p21", "zz", RSP_GARBLED, "");
    answers("p21", "c5030", RSP_GARBLED, "");
    answers("p21", "00112233445566778899", RSP_GARBLED, "");
    answers_at(&frame, "p21", "xxxxxxxx", RSP_OK, "");
    MUST(s.remark_count == 1 && strcmp(s.remarks[0].name, "cpsr") == 0, "a remark on %s", s.remarks[0].name);
    answers_at(&frame, "p21", "E01", RSP_OK, "");
    answers(GREETING, "", RSP_UNSUPPORTED, "");
    answers(GREETING, "PacketSize=400", RSP_UNSUPPORTED, "");
    answers_at(&frame, "?", "E01", RSP_OK, "");
    answers("?", "S05", RSP_NO_PMU, "it has no register of the PMU");
}

/* Returns the warnings that state_complain() prints about s. */
static const char *warnings(void)
{
    static char text[512];
    FILE *file = tmpfile();
    const int terminal = dup(STDERR_FILENO);

    text[0] = '\0';
    if (file == NULL || terminal == -1 || dup2(fileno(file), STDERR_FILENO) == -1) {
        return "no file for the warnings";
    }
    state_complain(NULL, &s);
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* A target that runs may change between two reads.  The input has no lines, so the warning names none. */
static void reads_that_differ(void)
{
    if (!load()) {
        return;
    }
    set(TARGET, "l<target><reg name=\"PMOVSSET_EL0\" regnum=\"1\"/><reg name=\"PMOVSCLR_EL0\" regnum=\"2\"/></target>");
    set("p1", "0100000000000000");
    set("p2", "0300000000000000");
    MUST_EQ(peer_take(&peer, &s, &no_frame, &why), RSP_OK, "result");
    MUST_EQ(value_of(APMU_REG_PMOVSSET_EL0), 1, "PMOVSSET_EL0, which was read first");
    MUST(strstr(warnings(), "PMOVSCLR_EL0 is 0x3") != NULL && strstr(warnings(), "line") == NULL, "%s", warnings());
}

/* Memory that cannot be read gives zeros, as from OpenOCD, or errors.  Neither is taken for registers. */
static void memory_that_is_no_pmu(void)
{
    static const char *const cases[][3] = {
        {"00000000", "162a7047", "OS Lock"},
        {"E0E", "162a7047", "OS Lock"},
        {"00000000", "00000000", "so no PMU is seen"},
        {"E0E", "00000000", "so no PMU is seen"},
        {"E0E", "152a7047", "so no PMU is seen"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!load()) {
            return;
        }
        set("m22030e00,4", cases[i][0]);
        set("m22030fbc,4", cases[i][1]);
        MUST_EQ(peer_take(&peer, &s, &frame, &why), RSP_NO_PMU, "%s and %s", cases[i][0], cases[i][1]);
        MUST(strstr(why, cases[i][2]) != NULL, "%s and %s: %s", cases[i][0], cases[i][1], why);
        MUST(state_cell(&s, APMU_REG_PMCR_EL0, 0)->known == 0, "%s and %s: PMCR is known", cases[i][0], cases[i][1]);
        MUST(was_asked("D"), "%s and %s: the target is detached", cases[i][0], cases[i][1]);
    }
}

static void runs_in_a_reply(void)
{
    if (!load()) {
        return;
    }
    set("m22030c00,4", "010* 80");
    set("m22030400,4", "080*\"");
    MUST_EQ(peer_take(&peer, &s, &frame, &why), RSP_OK, "result");
    MUST_EQ(value_of(APMU_REG_PMCNTENSET_EL0), 0x80000001, "PMCNTENSET");
    MUST_EQ(state_cell(&s, APMU_REG_PMEVTYPER_EL0, 0)->value, 8, "PMEVTYPER0");
}

/* A server that sends these bytes, whatever it is asked. */
struct bytes {
    const char *text;
    size_t length, at;
    bool for_ever;
};

static bool drop(void *context, const char *bytes, size_t length)
{
    (void)context, (void)bytes, (void)length;
    return true;
}

static long give(void *context, char *bytes, size_t size)
{
    struct bytes *b = context;
    size_t n = b->length - b->at;

    n = n < size ? n : size;
    memcpy(bytes, b->text + b->at, n);
    b->at += n;
    if (b->for_ever && b->at == b->length) {
        b->at = 0;
    }
    return (long)n;
}

static enum rsp_result take_bytes(const char *text, bool for_ever)
{
    struct bytes b = {text, strlen(text), 0, for_ever};
    const struct rsp_wire wire = {drop, give, &b};
    const char *what;

    state_init(&s, "bytes");
    return state_take_target(&s, &wire, &frame, &what, &why);
}

static void servers_of_something_else(void)
{
    MUST_EQ(take_bytes("HTTP/1.1 400 Bad Request\r\n\r\n", false), RSP_CLOSED, "a web server");
    MUST_EQ(take_bytes("SSH-2.0-OpenSSH\r\n", true), RSP_GARBLED, "noise without end");
    MUST_EQ(take_bytes("$", true), RSP_GARBLED, "a packet without end");
    MUST_EQ(take_bytes("$OK#zz", false), RSP_GARBLED, "a checksum that is not a number");
    MUST_EQ(take_bytes("$OK#00$OK#00$OK#00", false), RSP_GARBLED, "a checksum that is wrong every time");
    MUST_EQ(take_bytes("$*\"#4c", false), RSP_GARBLED, "a run of nothing");
    MUST_EQ(take_bytes("$a*!#ac", false), RSP_CLOSED, "a run of four");
    MUST_EQ(take_bytes("$a}#de", false), RSP_GARBLED, "an escape of nothing");
    MUST_EQ(take_bytes("%note#00$T05#b9", true), RSP_GARBLED, "notifications and stops without end");
    MUST_EQ(take_bytes("$m0#9d", true), RSP_GARBLED, "the same answer to everything");
    MUST_EQ(take_bytes("$qXfer:features:read+#4b", true), RSP_GARBLED, "the question as the answer");
}

int main(void)
{
    RUN(an_exchange_with_openocd);
    RUN(one_that_ends_anywhere);
    RUN(descriptions_that_are_wrong);
    RUN(values_that_are_wrong);
    RUN(reads_that_differ);
    RUN(memory_that_is_no_pmu);
    RUN(runs_in_a_reply);
    RUN(servers_of_something_else);
    return tap_status;
}
