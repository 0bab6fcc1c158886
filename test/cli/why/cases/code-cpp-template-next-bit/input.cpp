// Cortex-A53, EL1. Counter<0> reads 0 for ever.
#include <cstdint>
template <unsigned N>
struct Counter {
    static void start(std::uint64_t ev)
    {
        std::uint64_t sel = N;
        asm volatile("msr pmselr_el0, %0; isb" :: "r"(sel));
        asm volatile("msr pmxevtyper_el0, %0" :: "r"(ev));
        std::uint64_t bit = 1ull << (N + 1);
        asm volatile("msr pmcntenset_el0, %0; isb" :: "r"(bit));
    }
    static std::uint64_t value()
    {
        std::uint64_t v;
        asm volatile("msr pmselr_el0, %0; isb" :: "r"(std::uint64_t{N}));
        asm volatile("mrs %0, pmxevcntr_el0" : "=r"(v));
        return v;
    }
};
void run()
{
    std::uint64_t c;
    asm volatile("mrs %0, pmcr_el0" : "=r"(c));
    asm volatile("msr pmcr_el0, %0; isb" :: "r"(c | 1));
    Counter<0>::start(0x08);
    work();
    print(Counter<0>::value());
}
