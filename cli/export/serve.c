/* SPDX-License-Identifier: BSD-2-Clause */
/* Serves /metrics by libmicrohttpd, in the thread that calls serve_run(). */
#define _GNU_SOURCE
#include "serve.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#define CONNECTIONS 64u /* at the same time; further ones wait */
#define TIMEOUT_S   5u  /* for a client that neither sends nor reads */
#define MEMORY      16384u /* for each connection; a longer request is refused */

struct serve {
    struct MHD_Daemon *daemon;
    const struct serve_source *source;
};

static const struct {
    const char *type, *word; /* the type of the content, and what asks for it in Accept */
} forms[] = {
    [EXPOSE_OPENMETRICS] = {"application/openmetrics-text; version=1.0.0; charset=utf-8",
                            "application/openmetrics-text"},
    [EXPOSE_PLAIN] = {"text/plain; version=0.0.4; charset=utf-8", "text/plain"},
};

/* Returns the form to send: the older one only to a client that asks for it and not for OpenMetrics. */
static enum expose_form choose_form(struct MHD_Connection *connection)
{
    const char *accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept");

    if (accept != NULL && strcasestr(accept, forms[EXPOSE_PLAIN].word) != NULL &&
        strcasestr(accept, forms[EXPOSE_OPENMETRICS].word) == NULL) {
        return EXPOSE_PLAIN;
    }
    return EXPOSE_OPENMETRICS;
}

/* Sends @length bytes of @text, which it frees if @mode says so. */
static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned code, const char *type, char *text,
                                 size_t length, enum MHD_ResponseMemoryMode mode)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(length, text, mode);
    enum MHD_Result result;

    if (response == NULL) {
        if (mode == MHD_RESPMEM_MUST_FREE) {
            free(text);
        }
        return MHD_NO;
    }
    MHD_add_response_header(response, "Content-Type", type);
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED) {
        MHD_add_response_header(response, "Allow", "GET, HEAD");
    }
    result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

/* Sends a sentence. */
static enum MHD_Result send_note(struct MHD_Connection *connection, unsigned code, const char *note)
{
    char *copy = strdup(note);

    return copy == NULL ? MHD_NO : send_text(connection, code, "text/plain; charset=utf-8", copy, strlen(copy),
                                             MHD_RESPMEM_MUST_FREE);
}

/* Answers a request.  libmicrohttpd calls it again for each part of a body, unless an answer is queued. */
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *body, size_t *body_length, void **request)
{
    const struct serve *s = context;
    const enum expose_form form = choose_form(connection);
    size_t length = 0;
    char *text;

    (void)version;
    (void)body;
    (void)body_length;
    (void)request;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
        return send_note(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD are answered.\n");
    }
    if (strcmp(path, "/") == 0) {
        return send_note(connection, MHD_HTTP_OK, "armpmu export: the counts are at /metrics.\n");
    }
    if (strcmp(path, "/metrics") != 0) {
        return send_note(connection, MHD_HTTP_NOT_FOUND, "There is only /metrics.\n");
    }
    text = s->source->make(s->source->context, form, &length);
    if (text == NULL) {
        return send_note(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "The counts cannot be read.\n");
    }
    return send_text(connection, MHD_HTTP_OK, forms[form].type, text, length, MHD_RESPMEM_MUST_FREE);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Listening.
 */

/*
 * Splits @address into *@host, which the caller frees, and *@port.  "[::1]:9876" has the host ::1.  Returns CLI_YES, or
 * CLI_USAGE after a complaint.
 */
static int split(const struct cli_verb *verb, const char *address, char **host, const char **port)
{
    const char *colon = strrchr(address, ':');
    const size_t length = colon == NULL ? 0 : (size_t)(colon - address);
    const bool brackets = length > 2 && address[0] == '[' && colon[-1] == ']';
    const size_t digits = colon == NULL ? 0 : strspn(colon + 1, "0123456789");

    *host = NULL;
    if (length == 0 || digits == 0 || digits > 5 || colon[1 + digits] != '\0' || atoi(colon + 1) > 65535 ||
        (!brackets && memchr(address, ':', length) != NULL)) {
        cli_complain(verb, "--listen: %s is not an address with a port; give one like 127.0.0.1:9876 or [::1]:9876",
                     address);
        return CLI_USAGE;
    }
    *port = colon + 1;
    *host = brackets ? strndup(address + 1, length - 2) : strndup(address, length);
    return CLI_YES;
}

/* Returns a socket that listens on @a, or -1 with errno. */
static int open_socket(const struct addrinfo *a)
{
    const int one = 1;
    const int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);

    if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
                    bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, 128) != 0)) {
        const int error = errno;

        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* Returns a socket that listens on @address, or -1 after a complaint with *@status set. */
static int listen_on(const struct cli_verb *verb, const char *address, int *status)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    const char *port;
    char *host;
    int error, fd = -1;

    *status = split(verb, address, &host, &port);
    if (*status != CLI_YES) {
        return -1;
    }
    error = getaddrinfo(host, port, &hints, &found);
    free(host);
    if (error == 0) {
        fd = open_socket(found);
    }
    if (fd < 0) {
        cli_complain(verb, "--listen: %s: %s; give another ADDR:PORT", address,
                     error != 0 ? gai_strerror(error) : strerror(errno));
        *status = CLI_CANNOT;
    }
    if (found != NULL) {
        freeaddrinfo(found);
    }
    return fd;
}

/* Prints on stderr where @fd listens: port 0 is any port that is free. */
static void say_where(const struct cli_verb *verb, int fd)
{
    struct sockaddr_storage at;
    socklen_t size = sizeof at;
    char host[128] = "", port[16] = "";

    if (getsockname(fd, (struct sockaddr *)&at, &size) == 0 &&
        getnameinfo((struct sockaddr *)&at, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0) {
        const bool six = at.ss_family == AF_INET6;

        fprintf(stderr, "armpmu %s: serving http://%s%s%s:%s/metrics\n", verb->name, six ? "[" : "", host,
                six ? "]" : "", port);
    }
}

struct serve *serve_begin(const struct cli_verb *verb, const char *address, const struct serve_source *source,
                          int *status)
{
    const int fd = listen_on(verb, address, status);
    struct serve *s;

    if (fd < 0) {
        return NULL;
    }
    s = cli_allocate(NULL, 1, sizeof *s);
    s->source = source;
    s->daemon = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, answer, s, MHD_OPTION_LISTEN_SOCKET, fd,
                                 MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT_S,
                                 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_END);
    if (s->daemon == NULL) {
        cli_complain(verb, "--listen: %s: libmicrohttpd cannot serve here; give --textfile FILE instead", address);
        *status = CLI_CANNOT;
        close(fd);
        free(s);
        return NULL;
    }
    say_where(verb, fd);
    return s;
}

void serve_run(struct serve *s, int timeout_ms)
{
    (void)MHD_run_wait(s->daemon, timeout_ms); /* an error is one of a connection, which libmicrohttpd closes */
}

void serve_end(struct serve *s)
{
    if (s != NULL) {
        MHD_stop_daemon(s->daemon); /* it closes the socket, too */
        free(s);
    }
}
