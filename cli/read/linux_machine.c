/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what machine it is: cores, the PMU driver, versions of the kernel, hypervisors and clouds. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "linux.h"
#include "words.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Cores.
 */

static void add_core(struct linux_input *in, const struct apmu_core_info *core, uint32_t midr)
{
    const uint64_t id = core != NULL ? (uint64_t)core->implementer << 12 | core->part
                                     : (uint64_t)(midr >> 24) << 12 | (midr >> 4 & 0xFFF);

    if (in->last_core == id) {
        text_claim(&in->r->text, in->i, TEXT_LINUX);
        return;
    }
    in->last_core = id;
    linux_clue(in, CLUE_linux_core, core != NULL ? core->name : "", id, 0);
    if (in->first_core == 0) {
        in->first_core = id;
    } else if (in->first_core != id) {
        reading_learn(&in->r->machine.big_little, 1, in->number);
    }
    reading_learn_core(in->r, core);
    if (id >> 12 == 0x61) {
        reading_learn(&in->r->machine.pmu, READING_PMU_APPLE, in->number);
    }
}

/* Finds a core by a name such as cortex_a72 or neoverse-n1 at @at.  Returns NULL if there is none. */
static const struct apmu_core_info *core_named(const char *at)
{
    const struct apmu_core_info *best = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < apmu_core_count(); i++) {
        const struct apmu_core_info *core = apmu_core_at(i);
        const char *name = core->name, *text = at;

        for (; *name != '\0'; name++) {
            const bool gap = *name == ' ' || *name == '-';

            if (gap ? *text == '_' || *text == '-' || *text == ' ' : tolower((unsigned char)*name) == *text) {
                text++;
            } else if (!gap) {
                break;
            }
        }
        if (*name == '\0' && !isalnum((unsigned char)*text) && (size_t)(text - at) > longest) {
            longest = (size_t)(text - at);
            best = core;
        }
    }
    return best;
}

/* Finds a MIDR in the messages of the boot: "[0x410fd083]", "Processor [410fd034]". */
static void read_midr(struct linux_input *in)
{
    static const char *const marks[] = {"booting linux on", "boot cpu:",      "booted secondary processor",
                                        "processor [",      "booting on cpu", "midr"};
    const char *at = strchr(in->lower, '[');
    bool marked = false;

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        marked = marked || linux_find(in, marks[i]) != NULL;
    }
    for (; marked && at != NULL; at = strchr(at + 1, '[')) {
        const char *digits = at + (at[1] == '0' && at[2] == 'x' ? 3 : 1);
        const size_t count = strspn(digits, "0123456789abcdef");

        if (count >= 7 && digits[count] == ']') {
            const uint32_t midr = (uint32_t)strtoul(digits, NULL, 16);

            add_core(in, apmu_core_by_midr(midr), midr);
            return;
        }
    }
}

/* Reads /proc/cpuinfo: "CPU implementer : 0x41", "CPU part : 0xd08". */
static void read_cpuinfo(struct linux_input *in)
{
    const char *implementer = linux_after(in->lower, "cpu implementer"), *part = linux_after(in->lower, "cpu part"),
               *end;

    if (implementer != NULL && *implementer == ':') {
        in->implementer = linux_number(implementer + 1 + text_blanks(implementer + 1), &end);
        text_claim(&in->r->text, in->i, TEXT_LINUX);
        if (in->implementer == 0x61) {
            add_core(in, NULL, 0x61000000);
        }
    } else if (part != NULL && *part == ':') {
        const uint64_t number = linux_number(part + 1 + text_blanks(part + 1), &end);
        const uint32_t midr =
            (uint32_t)(((in->implementer != 0 ? in->implementer : 0x41) & 0xFF) << 24 | (number & 0xFFF) << 4);

        if (midr >> 24 != 0x61) {
            add_core(in, apmu_core_by_midr(midr), midr);
        }
        text_claim(&in->r->text, in->i, TEXT_LINUX);
    }
}

/* Reads the names of PMUs: armv8_cortex_a72, armv7_cortex_a9, apple_firestorm_pmu. */
void linux_read_names(struct linux_input *in)
{
    static const char *const begins[] = {"armv8_", "armv7_", "armv9_", "armv7 ", "armv8 "};

    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        for (const char *at = linux_find(in, begins[i]); at != NULL; at = strstr(at + 1, begins[i])) {
            const struct apmu_core_info *core = core_named(at + strlen(begins[i]));

            if (core != NULL) {
                add_core(in, core, 0);
            }
        }
    }
    if (linux_find(in, "apple_") != NULL && linux_find(in, "_pmu") != NULL) {
        add_core(in, NULL, 0x61000000);
    }
}

/* Reads lscpu: "Model name: Cortex-A72". */
static void read_model_name(struct linux_input *in)
{
    const char *at = in->lower + text_blanks(in->lower), *name = linux_after(at, "model name");

    if (name != NULL && *name == ':') {
        name += 1 + text_blanks(name + 1);
        const struct apmu_core_info *core = core_named(name);

        text_claim(&in->r->text, in->i, TEXT_LINUX);
        if (core != NULL) {
            add_core(in, core, 0);
        }
        if (strncmp(name, "apple", 5) == 0 || strstr(name, "icestorm") != NULL || strstr(name, "firestorm") != NULL) {
            add_core(in, NULL, 0x61000000);
        }
        if (strstr(name, "intel") != NULL || strstr(name, "amd ") != NULL) {
            linux_clue(in, CLUE_linux_other_arch, "x86", 0, 0);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The driver and the kernel.
 */

/* Reads "hw perfevents: enabled with NAME PMU driver, N (0,MASK) counters available". */
static void read_driver(struct linux_input *in)
{
    const char *at = linux_find(in, "enabled with "), *stop = linux_find(in, " pmu driver"), *end;
    char name[64];
    uint64_t count, mask = 0;

    if (at == NULL || stop == NULL || stop < at + 13) {
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)(stop - at - 13 < 60 ? stop - at - 13 : 60), at + 13);
    at = stop + 11 + strspn(stop + 11, ", ");
    count = linux_number(at, &end);
    end += strspn(end, " ");
    if (*end == '(') {
        const char *comma = strchr(end, ',');

        mask = comma != NULL ? strtoull(comma + 1, NULL, 16) : 0;
    }
    if (isdigit((unsigned char)*at)) {
        linux_clue(in, CLUE_linux_driver, name, count, mask);
    }
}

static void learn_word_size(struct linux_input *in)
{
    static const char *const small[] = {"armv7l", "armv6l", "armhf", "armv5tel", "armv8l"};

    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        if (linux_has_word(in->lower, small[i])) {
            linux_clue(in, CLUE_linux_kernel32, small[i], 0, 0);
            return;
        }
    }
    if (linux_find(in, "internal error: ") != NULL && linux_find(in, " smp arm") != NULL) { /* the kernel's oops */
        reading_learn(&in->r->machine.pmu, READING_PMU_V7, in->number);
    }
    if (linux_find(in, "cpu: armv7 processor") != NULL || linux_find(in, "cpu: armv6-compatible") != NULL ||
        linux_find(in, "model name : armv7 processor") != NULL) {
        linux_clue(in, CLUE_linux_kernel32, "armv7", 0, 0);
    } else if (linux_has_word(in->lower, "aarch64") && (linux_find(in, "linux") != NULL || in->lower[0] == 'a')) {
        linux_clue(in, CLUE_linux_kernel64, "aarch64", 0, 0);
    }
}

/* Finds the version of the kernel: "Linux version 5.15.0", uname's "Linux host 6.1.0-arm64". */
static void read_version(struct linux_input *in)
{
    const char *at = linux_find(in, "linux "), *end;

    if (at == NULL) {
        return;
    }
    at += 6;
    for (unsigned words = 0; words < 2 && !isdigit((unsigned char)*at) && *at != '\0'; words++) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    if (isdigit((unsigned char)*at)) {
        const uint64_t major = linux_number(at, &end);

        if (*end == '.' && isdigit((unsigned char)end[1]) && major >= 2 && major < 20) {
            const uint64_t minor = linux_number(end + 1, &end);

            reading_learn(&in->r->machine.kernel, major * 1000 + minor % 1000, in->number);
            reading_learn(&in->r->machine.linux_os, 1, in->number);
            text_claim(&in->r->text, in->i, TEXT_LINUX);
        }
    }
}

static void read_architecture(struct linux_input *in)
{
    static const char *const others[] = {"x86_64",       "riscv64",      "ppc64le",       "s390x", "loongarch64",
                                         "genuineintel", "authenticamd", "riscv_pmu_sbi", "amd64"};
    const char *at = in->lower + text_blanks(in->lower);

    if (strncmp(at, "architecture:", 13) != 0 && strncmp(at, "vendor_id", 9) != 0 && strncmp(at, "vendor id", 9) != 0 &&
        strstr(at, "linux") == NULL && strstr(at, "perfevents") == NULL && strstr(at, "pmu") == NULL) {
        return;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (linux_has_word(at, others[i])) {
            linux_clue(in, CLUE_linux_other_arch, others[i], 0, 0);
            return;
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Hypervisors and clouds.
 */

static void add_hypervisor(struct linux_input *in, const char *words, enum reading_hypervisor hypervisor)
{
    if (in->where == LINUX_ON_HOST) {
        return;
    }
    linux_note(in, CLUE_linux_hypervisor, words, (uint64_t)hypervisor, 0);
    reading_learn(&in->r->machine.hypervisor, (uint64_t)hypervisor, in->number);
    reading_learn(&in->r->machine.guest, 1, in->number);
}

/* Takes the word that systemd-detect-virt prints. */
static void read_detected(struct linux_input *in)
{
    static const struct {
        const char *word;
        enum reading_hypervisor hypervisor;
    } words[] = {{"kvm", READING_HYPERVISOR_KVM},       {"qemu", READING_HYPERVISOR_OTHER},
                 {"xen", READING_HYPERVISOR_XEN},       {"microsoft", READING_HYPERVISOR_HYPERV},
                 {"vmware", READING_HYPERVISOR_VMWARE}, {"amazon", READING_HYPERVISOR_CLOUD},
                 {"apple", READING_HYPERVISOR_OTHER},   {"parallels", READING_HYPERVISOR_OTHER},
                 {"oracle", READING_HYPERVISOR_OTHER},  {"google", READING_HYPERVISOR_CLOUD},
                 {"wsl", READING_HYPERVISOR_HYPERV}};

    if (strstr(in->command, "detect-virt") == NULL && strstr(in->command, "virt-what") == NULL) {
        return;
    }
    if (linux_after(in->lower, "none") != NULL) {
        linux_clue(in, CLUE_linux_physical, "", 0, 0);
    }
    if (linux_after(in->lower, "docker") != NULL || linux_after(in->lower, "podman") != NULL ||
        linux_after(in->lower, "lxc") != NULL) {
        reading_learn(&in->r->machine.container, 1, in->number);
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (linux_after(in->lower, words[i].word) != NULL) {
            add_hypervisor(in, words[i].word, words[i].hypervisor);
            return;
        }
    }
}

/* Returns true if @word is the type of an Arm instance of a cloud; stores whether it is bare metal. */
static bool is_instance(const char *word, bool *metal)
{
    const char *dot = strchr(word, '.');
    struct linux_match m;

    *metal = strstr(word, "metal") != NULL || strncmp(word, "bm.", 3) == 0;
    if (strncmp(word, "t2a-standard", 12) == 0 || strncmp(word, "c4a-", 4) == 0 || strncmp(word, "n4a-", 4) == 0 ||
        strncmp(word, "vm.standard.a", 13) == 0 || strncmp(word, "bm.standard.a", 13) == 0 ||
        strncmp(word, "kc1.", 4) == 0 || strncmp(word, "kc2.", 4) == 0 || strncmp(word, "ecs.g8y", 7) == 0 ||
        strncmp(word, "ecs.c8y", 7) == 0 || strncmp(word, "ecs.g6r", 7) == 0 || strncmp(word, "ecs.c6r", 7) == 0) {
        return true;
    }
    /* Azure: Standard_D4ps_v5, Dpsv5, E8pds_v6. */
    if ((strncmp(word, "standard_", 9) == 0 && (linux_match("ps_v", word, &m) || linux_match("pds_v", word, &m) ||
                                                linux_match("pls_v", word, &m) || linux_match("plds_v", word, &m))) ||
        strncmp(word, "dpsv", 4) == 0 || strncmp(word, "dpdsv", 5) == 0 || strncmp(word, "dplsv", 5) == 0 ||
        strncmp(word, "epsv", 4) == 0) {
        return true;
    }
    if (dot == NULL || dot - word < 2 || dot - word > 8 || !isalpha((unsigned char)word[0])) {
        return false;
    }
    /* AWS: letters, a generation, "g" for Graviton; a1 alone has none. */
    const size_t letters = strspn(word, "abcdefghijklmnopqrstuvwxyz");

    if (letters > 3 || !isdigit((unsigned char)word[letters]) ||
        (memchr(word + letters, 'g', (size_t)(dot - word) - letters) == NULL && strncmp(word, "a1.", 3) != 0)) {
        return false;
    }
    return strstr(dot, "large") != NULL || strncmp(dot, ".metal", 6) == 0 || strncmp(dot, ".medium", 7) == 0 ||
           strncmp(dot, ".small", 6) == 0 || strncmp(dot, ".micro", 6) == 0 || strncmp(dot, ".nano", 5) == 0;
}

void linux_read_instance(struct linux_input *in)
{
    const char *at = in->lower;

    while (*at != '\0') {
        char word[64];
        bool metal;

        at += strspn(at, " \t/,:;()\"'=");
        const size_t length = linux_word(at, "/,:;()\"'=", word, sizeof word);

        if (length >= 5 && length < sizeof word && is_instance(word, &metal)) {
            linux_note(in, CLUE_linux_cloud, word, metal, 0);
            if (!metal && in->where != LINUX_ON_HOST) {
                reading_learn(&in->r->machine.hypervisor, READING_HYPERVISOR_CLOUD, in->number);
                reading_learn(&in->r->machine.guest, 1, in->number);
            }
        }
        at += length;
    }
}

void linux_read_host(struct linux_input *in)
{
    static const struct {
        const char *pattern;
        enum reading_hypervisor hypervisor;
    } rows[] = {
#define HOST(pattern, hypervisor) {pattern, READING_HYPERVISOR_##hypervisor},
#include "linux_hosts.def"
    };
    static uint64_t pairs[sizeof rows / sizeof rows[0]]; /* of the patterns; the same for each input */
    struct linux_match m;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (pairs[i] == 0) {
            pairs[i] = linux_pairs(rows[i].pattern);
        }
        if ((pairs[i] & ~in->pairs) == 0 && linux_match(rows[i].pattern, in->lower, &m)) {
            add_hypervisor(in, rows[i].pattern, rows[i].hypervisor);
            return;
        }
    }
}

/* Reads the names of boards in lines that tell the model. */
static void read_model(struct linux_input *in)
{
    static const char *const marks[] = {
        "machine model", "hardware name", "machine: ", "hardware\t:", "model\t\t:", "hardware  "};
    bool marked = strstr(in->command, "device-tree/model") != NULL && in->command_line + 1 == in->number;

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        marked = marked || linux_find(in, marks[i]) != NULL;
    }
    if (marked && in->where != LINUX_ON_HOST) {
        read_machine_words(in->r, in->line, strlen(in->line), in->number);
    }
}

void linux_read_machine(struct linux_input *in)
{
    read_midr(in);
    read_cpuinfo(in);
    linux_read_names(in);
    read_model_name(in);
    read_driver(in);
    learn_word_size(in);
    read_version(in);
    read_architecture(in);
    read_model(in);
    if (linux_find(in, "vhe mode initialized") != NULL || linux_find(in, "virtualization host extensions") != NULL) {
        reading_learn(&in->r->machine.vhe, 1, in->number);
    } else if (linux_find(in, "hyp mode initialized") != NULL || linux_find(in, "nvhe mode initialized") != NULL ||
               linux_find(in, "all cpu(s) started at el1") != NULL) {
        reading_learn(&in->r->machine.vhe, 0, in->number);
    }
    linux_read_host(in);
    read_detected(in);
    linux_read_instance(in);
}
