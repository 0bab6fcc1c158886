// AM6442, Cortex-A53, EL1
static constexpr uint64_t list[] = {0x08, 0x03, 0x04, 0x10, 0x12, 0x17};

void counters_on()
{
    uint64_t n = 0;

    for (const auto event : list) {
        asm volatile("msr pmselr_el0, %0\n isb" :: "r"(n));
        asm volatile("msr pmxevtyper_el0, %0\n isb" :: "r"(event));
        ++n;
    }
    asm volatile("msr pmcntenset_el0, %0" :: "r"(0x3Ful));
    asm volatile("msr pmcr_el0, %0" :: "r"(0x43ul));
    asm volatile("isb");
}

uint64_t last()
{
    uint64_t v;

    asm volatile("isb\n mrs %0, pmevcntr5_el0" : "=r"(v));
    return v;
}
