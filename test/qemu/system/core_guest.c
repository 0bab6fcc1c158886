/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For test_core.sh, on a machine with EL2 and -cpu max,pmu-core=cortex-a72: a guest at EL1 behind two stages of
 * translation.  Walks read the descriptors of both, caches see the physical address, and entries of the TLBs belong to
 * a VMID.  Counters count at EL1 only, where a loop of four instructions accesses memory once in a round.
 */
#include "image.h"

#define PAGE UINT64_C(4096)
#define GIB (UINT64_C(1) << 30)
#define IMAGE_AT GIB      /* one block of both stages has the image and all tables */
/* The guest's pages, virtual and intermediate physical, are in other sets of the second TLB than the image's. */
#define FIRST 128
#define GUEST (2 * GIB + FIRST * PAGE)

enum { PAGES = 16, FRAMES = PAGES / 4, OFFSET = 2048 }; /* four pages of the guest are the same physical page */

#define TABLE UINT64_C(3)                                 /* also a page, at the last level */
#define BLOCK UINT64_C(1)
#define STAGE1 (UINT64_C(1) << 10 | UINT64_C(3) << 8)     /* accessed, inner shareable; any EL1 access */
#define OWN (UINT64_C(1) << 11)                           /* not global */
#define STAGE2 (UINT64_C(1) << 10 | UINT64_C(3) << 8 | UINT64_C(3) << 6 | UINT64_C(15) << 2)

struct tables {
    uint64_t first[512], second[512], third[512];
};

static struct tables stage1 __attribute__((aligned(4096))), stage2 __attribute__((aligned(4096)));
static uint8_t frames[FRAMES][4096] __attribute__((aligned(4096)));

void guest_run(const void *pc, uint64_t x0, uint64_t x1, uint64_t x2);
extern const uint32_t guest_loads[], guest_invalidates[];

/* Events, in the order of the counters. */
static const uint16_t events[] = {0x04, 0x03, 0x05, 0x34, 0x8136};
enum { L1D_CACHE, L1D_CACHE_REFILL, L1D_TLB_REFILL, DTLB_WALK, DTLB_STEP, EVENTS };
static uint64_t before[EVENTS];

static void expect(const char *name, uint64_t got, uint64_t want)
{
    image_print(got == want ? "ok " : "not ok ");
    image_print(name);
    if (got != want) {
        image_print(": got ");
        image_print_number(got);
        image_print(", want ");
        image_print_number(want);
    }
    image_print("\n");
}

static uint64_t at(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/* Makes three levels of tables: the image's block, and PAGES pages from GUEST on. */
static void make_tables(struct tables *t, uint64_t attributes)
{
    t->first[IMAGE_AT / GIB] = IMAGE_AT | BLOCK | attributes;
    t->first[GUEST / GIB] = at(t->second) | TABLE;
    t->second[0] = at(t->third) | TABLE;
}

static void begin(void)
{
    for (unsigned n = 0; n < PAGES; n++) {
        stage1.third[FIRST + n] = (GUEST + n * PAGE) | TABLE | STAGE1 | OWN;
        stage2.third[FIRST + n] = at(frames[n % FRAMES]) | TABLE | STAGE2;
    }
    stage1.third[FIRST + PAGES] = at(frames[0]) | TABLE | STAGE1 | OWN; /* without stage 2 */
    make_tables(&stage1, STAGE1);
    make_tables(&stage2, STAGE2);
    IMAGE_WRITE("mair_el1", 0xff);
    IMAGE_WRITE("tcr_el1", 25 | UINT64_C(1) << 23); /* 39 bits, pages of 4096 bytes; none by TTBR1 */
    IMAGE_WRITE("ttbr0_el1", at(stage1.first) | UINT64_C(7) << 48);
    IMAGE_WRITE("vtcr_el2", 25 | 1 << 6);           /* 39 bits, from level 1 on */
    IMAGE_WRITE("vttbr_el2", at(stage2.first) | UINT64_C(1) << 48);
    IMAGE_WRITE("sctlr_el1", 0x30d00801);           /* the MMU is on */
    IMAGE_WRITE("hcr_el2", UINT64_C(1) << 31 | 1);  /* AArch64, stage 2 */
    __asm__ volatile("tlbi alle1\n dsb ish\n isb");
    for (unsigned n = 0; n < EVENTS; n++) {
        image_set_counter(n, events[n], 0);
        IMAGE_WRITE("pmxevtyper_el0", events[n]);   /* at EL1, and not at EL2 */
    }
    IMAGE_WRITE("pmcntenset_el0", (1u << EVENTS) - 1);
    IMAGE_WRITE("pmcr_el0", 1);
}

/* Has the guest load from @pages pages from page @first on. */
static void load(unsigned first, unsigned pages)
{
    for (unsigned n = 0; n < EVENTS; n++) {
        before[n] = image_counter(n);
    }
    guest_run(guest_loads, GUEST + first * PAGE + OFFSET, pages, PAGE);
}

static uint64_t got(unsigned n)
{
    return image_counter(n) - before[n];
}

static void use_vmid(uint64_t vmid)
{
    IMAGE_WRITE("vttbr_el2", at(stage2.first) | vmid << 48);
}

static void count_walks(void)
{
    load(0, PAGES);
    expect("a load of each page", got(L1D_CACHE), PAGES);
    expect("four pages have the same line", got(L1D_CACHE_REFILL), FRAMES);
    expect("each page is a refill of the TLB", got(L1D_TLB_REFILL), PAGES);
    expect("and a walk", got(DTLB_WALK), PAGES);
    /*
     * A table of stage 1 is in the image's block: a descriptor of stage 2, and its own.  Then three of stage 2 for the
     * page.  The walk cache has all but the last of stage 1 after the first walk.
     */
    expect("that reads descriptors of both stages", got(DTLB_STEP), 3 * 2 + 3 + (PAGES - 1) * (1 + 3));
    load(0, PAGES);
    expect("then the TLB has them", got(L1D_TLB_REFILL), 0);
    expect("and the cache", got(L1D_CACHE_REFILL), 0);
    IMAGE_WRITE("hcr_el2", UINT64_C(1) << 31);
    load(PAGES, 1);
    expect("a page without stage 2", got(DTLB_WALK), 1);
    expect("whose walk reads one descriptor", got(DTLB_STEP), 1);
    expect("at the same physical address", got(L1D_CACHE_REFILL), 0);
    IMAGE_WRITE("hcr_el2", UINT64_C(1) << 31 | 1);
}

static void change_spaces(void)
{
    load(0, PAGES);
    expect("stage 2 is on again", got(DTLB_WALK), 0);
    use_vmid(2);
    load(0, PAGES);
    expect("another VMID walks for itself", got(DTLB_WALK), PAGES);
    use_vmid(1);
    load(0, PAGES);
    expect("the first VMID is still there", got(DTLB_WALK), 0);
    IMAGE_WRITE("ttbr0_el1", at(stage1.first) | UINT64_C(8) << 48);
    load(0, 4);
    expect("another ASID walks for itself", got(DTLB_WALK), 4);
    IMAGE_WRITE("ttbr0_el1", at(stage1.first) | UINT64_C(7) << 48);
    load(0, PAGES);
    expect("the first ASID is still there", got(DTLB_WALK), 0);
}

static void invalidate(void)
{
    const uint64_t page = GUEST / PAGE | UINT64_C(7) << 48;

    guest_run(guest_invalidates, page, 0, 0);
    load(0, PAGES);
    expect("the guest invalidates a page", got(DTLB_WALK), 1);
    __asm__ volatile("tlbi vae1is, %0\n dsb ish\n isb" ::"r"(page + 1));
    load(0, PAGES);
    expect("EL2 invalidates a page of the guest", got(DTLB_WALK), 1);
    __asm__ volatile("tlbi vae1is, %0\n dsb ish\n isb" ::"r"((page + 1) ^ UINT64_C(1) << 48));
    load(0, PAGES);
    expect("but not of another ASID", got(DTLB_WALK), 0);
    use_vmid(2);
    __asm__ volatile("tlbi vae1is, %0\n dsb ish\n isb" ::"r"(page));
    use_vmid(1);
    load(0, PAGES);
    expect("nor of another VMID", got(DTLB_WALK), 0);
    __asm__ volatile("tlbi aside1is, %0\n dsb ish\n isb" ::"r"(UINT64_C(7) << 48));
    load(0, PAGES);
    expect("EL2 invalidates an ASID of the guest", got(DTLB_WALK), PAGES);
    __asm__ volatile("tlbi ipas2e1is, %0\n dsb ish\n tlbi vmalle1is\n dsb ish\n isb" ::"r"(GUEST / PAGE));
    load(0, PAGES);
    expect("EL2 invalidates stage 2", got(DTLB_WALK), PAGES);
}

void main(void)
{
    begin();
    count_walks();
    change_spaces();
    invalidate();
    image_finish(0);
}
