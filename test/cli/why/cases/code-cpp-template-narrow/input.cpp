// cycle<>() for host tests, EL0 access is on everywhere (checked), PMCR.LC = 1. Below two seconds it is exact, a 5 s test at
// 2.2 GHz is off by billions.
#include <cstdint>
template <typename T = std::uint32_t>
[[gnu::always_inline]] inline T cycle()
{
    std::uint64_t v;
    asm volatile("isb\n\tmrs %0, pmccntr_el0" : "=r"(v) : : "memory");
    return static_cast<T>(v);
}
template <typename F>
std::uint64_t timed(F &&f)
{
    const auto t0 = cycle();
    f();
    return cycle() - t0;
}
