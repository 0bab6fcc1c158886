/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a GDB target's description of its registers: XML documents that include others. */
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "internal.h"
#include "target.h"

/* Limits: documents that are nested, documents that are read, and the number of a register. */
enum { DEPTH = 4, ANNEXES = 64, NUMBER_MAX = 0xFFFFFF };

/* The reading of one description, the user data of expat's callbacks. */
struct reader {
    struct rsp *rsp;
    struct target_description *target;
    unsigned next;           /* the number of the next register, unless it has a regnum */
    unsigned annexes, depth; /* documents that were read, and that are open */
    enum rsp_result result;  /* RSP_OK, or how the reading failed */
    const char *why;         /* NULL, or what was wrong */
    XML_Parser parser;       /* of the document that is read now */
};

static bool read_annex(struct reader *d, const char *annex);

/* Stops the reading, and notes the cause unless there is one already. */
static void fail(struct reader *d, enum rsp_result result, const char *why)
{
    if (d->result == RSP_OK) {
        d->result = result;
        d->why = why;
    }
    XML_StopParser(d->parser, XML_FALSE);
}

/* Returns the value of the attribute @name, or NULL.  @attributes has names and values in turn, and ends with NULL. */
static const char *attribute(const char **attributes, const char *name)
{
    for (; attributes[0] != NULL; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return attributes[1];
        }
    }
    return NULL;
}

/* Adds the register of a <reg> element, if its name is known. */
static void take_register(struct reader *d, const char **attributes)
{
    const char *name = attribute(attributes, "name"), *number = attribute(attributes, "regnum");
    struct target_description *t = d->target;
    struct target_register *found = &t->registers[t->count];

    if (number != NULL) {
        char *end;
        const unsigned long value = strtoul(number, &end, 0);

        if (*number < '0' || *number > '9' || *end != '\0' || value > NUMBER_MAX) {
            fail(d, RSP_GARBLED, "a register in it has a wrong number");
            return;
        }
        d->next = (unsigned)value;
    }
    if (name == NULL) {
        fail(d, RSP_GARBLED, "a register in it has no name");
        return;
    }
    if (d->next >= NUMBER_MAX) {
        fail(d, RSP_GARBLED, "a register in it has a wrong number");
        return;
    }
    const size_t length = strlen(name);

    if (t->count < TARGET_REGISTERS && (names_by_name(name, length, &found->place) ||
                                        names_by_generic(name, length, &found->place))) {
        memcpy(found->name, name, length + 1); /* known names fit */
        found->number = d->next;
        t->count++;
    }
    d->next++;
}

static void XMLCALL start(void *data, const XML_Char *element, const XML_Char **attributes)
{
    struct reader *d = data;

    if (strcmp(element, "reg") == 0) {
        take_register(d, attributes);
    } else if (strcmp(element, "xi:include") == 0) {
        const XML_Parser parser = d->parser;
        const char *href = attribute(attributes, "href");

        if (href == NULL || !read_annex(d, href)) {
            d->parser = parser;
            fail(d, RSP_GARBLED, "it includes a document that cannot be read");
        }
        d->parser = parser;
    }
}

/* Refuses declarations of entities.  Descriptions do not need them, and they can expand without end. */
static void XMLCALL entity(void *data, const XML_Char *name, int is_parameter, const XML_Char *value, int length,
                           const XML_Char *base, const XML_Char *system, const XML_Char *public,
                           const XML_Char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system, (void)public, (void)notation;
    fail(data, RSP_GARBLED, "it declares entities");
}

/* Reads the document @annex and those that it includes.  Returns false if one of them cannot be read. */
static bool read_annex(struct reader *d, const char *annex)
{
    size_t length;
    enum rsp_result result;

    const bool odd = strpbrk(annex, "#$}*:") != NULL; /* a request cannot have these characters in a name */

    if (d->depth == DEPTH || d->annexes == ANNEXES || odd) {
        d->why = d->why != NULL ? d->why : odd ? "it includes a document with a wrong name" : "it includes too much";
        d->result = d->result == RSP_OK ? RSP_GARBLED : d->result;
        return false;
    }
    d->annexes++;
    char *text = rsp_annex(d->rsp, annex, &length, &result);

    if (text == NULL) {
        if (d->result == RSP_OK) {
            d->result = result;
            d->why = "the target does not give it";
        }
        return false;
    }
    d->parser = XML_ParserCreate(NULL);
    if (d->parser == NULL) {
        free(text);
        fail(d, RSP_GARBLED, "there is no memory to parse it");
        return false;
    }
    XML_SetUserData(d->parser, d);
    XML_SetStartElementHandler(d->parser, start);
    XML_SetEntityDeclHandler(d->parser, entity);
    d->depth++;
    if (XML_Parse(d->parser, text, (int)length, XML_TRUE) != XML_STATUS_OK && d->result == RSP_OK) {
        d->result = RSP_GARBLED;
        d->why = "it is not XML";
    }
    d->depth--;
    XML_ParserFree(d->parser);
    free(text);
    return d->result == RSP_OK;
}

enum rsp_result target_read(struct rsp *r, struct target_description *t, const char **why)
{
    struct reader d = {.rsp = r, .target = t};

    t->count = 0;
    read_annex(&d, "target.xml");
    *why = d.why != NULL ? d.why : "";
    return d.result;
}
