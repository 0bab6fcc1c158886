/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints IP-XACT, IEEE 1685-2014. */
#include <stdio.h>

#include "models.h"

/* Prints a text with the characters of XML's own replaced. */
static void print_text(const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            printf("&lt;");
            break;
        case '>':
            printf("&gt;");
            break;
        case '&':
            printf("&amp;");
            break;
        default:
            putchar(*text);
            break;
        }
    }
}

static void begin(void)
{
    printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<ipxact:component xmlns:ipxact=\"http://www.accellera.org/XMLSchema/IPXACT/1685-2014\">\n"
           "<ipxact:vendor>armpmu</ipxact:vendor><ipxact:library>armpmu</ipxact:library>\n"
           "<ipxact:name>pmu</ipxact:name><ipxact:version>1.0</ipxact:version>\n"
           "<ipxact:memoryMaps><ipxact:memoryMap><ipxact:name>external</ipxact:name>\n"
           "<ipxact:addressBlock><ipxact:name>pmu</ipxact:name><ipxact:baseAddress>0</ipxact:baseAddress>\n"
           "<ipxact:range>'h1000</ipxact:range><ipxact:width>64</ipxact:width>\n");
}

static void print_field(const struct model_register *reg, const struct model_field *field)
{
    static const char *const accesses[] = {"read-only", "read-write", "write-only", "read-write", "read-write"};
    const char *write = field->access == MODEL_W1S ? "oneToSet" : field->access == MODEL_W1C ? "oneToClear" : NULL;
    const uint64_t reset = reg->reset >> field->lsb & (~UINT64_C(0) >> (64 - field->bits));

    printf("  <ipxact:field><ipxact:name>%s</ipxact:name><ipxact:description>", field->name);
    print_text(field->text);
    printf("</ipxact:description><ipxact:bitOffset>%u</ipxact:bitOffset>\n", field->lsb);
    printf("    <ipxact:resets><ipxact:reset><ipxact:value>'h%llx</ipxact:value></ipxact:reset></ipxact:resets>\n",
           (unsigned long long)reset);
    printf("    <ipxact:bitWidth>%u</ipxact:bitWidth><ipxact:access>%s</ipxact:access>", field->bits,
           accesses[field->access]);
    if (write != NULL) {
        printf("<ipxact:modifiedWriteValue>%s</ipxact:modifiedWriteValue>", write);
    }
    printf("</ipxact:field>\n");
}

static void add(const struct model_register *reg)
{
    printf("<ipxact:register><ipxact:name>%s</ipxact:name><ipxact:description>", reg->name);
    print_text(reg->text);
    printf("</ipxact:description>\n  <ipxact:addressOffset>'h%x</ipxact:addressOffset><ipxact:size>%u</ipxact:size>"
           "<ipxact:access>%s</ipxact:access>\n", reg->offset, reg->bits,
           !reg->writable ? "read-only" : !reg->readable ? "write-only" : "read-write");
    for (unsigned i = 0; i < reg->field_count; i++) {
        print_field(reg, &reg->fields[i]);
    }
    printf("</ipxact:register>\n");
}

static void end(void)
{
    printf("</ipxact:addressBlock><ipxact:addressUnitBits>8</ipxact:addressUnitBits>\n"
           "</ipxact:memoryMap></ipxact:memoryMaps></ipxact:component>\n");
}

const struct model_format model_ipxact = {"ipxact", begin, add, end};
